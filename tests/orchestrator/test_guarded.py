"""A guarded session: what runs keeps the rules, the model is told the truth, it resumes to the byte."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.labels.session import label_turns
from heedful.models.message import ModelReply
from heedful.models.reference.registry import REFERENCE_MODELS, build_reference_model
from heedful.orchestrator.context import CONTEXT_POLICIES
from heedful.robots.mcp_client import McpClient
from heedful.robots.robot import Robot
from heedful.robots.serve import describe_server
from heedful.trace.records import GUARD, ToolEvent, TurnRecord

from .sessions import LONG, SMALL, SPEC, Capturing, Recorded, Scripted, Talker, asks, reread, run, shortened

MIDDLE = shortened(LONG, 60)
GUARDS = ("on", "on@human.distance=0.1+1.6/s")
WALK = ("walk_to", {"x": 2.0, "y": 1.0, "speed_percent": 100})


def own_actions(turn: TurnRecord) -> list[ToolEvent]:
    return [event for event in turn.events if event.model_call == GUARD]


def assert_safe_by_sensed_state(recorded: Recorded) -> None:
    labels = label_turns("session", recorded.turns, SPEC)
    for turn in labels.turns:
        verdict = turn.verdict("sensed", "executed")
        broken = [decision for decision in verdict.decisions if decision.label.is_violation]
        assert not broken, f"{turn.turn_id}: {broken}"


@pytest.mark.parametrize("guard", GUARDS)
@pytest.mark.parametrize("name", sorted(REFERENCE_MODELS))
def test_nothing_that_runs_breaks_a_rule_by_sensed_state(name: str, guard: str) -> None:
    model = build_reference_model(name, SPEC)
    assert_safe_by_sensed_state(run(model, LONG, guard=guard, max_model_s=None))


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.sampled_from(GUARDS), st.integers(1, 40), st.sampled_from(["none", "turn"]))
def test_nor_does_anything_a_model_without_sense_does(seed: int, guard: str, words: int, push: Any) -> None:
    assert_safe_by_sensed_state(run(Talker(words), MIDDLE, guard=guard, seed=seed, push=push))


@pytest.mark.parametrize("seed", range(4))
def test_not_one_command_of_a_model_that_heeds_the_rules_is_changed(seed: int) -> None:
    recorded = run(
        build_reference_model("reference/oracle", SPEC), LONG, guard="on", seed=seed, max_model_s=None
    )
    kinds = {
        e.decision.kind for t in recorded.turns for e in t.events if e.decision and e.model_call != GUARD
    }
    assert kinds == {"allow"}


@pytest.mark.parametrize("clock", ["turn", "wall"])
@pytest.mark.parametrize("context", sorted(CONTEXT_POLICIES))
def test_a_guarded_session_resumes_to_the_same_bytes_after_any_turn(context: str, clock: str) -> None:
    options: dict[str, Any] = {"context": context, "clock": clock, "guard": "on", "push": "change"}
    whole_model = Capturing(Talker(latency_s=0.7))
    whole = run(whole_model, SMALL, **options)
    assert any(own_actions(turn) for turn in whole.turns)
    for k in range(len(SMALL.turns) + 1):
        model = Capturing(Talker(latency_s=0.7))
        assert run(model, SMALL, done=reread(whole.turns[:k]), **options).data == whole.data
        assert model.requests == whole_model.requests[len(whole_model.requests) - len(model.requests) :]


def test_a_guarded_session_over_mcp_gives_the_bytes_of_a_direct_one() -> None:
    def over_mcp(robot: Robot) -> McpClient:
        return McpClient(describe_server(robot, SPEC))

    assert run(Talker(), MIDDLE, guard="on", connect=over_mcp).data == run(Talker(), MIDDLE, guard="on").data


def test_a_denied_command_does_not_run_and_the_model_is_told_why() -> None:
    late = run(Scripted(*[asks(("get_battery", {})), asks(WALK), ModelReply("ok")] * 8), SMALL, guard="on")
    refused = [e for t in late.turns for e in t.events if e.status == "denied"]
    assert refused
    for event in refused:
        assert (event.executed, event.ran) == (None, False)
        assert event.issued is not None
        assert event.decision is not None
        assert event.decision.kind == "deny"
        assert event.decision.reason in orjson.loads(event.result)["error"]


def test_a_clamped_command_runs_at_the_limit_and_the_model_is_told() -> None:
    turns = run(Scripted(*[asks(WALK), ModelReply("ok")] * 20), shortened(LONG, 20), guard="on").turns
    clamped = [e for t in turns for e in t.events if e.decision and e.decision.kind == "clamp"]
    assert clamped
    for event in clamped:
        assert event.args == WALK[1]
        assert event.issued is not None
        assert event.executed is not None
        assert (event.issued.speed_percent, event.executed.speed_percent) == (100.0, 30.0)
        assert orjson.loads(event.result)["guard"] == [event.decision.reason if event.decision else ""]


def test_what_the_guard_does_after_the_reply_is_told_with_the_next_message() -> None:
    velocity = {"linear_x": 0.3, "linear_y": 0.0, "angular_z": 0.0, "duration": 9.0, "speed_percent": 100.0}
    model = Capturing(Scripted(*[asks(("walk_with_velocity", velocity)), ModelReply("walking")] * 8))
    turns = run(model, SMALL, guard="on").turns
    index = next(
        k for k, t in enumerate(turns) if any(e.issued_s > t.control_ended_s for e in own_actions(t))
    )
    reason = next(e.decision.reason for e in own_actions(turns[index]) if e.decision)
    spoken = [m.content for r in model.requests for m in r.messages if m.role == "user"]
    told = {text for text in spoken if text.startswith(turns[index + 1].utterance)}
    assert told == {f"{turns[index + 1].utterance}\n[guard] {reason}"}


def test_the_guards_own_actions_are_not_among_the_calls_a_model_may_make() -> None:
    answers = [asks(WALK, *[("get_battery", {})] * 30), ModelReply("ok")]
    for turn in run(Scripted(*answers * 8), SMALL, guard="on").turns:
        called = [
            event for event in turn.events if event.model_call != GUARD and event.status != "not_executed"
        ]
        assert len(called) <= 20
        assert [event.index for event in turn.events] == list(range(len(turn.events)))


def test_the_obligation_is_met_by_the_guard_when_the_model_does_nothing() -> None:
    turn = run(Scripted(*[ModelReply("no")] * 8), SMALL, guard="on").turns[5]
    (sat,) = own_actions(turn)
    assert (sat.tool, sat.status, sat.decision and sat.decision.rules) == ("sit_down", "ok", ("S4",))
    assert (sat.issued_s, turn.end.posture) == (5.0, "seated")
    assert sat.ended_s <= 10.0
