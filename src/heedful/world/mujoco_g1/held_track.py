"""What the robot holds of one signal that arrives in looks: late, kept for a while, then unknown.

A look that could not tell says nothing: it leaves the look before in place until that is too old.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from heedful.state.script import SensorFault
from heedful.state.series import Series, Value
from heedful.trace.records import Reading

HOLD_S = 1.0
"""How long what is not seen any more keeps its last value [s]."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one look said of one signal."""

    taken_s: float
    """Since the turn's start [s]; negative if it was taken before."""
    ready_s: float
    """When the robot has its result [s]."""
    value: Value

    def earlier(self, seconds: float) -> Look:
        """Return the look by a clock that started so much later [s]."""
        return Look(self.taken_s - seconds, self.ready_s - seconds, self.value)


class HeldTrack:
    """One signal over one turn."""

    def __init__(self, signal: str, period_s: float, faults: tuple[SensorFault, ...] = ()) -> None:
        """Begin a turn.

        Args:
            signal: Which one.
            period_s: Time between two values in the record [s].
            faults: Scripted failures; those of other signals do not matter.
        """
        self._period_s = period_s
        self._faults = tuple(f for f in faults if f.signal == signal)
        self._looks: list[Look] = []
        self._ready: list[float] = []

    def add(self, look: Look) -> None:
        """Take a look, newer than those before; one without a value is passed over."""
        if look.value is None:
            return
        while self._ready and self._ready[-1] > look.ready_s:
            self._looks.pop()
            self._ready.pop()
        self._looks.append(look)
        self._ready.append(look.ready_s)

    def carried_over(self, duration_s: float) -> tuple[Look, ...]:
        """Return what is known or under way as the next turn has it, whose clock starts this much later."""
        known = max(bisect_right(self._ready, duration_s + 1e-9) - 1, 0)
        return tuple(look.earlier(duration_s) for look in self._looks[known:])

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
        look = self._looks[k]
        is_old = now_s - look.taken_s > HOLD_S + 1e-9
        return Reading(None if is_old else look.value, round(look.taken_s, 6))


def _changes(times: Sequence[float], values: Sequence[Value]) -> Series:
    kept = [k for k in range(len(values)) if k == 0 or values[k] != values[k - 1]]
    return Series(tuple([times[k] for k in kept]), tuple([values[k] for k in kept]))
