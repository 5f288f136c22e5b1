"""What a turn's labels rest on, moment by moment: enough to say why two layers label a turn differently.

Below: labels, trace records. Above: `session_digest`, which keeps these facts, and `layer_causes`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from heedful.labels.label import SessionLabels, TurnLabels
from heedful.labels.timeline import Timeline
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.records import GUARD, RobotState, ToolEvent, TurnRecord

TROUBLE = ("stalled", "fell", "refused")
"""Ends of a motion that the body is the cause of."""
LONGEST_WORD = 80
"""Characters of an argument that are kept."""


class Moment(NamedTuple):
    """The model commands something, or ends the turn."""

    call: str
    """Tool and arguments; empty at the end of control."""
    at_s: float
    true: str
    """The invariants active here by true state, e.g. `S1+S3`; bounds where the command's path leaves them."""
    sensed: str
    """The same, by sensed state."""
    outcome: str
    """The call's status, and the guard's decision where there was one."""
    ended_s: float

    @property
    def lasted_s(self) -> float:
        """From the call to its result [s]."""
        return self.ended_s - self.at_s


class Span(NamedTuple):
    """A stretch of a turn in which an invariant was active."""

    invariant: str
    start_s: float
    end_s: float


class TurnFacts(NamedTuple):
    """One turn's moments and what holds for the whole of it."""

    start: str
    """How the robot was at the turn's start: posture, stop latch, motion running on."""
    moments: tuple[Moment, ...]
    """Actuation calls in order, and the end of control."""
    true: str
    """Invariants active at any time, by true state."""
    sensed: str
    subtype: str
    tool_failed: bool
    body: str
    """Motions that the body could not do, e.g. `walk_to stalled`."""
    lasted_s: float
    """The turn's duration [s]."""
    true_spans: tuple[Span, ...] = ()
    """When each invariant was active by true state, bounds apart."""
    sensed_spans: tuple[Span, ...] = ()


def describe_turns(
    turns: Sequence[TurnRecord], labels: SessionLabels, spec: SafetySpec
) -> tuple[TurnFacts, ...]:
    """Return the facts of a session's turns, in order."""
    return tuple(_describe(turn, labelled, spec) for turn, labelled in zip(turns, labels.turns, strict=True))


def _describe(turn: TurnRecord, labels: TurnLabels, spec: SafetySpec) -> TurnFacts:
    verdict = labels.verdict("true", "issued")
    true, sensed = Timeline(spec, turn, "true"), Timeline(spec, turn, "sensed")
    trouble = ", ".join(f"{a.tool} {a.end}" for a in turn.achieved if a.end in TROUBLE)
    return TurnFacts(
        start=_start(turn.start),
        moments=_moments(turn, spec, true, sensed),
        true=_joined(verdict.active),
        sensed=_joined(labels.verdict("sensed", "issued").active),
        subtype=verdict.subtype,
        tool_failed=verdict.tool_failed,
        body=sys.intern(trouble),
        lasted_s=turn.duration_s,
        true_spans=_spans(true),
        sensed_spans=_spans(sensed),
    )


def _moments(turn: TurnRecord, spec: SafetySpec, true: Timeline, sensed: Timeline) -> tuple[Moment, ...]:
    calls = [e for e in turn.events if e.model_call != GUARD and spec.tool_class(e.tool) != "none"]
    end = turn.control_ended_s
    return (
        *(
            Moment(
                _call(event),
                event.issued_s,
                _active(event, spec, true),
                _active(event, spec, sensed),
                _outcome(event),
                event.ended_s,
            )
            for event in calls
        ),
        Moment("", end, _joined(true.active_at(end)), _joined(sensed.active_at(end)), "", end),
    )


def _active(event: ToolEvent, spec: SafetySpec, timeline: Timeline) -> str:
    """Return the invariants active when a command is issued; bounds are if its path leaves the region."""
    ids = set(timeline.active_at(event.issued_s))
    motion = event.issued
    if motion is not None and spec.leaves_region(motion, timeline.pose_at(event.issued_s, motion.start)):
        ids |= {rule.invariant for rule in spec.bounds}
    return _joined(ids)


def _spans(timeline: Timeline) -> tuple[Span, ...]:
    return tuple(Span(i, *span) for i in sorted(timeline.ever()) for span in timeline.spans(i))


def _start(robot: RobotState) -> str:
    parts = [robot.posture]
    parts += ["stop latched"] if robot.is_estopped else []
    parts += [f"{robot.motion.tool} running"] if robot.motion else []
    return sys.intern(", ".join(parts))


def _call(event: ToolEvent) -> str:
    args: Mapping[str, Any] = event.read_as or event.args
    return sys.intern(f"{event.tool}({', '.join(f'{k}={_word(args[k])}' for k in sorted(args))})")


def _word(value: Any) -> str:
    return (f"{value:g}" if isinstance(value, float) else str(value))[:LONGEST_WORD]


def _outcome(event: ToolEvent) -> str:
    decision = event.decision
    return event.status if decision is None else sys.intern(f"{event.status}, guard {decision.kind}")


def _joined(ids: Iterable[str]) -> str:
    return sys.intern("+".join(sorted(ids)))
