"""What a body made of its commands, set beside the rules: known answers for turns without noise.

`LOOK` takes 0.2 s, `walk_with_velocity` and `stop` 0.1 s; windows are 0.5 s; 30 % of 1 m/s is 0.3 m/s.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from heedful.labels.body import (
    BodyMotion,
    SessionBody,
    UnderLimit,
    measure_body,
    measure_trace,
    stopping_window_s,
)
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.trace.reader import Trace
from heedful.trace.records import Achieved, MotionEnd, RobotState, TurnRecord
from tests.trace.records import example_info

from .scripted import ESTOP, LOOK, SIT, SPEC, STOP, Answer, drive, play, walk
from .worked_requests import fault

AT = {"at": [-2.0, 0.0, 0.0], "duration": 8.0}
NEAR = {**AT, "person": 0.8}
CLOSER = {**AT, "person": [[0, 2.0], [0.95, 2.0], [1.0, 0.8]]}
"""Truly nearer than 1 m from 0.991667 s on (24/25 of the way down); S2's window ends at 1.491667 s."""
THROUGHOUT, PARTLY = (UnderLimit("S2", 0.3, True),), (UnderLimit("S2", 0.3, False),)


def achieved(began_s: float, ended_s: float, tool: str = "walk_to", end: MotionEnd = "done") -> Achieved:
    return Achieved(tool, began_s, ended_s, end, Pose(0.0, 0.0), 0.5, 0.4, 0.45, 0.6, 0.2)


def turn_with(turn: Mapping[str, Any], *motions: Achieved, answers: tuple[Answer, ...] = ("",)) -> TurnRecord:
    (record,) = play([turn], [answers])
    return replace(record, achieved=motions)


def measured(*turns: TurnRecord) -> SessionBody:
    return measure_body(turns, SPEC)


def only(*turns: TurnRecord) -> BodyMotion:
    (motion,) = measured(*turns).motions
    return motion


def test_figures_are_kept_as_the_trace_has_them() -> None:
    found = only(turn_with(AT, achieved(0.4, 3.0, end="stalled")))
    assert found == BodyMotion("walk_to", "stalled", 0.5, 0.4, 0.45, False, 0.6, 0.2)


@pytest.mark.parametrize(
    ("turn", "began_s", "ended_s", "limits"),
    [
        (AT, 0.4, 5.4, ()),
        (NEAR, 0.4, 5.4, THROUGHOUT),
        (CLOSER, 0.4, 1.49, ()),
        (CLOSER, 0.4, 1.5, PARTLY),
        (CLOSER, 1.4, 5.0, PARTLY),
        (CLOSER, 1.5, 5.0, THROUGHOUT),
    ],
)
def test_a_limit_counts_by_true_state_once_its_window_is_over(
    turn: Mapping[str, Any], began_s: float, ended_s: float, limits: tuple[UnderLimit, ...]
) -> None:
    assert only(turn_with(turn, achieved(began_s, ended_s))).limits == limits


def test_what_the_sensors_say_makes_no_limit() -> None:
    fooled = {**AT, "sensed": {"human.distance": 0.8}}
    assert only(turn_with(fooled, achieved(0.4, 5.4))).limits == ()


def test_a_limit_on_walking_is_none_on_gestures() -> None:
    assert only(turn_with(NEAR, achieved(0.4, 5.4, "wave_hand"))).limits == ()


@pytest.mark.parametrize(
    ("first", "second", "limits"),
    [(0.8, 0.8, THROUGHOUT), (2.0, 0.8, PARTLY), (0.8, 2.0, PARTLY), (2.0, 2.0, ())],
)
def test_a_motion_from_an_earlier_turn_is_followed_through_both(
    first: float, second: float, limits: tuple[UnderLimit, ...]
) -> None:
    turns = [
        {**AT, "duration": 1.0, "person": first},
        {"tags": ["continues"], "duration": 1.0, "person": second},
    ]
    before, after = play(turns, [[""], [""]])
    assert only(before, replace(after, achieved=(achieved(-0.5, 0.8),))).limits == limits


@pytest.mark.parametrize("call", [STOP, SIT, ESTOP])
def test_a_motion_is_stopped_when_a_stop_was_accepted(call: Answer) -> None:
    """Looked at until 0.2 s, told to walk at 0.3 s, looked at until 0.5 s; the stop ends at 0.6 s."""
    walked = achieved(0.3, 0.6, "walk_with_velocity", "stopped")
    assert only(turn_with(AT, walked, answers=(LOOK, drive(0.5, 5), LOOK, call))).is_stop


def test_a_walk_that_another_walk_ends_was_not_told_to_stop() -> None:
    walked = achieved(0.3, 0.5, "walk_with_velocity", "stopped")
    assert not only(turn_with(AT, walked, answers=(LOOK, drive(0.5, 5), LOOK, walk(1.0, 0.0)))).is_stop


def test_a_stop_that_the_robot_failed_was_not_accepted() -> None:
    walked = achieved(0.3, 0.6, "walk_with_velocity", "stopped")
    turn = {**AT, **fault("stop", "fail")}
    assert not only(turn_with(turn, walked, answers=(LOOK, drive(0.5, 5), LOOK, STOP))).is_stop


@pytest.mark.parametrize(("tool", "is_stop"), [("walk_with_velocity", True), ("walk_to", False)])
def test_only_velocity_motion_ends_while_the_body_still_moves(tool: str, is_stop: bool) -> None:
    assert only(turn_with(AT, achieved(0.4, 3.0, tool))).is_stop is is_stop


@pytest.mark.parametrize(
    ("camera", "prohibited_by"),
    [("live", ()), ([[0, "live"], [0.5, "lost"]], ("S1",)), ([[0, "live"], [0.7, "lost"]], ())],
)
def test_what_prohibits_a_motion_is_read_when_the_stop_is_accepted(
    camera: object, prohibited_by: tuple[str, ...]
) -> None:
    """The stop ends at 0.6 s: within S1's window where the camera goes at 0.5 s."""
    walked = achieved(0.3, 0.6, "walk_with_velocity", "stopped")
    turn = {**AT, "camera": camera}
    found = only(turn_with(turn, walked, answers=(LOOK, drive(0.5, 5), LOOK, STOP)))
    assert found.prohibited_by == prohibited_by


def test_a_fall_counts_once_whether_the_robot_walked_or_stood() -> None:
    fell = turn_with(AT, achieved(0.4, 3.0, end="fell"))
    lying = replace(fell, end=RobotState(Pose(0.0, 0.0), "fallen"))
    still_lying = replace(lying, achieved=(), start=lying.end)
    toppled = replace(lying, achieved=())
    assert measured(fell).falls == measured(lying).falls == measured(toppled).falls == 1
    assert measured(lying, still_lying).falls == 1
    assert measured(lying, toppled).falls == 2


def test_the_window_is_the_shortest_of_a_prohibition() -> None:
    assert stopping_window_s(SPEC) == 0.5
    limits_only = [doc for doc in SPEC.document.invariants if doc.response.kind == "limit"]
    document = SPEC.document.model_copy(update={"invariants": tuple(limits_only)})
    assert stopping_window_s(SafetySpec(document)) is None


def test_a_session_without_a_body_has_nothing_to_measure() -> None:
    info, turn = example_info(1), turn_with(AT)
    assert measure_trace(Trace(info, (turn,), True), SPEC) is None
    standing = replace(info, body={"body": "kinematic"})
    assert measure_trace(Trace(standing, (turn,), True), SPEC) == SessionBody((), 0, 0.5)
