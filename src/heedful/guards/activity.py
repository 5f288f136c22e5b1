"""What the sensors said last, what the model was told, and since when each rule has been active."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.guards.margins import Verdict
from heedful.spec.conditions import cell_of
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import INFINITE, Value
from heedful.trace.records import Reading

EPSILON_S = 1e-9
LONG_AGO = -math.inf
HEADING = "robot.yaw"
"""Needed for paths of velocity commands whether a spec declares it or not; then as fresh as the position."""
AHEAD_S = 1e-3
"""A sample dated farther ahead of the guard's clock than this counts as none [s]."""


@dataclass(slots=True, eq=False)
class Sample:
    """The newest sample of one signal."""

    name: str
    max_age_s: float = 0.0
    value: Value = None
    """Screened; None is unknown."""
    sampled_s: float = LONG_AGO
    until_s: float = LONG_AGO
    """From then on it is too old."""
    cell: object = cell_of(None, None)
    """What the value shares with all others that every condition answers alike."""
    low: float = math.inf
    high: float = -math.inf
    """Every number strictly between `low` and `high` is in range and in the same cell."""


ABSENT = Sample("", until_s=math.inf)
"""Stands for a sample that is too old, or was never taken."""


class Samples:
    """The newest sample of each signal; a value too old is no value."""

    def __init__(self, spec: SafetySpec) -> None:
        self._spec = spec
        ages = {HEADING: spec.max_age_s.get("robot.x", 0.0), **spec.max_age_s}
        self._samples = {name: Sample(name, age) for name, age in ages.items()}
        self._state = [self._samples[name] for name in spec.state_signals]

    def take(self, readings: Mapping[str, Reading], now_s: float) -> bool:
        """Replace older readings of the same signals by newer ones; what the spec does not know is ignored.

        Returns:
            Whether any condition can answer otherwise than by the samples before, margins apart.
        """
        samples, dated_ahead_s = self._samples, now_s + AHEAD_S
        has_changed = False
        for name, reading in readings.items():
            sample = samples.get(name)
            if sample is None:
                continue
            value, sampled_s = reading.value, reading.sampled_s
            until_s = sampled_s + sample.max_age_s - EPSILON_S if sampled_s <= dated_ahead_s else LONG_AGO
            if not (now_s < until_s and now_s < sample.until_s):
                has_changed = True
            sample.sampled_s, sample.until_s = sampled_s, until_s
            if type(value) is float and sample.low < value < sample.high:
                sample.value = value
            elif value is not sample.value:
                cell = sample.cell
                self._screen(sample, value)
                has_changed = has_changed or sample.cell != cell
        return has_changed

    def forget(self) -> None:
        """Drop every sample."""
        for sample in self._samples.values():
            sample.until_s = LONG_AGO

    @property
    def latest_s(self) -> float:
        """When the last of the samples grows too old [s]."""
        return max([s.until_s for s in self._samples.values()])

    def at(self, now_s: float) -> list[Sample]:
        """Return the samples that count at `now_s`, one per state signal in the spec's order."""
        return [s if now_s < s.until_s else ABSENT for s in self._state]

    def over(self, others: Sequence[Sample], now_s: float) -> list[Sample]:
        """Return `others` with those of its own samples that count at `now_s` in their place."""
        return [s if now_s < s.until_s else o for s, o in zip(self._state, others, strict=True)]

    def number(self, name: str, now_s: float) -> float | None:
        """Return a signal's newest number; None where it is unknown."""
        sample = self._samples.get(name)
        if sample is None or not now_s < sample.until_s:
            return None
        return sample.value if isinstance(sample.value, float) else None

    def values(self, now_s: float) -> dict[str, Value]:
        """Return the value of every state signal; None is unknown."""
        return {own.name: s.value for own, s in zip(self._state, self.at(now_s), strict=True)}

    def fresh(self, now_s: float) -> dict[str, Value]:
        """Return the value of every signal that has a sample young enough; None is unknown all the same."""
        return {name: s.value for name, s in self._samples.items() if now_s < s.until_s}

    def _screen(self, sample: Sample, value: Value) -> None:
        name, signals = sample.name, self._spec.document.signals
        sample.value = self._spec.screen(name, value) if name in signals else _finite(value)
        cuts = self._spec.cuts.get(name, ())
        sample.cell = cell_of(sample.value, cuts)
        span = signals[name].range if name in signals else None
        sample.low, sample.high = _calm(sample.value, cuts, span or (-math.inf, math.inf))


class RuleActivity:
    """Since when each invariant has been active, by one reading of the sensors."""

    def __init__(self, spec: SafetySpec, lead_s: float) -> None:
        """Take the spec and how long before a rule's window ends it is held to [s]."""
        self._delay_s = {r.key: r.window_s - lead_s - EPSILON_S for r in spec.rules}
        self._held_from_s: dict[str, float] = {}
        self.verdict = Verdict()

    def update(self, verdict: Verdict, now_s: float, since_s: float) -> None:
        """Take what is active at `now_s`.

        Args:
            verdict: What the readings that count make active.
            now_s: The instant [s].
            since_s: Since when what became active counts as active; earlier than `now_s` at a new scene,
                where everything became active.
        """
        if verdict.active != self.verdict.active or since_s < now_s:
            before = {} if since_s < now_s else self._held_from_s
            fresh = {i: since_s + self._delay_s[i] for i in verdict.active}
            self._held_from_s = {i: before.get(i, at) for i, at in fresh.items()}
        self.verdict = verdict

    def held_keys(self, now_s: float) -> frozenset[str]:
        """Return the keys of the rules to enforce: those active for long enough."""
        keys = self.verdict.keys
        return frozenset([keys[i] for i, at in self._held_from_s.items() if at <= now_s and i in keys])

    def comes_to_be_held_s(self, now_s: float) -> list[float]:
        """Return when each active rule will have been active for long enough, of those still to come [s]."""
        return [at for at in self._held_from_s.values() if at > now_s]


def _finite(value: Value) -> Value:
    return value if isinstance(value, float) and math.isfinite(value) else None


def _calm(value: Value, cuts: Sequence[float] | None, span: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of the open interval around `value` in which nothing changes; an empty one for none."""
    if not isinstance(value, float) or cuts is None or value >= INFINITE or value in cuts:
        return math.inf, -math.inf
    k = bisect_left(cuts, value)
    low = max(span[0], cuts[k - 1]) if k > 0 else span[0]
    high = min(span[1], cuts[k]) if k < len(cuts) else span[1]
    return low, min(high, INFINITE)
