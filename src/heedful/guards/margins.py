"""Which rules hold for any state that the sensors leave possible."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from heedful.guards.settings import Margin
from heedful.spec.conditions import MEMO_LIMIT, cell_of
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import EPSILON, Point, Polygon
from heedful.state.series import INFINITE, Value

PASSED = 1e-6
"""How far a growing margin must be past a constant before it counts, in the signal's unit."""


class Sampled(Protocol):
    """A sample as far as conditions go."""

    @property
    def value(self) -> Value:
        """Screened; None is unknown."""
        ...

    @property
    def sampled_s(self) -> float:
        """When the sensor took it [s]."""
        ...

    @property
    def cell(self) -> object:
        """What the value shares with all others that every condition answers alike."""
        ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one reading of the sensors makes active."""

    active: frozenset[str] = frozenset()
    """The ids of the invariants that hold or read something unknown, margins included."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """For those of them that restrict commands the key of the rule that does; an obligation of unknown
    state forbids new motion."""
    obliging: frozenset[str] = frozenset()
    """The ids of the obligations among them whose signals are all known."""


class Possible:
    """The rules of one spec under declared margins.

    A rule is active when its condition holds, or is unknown, for some value within the margin of what
    was sensed. Between the constants that a spec compares a signal with, every value answers alike, so
    finitely many values decide exactly.
    """

    def __init__(self, spec: SafetySpec, margins: Mapping[str, Margin]) -> None:
        self._spec = spec
        names = spec.state_signals
        self._margins = [(k, margins[name]) for k, name in enumerate(names) if name in margins]
        self._growing = [(k, margin) for k, margin in self._margins if margin.per_s > 0]
        self._memo: dict[tuple[object, ...], Verdict] = {}

    def verdict(self, samples: Sequence[Sampled], now_s: float) -> Verdict:
        """Return what may be active.

        Args:
            samples: One per state signal, in the spec's order.
            now_s: The instant [s].
        """
        key = [sample.cell for sample in samples]
        spans = self._spans(samples, now_s) if self._margins else {}
        for k, span in spans.items():
            cuts = self._cuts(k)
            key[k] = (cell_of(span[0], cuts), cell_of(span[1], cuts))
        known = self._memo.get(tuple(key))
        if known is None:
            if len(self._memo) >= MEMO_LIMIT:
                self._memo.clear()
            known = self._memo[tuple(key)] = self._find([s.value for s in samples], spans)
        return known

    def changes_s(self, samples: Sequence[Sampled], now_s: float) -> list[float]:
        """Return when each margin that grows with its sample's age takes in its next constants [s]."""
        times: list[float] = []
        for k, margin in self._growing:
            sample, value = samples[k], samples[k].value
            if isinstance(value, float) and value < INFINITE:
                half = margin.at_age(now_s - sample.sampled_s)
                ways = _ways_to_next(value, half, self._cuts(k))
                times += [sample.sampled_s + (way - margin.base + PASSED) / margin.per_s for way in ways]
        soonest_s = math.nextafter(now_s, math.inf)
        return [max(t, soonest_s) for t in times]

    def _spans(self, samples: Sequence[Sampled], now_s: float) -> dict[int, tuple[float, float]]:
        """Return the interval of each number that has a margin now, by the signal's position."""
        spans = {k: _span(samples[k], margin, now_s) for k, margin in self._margins}
        return {k: span for k, span in spans.items() if span is not None}

    def _cuts(self, position: int) -> tuple[float, ...]:
        return self._spec.cuts[self._spec.state_signals[position]] or ()

    def _find(self, values: Sequence[Value], spans: Mapping[int, tuple[float, float]]) -> Verdict:
        choices = [witnesses(*span, self._cuts(k)) for k, span in spans.items()]
        active: set[str] = set()
        state = dict(zip(self._spec.state_signals, values, strict=True))
        names = [self._spec.state_signals[k] for k in spans]
        for picked in itertools.product(*choices):
            active |= self._spec.active({**state, **dict(zip(names, picked, strict=True))})
        unknown = {i for i in active if self._spec.is_unknown_for(i, state)}
        obligations = active & self._spec.obligation_keys
        keys = {i: i for i in active - obligations} | {i: f"{i}/after" for i in obligations & unknown}
        return Verdict(frozenset(active), keys, frozenset(obligations - unknown))


def _span(sample: Sampled, margin: Margin, now_s: float) -> tuple[float, float] | None:
    """Return the values that are possible; None where the value is no finite number or has no margin."""
    value = sample.value
    if not isinstance(value, float) or value >= INFINITE:
        return None
    half = margin.at_age(now_s - sample.sampled_s)
    return (value - half, value + half) if half > 0 else None


def _ways_to_next(value: float, half: float, cuts: Sequence[float]) -> list[float]:
    """Return how far `value` is from the next constants outside `value` +- `half`, or on its ends."""
    below, above = bisect_right(cuts, value - half), bisect_left(cuts, value + half)
    ways = [value - cuts[below - 1]] if below > 0 else []
    return [*ways, cuts[above] - value] if above < len(cuts) else ways


def witnesses(low: float, high: float, cuts: Sequence[float]) -> list[float]:
    """Return values of [low, high] that meet every cell between and at the ascending `cuts`."""
    inside = cuts[bisect_left(cuts, low) : bisect_right(cuts, high)]
    points = sorted({low, *inside, high})
    return sorted({*points, *((a + b) / 2 for a, b in pairwise(points))})


def is_clear(region: Polygon, path: Sequence[Point], margin_m: float) -> bool:
    """Return whether a path keeps `margin_m` to the border, or, begun closer, comes no closer than it began.

    Args:
        region: The workspace.
        path: Corners of the path [m]; it is known not to leave the region.
        margin_m: Distance to keep [m].
    """
    if margin_m <= 0:
        return True
    begun = region.margin_inside(path[0])
    if begun < 0:
        return region.margin_inside(path[-1]) >= begun
    return region.clearance(path) >= min(begun, margin_m) - EPSILON
