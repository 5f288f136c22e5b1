"""The role of a stage: a robot's body and people in one room, and how near they are to each other.

A stage moves nobody on its own: the body advances by its tasks, people stand where they are shown. Two
members: `G1Stage` (MuJoCo, true shapes) and `KinematicStage` (upright cylinders).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from heedful.errors import InputError
from heedful.world.mujoco_g1.body import Body
from heedful.world.mujoco_g1.people.person import PersonPose


class Stage(Protocol):
    """A robot and people in one room."""

    @property
    def body(self) -> Body:
        """The robot."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """The body's facts, and under `people` what the gap is measured between."""
        ...

    def show(self, people: Sequence[PersonPose]) -> None:
        """Place these people and hide all others; the robot is not touched.

        Raises:
            InputError: If there are more people than the stage was opened for.
        """
        ...

    def gap_m(self, person: int) -> float:
        """Return the nearest distance from the robot's surface to a shown person's [m].

        Negative means that they penetrate each other, by that much.

        Args:
            person: Place in the sequence that was shown last.

        Raises:
            InputError: If no such person is shown.
        """
        ...


def check_capacity(shown: int, capacity: int) -> None:
    """Raise InputError if more people are to be shown than a stage was opened for."""
    if shown > capacity:
        raise InputError(
            f"{shown} people were to be shown; the stage was opened for {capacity}: open_stage({shown})."
        )


def check_shown(person: int, shown: int) -> None:
    """Raise InputError if a person is not among those that are shown."""
    if not 0 <= person < shown:
        allowed = f"0 to {shown - 1}" if shown else "none, nobody is shown"
        raise InputError(f"Person {person} is not shown; allowed: {allowed}.")
