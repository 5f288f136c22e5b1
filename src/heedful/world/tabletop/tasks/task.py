"""What a task is to those who draw scenes: what is on the table, then where it lies.

Below: `raster`, which finds free places. Above: the four tasks, and `spawn`, which draws whole scenes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from heedful.state.tabletop.catalogue import Size, find_shape
from heedful.state.tabletop.levels import Pools
from heedful.state.tabletop.scene import EndEffector, Goal, ObjectPose, Prompt, PromptImage, Role, TableObject
from heedful.world.tabletop.raster import draw_pose, yaw_rotation

FIRST_ID: dict[EndEffector, int] = {"suction": 5, "spatula": 4}
"""Id of a scene's first object: plane, table and the robot's parts come before."""
PROMPT_POSE = ObjectPose(0.5, 0.0, 0.0, yaw_rotation(math.pi / 2))
"""Where an object lies in a picture of its own."""
UNPLACED = ObjectPose(0.0, 0.0, 0.0)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Cast:
    """What takes part in a scene, before anything has its place."""

    objects: tuple[TableObject, ...]
    prompt: Prompt
    goals: tuple[Goal, ...]
    oracle_steps: int
    end_effector: EndEffector = "suction"


@dataclass(frozen=True, slots=True)
class TabletopTask:
    """One of the four tasks."""

    cast: Callable[[np.random.Generator, Pools], Cast]
    """Draws what takes part."""
    lay: Callable[[np.random.Generator, Cast], Cast | None]
    """Draws where it lies, on the table and in a picture of a scene; None if there is no room."""


def choose(rng: np.random.Generator, options: Sequence[T]) -> T:
    """Return one of the options, each as likely."""
    return options[int(rng.integers(len(options)))]


def choose_some(rng: np.random.Generator, options: Sequence[T], count: int) -> tuple[T, ...]:
    """Return so many different ones of the options, in random order."""
    return tuple(options[int(place)] for place in rng.choice(len(options), size=count, replace=False))


def draw_size(rng: np.random.Generator, name: str) -> Size:
    """Return a nominal size of a shape; between the extremes where looks do not depend on it."""
    shape = find_shape(name)
    if len(shape.forms) == len(shape.sizes):
        return choose(rng, shape.sizes)
    smallest, largest = np.array(shape.sizes[0]), np.array(shape.sizes[-1])
    x, y, z = (smallest + rng.random() * (largest - smallest)).tolist()
    return (x, y, z)


def make_object(rng: np.random.Generator, object_id: int, name: str, texture: str, role: Role) -> TableObject:
    """Return an object of a size drawn for it, not yet placed; all but dragged shapes are bolted down."""
    is_fixed = find_shape(name).kind != "dragged"
    return TableObject(object_id, name, texture, role, draw_size(rng, name), UNPLACED, is_fixed)


def show(found: TableObject, magnification: float = 1.0) -> PromptImage:
    """Return the picture of an object alone."""
    return PromptImage("object", (replace(found, id=0, pose=PROMPT_POSE),), magnification)


def lay_table(rng: np.random.Generator, cast: Cast) -> Cast | None:
    """Return what takes part with the table's objects laid apart; None if there is no room."""
    objects = lay_apart(rng, cast.objects)
    return None if objects is None else replace(cast, objects=objects)


def lay_apart(rng: np.random.Generator, objects: Sequence[TableObject]) -> tuple[TableObject, ...] | None:
    """Return objects at places drawn for one after the other; None if the earlier ones leave one no room."""
    placed: list[TableObject] = []
    for found in objects:
        pose = draw_pose(rng, found.size, placed)
        if pose is None:
            return None
        placed.append(replace(found, pose=pose))
    return tuple(placed)
