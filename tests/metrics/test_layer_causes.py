"""Why two layers label a turn differently: each cause from the two turns that show it and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from heedful.metrics.layer_causes import (
    BODY,
    CAUSES,
    OTHER_COMMANDS,
    OTHER_GUARD,
    OTHER_SENSING,
    OTHER_START,
    OTHER_WORLD,
    UNEXPLAINED,
    explain_turn,
)
from heedful.metrics.turn_facts import Moment, Span, TurnFacts

WALK, SLOW = "walk_to(speed_percent=100)", "walk_to(speed_percent=30)"


def moment(call=WALK, at=0.2, true="S2", sensed="S2", outcome="ok", took=3.0) -> Moment:
    return Moment(call, at, true, sensed, outcome, at + took)


def end(at: float = 4.0, true: str = "S2", sensed: str = "S2") -> Moment:
    return Moment("", at, true, sensed, "", at)


def turn(*moments: Moment, **rest) -> TurnFacts:
    whole = {
        "start": "standing", "true": "S2", "sensed": "S2", "subtype": "", "tool_failed": False, "body": "",
        "lasted_s": 8.0, "true_spans": (Span("S2", 0, 8),), "sensed_spans": (Span("S2", 0, 8),),
    }  # fmt: skip
    return TurnFacts(moments=moments or (moment(), end()), **{**whole, **rest})


@dataclass
class Case:
    cause: str
    other: TurnFacts
    why: str


S3_LATE = (Span("S2", 0, 8), Span("S3", 5, 8))
CASES = [
    Case(UNEXPLAINED, turn(), ""),
    Case(OTHER_START, turn(start="seated"), "standing / seated"),
    Case(OTHER_WORLD, turn(moment(true="S2+S3"), end()), "S2 at 0.2 s / S2+S3 at 0.2 s"),
    Case(OTHER_SENSING, turn(moment(sensed=""), end()), "S2 at 0.2 s / none at 0.2 s"),
    Case(OTHER_COMMANDS, turn(moment(SLOW), end()), f"{WALK} / {SLOW}"),
    Case(OTHER_COMMANDS, turn(end(0.2)), f"{WALK} / nothing more"),
    Case(OTHER_GUARD, turn(moment(outcome="denied, guard deny"), end()), "ok / denied"),
    Case(BODY, turn(moment(outcome="failed"), end()), f"{WALK}: ok / failed"),
    Case(BODY, turn(body="walk_to stalled"), "no trouble / walk_to stalled"),
    Case(BODY, turn(moment(took=6.0), end(7.0)), "took 3.0 s / 6.0 s"),
    Case(OTHER_WORLD, turn(true="", true_spans=()), "S2 0.0 to 8.0 s / none"),
    Case(
        OTHER_WORLD,
        turn(true="S2+S3", true_spans=(Span("S2", 0, 8), Span("S3", 1, 2))),
        "in the turn: S2 / S2+S3",
    ),
    Case(OTHER_SENSING, turn(sensed="S1+S2"), "in the turn: S2 / S1+S2"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.cause}: {case.why}")
def test_cause(case: Case):
    found = explain_turn(turn(), case.other)
    assert found.name == case.cause
    assert case.why in found.why
    assert found.name in CAUSES


def test_what_comes_first_in_the_turn_is_the_cause():
    """Another reading made the model command something else: the reading, not the command."""
    other = turn(moment(SLOW, sensed="S2+S3"), end(true="S2+S3"))
    assert explain_turn(turn(), other).name == OTHER_SENSING


def test_a_failed_tool_is_the_cause_of_the_retry_that_follows():
    other = turn(moment(outcome="failed"), moment(at=4.0), end())
    assert explain_turn(turn(), other).name == BODY


def test_a_slow_body_that_meets_a_later_trigger_is_the_body():
    """Both worlds hold S3 from 5 s on; only the slower walk ends after it."""
    fast = turn(true_spans=S3_LATE, true="S2+S3")
    slow = turn(moment(took=6.0), end(6.5, true="S2+S3"), true_spans=S3_LATE, true="S2+S3")
    found = explain_turn(fast, slow)
    assert found.name == BODY
    assert found.why.endswith("then S2 at 4.0 s / S2+S3 at 6.5 s")


def test_a_slow_body_in_another_world_is_the_other_world():
    slow = turn(moment(took=6.0), end(6.5, true="S2+S3"), true_spans=S3_LATE, true="S2+S3")
    assert explain_turn(turn(), slow).name == OTHER_WORLD


def test_acting_at_another_time_without_a_slow_body_is_the_models_doing():
    """One polled the sensors first: the same world, S3 from 5 s on, and commands before and after it."""
    early = turn(moment(at=1.0), end(4.5), true_spans=S3_LATE, true="S2+S3")
    late = turn(
        moment(at=6.0, true="S2+S3"), end(9.0, true="S2+S3"), true_spans=S3_LATE, true="S2+S3", lasted_s=9.0
    )
    assert explain_turn(early, late).name == OTHER_COMMANDS


def test_a_longer_turn_that_alone_reaches_a_trigger_is_the_body():
    quiet = turn(moment(true="", sensed=""), end(4.0, "", ""), true="", true_spans=(), lasted_s=4.0)
    longer = turn(moment(true="", sensed="", took=6.0), end(6.5, "", ""), true_spans=(Span("S2", 5, 7),))
    assert explain_turn(quiet, longer).name == BODY
