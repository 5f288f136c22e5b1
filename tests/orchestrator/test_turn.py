"""One turn: what bounds it, what is told of calls that did not run, and how errors end it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
import pytest

from heedful.errors import ContextOverflowError, CredentialError, ProviderError, RobotError
from heedful.models.message import ModelReply, ModelRequest, ToolCall
from heedful.orchestrator.session import run_session
from heedful.orchestrator.turn import HUNG
from heedful.robots.client import DirectClient, ToolReply
from heedful.robots.robot import Robot
from heedful.trace.records import TurnRecord

from .sessions import (
    SMALL,
    Capturing,
    Recorded,
    Scripted,
    asks,
    current_turn,
    plan_session,
    reread,
    run,
    shortened,
)

ONE = shortened(SMALL, 1)
TWO = shortened(SMALL, 2)
BATTERY = ("get_battery", {})
DOWN = ProviderError("test", "cut connection", status=503, attempts=5)


def only(*answers: ModelReply | Exception, **settings: Any) -> TurnRecord:
    return run(Scripted(*answers), ONE, **settings).turns[0]


def told(record: TurnRecord) -> list[str]:
    return [orjson.loads(event.result).get("error", "") for event in record.events]


def looping(calls: int) -> list[ModelReply]:
    return [asks(BATTERY) for _ in range(calls)]


@pytest.mark.parametrize("most", [1, 5, 20])
def test_the_cap_ends_a_turn_of_single_calls(most: int) -> None:
    record = only(*looping(50), max_calls=most)
    assert (len(record.events), len(record.model_calls), record.ended, record.reply) == (
        most,
        most,
        "cap",
        "",
    )
    assert {event.status for event in record.events} == {"ok"}


@pytest.mark.parametrize("asked", [21, 25, 64])
def test_calls_beyond_the_cap_have_a_result_that_says_so(asked: int) -> None:
    record = only(asks(*[BATTERY] * asked))
    assert record.ended == "cap"
    assert [event.status for event in record.events] == ["ok"] * 20 + ["not_executed"] * (asked - 20)
    assert all("limit of tool calls" in text for text in told(record)[20:])
    assert [event.call_id for event in record.events] == [f"c{k}" for k in range(asked)]


def test_an_unreadable_call_beyond_the_cap_is_the_same_message_after_resuming() -> None:
    bad = ToolCall("c9", "walk_to", {}, "not JSON", '{"x": ')
    whole, resumed = (
        Capturing(Scripted(ModelReply("", (ToolCall("c0", *BATTERY), bad)))),
        Capturing(Scripted()),
    )
    first = run(whole, TWO, max_calls=1).turns[0]
    assert [event.status for event in first.events] == ["ok", "not_executed"]
    run(resumed, TWO, max_calls=1, done=reread([first]))
    assert resumed.requests == whole.requests[1:]


def test_a_reply_after_the_last_allowed_call_is_not_waited_for() -> None:
    assert only(*looping(20), ModelReply("Done.")).ended == "cap"
    record = only(*looping(19), ModelReply("Done."))
    assert (record.ended, record.reply) == ("replied", "Done.")


@pytest.mark.parametrize("problem", ["not JSON", 'Expecting "," at 3: {"x": "a\\b\n"}', "\x00"])
def test_a_call_that_could_not_be_read_is_told_to_the_model_as_json(problem: str) -> None:
    bad = ToolCall("c0", "walk_to", {}, problem, '{"x": ')
    model = Capturing(Scripted(ModelReply("", (bad, ToolCall("c1", "get_battery", {})))))
    record = run(model, ONE).turns[0]
    first, second = record.events
    assert (first.status, first.ran, second.status) == ("malformed", False, "ok")
    assert told(record)[0] == f"the arguments could not be read: {problem}"
    assert first.read_as == {"problem": problem, "raw": '{"x": '}
    messages = current_turn(model.requests[-1].messages)
    assert [m.content for m in messages[-2:]] == [first.result, second.result]
    assert messages[-2].is_error


def test_calls_run_in_order_and_their_results_follow_in_order() -> None:
    model = Capturing(
        Scripted(asks(("sit_down", {}), ("walk_to", {"x": 1, "y": 1, "speed_percent": 9}), BATTERY))
    )
    record = run(model, ONE).turns[0]
    assert [(event.index, event.tool, event.status) for event in record.events] == [
        (0, "sit_down", "ok"),
        (1, "walk_to", "error"),
        (2, "get_battery", "ok"),
    ]
    messages = model.requests[-1].messages[-3:]
    assert [(m.role, m.tool_call_id, m.is_error) for m in messages] == [
        ("tool", "c0", False),
        ("tool", "c1", True),
        ("tool", "c2", False),
    ]


@pytest.mark.parametrize(
    ("error", "ended", "invalid", "reply"),
    [
        (DOWN, "invalid", str(DOWN), ""),
        (ContextOverflowError("test", "too long", status=400), "overflow", "", "[too long]"),
    ],
)
@pytest.mark.parametrize("earlier", [0, 1])
def test_an_error_of_the_provider_ends_the_turn_and_not_the_session(
    error: Exception, ended: str, invalid: str, reply: str, earlier: int
) -> None:
    model = Capturing(Scripted(*looping(earlier), error, ModelReply("Here I am.")))
    first, second = run(model, TWO).turns
    assert (first.ended, first.invalid, first.reply) == (ended, invalid, reply)
    assert len(first.events) == len(first.model_calls) == earlier
    assert (second.ended, second.reply) == ("replied", "Here I am.")
    said = [(m.role, m.content) for m in model.requests[-1].messages if m.role == "user"]
    assert said == [("user", turn.utterance) for turn in TWO.turns]  # the errored turn stays as far as it got


def test_a_filtered_answer_is_the_models_conduct() -> None:
    record = only(ModelReply("I can't help with that.", finish="filtered"))
    assert (record.ended, record.reply, record.invalid) == ("filtered", "I can't help with that.", "")


def test_an_answer_cut_for_length_counts_as_the_reply() -> None:
    record = only(ModelReply("I was about to", finish="length"))
    assert (record.ended, record.model_calls[0].finish) == ("replied", "length")


def test_a_model_that_takes_too_long_loses_the_turn_and_its_late_calls_do_not_run() -> None:
    slow = asks(("walk_to", {"x": 1.0, "y": 0.0, "speed_percent": 100.0}), latency_s=71.0)
    first, second = run(Scripted(asks(BATTERY, latency_s=50.0), slow), TWO, max_model_s=120.0).turns
    assert (first.ended, first.invalid, first.reply) == ("timeout", "", "")
    assert [(event.tool, event.status) for event in first.events] == [
        ("get_battery", "ok"),
        ("walk_to", "not_executed"),
    ]
    assert "time limit" in told(first)[1]
    assert len(first.model_calls) == 2
    assert first.end.pose == first.start.pose
    assert second.ended == "replied"


def test_a_late_reply_is_no_reply() -> None:
    record = only(ModelReply("At last.", latency_s=121.0), max_model_s=120.0)
    assert (record.ended, record.reply, record.model_calls[0].text) == ("timeout", "", "At last.")


@pytest.mark.parametrize("limit", [None, 120.0])
def test_time_within_the_limit_is_no_timeout(limit: float | None) -> None:
    record = only(ModelReply("Done.", latency_s=120.0 if limit else 9999.0), max_model_s=limit)
    assert record.ended == "replied"


def test_a_provider_that_hangs_is_infrastructure() -> None:
    class Hanging(Scripted):
        async def respond(self, request: ModelRequest) -> ModelReply:
            if not self.answers:
                return ModelReply("Done.")
            self.answers.clear()
            await asyncio.Event().wait()
            raise AssertionError

    recorded = run(Hanging(ModelReply("")), TWO, max_model_s=0.01 / HUNG)
    assert [turn.ended for turn in recorded.turns] == ["invalid", "replied"]
    assert "hangs" in recorded.turns[0].invalid


def test_waiting_for_the_provider_is_not_the_models_time() -> None:
    class Queued(Scripted):
        async def respond(self, request: ModelRequest) -> ModelReply:
            for _ in range(100):
                await asyncio.sleep(0)
            return ModelReply("Done.", latency_s=0.0)

    assert run(Queued(), ONE, max_model_s=1e-3).turns[0].ended in ("replied", "invalid")


class Breaking(DirectClient):
    """A connection that breaks at one call, before or after the robot acted."""

    def __init__(self, robot: Robot, at: int, *, acts: bool) -> None:
        super().__init__(robot)
        self.left, self.acts = at, acts

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolReply:
        self.left -= 1
        if self.left != -1:
            return await super().call(name, args)
        if self.acts:
            await super().call(name, args)
        raise RobotError(f"The robot's MCP server failed on {name}: Connection closed.")


WALK = ("walk_to", {"x": 1.0, "y": 0.0, "speed_percent": 100.0})


@pytest.mark.parametrize("acts", [False, True])
def test_a_broken_robot_makes_the_turn_invalid_and_every_call_has_a_result(acts: bool) -> None:
    model = Capturing(Scripted(asks(BATTERY, WALK, BATTERY), ModelReply("Here I am.")))
    recorded = run(model, TWO, connect=lambda robot: Breaking(robot, 1, acts=acts))
    first, second = recorded.turns
    assert (first.ended, second.ended) == ("invalid", "replied")
    assert "Connection closed" in first.invalid
    lost = "ok" if acts else "not_executed"
    assert [event.status for event in first.events] == ["ok", lost, "not_executed"]
    assert first.end.pose.x == (1.0 if acts else 0.0)  # what the robot did stands, heard or not
    results = [m for m in model.requests[-1].messages if m.role == "tool"]
    assert [m.tool_call_id for m in results] == ["c0", "c1", "c2"]
    assert run(Scripted(ModelReply("Here I am.")), TWO, done=reread([first])).data == recorded.data


def test_three_invalid_turns_in_a_row_end_the_session() -> None:
    recorded = Recorded()
    with pytest.raises(ProviderError, match=r"3 invalid turns in a row.*cut connection"):
        recorded = run(Scripted(DOWN, DOWN, ModelReply("ok"), DOWN, DOWN, DOWN))
    assert recorded.turns == []


def test_the_third_invalid_turn_in_a_row_is_not_recorded_so_that_resuming_tries_it_again() -> None:
    answers = [ModelReply("ok"), DOWN, DOWN, DOWN]
    recorded = Recorded()
    with pytest.raises(ProviderError):
        run_into(recorded, Scripted(*answers))
    assert [turn.ended for turn in recorded.turns] == ["replied", "invalid", "invalid"]
    resumed = run(Scripted(), done=reread(recorded.turns))
    assert [turn.ended for turn in resumed.turns[3:]] == ["replied"] * 5
    with pytest.raises(ProviderError):
        run(Scripted(DOWN), done=reread(recorded.turns))


def test_invalid_turns_that_are_not_in_a_row_do_not_end_it() -> None:
    ok = ModelReply("ok")
    recorded = run(Scripted(DOWN, DOWN, ok, DOWN, DOWN, ok, DOWN))
    assert [turn.ended for turn in recorded.turns].count("invalid") == 5


@pytest.mark.parametrize("error", [CredentialError("The key was refused."), ZeroDivisionError()])
def test_other_errors_end_the_session_as_they_are_and_keep_the_turns_before(error: Exception) -> None:
    recorded = Recorded()
    with pytest.raises(type(error)):
        run_into(recorded, Scripted(ModelReply("ok"), error))
    assert [turn.reply for turn in recorded.turns] == ["ok"]


def run_into(recorded: Recorded, model: Scripted) -> None:
    asyncio.run(run_session(plan_session(model), recorded.sink))


def test_the_wall_clock_counts_the_models_time_and_the_turn_clock_does_not() -> None:
    answers = (asks(BATTERY, latency_s=1.5), ModelReply("Done.", latency_s=2.25))
    on_wall, on_turn = only(*answers, clock="wall"), only(*answers, clock="turn")
    assert [event.at_s for event in on_wall.model_calls] == [1.5, 3.8]
    assert (on_wall.events[0].issued_s, on_wall.control_ended_s, on_wall.duration_s) == (1.5, 3.8, 4.0)
    assert [event.at_s for event in on_turn.model_calls] == [0.0, 0.05]
    assert on_turn.control_ended_s == 0.05


def test_a_late_answer_takes_its_time_on_the_wall_clock() -> None:
    record = only(ModelReply("", latency_s=130.0), clock="wall", max_model_s=120.0)
    assert (record.ended, record.control_ended_s, record.duration_s) == ("timeout", 130.0, 130.0)


def test_the_request_carries_the_settings() -> None:
    model = Capturing(Scripted())
    run(model, ONE, temperature=0.7, max_output_tokens=99)
    (request,) = model.requests
    assert (request.temperature, request.max_output_tokens) == (0.7, 99)
    assert request.hint.request == ONE.turns[0].request


def test_usage_and_notes_are_recorded() -> None:
    reply = ModelReply("Done.", notes=("lenient_json",))
    reply = replace(
        reply, usage=replace(reply.usage, input_tokens=11, output_tokens=7, cached_input_tokens=5)
    )
    (event,) = only(reply).model_calls
    assert (event.input_tokens, event.output_tokens, event.cached_input_tokens) == (11, 7, 5)
    assert event.notes == ("lenient_json",)
