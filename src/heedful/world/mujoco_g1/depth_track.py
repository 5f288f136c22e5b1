"""The nearest person as depth frames tell: frames arrive late, people leave the view, cameras fail.

A person who was seen and is not in view any more is held for a while and then unknown; only who was seen to
walk far away is gone. Nothing here draws: frames come in as distances.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from heedful.state.script import SensorFault
from heedful.state.series import INFINITE, Series, Value
from heedful.trace.records import Reading

HOLD_S = 1.0
"""How long a person who is not seen any more keeps the last distance [s]."""
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
        self._period_s = period_s
        self._faults = tuple(f for f in faults if f.signal == "human.distance")
        self._seen: list[Frame] = []
        """Frames that tell where somebody is, or that nobody is there."""
        self._ready: list[float] = []

    def add(self, frame: Frame) -> None:
        """Take a frame, newer than those before."""
        if frame.distance_m is None or (frame.distance_m >= INFINITE and not self._may_be_gone()):
            return
        self._seen.append(frame)
        self._ready.append(frame.ready_s)

    def carried_over(self, duration_s: float) -> Frame | None:
        """Return the newest frame as the next turn has it, whose clock starts `duration_s` later."""
        if not self._seen:
            return None
        last = self._seen[-1]
        return Frame(last.taken_s - duration_s, last.ready_s - duration_s, last.distance_m)

    def read(self, t: float) -> Reading:
        """Return what the robot holds at `t`."""
        for fault in self._faults:
            if fault.start_s <= t < fault.end_s:
                if fault.kind == "dropout":
                    return Reading(None, round(t, 6))
                return self._held(max(0.0, fault.start_s - self._period_s), fault.start_s)
        return self._held(t, t)

    def series(self, until_s: float) -> Series:
        """Return what the robot held at every sample up to `until_s`."""
        times = [round(k * self._period_s, 6) for k in range(int(until_s / self._period_s + 1e-6) + 1)]
        values = [self.read(t).value for t in times]
        return _changes(times, values)

    def _held(self, ready_by_s: float, now_s: float) -> Reading:
        k = bisect_right(self._ready, ready_by_s + 1e-9) - 1
        if k < 0:
            return Reading(None, round(now_s, 6))
        frame = self._seen[k]
        is_old = now_s - frame.taken_s > HOLD_S + 1e-9
        return Reading(None if is_old else _rounded(frame.distance_m), round(frame.taken_s, 6))

    def _may_be_gone(self) -> bool:
        last = self._seen[-1].distance_m if self._seen else INFINITE
        return last is None or last > LEFT_M


def _rounded(distance_m: float | None) -> Value:
    if distance_m is None or distance_m >= INFINITE:
        return distance_m
    return max(0.0, round(distance_m * STEPS_PER_M) / STEPS_PER_M)


def _changes(times: Sequence[float], values: Sequence[Value]) -> Series:
    kept = [k for k in range(len(values)) if k == 0 or values[k] != values[k - 1]]
    return Series(tuple([times[k] for k in kept]), tuple([values[k] for k in kept]))
