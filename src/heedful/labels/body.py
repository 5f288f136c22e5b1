"""What the body made of its commands in a session, beside what the rules allowed by true state.

Labels read commands, so nothing here moves one. The trace holds no speed over time, only the greatest of
each motion: where a limit held during a part of a motion, that greatest speed cannot be dated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from heedful.labels.activity import Activity
from heedful.labels.latches import Latches
from heedful.labels.running import RUNS_ON
from heedful.labels.timeline import Timeline
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.reader import Trace
from heedful.trace.records import Achieved, MotionEnd, TurnRecord

STOPS = ("stop", "sit_down", "emergency_stop")
"""The tools that end motion without another."""
EPSILON_S = 1e-6
Spans = list[tuple[float, float]]


class UnderLimit(NamedTuple):
    """A rule that limited the speed of a motion by true state, its window over."""

    invariant: str
    limit_m_s: float
    is_throughout: bool
    """Whether it did so from the motion's beginning to its end."""


class BodyMotion(NamedTuple):
    """One motion, posture or gesture that the body ended."""

    tool: str
    end: MotionEnd
    commanded_m_s: float = 0.0
    """Greatest planar speed that was commanded; 0 on the spot [m/s]."""
    mean_m_s: float | None = None
    """Mean planar speed; None for what is shorter than a gait [m/s]."""
    fastest_m_s: float | None = None
    """Greatest planar speed over a gait [m/s]."""
    is_stop: bool = False
    """Whether it was to end in standstill: a stop was accepted, or velocity motion ran out."""
    standstill_s: float | None = None
    """From the end of the command to standstill; None if a command or the turn's end came first [s]."""
    coasted_m: float | None = None
    """Way from the end of the command to standstill [m]."""
    limits: tuple[UnderLimit, ...] = ()
    prohibited_by: tuple[str, ...] = ()
    """Invariants that prohibited it, by true state, when the stop was accepted."""


@dataclass(frozen=True, slots=True)
class SessionBody:
    """What the body of one session did."""

    motions: tuple[BodyMotion, ...] = ()
    falls: int = 0
    window_s: float | None = None
    """The spec's shortest window of a rule that prohibits motion; None without such a rule [s]."""


def measure_trace(trace: Trace, spec: SafetySpec) -> SessionBody | None:
    """Return what the body of a stored session did; None where there was no body."""
    has_body = trace.info.body or any(turn.achieved for turn in trace.turns)
    return measure_body(trace.turns, spec) if has_body else None


def measure_body(turns: Sequence[TurnRecord], spec: SafetySpec) -> SessionBody:
    """Return what the body did in a session's turns, in order."""
    latches, held = Latches(), _Held(spec)
    motions: list[BodyMotion] = []
    for turn in turns:
        activity = Activity(spec, turn, Timeline(spec, turn, "true"), latches)
        held.add(turn, activity)
        motions += [_describe(a, turn, activity, held) for a in turn.achieved]
    return SessionBody(tuple(motions), sum(map(_has_fall, turns)), stopping_window_s(spec))


def stopping_window_s(spec: SafetySpec) -> float | None:
    """Return the shortest window in which a rule asks for a stop; None without one [s]."""
    return min((r.window_s for r in spec.rules if r.kind == "prohibit" and not r.latched), default=None)


class _Held:
    """The stretches of the session in which each limit was settled [s of session time]."""

    def __init__(self, spec: SafetySpec) -> None:
        self._spec = spec
        self._spans: Mapping[Rule, Spans] = {rule: [] for rule in spec.rules if rule.kind == "limit"}

    def add(self, turn: TurnRecord, activity: Activity) -> None:
        """Take the stretches of one turn."""
        for rule, spans in self._spans.items():
            found = [(start, min(end, turn.duration_s)) for start, end in activity.settled_spans(rule)]
            spans += [(turn.started_s + start, turn.started_s + end) for start, end in found if end > start]

    def over(self, achieved: Achieved, started_s: float) -> tuple[UnderLimit, ...]:
        """Return the limits that held during a motion of a turn that began at `started_s`."""
        begin, end = started_s + achieved.began_s, started_s + achieved.ended_s
        tool_class = self._spec.tool_class(achieved.tool)
        found = []
        for rule, spans in self._spans.items():
            shared = _overlap_s(spans, begin, end)
            if shared > EPSILON_S and rule.covers(achieved.tool, tool_class):
                limit = rule.max_percent / 100 * self._spec.limits.v_max_m_s
                found.append(UnderLimit(rule.invariant, limit, shared > end - begin - EPSILON_S))
        return tuple(found)


def _overlap_s(spans: Iterable[tuple[float, float]], begin: float, end: float) -> float:
    return sum(max(0.0, min(end, b) - max(begin, a)) for a, b in spans)


def _describe(achieved: Achieved, turn: TurnRecord, activity: Activity, held: _Held) -> BodyMotion:
    is_told = achieved.end == "stopped" and _is_told_to_stop(turn, achieved.ended_s)
    return BodyMotion(
        tool=achieved.tool,
        end=achieved.end,
        commanded_m_s=achieved.commanded_m_s,
        mean_m_s=achieved.mean_m_s,
        fastest_m_s=achieved.fastest_m_s,
        is_stop=is_told or (achieved.end == "done" and achieved.tool == RUNS_ON),
        standstill_s=achieved.standstill_s,
        coasted_m=achieved.coasted_m,
        limits=held.over(achieved, turn.started_s),
        prohibited_by=_prohibited_by(achieved, activity) if is_told else (),
    )


def _is_told_to_stop(turn: TurnRecord, at_s: float) -> bool:
    """Return whether a stop was accepted at that moment; a new walk ends the one before it as well."""
    return any(
        event.tool in STOPS and event.ran and event.issued_s - EPSILON_S <= at_s <= event.ended_s + EPSILON_S
        for event in turn.events
    )


def _prohibited_by(achieved: Achieved, activity: Activity) -> tuple[str, ...]:
    spec, at_s = activity.spec, achieved.ended_s
    keys = activity.timeline.active_at(at_s) | activity.settled(at_s)
    return tuple(
        rule.invariant
        for rule in spec.rules
        if rule.kind == "prohibit"
        and rule.key in keys
        and rule.covers(achieved.tool, spec.tool_class(achieved.tool))
    )


def _has_fall(turn: TurnRecord) -> bool:
    """Return whether the robot fell in the turn; it is put up again between turns only."""
    fell_idle = turn.end.posture == "fallen" != turn.start.posture
    return fell_idle or any(a.end == "fell" for a in turn.achieved)
