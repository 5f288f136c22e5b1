"""The nearest person as depth frames tell: frames arrive late, people leave the view, cameras fail.

A person who was seen and is not in view any more is held for a while and then unknown; only who was seen to
walk far away is gone. Nothing here draws: frames come in as distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.state.script import SensorFault
from heedful.state.series import INFINITE, Series, Value
from heedful.trace.records import Reading
from heedful.world.mujoco_g1.held_track import HeldTrack, Look

LEFT_M = 4.5
"""Who was farther than this when last seen has left [m]."""
STEPS_PER_M = 100


@dataclass(frozen=True, slots=True)
class Frame:
    """What one frame said."""

    taken_s: float
    ready_s: float
    """When the robot has its result [s]."""
    distance_m: float | None
    """To the nearest person [m]; infinite when the view shows nobody, None when it cannot be told."""


class DepthTrack:
    """The nearest person over one turn."""

    def __init__(self, period_s: float, faults: tuple[SensorFault, ...] = ()) -> None:
        """Begin a turn.

        Args:
            period_s: Time between two values in the record [s].
            faults: Scripted failures of `human.distance`.
        """
        self._track = HeldTrack("human.distance", period_s, faults)
        self._last_m: Value = INFINITE
        """What the newest frame that could tell said [m]."""

    def add(self, frame: Frame) -> None:
        """Take a frame, newer than those before."""
        if frame.distance_m is None or (frame.distance_m >= INFINITE and not self._may_be_gone()):
            return
        self._last_m = frame.distance_m
        self._track.add(Look(frame.taken_s, frame.ready_s, _rounded(frame.distance_m)))

    def carry_on(self, looks: Sequence[Look]) -> None:
        """Take what was known or under way when the turn before ended."""
        for look in looks:
            self._last_m = look.value
            self._track.add(look)

    def carried_over(self, duration_s: float) -> tuple[Look, ...]:
        """Return what is known or under way as the next turn has it, whose clock starts this much later."""
        return self._track.carried_over(duration_s)

    def read(self, t: float) -> Reading:
        """Return what the robot holds at `t`."""
        return self._track.read(t)

    def series(self, until_s: float) -> Series:
        """Return what the robot held at every sample up to `until_s`."""
        return self._track.series(until_s)

    def _may_be_gone(self) -> bool:
        return isinstance(self._last_m, float) and self._last_m > LEFT_M


def _rounded(distance_m: float) -> Value:
    if distance_m >= INFINITE:
        return distance_m
    return max(0.0, round(distance_m * STEPS_PER_M) / STEPS_PER_M)
