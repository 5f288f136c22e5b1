"""What the sensors said over a guard's log: values over time, and since when rules have been active.

A value counts from the moment it was sampled until the next one was, and is unknown once it is older than
its signal allows; so it does not matter how often the guard wrote its readings down.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from heedful.guards.activity import HEADING
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose, rounded
from heedful.state.series import Series, Value
from heedful.trace.records import Reading

HELD_FROM_S = 0.25
"""Gaps between two samples from this on are written into a series: in them values grow old [s]."""
JUST_BEFORE_S = 1e-4
EPSILON_S = 1e-9
POSE = ("robot.x", "robot.y", HEADING)


@dataclass
class _Track:
    """The readings of one signal, and from when each counts."""

    since_s: list[float] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)

    def add(self, reading: Reading, at_s: float) -> None:
        """Take a reading that was there at `at_s`; an older one than the last counts from then on."""
        if self.readings and self.readings[-1] == reading:
            return
        since = min(reading.sampled_s, at_s)
        if self.since_s and since <= self.since_s[-1]:
            since = max(at_s, self.since_s[-1])
        self.since_s.append(since)
        self.readings.append(reading)

    def newest(self, t: float) -> Reading | None:
        """Return the reading that counts at `t`."""
        k = bisect_right(self.since_s, t + EPSILON_S) - 1
        return self.readings[k] if k >= 0 else None


class SensedHistory:
    """The readings of one part of a log, as the guard had them and as the model was told them."""

    def __init__(self, spec: SafetySpec) -> None:
        self._spec = spec
        self._max_age_s = {HEADING: spec.max_age_s.get("robot.x", math.inf), **spec.max_age_s}
        self._sensed: dict[str, _Track] = {name: _Track() for name in spec.document.signals}
        self._told: dict[str, list[tuple[float, Reading]]] = {}
        self._longest_window_s = max((rule.window_s for rule in spec.rules), default=0.0)

    def sense(self, readings: Mapping[str, Reading], at_s: float) -> None:
        """Take readings that the guard had at `at_s`; times may not decrease."""
        for name, reading in readings.items():
            self._sensed.setdefault(name, _Track()).add(reading, at_s)

    def tell(self, readings: Mapping[str, Reading], at_s: float) -> None:
        """Take readings that reached the model at `at_s`; times may not decrease."""
        for name, reading in readings.items():
            self._told.setdefault(name, []).append((at_s, reading))

    def known_from_s(self) -> float:
        """Return when every signal that was ever sensed had been sensed once; infinite if none was."""
        return max((track.since_s[0] for track in self._sensed.values() if track.since_s), default=math.inf)

    def value(self, name: str, t: float) -> Value:
        """Return the value of a signal at `t`; None when there is none or it is too old."""
        track = self._sensed.get(name)
        reading = None if track is None else track.newest(t)
        return reading.value if reading is not None and self._is_fresh(name, reading, t) else None

    def pose(self, t: float) -> Pose:
        """Return where the robot was sensed last, however long ago; the origin if never."""
        x, y, yaw = (self.last_number(name, t, 0.0) for name in POSE)
        return Pose(x, y, yaw)

    def last_number(self, name: str, t: float, default: float) -> float:
        """Return the last number that was sensed of a signal, however long ago."""
        track = self._sensed.get(name, _Track())
        for k in range(bisect_right(track.since_s, t + EPSILON_S) - 1, -1, -1):
            value = track.readings[k].value
            if isinstance(value, float):
                return value
        return default

    def told_before(self, t: float) -> dict[str, Reading]:
        """Return what the model had been told before `t` and might still act on then."""
        found = {name: _last(told, t - 2 * EPSILON_S) for name, told in self._told.items()}
        return {name: r for name, r in found.items() if r is not None and self._is_fresh(name, r, t)}

    def series(self, start_s: float, end_s: float) -> dict[str, Series]:
        """Return every signal between two instants, its times counted from the first."""
        return {name: self._series(track, start_s, end_s) for name, track in self._sensed.items()}

    def calm_before(self, t: float) -> float:
        """Return the latest time up to `t` from which a turn can be told.

        A judge takes what is active at a turn's start as active long before. So where a rule has been
        active for less than its window at `t`, this is just before that rule became active.
        """
        views = (False, True) if self._told else (False,)
        onsets = [onset for told in views for onset in self._fresh_onsets(t, told=told)]
        return min(onsets) - JUST_BEFORE_S if onsets else t

    def _fresh_onsets(self, t: float, *, told: bool) -> list[float]:
        """Return since when each rule has been active that has been for less than its window."""
        now = self._active(t, told=told)
        if not now:
            return []
        start = t - self._longest_window_s
        points = [start, *self._changes(start, t)]
        states = [*(self._active(point, told=told) for point in points[:-1]), now]
        onsets = []
        for invariant in now:
            k = len(points) - 1
            while k > 0 and invariant in states[k - 1]:
                k -= 1
            if k > 0 and t - points[k] < self._spec.by_key[invariant].window_s - EPSILON_S:
                onsets.append(points[k])
        return onsets

    def _active(self, t: float, *, told: bool) -> frozenset[str]:
        values = {}
        for name in self._spec.state_signals:
            reading = _last(self._told.get(name, []), t) if told else None
            is_told = reading is not None and self._is_fresh(name, reading, t)
            raw = reading.value if reading is not None and is_told else self.value(name, t)
            values[name] = self._spec.screen(name, raw)
        return self._spec.active(values)

    def _changes(self, start_s: float, end_s: float) -> list[float]:
        """Return when a value may have changed after `start_s` and up to `end_s`, and `end_s`."""
        times = {end_s}
        for name in self._spec.state_signals:
            age, track, told = self._max_age_s[name], self._sensed[name], self._told.get(name, [])
            low = max(0, bisect_right(track.since_s, start_s) - 1)
            for k in range(low, bisect_right(track.since_s, end_s)):
                times.update((track.since_s[k], track.readings[k].sampled_s + age))
            low = max(0, bisect_right(told, start_s, key=_told_at) - 1)
            for at_s, reading in told[low : bisect_right(told, end_s, key=_told_at)]:
                times.update((at_s, reading.sampled_s + age))
        return sorted([time for time in times if start_s < time <= end_s])

    def _is_fresh(self, name: str, reading: Reading, t: float) -> bool:
        return t - reading.sampled_s < self._max_age_s.get(name, math.inf) - EPSILON_S

    def _series(self, track: _Track, start_s: float, end_s: float) -> Series:
        first = track.newest(start_s)
        times, values = [0.0], [None if first is None else first.value]
        low, high = bisect_right(track.since_s, start_s), bisect_right(track.since_s, end_s)
        for since, reading in zip(track.since_s[low:high], track.readings[low:high], strict=True):
            at = rounded(since - start_s)
            if at <= times[-1]:
                values[-1] = reading.value
            elif reading.value != values[-1] or type(reading.value) is not type(values[-1]):
                times.append(at)
                values.append(reading.value)
        return Series(tuple(times), tuple(values), "step", self._held(track, low, high, start_s, end_s))

    def _held(
        self, track: _Track, low: int, high: int, start_s: float, end_s: float
    ) -> tuple[tuple[float, float], ...]:
        """Return the stretches without a new sample: from the last one to the next, or past the end."""
        found = []
        for k in range(max(0, low - 1), high):
            sampled = track.readings[k].sampled_s
            until = track.since_s[k + 1] if k + 1 < len(track.since_s) else max(end_s, sampled) + 1.0
            if until - sampled >= HELD_FROM_S and until > start_s:
                found.append((rounded(sampled - start_s), rounded(until - start_s)))
        return tuple(found)


def _last(told: list[tuple[float, Reading]], t: float) -> Reading | None:
    k = bisect_right(told, t + EPSILON_S, key=_told_at) - 1
    return told[k][1] if k >= 0 else None


def _told_at(told: tuple[float, Reading]) -> float:
    return told[0]
