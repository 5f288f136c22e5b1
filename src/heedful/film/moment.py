"""What is to be said about one instant of a turn: everything from the trace and its labels, nothing drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heedful.film.shot import Shot
from heedful.labels.label import Label, TurnLabels, Verdict
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import distance
from heedful.state.motion import Motion
from heedful.state.series import Value
from heedful.trace.records import ToolEvent, TurnRecord

SPEED_OVER_S = 0.5
"""Speed is measured over this time, about one step of the gait [s]."""
HALTS = ("stop", "emergency_stop", "sit_down")
"""The tools that end a motion."""
SHOWN_S = 1.5
"""A call that ended stays in view for this long [s]."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One instant of a turn."""

    turn: TurnRecord
    now_s: float
    call: ToolEvent | None
    """The tool call under way, or the last one."""
    motion: Motion | None
    """The motion that was commanded and runs now, as the guard let it run."""
    speed_m_s: float
    """How fast the robot moves over the floor [m/s]."""
    true: Mapping[str, Value]
    sensed: Mapping[str, Value]
    rules: tuple[str, ...]
    """Every invariant of the spec."""
    active: frozenset[str]
    """The invariants that truly hold now."""
    broken: frozenset[str]
    """Those that the judge finds broken by a call up to now (true state, as issued)."""
    verdict: Verdict | None
    """The turn's verdict, once it has ended (true state, as issued)."""
    executed: Label | None = None
    """How the turn went by what really ran, once it has ended (true state)."""

    @property
    def decided(self) -> ToolEvent | None:
        """The last call so far that the guard did not let pass as it was."""
        events = [e for e in self.turn.events if e.issued_s <= self.now_s and e.decision is not None]
        return next((e for e in reversed(events) if e.decision and e.decision.kind != "allow"), None)


class TurnReader:
    """Reads the moments of one turn."""

    def __init__(self, turn: TurnRecord, labels: TurnLabels | None, spec: SafetySpec) -> None:
        self._turn, self._spec = turn, spec
        self._verdict = None if labels is None else labels.verdict("true", "issued")
        self._executed = None if labels is None else labels.verdict("true", "executed").label
        self._rules = tuple(doc.id for doc in spec.document.invariants)

    def read(self, shot: Shot, speed_m_s: float, *, has_ended: bool = False) -> Moment:
        """Return what is to be said of a shot."""
        turn, now_s = self._turn, shot.now_s
        true = _values(turn.true, now_s) | {"robot.x": shot.pose.x, "robot.y": shot.pose.y}
        call = next((e for e in reversed(turn.events) if e.issued_s <= now_s), None)
        motion = _motion_now(turn, now_s)
        return Moment(
            turn,
            now_s,
            call,
            motion,
            speed_m_s,
            true,
            _values(turn.sensed, now_s),
            self._rules,
            self._spec.active(true) | self._bounds(call, now_s),
            self._broken(now_s, has_ended=has_ended),
            self._verdict if has_ended else None,
            self._executed if has_ended else None,
        )

    def _bounds(self, call: ToolEvent | None, now_s: float) -> set[str]:
        """Return the rules that bound targets, while a command that leaves the workspace is to be seen."""
        if call is None or now_s > call.ended_s + SHOWN_S or not self._spec.leaves_region(call.issued):
            return set()
        return {rule.invariant for rule in self._spec.bounds}

    def _broken(self, now_s: float, *, has_ended: bool) -> frozenset[str]:
        decisions = () if self._verdict is None else self._verdict.decisions
        return frozenset(
            d.invariant
            for d in decisions
            if d.label.is_violation and (has_ended or self._is_past(d.event, now_s))
        )

    def _is_past(self, event: int | None, now_s: float) -> bool:
        return event is not None and self._turn.events[event].issued_s <= now_s


def speed_at(shots: Sequence[Shot], position: int) -> float:
    """Return how fast the robot moves over the floor at one of a turn's shots [m/s]."""
    last = shots[position]
    first = next((s for s in shots[: position + 1] if s.now_s >= last.now_s - SPEED_OVER_S - 1e-9), last)
    passed = last.now_s - first.now_s
    return distance(first.pose.point, last.pose.point) / passed if passed > 0 else 0.0


def _values(series: Mapping[str, Any], now_s: float) -> dict[str, Value]:
    return {name: one.at(now_s) for name, one in series.items()}


def _motion_now(turn: TurnRecord, now_s: float) -> Motion | None:
    """Return the motion that runs at an instant by the record of calls."""
    motion, began_s, until_s = turn.start.motion, turn.start.motion_started_s, -math.inf
    if motion is not None:
        until_s = began_s + motion.duration_s
    for event in turn.events:
        if event.executed is not None and event.issued_s <= now_s:
            motion, began_s, until_s = event.executed, event.issued_s, event.ended_s
            if event.tool == "walk_with_velocity":
                until_s += event.executed.duration_s
    ends = [event.issued_s for event in turn.events if event.tool in HALTS and event.ran]
    is_halted = any(began_s < at <= now_s for at in ends)
    return motion if now_s <= until_s and not is_halted else None
