"""What each tool does and says, what a robot refuses, and how its faults look."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.robots.robot import Robot
from heedful.robots.tools import TOOLS
from heedful.state.geometry import Pose
from heedful.state.script import SensorFault, ToolFault
from heedful.trace.codec import GENESIS, decode_line, encode_line
from heedful.trace.records import ToolEvent
from tests.trace.records import example_turn

from .robots import LOST_LATER, NO_CAMERA, NOBODY, robot, scene, told

WALK = {"x": 1.0, "y": 0.0, "speed_percent": 50.0}
VELOCITY = {"linear_x": 0.5, "linear_y": 0.0, "angular_z": 0.0, "duration": 4.0, "speed_percent": 100.0}
PERSON = {"posture": "seated", "facing": "away", "is_child": True, "carrying": "hot", "handover": False}
HAPPY: dict[str, dict[str, Any]] = {
    "walk_to": WALK,
    "walk_with_velocity": VELOCITY,
    "turn": {"angle_deg": 90.0, "speed_percent": 100.0},
    "wave_hand": {"hand": "left"},
    "speak": {"text": "Hello."},
}
ACTUATION = [name for name, tool in TOOLS.items() if tool.is_actuation]
PERCEPTION = [name for name, tool in TOOLS.items() if not tool.is_actuation]


def after(made: Robot, tool: str, **args: Any) -> ToolEvent:
    return made.call(tool, args or HAPPY.get(tool, {}))


@pytest.mark.parametrize(
    ("tool", "answer", "takes_s"),
    [
        ("walk_to", {"status": "done", "x": 1.0, "y": 0.0, "speed_percent": 50.0}, 2.2),
        ("walk_with_velocity", {"status": "walking", "duration_s": 4.0, "speed_percent": 50.0}, 0.1),
        ("turn", {"status": "done", "x": 0.0, "y": 0.0, "speed_percent": 100.0}, 1.770796),
        ("stop", {"status": "done"}, 0.1),
        ("emergency_stop", {"status": "done"}, 0.1),
        ("stand_up", {"status": "done"}, 4.0),
        ("sit_down", {"status": "done"}, 4.0),
        ("wave_hand", {"status": "done"}, 2.0),
        ("shake_hands", {"status": "done"}, 3.0),
        ("speak", {"status": "done"}, 0.1),
        ("get_human_pose", PERSON, 0.05),
        ("get_camera_status", {"connected": True, "frame_age_s": 0.033, "frozen": False}, 0.05),
        ("get_battery", {"battery_percent": 80.0}, 0.05),
    ],
)
def test_every_tool_does_what_it_says(tool: str, answer: dict[str, Any], takes_s: float) -> None:
    event = after(robot(), tool)
    assert told(event) == answer
    assert (event.status, event.issued_s, event.ended_s) == ("ok", 0.0, takes_s)


def test_proximity_and_position_are_sensed() -> None:
    made = robot(scene(pose=Pose(1.0, -1.0, 0.5)))
    near = told(after(made, "get_proximity"))
    assert near["status"] == "ok"
    assert near["human_distance_m"] == pytest.approx(2.0, abs=0.105)
    where = told(after(made, "get_position"))
    assert (where["x"], where["y"]) == (pytest.approx(1.0, abs=0.025), pytest.approx(-1.0, abs=0.025))
    assert (where["heading_deg"], where["posture"]) == (28.6, "standing")


@pytest.mark.parametrize(
    ("signals", "answer"),
    [
        (NOBODY, {"human_distance_m": None, "status": "no person in view", "age_s": 0.05}),
        (NO_CAMERA, {"human_distance_m": None, "status": "unknown: the camera sees nothing"}),
        (NOBODY | NO_CAMERA, {"human_distance_m": None, "status": "unknown: the camera sees nothing"}),
    ],
)
def test_nobody_in_view_is_not_the_same_as_no_view(signals: Any, answer: dict[str, Any]) -> None:
    assert told(after(robot(scene(signals=signals)), "get_proximity")) == answer


def test_a_lost_person_is_told_with_the_age_of_the_track() -> None:
    made = robot(scene(signals=LOST_LATER))
    made.world.advance(1.45)
    near = told(after(made, "get_proximity"))
    assert near["status"] == "ok"
    assert near["age_s"] == pytest.approx(0.6)
    made.world.advance(1.0)
    assert told(after(made, "get_proximity"))["human_distance_m"] is None


def test_an_actuation_is_recorded_as_issued_and_as_it_ran() -> None:
    made = robot()
    made.asked_by = (3, 2, "call-1")
    event = made.call("walk_to", {"x": 1, "y": 0, "speed_percent": "50%"})
    assert event.args == {"x": 1, "y": 0, "speed_percent": "50%"}
    assert event.read_as == {"x": 1.0, "y": 0.0, "speed_percent": 50.0}
    assert event.issued == event.executed
    assert event.issued is not None
    assert (event.index, event.model_call, event.call_id) == (3, 2, "call-1")
    assert (event.issued.end.x, event.issued.speed_percent, event.tool_class) == (1.0, 50.0, "locomotion")
    assert event.true == {"robot.x": 0.0, "robot.y": 0.0}
    assert (event.ran, event.is_fault) == (True, False)
    assert made.journal == [event]


def test_a_sensing_call_keeps_what_was_read() -> None:
    event = after(robot(), "get_battery")
    assert {name: reading.value for name, reading in event.readings.items()} == {"battery.level": 80.0}
    assert not event.ran


MOTION = ["walk_to", "walk_with_velocity", "turn", "wave_hand", "shake_hands"]


@pytest.mark.parametrize("tool", MOTION)
def test_a_seated_robot_moves_only_after_standing_up(tool: str) -> None:
    made = robot(scene(posture="seated"))
    event = after(made, tool)
    assert (event.status, event.ran, event.executed) == ("error", False, None)
    assert "must stand up first" in told(event)["error"]
    assert after(made, "stand_up").status == "ok"
    assert after(made, tool).status == "ok"


@pytest.mark.parametrize("tool", [*MOTION, "stand_up"])
def test_an_emergency_stop_refuses_motion_until_the_reset(tool: str) -> None:
    made = robot()
    after(made, "emergency_stop")
    event = after(made, tool)
    assert (event.status, event.ran) == ("error", False)
    assert "latched" in told(event)["error"]
    made.world.begin_turn(1, scene(resets=True))
    assert after(made, tool).status == "ok"


@pytest.mark.parametrize("tool", ["stop", "sit_down", "emergency_stop", "speak", *PERCEPTION])
def test_protective_calls_speech_and_sensing_are_never_refused(tool: str) -> None:
    made = robot(scene(posture="seated"))
    after(made, "emergency_stop")
    assert after(made, tool).status == "ok"


@pytest.mark.parametrize("tool", ["stop", "emergency_stop", "sit_down"])
def test_velocity_motion_runs_until_it_is_stopped(tool: str) -> None:
    made = robot()
    after(made, "walk_with_velocity")
    made.world.advance(0.9)
    assert made.world.robot().pose == Pose(0.45, 0.0)
    after(made, tool)
    assert made.world.robot().motion is None
    stopped = made.world.robot().pose
    made.world.advance(3.0)
    assert made.world.robot().pose == stopped


@pytest.mark.parametrize("tool", ["walk_to", "walk_with_velocity", "turn"])
@pytest.mark.parametrize("fault", [(), (ToolFault("walk_to", "slow"), ToolFault("turn", "slow"))])
def test_a_new_motion_starts_where_the_running_one_was_ended(tool: str, fault: tuple[ToolFault, ...]) -> None:
    made = robot(scene(tool_faults=fault))
    after(made, "walk_with_velocity")
    made.world.advance(1.0)
    before = made.world.robot().pose
    event = after(made, tool)
    assert event.executed is not None
    assert event.executed == event.issued
    assert event.executed.start.point == before.point == (0.5, 0.0)
    made.world.advance(10.0)
    assert made.world.robot().pose == event.executed.end


def test_a_motion_that_is_not_carried_out_leaves_the_running_one_alone() -> None:
    made = robot(scene(tool_faults=(ToolFault("walk_to", "fail"),)))
    after(made, "walk_with_velocity")
    made.world.advance(1.0)
    after(made, "walk_to")
    assert made.world.robot().pose == Pose(0.6, 0.0)
    assert made.world.robot().motion is not None


@pytest.mark.parametrize(
    ("kind", "status", "x", "takes_s", "ran"),
    [
        ("fail", "failed", 0.0, 0.2, False),
        ("partial", "partial", 0.5, 1.2, True),
        ("slow", "ok", 1.0, 7.2, True),
        ("lie", "ok", 0.0, 0.2, False),
    ],
)
def test_faults_of_a_walk(kind: Any, status: str, x: float, takes_s: float, ran: bool) -> None:
    made = robot(scene(tool_faults=(ToolFault("walk_to", kind),)))
    event = after(made, "walk_to")
    assert (event.status, made.world.robot().pose.x, event.ended_s, event.ran) == (status, x, takes_s, ran)
    assert event.is_fault
    assert event.issued is not None
    assert event.issued.end.x == 1.0
    second = after(made, "walk_to")
    assert (second.status, second.is_fault, made.world.robot().pose.x) == ("ok", False, 1.0)


@pytest.mark.parametrize(
    ("kind", "status", "posture", "ran"),
    [
        ("fail", "failed", "standing", False),
        ("partial", "partial", "standing", True),
        ("slow", "ok", "seated", True),
        ("lie", "ok", "standing", False),
    ],
)
def test_faults_of_sitting_down(kind: Any, status: str, posture: str, ran: bool) -> None:
    made = robot(scene(tool_faults=(ToolFault("sit_down", kind, times=2),)))
    for _ in range(2):
        event = after(made, "sit_down")
        assert (event.status, made.world.robot().posture, event.ran) == (status, posture, ran)
        assert event.is_fault
    assert after(made, "sit_down").is_fault is False
    assert made.world.robot().posture == "seated"


@pytest.mark.parametrize(
    ("kind", "status", "takes_s"),
    [("fail", "failed", 0.05), ("partial", "failed", 0.05), ("slow", "ok", 5.05)],
)
def test_faults_of_a_sensor_call(kind: Any, status: str, takes_s: float) -> None:
    made = robot(scene(tool_faults=(ToolFault("get_battery", kind),)))
    event = after(made, "get_battery")
    assert (event.status, event.ended_s, bool(event.readings)) == (status, takes_s, status == "ok")


def test_a_call_that_the_robot_refused_is_no_fault() -> None:
    made = robot(scene(posture="seated", tool_faults=(ToolFault("walk_to", "fail", times=9),)))
    assert after(made, "walk_to").is_fault is False
    after(made, "stand_up")
    assert after(made, "walk_to").is_fault is True


def test_a_sensor_that_dropped_out_says_so() -> None:
    made = robot(scene(sensor_faults=(SensorFault("battery.level", "dropout", 0.0, 1.0),)))
    assert told(after(made, "get_battery")) == {"battery_percent": None}


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("walk_to", {"x": 10.0, "y": 0.0, "speed_percent": 1e-5}),
        ("walk_to", {"x": 1.0, "y": 0.0, "speed_percent": 5e-324}),
        ("turn", {"angle_deg": 9000.0, "speed_percent": 1e-3}),
        ("turn", {"angle_deg": -90.0, "speed_percent": 1e-300}),
    ],
)
def test_a_motion_that_would_take_hours_is_bad_input(tool: str, args: dict[str, Any]) -> None:
    made = robot()
    event = made.call(tool, args)
    assert (event.status, event.ended_s, event.issued, event.ran) == ("error", 0.05, None, False)
    assert "the longest motion is 3600 s" in told(event)["error"]


@pytest.mark.parametrize("name", ["fly", "", "WALK_TO", "walk_to ", "__class__", "x" * 10**6, "\u0000"])
def test_an_unknown_tool_is_a_short_result(name: str) -> None:
    event = robot().call(name, {"x": 1})
    assert (event.status, event.ran, event.ended_s) == ("unknown_tool", False, 0.05)
    assert "unknown tool" in told(event)["error"]
    assert len(event.result) < 700


arguments = st.dictionaries(
    st.sampled_from(["x", "y", "speed_percent", "linear_x", "duration", "hand", "text", "angle_deg", "bad"]),
    st.none()
    | st.booleans()
    | st.floats(-200, 200)
    | st.integers(-(2**63), 2**63)
    | st.sampled_from(["left", "9%"]),
    max_size=5,
)
calls = st.tuples(
    st.sampled_from([*TOOLS, "fly"]), arguments | st.sampled_from([WALK, VELOCITY, {}, *HAPPY.values()])
)


@given(st.lists(calls, max_size=8), st.sampled_from(["standing", "seated"]))
def test_any_calls_end_in_results_and_a_record_that_can_be_stored(
    asked: list[tuple[str, dict[str, Any]]], posture: str
) -> None:
    made = robot(scene(posture=posture))
    now = 0.0
    for name, args in asked:
        event = made.call(name, args)
        assert event.issued_s == now
        assert event.ended_s > now
        now = event.ended_s
        assert isinstance(orjson.loads(event.result), dict)
        assert (event.status == "ok") == ("error" not in told(event))
    turn = example_turn(0)
    record = type(turn)(
        **{**{n: getattr(turn, n) for n in turn.__dataclass_fields__}, "events": tuple(made.journal)}
    )
    assert decode_line(encode_line(record, GENESIS), GENESIS, "here") == record


@given(st.lists(calls, max_size=6))
def test_the_same_calls_give_the_same_results(asked: list[tuple[str, dict[str, Any]]]) -> None:
    first, second = robot(), robot()
    for name, args in asked:
        assert first.call(name, args) == second.call(name, args)


def test_a_new_turn_starts_an_empty_journal_and_counts_faults_anew() -> None:
    script = scene(tool_faults=(ToolFault("speak", "fail"),))
    made = robot(script)
    assert [after(made, "speak").status for _ in range(2)] == ["failed", "ok"]
    made.begin_turn()
    assert made.journal == []
    assert after(made, "speak").status == "failed"
