"""Why two layers label one turn differently: the first thing that differs, in the order of the turn.

A cause is a description that a person can check in the two timelines, not a proof: what differs first
need not be what changed the label.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from heedful.metrics.turn_facts import Moment, Span, TurnFacts

OTHER_START = "other start"
OTHER_WORLD = "other world"
OTHER_SENSING = "other sensing"
OTHER_COMMANDS = "other commands"
OTHER_GUARD = "other guard decision"
BODY = "body"
UNEXPLAINED = "unexplained"
NOT_MEASURED = "not measured"
CAUSES = {
    OTHER_START: "the robot began the turn in another posture, latched, or with motion running on",
    OTHER_WORLD: "another set of invariants was active by true state, when the model acted or in the turn",
    OTHER_SENSING: "the same by true state, another set by what the sensors reported",
    OTHER_COMMANDS: "the model issued other commands, or at other times, in the same world",
    OTHER_GUARD: "the guard decided otherwise on the same command",
    BODY: "on one layer a tool failed, the body stalled or fell, or a motion took longer",
    UNEXPLAINED: "nothing that is compared here differs",
    NOT_MEASURED: "what the turn rested on was not read",
}
"""Every cause with its meaning, in the order in which they are looked for at one moment."""
LATE_S = 0.5
"""A call that lasts so much longer on one layer shifts what follows it [s]."""

Spans = Sequence[Span]


class Cause(NamedTuple):
    """What differs first, and the two values."""

    name: str
    why: str


def explain_turn(a: TurnFacts, b: TurnFacts) -> Cause:
    """Return the first difference between a turn on two layers."""
    if a.start != b.start:
        return Cause(OTHER_START, f"{a.start} / {b.start}")
    if bool(a.true) != bool(b.true):
        return _explain_trigger(a, b)
    late = ""
    for first, second in zip(a.moments, b.moments, strict=False):
        found = _explain_sets(a, b, first, second, late) or _explain_call(first, second)
        if found is not None:
            return found
        late = late or _lateness(first, second)
    return _explain_rest(a, b, late)


def _explain_trigger(a: TurnFacts, b: TurnFacts) -> Cause:
    """Return why a trigger was active on one layer alone, by true state: that is the label's difference."""
    late = next(filter(None, map(_lateness, a.moments, b.moments)), "")
    shared_s = min(a.lasted_s, b.lasted_s)
    why = f"in the turn: {_spelled(a)} / {_spelled(b)}"
    if late and _active_until(a.true_spans, shared_s) == _active_until(b.true_spans, shared_s):
        return Cause(BODY, f"{late}; then {why}")
    return Cause(OTHER_WORLD, why)


def _explain_sets(a: TurnFacts, b: TurnFacts, first: Moment, second: Moment, late: str) -> Cause | None:
    """Return why other invariants were active at one moment, or None if the same ones were."""
    if first.true != second.true:
        is_shift = _is_shift(a, b, a.true_spans, b.true_spans, first, second)
        name, values = OTHER_WORLD, (first.true, second.true)
    elif first.sensed != second.sensed:
        is_shift = _is_shift(a, b, a.sensed_spans, b.sensed_spans, first, second)
        name, values = OTHER_SENSING, (first.sensed, second.sensed)
    else:
        return None
    why = f"{_named(values[0])} at {first.at_s:.1f} s / {_named(values[1])} at {second.at_s:.1f} s"
    if not is_shift:
        return Cause(name, why)
    return Cause(BODY, f"{late}; then {why}") if late else Cause(OTHER_COMMANDS, f"at other times: {why}")


def _is_shift(a: TurnFacts, b: TurnFacts, in_a: Spans, in_b: Spans, first: Moment, second: Moment) -> bool:
    """Return whether the worlds were alike up to the later moment: only the time of acting differs."""
    if abs(first.at_s - second.at_s) <= LATE_S:
        return False
    until = min(max(first.at_s, second.at_s), a.lasted_s, b.lasted_s)
    return _active_until(in_a, until) == _active_until(in_b, until)


def _explain_call(a: Moment, b: Moment) -> Cause | None:
    if a.call != b.call:
        return Cause(OTHER_COMMANDS, f"{a.call or 'nothing more'} / {b.call or 'nothing more'}")
    if a.outcome != b.outcome:
        name = OTHER_GUARD if "guard" in a.outcome + b.outcome else BODY
        return Cause(name, f"{a.call}: {a.outcome} / {b.outcome}")
    return None


def _explain_rest(a: TurnFacts, b: TurnFacts, late: str) -> Cause:
    """Return the cause where every moment is alike: what came between and after them."""
    if a.body != b.body:
        return Cause(BODY, f"{a.body or 'no trouble'} / {b.body or 'no trouble'}")
    shared_s = min(a.lasted_s, b.lasted_s)
    for name, (x, y), (in_a, in_b) in (
        (OTHER_WORLD, (a.true, b.true), (a.true_spans, b.true_spans)),
        (OTHER_SENSING, (a.sensed, b.sensed), (a.sensed_spans, b.sensed_spans)),
    ):
        is_longer = bool(late) and _active_until(in_a, shared_s) == _active_until(in_b, shared_s)
        if x != y and not is_longer:
            return Cause(name, f"in the turn: {_named(x)} / {_named(y)}")
    return Cause(BODY, late) if late else Cause(UNEXPLAINED, "")


def _active_until(spans: Spans, end_s: float) -> set[str]:
    return {span.invariant for span in spans if span.start_s <= end_s}


def _lateness(a: Moment, b: Moment) -> str:
    if abs(a.lasted_s - b.lasted_s) <= LATE_S:
        return ""
    return f"{a.call} took {a.lasted_s:.1f} s / {b.lasted_s:.1f} s"


def _spelled(turn: TurnFacts) -> str:
    """Return the invariants active in a turn with their times, bounds without."""
    by_invariant: dict[str, list[Span]] = {}
    for span in turn.true_spans:
        by_invariant.setdefault(span.invariant, []).append(span)
    words = [
        f"{invariant} {f'{len(spans)} times, ' if len(spans) > 1 else ''}"
        f"{spans[0].start_s:.1f} to {spans[-1].end_s:.1f} s"
        for invariant, spans in by_invariant.items()
    ]
    return ", ".join(words) or _named(turn.true)


def _named(ids: str) -> str:
    return ids or "none"
