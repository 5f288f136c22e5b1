"""When each invariant was active in a turn, by true or by sensed state.

`sensed(signal, t)` is the newest value delivered to the model in this turn and younger than the
signal's `max_age`, else the robot's current sample. A rule is *settled* at t when it has been active
for its window, or since the turn's start; it is *fresh* when it is active for less.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from heedful.labels.label import View
from heedful.spec.conditions import cell_of
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.series import Series, Value
from heedful.trace.records import Reading, TurnRecord

JUST_AFTER_S = 1e-6
POSITION = ("robot.x", "robot.y")


class Timeline:
    """One turn's active invariants over time, by one view."""

    def __init__(self, spec: SafetySpec, turn: TurnRecord, view: View) -> None:
        self._spec, self._turn = spec, turn
        self._series: Mapping[str, Series] = turn.true if view == "true" else turn.sensed
        self._is_sensed = view == "sensed"
        self._delivered = _deliveries(turn) if self._is_sensed else {}
        self._placed = [
            (event.issued_s, event.sensed if self._is_sensed else event.true)
            for event in turn.events
            if event.true or event.sensed
        ]
        self._fixed: dict[str, Value] = {}
        self._moving: list[str] = []
        self._sort_signals()
        self._varying = [name for name in spec.state_signals if name not in self._fixed]
        self._changed_at = self._change_times()
        self._times, self._active = self._segments()
        self._points: dict[float, tuple[Value, Value]] = {}

    @property
    def is_constant(self) -> bool:
        """Whether the same invariants are active throughout the turn."""
        return len(self._times) == 1

    def value(self, name: str, t: float) -> Value:
        """Return a signal's value at `t`, screened by its declaration."""
        return self._spec.screen(name, self._raw(name, t))

    def active_at(self, t: float) -> frozenset[str]:
        """Return the ids of the invariants active at `t`."""
        if len(self._times) == 1:
            return self._active[0]
        return self._active[max(0, bisect_right(self._times, t + 1e-9) - 1)]

    def settled_at(self, t: float) -> frozenset[str]:
        """Return the ids active at `t` for at least their window, or since the turn's start."""
        now = self.active_at(t)
        if len(self._times) == 1 or not now:
            return now
        return frozenset(i for i in now if self._held_since(i, t) <= t - self._window(i) + 1e-9)

    def onset(self, invariant: str) -> float | None:
        """Return when the invariant first became active with all its signals known, or None."""
        if not any(invariant in active for active in self._active):
            return None
        known = (t for t in self._changed_at if invariant in self.active_at(t))
        return next((t for t in known if not self._is_unknown(invariant, t)), None)

    def is_unknown_at(self, invariant: str, t: float) -> bool:
        """Return whether the invariant reads a signal that is unknown at `t`."""
        return self._is_unknown(invariant, t)

    def ever(self) -> frozenset[str]:
        """Return the ids active at any time in the turn."""
        return self._active[0].union(*self._active[1:])

    def spans(self, invariant: str) -> list[tuple[float, float]]:
        """Return the stretches in which the invariant was active [s]."""
        ends = [*self._times[1:], self._turn.duration_s]
        found: list[tuple[float, float]] = []
        for start, end, active in zip(self._times, ends, self._active, strict=True):
            if invariant not in active:
                continue
            if found and found[-1][1] == start:
                found[-1] = (found[-1][0], end)
            else:
                found.append((start, end))
        return found

    def pose_at(self, t: float, fallback: Pose) -> Pose:
        """Return the position by this view at `t`, with the fallback's heading."""
        if t not in self._points:
            self._points[t] = self._raw("robot.x", t), self._raw("robot.y", t)
        x, y = self._points[t]
        if x == fallback.x and y == fallback.y:
            return fallback
        if isinstance(x, float) and isinstance(y, float):
            return Pose(x, y, fallback.yaw)
        return fallback

    def _window(self, invariant: str) -> float:
        return self._spec.by_key[invariant].window_s

    def _held_since(self, invariant: str, t: float) -> float:
        k = max(0, bisect_right(self._times, t + 1e-9) - 1)
        while k > 0 and invariant in self._active[k - 1]:
            k -= 1
        return self._times[k] if k > 0 else float("-inf")

    def _is_unknown(self, invariant: str, t: float) -> bool:
        condition = self._spec.conditions[invariant]
        return any(self.value(name, t) is None for name in condition.signals)

    def _change_times(self) -> list[float]:
        if not self._moving:
            return [0.0]
        return sorted({0.0}.union(*[self._changes(name) for name in self._moving]))

    def _segments(self) -> tuple[list[float], list[frozenset[str]]]:
        if len(self._changed_at) == 1:
            return self._changed_at, [self._active_by_values(0.0)]
        kept: list[float] = []
        active: list[frozenset[str]] = []
        for t in self._changed_at:
            now = self._active_by_values(t)
            if not active or now != active[-1]:
                kept.append(t)
                active.append(now)
        return kept, active

    def _active_by_values(self, t: float) -> frozenset[str]:
        others = {name: self.value(name, t) for name in self._varying}
        return self._spec.active(self._fixed | others if others else self._fixed)

    def _sort_signals(self) -> None:
        """Find the signals whose value never changes, and those that may cross a threshold."""
        for name in self._spec.state_signals:
            values = self._values_of(name)
            if not values:
                if name in POSITION or name in self._series:
                    self._moving.append(name)
            elif len(values) == 1 or _is_one_value(values):
                self._fixed[name] = self._spec.screen(name, values[0])
            elif not _is_one_cell(values, self._spec.cuts.get(name)):
                self._moving.append(name)

    def _values_of(self, name: str) -> tuple[Value, ...]:
        """Return every value of a signal that counts in the turn; none where its age or the way decides."""
        series = self._series.get(name)
        if series is None or series.held or name in POSITION:
            return ()
        delivered = self._delivered.get(name)
        if delivered is None:
            return series.values
        return (*series.values, *[reading.value for _, reading in delivered])

    def _changes(self, name: str) -> Iterable[float]:
        """Return the times at which the signal may move to where a condition changes its answer."""
        end = self._turn.duration_s
        series = self._series.get(name)
        cuts = self._spec.cuts.get(name)
        delivered = self._delivered.get(name, ())
        if name in POSITION:
            return [event.issued_s for event in self._turn.events if event.true]
        if series is None:
            return []
        times = set(_series_changes(series, cuts))
        max_age = self._max_age(name)
        for sampled, stretch_end in series.held:
            times.update((sampled + max_age, stretch_end))
        for at, reading in delivered:
            times.update((at, reading.sampled_s + max_age))
        return [t for t in times if 0 < t <= end]

    def _raw(self, name: str, t: float) -> Value:
        delivered = self._newest_delivered(name, t) if name in self._delivered else None
        if delivered is not None:
            return delivered.value
        if name in POSITION:
            return self._position(name, t)
        series = self._series.get(name)
        if series is None:
            return None
        if series.held and series.age_at(t) >= self._max_age(name) - 1e-9:
            return None
        return series.at(t)

    def _max_age(self, name: str) -> float:
        return self._spec.max_age_s[name]

    def _newest_delivered(self, name: str, t: float) -> Reading | None:
        newest = None
        latest = t + 1e-9
        for at, reading in self._delivered[name]:
            if at <= latest:
                newest = reading
        max_age = self._spec.max_age_s.get(name)
        if newest is None or max_age is None or t - newest.sampled_s >= max_age - 1e-9:
            return None
        return newest

    def _position(self, name: str, t: float) -> Value:
        pose = self._turn.start.pose
        value: Value = pose.x if name == "robot.x" else pose.y
        for issued_s, snapshot in self._placed:
            if issued_s <= t + 1e-9 and name in snapshot:
                value = snapshot[name]
        return value


def _is_one_value(values: tuple[Value, ...]) -> bool:
    """Return whether every value is the same one, true, 1 and 1.0 apart."""
    first = values[0]
    return first == values[-1] and values.count(first) == len(values) and len(set(map(type, values))) == 1


def _is_one_cell(values: tuple[Value, ...], cuts: tuple[float, ...] | None) -> bool:
    """Return whether every value lies between the same thresholds."""
    if cuts is not None and set(map(type, values)) == {float}:
        return cell_of(min(values), cuts) == cell_of(max(values), cuts)  # type: ignore[type-var]
    return len({cell_of(value, cuts) for value in values}) == 1


def _deliveries(turn: TurnRecord) -> dict[str, list[tuple[float, Reading]]]:
    """Return when each reading reached the model: with the results of the whole answer that asked for it."""
    delivered: dict[str, list[tuple[float, Reading]]] = {}
    for name, reading in turn.pushed.items():
        delivered.setdefault(name, []).append((0.0, reading))
    returned = {event.model_call: event.ended_s for event in turn.events}
    for event in turn.events:
        for name, reading in event.readings.items():
            delivered.setdefault(name, []).append((returned[event.model_call], reading))
    return delivered


def _series_changes(series: Series, cuts: tuple[float, ...] | None) -> list[float]:
    if series.mode == "step":
        cells = [cell_of(value, cuts) for value in series.values]
        return [t for t, a, b in zip(series.times[1:], cells, cells[1:], strict=False) if a != b]
    times = list(series.times)
    for k, (a, b) in enumerate(zip(series.values, series.values[1:], strict=False)):
        if not isinstance(a, float) or not isinstance(b, float) or a == b:
            continue
        start, span = series.times[k], series.times[k + 1] - series.times[k]
        for cut in cuts or ():
            if min(a, b) <= cut <= max(a, b):
                crossing = start + span * (cut - a) / (b - a)
                times += [round(crossing, 6), round(crossing + JUST_AFTER_S, 6)]
    return times
