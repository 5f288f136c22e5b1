"""One signal over the time of a turn: what the script says, or what a sensor sampled."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

Value = float | bool | str | None
"""A signal's value; None is unknown."""

INFINITE = 1e9
"""Stands for a declared infinity (`no person in view`), since JSON has none."""


@dataclass(frozen=True)
class Series:
    """Values at increasing times since the turn's start [s]."""

    times: tuple[float, ...]
    values: tuple[Value, ...]
    mode: Literal["linear", "step"] = "step"
    """How the value runs between two times; only numbers can be linear."""
    held: tuple[tuple[float, float], ...] = ()
    """Stretches in which nothing was renewed, as (time of the last sample, end of the stretch) [s]."""

    def age_at(self, t: float) -> float:
        """Return how old the newest sample is at `t` because nothing was renewed; else 0 [s]."""
        return next((t - sampled for sampled, end in self.held if sampled < t < end), 0.0)

    def at(self, t: float) -> Value:
        """Return the value at `t`, held before the first and after the last time."""
        times, values = self.times, self.values
        if len(times) == 1:
            return values[0]
        k = bisect_right(times, t + 1e-9) - 1
        if k < 0:
            return values[0]
        if k >= len(times) - 1 or self.mode == "step":
            return values[k]
        return self._between(k, t)

    def _between(self, k: int, t: float) -> Value:
        a, b = self.values[k], self.values[k + 1]
        if not isinstance(a, float) or not isinstance(b, float) or a == b:
            return a
        share = (t - self.times[k]) / (self.times[k + 1] - self.times[k])
        return round(a + share * (b - a), 6)

    def times_between(self, start: float, end: float) -> tuple[float, ...]:
        """Return the times strictly after `start` and strictly before `end`."""
        low, high = bisect_right(self.times, start + 1e-9), bisect_right(self.times, end - 1e-9)
        return self.times[low:high]


def constant(value: Value) -> Series:
    """Return a series that never changes."""
    return Series((0.0,), (value,))
