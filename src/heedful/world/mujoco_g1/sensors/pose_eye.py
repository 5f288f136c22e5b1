"""The role of an eye that looks at people's pose now and then.

Two members: `MeasuredEye` (the truth through a measured error model) and `KeypointEye` (keypoints in the head
camera's picture).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from heedful.state.series import Series
from heedful.world.mujoco_g1.sensors.pose_reading import PoseReading

LATENCY_S = 0.2
"""Declared time from a picture to what it says [s]."""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a look is taken; whatever is drawn for it is a function of this."""

    seed: int
    """Of the session."""
    turn: int
    number: int
    """Of the look in its turn, from 0."""
    now_s: float
    """Since the turn's start [s]."""


class PoseEye(Protocol):
    """Something that looks at the nearest person."""

    @property
    def name(self) -> str:
        """What it is; for the trace and every report."""
        ...

    @property
    def rate_hz(self) -> float:
        """Looks in a second."""
        ...

    def look(self, moment: Moment, true: Mapping[str, Series]) -> PoseReading:
        """Look now.

        Args:
            moment: When.
            true: The turn's true signals so far; for eyes that model errors.
        """
        ...
