"""A scene: what lies where, what the prompt says and shows. Plain data that JSON can hold.

Ids are those of the segmentation pictures: 0 plane, 1 table, 2 to 4 robot (2 and 3 with the spatula), then
the objects in the order of their making, which is also the order in which policies see them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Task = Literal[
    "visual_manipulation", "scene_understanding", "sweep_without_exceeding", "pick_in_order_then_restore"
]
TASKS: tuple[Task, ...] = (
    "visual_manipulation",
    "scene_understanding",
    "sweep_without_exceeding",
    "pick_in_order_then_restore",
)
Level = Literal["placement", "combinatorial", "novel_object"]
LEVELS: tuple[Level, ...] = ("placement", "combinatorial", "novel_object")
EndEffector = Literal["suction", "spatula"]
Role = Literal["dragged", "base", "distractor", "constraint"]
"""`base` is where things go: a container, the goal zone; `constraint` is the line."""
Quaternion = tuple[float, float, float, float]
"""Rotation (x, y, z, w)."""


@dataclass(frozen=True, slots=True)
class ObjectPose:
    """Where a body's origin is, and its rotation."""

    x: float
    y: float
    z: float
    rotation: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TableObject:
    """One object of a scene."""

    id: int
    """Its id in segmentation pictures."""
    name: str
    """Its shape's name in the catalogue, such as `letter R` or `bowl`."""
    texture: str
    """Its texture's name, such as `red and yellow stripe`."""
    role: Role
    size: tuple[float, float, float]
    """Sampled size [m]; scales the shape where the catalogue says so."""
    pose: ObjectPose
    """Where it is at the start."""
    is_fixed: bool = False
    """Whether it is bolted down: it cannot be lifted or pushed."""


@dataclass(frozen=True, slots=True)
class PromptImage:
    """What one placeholder of a prompt shows: an object alone, or a scene of its own."""

    kind: Literal["object", "scene"]
    objects: tuple[TableObject, ...]
    """With ids and poses of the picture, not of the scene."""
    magnification: float = 1.0
    """How much larger than life it is drawn."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A multimodal prompt: words, with placeholders in braces that stand for pictures."""

    template: str
    """Such as `Put the {dragged_obj_1} into the {base_obj}.`"""
    images: Mapping[str, PromptImage]
    """What each placeholder shows, by its name."""


@dataclass(frozen=True, slots=True)
class Goal:
    """One thing to be reached: an object at a place, or so many objects in the zone."""

    objects: tuple[int, ...]
    """Ids of the objects that count."""
    target: int
    """Id of the container or zone."""
    count: int = 1
    """How many of the objects, exactly; always 1 outside the sweep."""


@dataclass(frozen=True, slots=True)
class TableScene:
    """Everything about an episode before the first action."""

    task: Task
    level: str
    """A generalisation level of `LEVELS`, or a name from a user's partition file."""
    seed: int
    end_effector: EndEffector
    objects: tuple[TableObject, ...]
    """In the order of their ids."""
    prompt: Prompt
    goals: tuple[Goal, ...]
    """In the order in which they have to be reached, where the task has an order."""
    oracle_steps: int
    """The original's `oracle_max_steps`; an episode is cut off two steps later."""
    redraws: Mapping[str, int] = field(default_factory=dict)
    """How often drawing this scene was begun anew, by cause."""

    @property
    def max_steps(self) -> int:
        """Steps after which the episode is cut off."""
        return self.oracle_steps + 2

    def object(self, object_id: int) -> TableObject:
        """Return the object with that id."""
        return next(found for found in self.objects if found.id == object_id)
