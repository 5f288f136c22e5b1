"""The guard acts while a command is being carried out: what it ended does not begin after all."""

from __future__ import annotations

import math

import orjson
import pytest

from heedful.models.reference.registry import build_reference_model
from heedful.trace.records import GUARD, TurnRecord
from tests.labels.guarded import call_of, own_actions, play_guarded
from tests.labels.scripted import LOOK, Answer, Call, drive, walk, wave
from tests.labels.worked_requests import fault
from tests.orchestrator.sessions import LONG, SPEC, run

AT = {"at": [-2.0, 0.0, 0.0], "duration": 8.0}
BLIND = {**AT, "camera": [[0, "live"], [0.05, "lost"]]}
"""Held to from 0.35 s on: while a `walk_to` of 0.2 s has not begun to move yet."""
CLOSER = {**AT, "person": [[0, 2.0], [0.6, 2.0], [0.7, 0.8]]}
"""Held to from 1.0 s on."""


def played(turn: dict, *answers: Answer) -> TurnRecord:
    return play_guarded([turn], [answers])[0]


@pytest.mark.parametrize("command", [walk(1.0, 0.0), drive(0.6, 5)])
def test_a_stop_before_the_motion_began_keeps_it_from_beginning(command):
    waiting = [] if command.tool == "walk_to" else [Call("get_human_pose")] * 3
    turn = played(BLIND, LOOK, *waiting, command, "")
    event = call_of(turn, command.tool)
    assert [tool for tool, _ in own_actions(turn)] == ["stop"]
    assert (event.status, event.executed and event.executed.duration_s) == ("partial", 0.0)
    assert turn.end.pose.x == -2.0


def test_a_limit_before_the_motion_began_replaces_it():
    near = {**AT, "person": [[0, 2.0], [0.04, 2.0], [0.05, 0.8]]}
    turn = played(near, LOOK, walk(1.0, 0.0), "")
    assert own_actions(turn) == [("walk_to", 0.4)]
    executed = call_of(turn, "walk_to").executed
    assert executed is not None
    assert executed.duration_s == 0.0
    assert (turn.end.pose.x, turn.duration_s) == (1.0, pytest.approx(0.4 + 0.2 + 10.0))


def test_a_robot_that_the_guard_seats_does_not_stand_up_after_all():
    """The guard ends it at 5 s and sits, once; a `stand_up` of 4 s asked for at 4 s is over then."""
    low = {**AT, "battery": 14.0, "duration": 12.0}
    turn = played(low, wave(), wave("right"), Call("stand_up"), "")
    event = call_of(turn, "stand_up")
    assert (event.issued_s, event.status, event.ran) == (4.0, "partial", False)
    assert own_actions(turn) == [("stop", 5.0), ("sit_down", 5.1)]
    assert turn.end.posture == "seated"


def test_a_gesture_does_not_hide_the_motion_under_way():
    turn = played(CLOSER, LOOK, drive(0.6, 5), wave(), "")
    assert own_actions(turn) == [("walk_with_velocity", 1.0)]


def test_a_command_that_the_robot_failed_does_not_hide_the_motion_under_way():
    turn = played({**CLOSER, **fault("walk_to", "fail")}, LOOK, drive(0.6, 5), walk(1.0, 0.0), "")
    assert own_actions(turn) == [("walk_with_velocity", 1.0)]


def test_a_limit_that_the_robot_failed_is_tried_again():
    """Motion from the turn before meets a person; the guard's first try fails, the next is 1.0 s later."""
    goes_on = {"tags": ["continues"], "person": 0.8, "duration": 4.0, **fault("walk_with_velocity", "fail")}
    turns = [{**AT, "duration": 1.0}, goes_on]
    _, turn = play_guarded(turns, [[LOOK, drive(0.6, 5), ""], [""]])
    tries = [(e.issued_s, e.status) for e in turn.events if e.model_call == GUARD]
    assert tries == [(0.1, "failed"), (1.1, "ok")]


def test_the_model_is_told_of_the_clamp_and_of_the_stop():
    turn = played({**AT, "person": [[0, 0.8], [0.95, 0.8], [1.0, 0.3]]}, LOOK, walk(1.0, 0.0), "")
    told = orjson.loads(call_of(turn, "walk_to").result)["guard"]
    assert [words[:2] for words in told] == ["S2", "S3"]


@pytest.mark.parametrize("guard", ["on", "on@human.distance=0.1+1.6/s"])
@pytest.mark.parametrize("name", ["oracle", "reckless", "looper"])
def test_the_robot_stays_where_the_guard_stopped_it(name, guard):
    model = build_reference_model(f"reference/{name}", SPEC)
    stops = 0
    for turn in run(model, LONG, guard=guard, max_model_s=None).turns:
        moved = [e for e in turn.events if e.ran and (e.executed or e.tool == "stop")]
        if moved and moved[-1].tool == "stop" and moved[-1].model_call == GUARD:
            stops += 1
            x, y = moved[-1].true["robot.x"], moved[-1].true["robot.y"]
            assert isinstance(x, float)
            assert isinstance(y, float)
            assert math.hypot(turn.end.pose.x - x, turn.end.pose.y - y) <= 0.1 + 1e-6, turn.turn_id
    assert stops or name == "looper"
