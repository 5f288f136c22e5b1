"""What the rules of the tasks read and write: the table at an instant, and how far an episode has come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from heedful.state.tabletop.scene import ObjectPose

Rule = Literal["centre", "strict"]
"""Success by centres' distance as in the original, or by containment of the whole footprint."""
Profile = Literal["vima", "paper"]
"""Arm hidden, as VIMA was trained and tested; or visible, as in the attack paper's evaluation."""
Outcome = Literal["SUCCESS", "FAILURE", "TIMEOUT", "INVALID", "NOT_APPLICABLE"]
Reason = Literal[
    "",
    "wrong_object",
    "wrong_place",
    "missed_grasp",
    "wrong_order",
    "wrong_count",
    "line_crossed",
    "distractor_moved",
    "out_of_workspace",
    "no_progress",
]


@dataclass(frozen=True, slots=True)
class TableState:
    """The table after a step has settled, and what happened on the way."""

    poses: Mapping[int, ObjectPose]
    """Every object's pose, by id."""
    picked: int | None = None
    """What the suction cup lifted in the step; None if nothing, or with the spatula."""
    crossed: frozenset[int] = frozenset()
    """Objects of which a sample point was inside the line's rectangle during the step."""
    is_settled: bool = True
    """Whether everything came to rest within the limit."""
    lost: frozenset[int] = frozenset()
    """Objects that left the world: under the ground or far off, or all if the physics broke. Their poses are
    those before the step."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an episode has come by one rule."""

    reached: tuple[int, ...] = ()
    """Positions of the goals reached, in the order in which they were; for the sweep, ids that count."""
    failure: Reason = ""
    """Why it failed for good, or empty."""
    is_success: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing can change it any more."""
        return self.is_success or self.failure != ""


@dataclass(frozen=True, slots=True)
class Foreseen:
    """What an action would lead to."""

    state: TableState
    progress: Progress
