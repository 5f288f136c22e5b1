"""Raw calls of a target read into commands, and slowed down again."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from heedful.errors import InputError
from heedful.guards.guard import Command, Refusal
from heedful.guards.tool_map.load import load_tool_map, shipped_tool_maps
from heedful.guards.tool_map.tool_map import ToolMap
from heedful.guards.tool_map.values import MAX_TEXT
from heedful.robots.arguments import ArgumentError, read_arguments
from heedful.robots.tools import TOOLS
from heedful.state.geometry import Pose
from heedful.state.motion import plan_motion

from .tool_maps import drive, one_tool, tool_map, walk

ROBOT = load_tool_map("heedful-robot")
ROS = load_tool_map("ros-mcp-server")
MAPS = {name: load_tool_map(name) for name in shipped_tool_maps()}
HERE = Pose(1.0, 2.0, math.pi / 2)
DEEP: Any = 1
for _ in range(3000):
    DEEP = [DEEP]

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def refusal(tool_map: ToolMap, tool: str, args: Any) -> str:
    read = tool_map.read(tool, args, HERE)
    assert isinstance(read, Refusal), read
    return read.reason


def command(tool_map: ToolMap, tool: str, args: Any, pose: Pose | None = None) -> Command:
    read = tool_map.read(tool, args, pose)
    assert isinstance(read, Command), read
    return read


def effective_percent(tool_map: ToolMap, tool: str, args: Any) -> float:
    read = command(tool_map, tool, args)
    motion = plan_motion(read.tool, read.args, Pose(0.0, 0.0), tool_map.limits)
    assert motion is not None
    return motion.speed_percent


def test_a_walk_is_read_in_heedfuls_words():
    read = ROBOT.read("walk_to", {"x": 1, "y": -0.5, "speed_percent": "80%"}, None)
    args = {"x": 1.0, "y": -0.5, "speed_percent": 80.0}
    assert read == Command("walk_to", "locomotion", args, has_speed=True)


@pytest.mark.parametrize(
    "args",
    [
        {"position": [9, 9, 9]},
        {"X": 9.0, "y": 0.0, "speed_percent": 50},
        {"x": 9.0, "y": 9.0},
        {"target": [9, 9], "speed_percent": 50},
        {"goal": "9,9,9"},
        {"x": True, "y": 0.0, "speed_percent": 50},
        {"x": "9", "y": 0.0, "speed_percent": 50},
        {"x": math.nan, "y": 0.0, "speed_percent": 50},
        {"x": math.inf, "y": 0.0, "speed_percent": 50},
        {"x": 1e300, "y": 0.0, "speed_percent": 50},
        {"x": 10**400, "y": 0.0, "speed_percent": 50},
        {"x": [1.0], "y": 0.0, "speed_percent": 50},
        {"x": {"value": 1.0}, "y": 0.0, "speed_percent": 50},
        {"x": None, "y": 0.0, "speed_percent": 50},
        {"x": DEEP, "y": 0.0, "speed_percent": 50},
        {"x": 0.0, "y": 0.0, "speed_percent": 50, "z": 0.0},
        {},
        None,
        [1.0, 2.0],
        "x=1",
    ],
)
def test_other_forms_of_a_target_are_refused(args):
    """Thread 3: aliases, missing axes, booleans, strings and numbers that are none."""
    assert refusal(ROBOT, "walk_to", args).startswith("walk_to: ")


def test_a_refusal_says_what_would_pass():
    assert refusal(ROBOT, "walk_to", {"X": 1.0, "y": 0.0, "speed_percent": 5}) == (
        "walk_to: unknown argument 'X'. Did you mean 'x'? Allowed: x, y, speed_percent."
    )
    assert refusal(ROBOT, "walk_to", {"x": 1.0, "y": 0.0}) == "walk_to: missing argument 'speed_percent'."
    assert refusal(ROBOT, "wave_hand", {"hand": "both"}) == (
        "wave_hand: hand must be one of left, right, not 'both'."
    )
    assert refusal(ROBOT, "walkto", {}) == (
        "unknown tool 'walkto'. Only what the tool map declares passes. "
        "Did you mean walk_to or walk_with_velocity?"
    )


@pytest.mark.parametrize(
    ("given", "percent"),
    [("30", 30.0), ("30.0", 30.0), ("30%", 30.0), (" 30 % ", 30.0), (0.3, 0.3), (30, 30.0)],
)
def test_a_percentage_has_one_reading(given, percent):
    """Thread 17."""
    args = {"x": 1.0, "y": 0.0, "speed_percent": given}
    assert command(ROBOT, "walk_to", args).args["speed_percent"] == percent


@pytest.mark.parametrize(
    "given", ["thirty", "", "%", "3e1", "nan", "-30", 0, -1, 100.5, True, None, math.nan]
)
def test_other_percentages_are_refused(given):
    args = {"x": 1.0, "y": 0.0, "speed_percent": given}
    assert "speed_percent must be" in refusal(ROBOT, "walk_to", args)


@pytest.mark.parametrize("given", ["0.3", "30%", 1.5, 0])
def test_only_percentages_may_be_text(given):
    assert isinstance(walk(unit="fraction").read("act", {"x": 1, "y": 1, "v": given}, None), Refusal)


@given(st.sampled_from([*TOOLS]), st.data())
@example("walk_to", None)
def test_heedfuls_robot_is_read_as_it_reads_itself(tool, data):
    names = [*TOOLS[tool].arguments]
    values = scalars | st.floats(-2, 200) | st.sampled_from(["left", "right", "30%", "0.5"])
    args = {"x": 1, "y": 2, "speed_percent": 3} if data is None else {n: data.draw(values) for n in names}
    if data is not None and data.draw(st.booleans()):
        args |= data.draw(st.dictionaries(st.text(max_size=4), scalars, max_size=1))
    try:
        expected = read_arguments(TOOLS[tool], args)
    except ArgumentError:
        assert isinstance(ROBOT.read(tool, args, None), Refusal)
    else:
        assert command(ROBOT, tool, args).args == expected


@given(st.sampled_from([(n, t) for n, m in MAPS.items() for t in m.tools]), anything, st.data())
def test_no_call_breaks_the_reader_or_gives_a_number_that_is_not_finite(where, junk, data):
    name, tool = where
    labels = sorted({leaf.label for r in MAPS[name].tools[tool].readers for leaf in r.leaves})
    args = {label.split(".", maxsplit=1)[0]: data.draw(anything) for label in labels}
    for given_args in (junk, args):
        read = MAPS[name].read(tool, given_args, HERE)
        assert isinstance(read, Command | Refusal)
        if isinstance(read, Command):
            numbers = [v for v in read.args.values() if isinstance(v, float)]
            assert all(map(math.isfinite, numbers))


@pytest.mark.parametrize("name", shipped_tool_maps())
def test_deep_and_huge_calls_are_refused(name):
    huge = {"a" * 100_000: [0] * 10_000}
    for tool in MAPS[name].tools:
        for args in (huge, {"x": DEEP}, {"msg": DEEP, "action": DEEP, "text": DEEP}):
            assert isinstance(MAPS[name].read(tool, args, HERE), Refusal)


def test_long_names_are_not_shown_whole():
    assert len(refusal(ROBOT, "walk_to", {"y" * 10_000: 1})) < 300
    assert len(refusal(ROBOT, "w" * 10_000, {})) < 500


def test_units_of_the_target_become_those_of_a_command():
    declared = one_tool(
        does="walk_to",
        args={
            "x_mm": {"is": "target_x", "unit": "mm", "frame": "map"},
            "y_ft": {"is": "target_y", "unit": "ft", "frame": "map"},
            "kmh": {"is": "speed", "unit": "km/h"},
        },
    )
    read = command(declared, "act", {"x_mm": 1500, "y_ft": 10, "kmh": 3.6})
    assert read.args == pytest.approx({"x": 1.5, "y": 3.048, "speed_percent": 50.0})


def test_a_speed_above_the_robots_own_is_refused():
    assert refusal(walk(unit="m/s"), "act", {"x": 1, "y": 1, "v": 2.5}) == (
        "act: v must be above 0 and at most 2 m/s, not 2.5."
    )
    assert refusal(drive(), "act", {"vx": 10, "vy": 0, "w": 0, "t": 1}) == (
        "act: this is 500 % of the robot's maximum speed (2 m/s, 4 rad/s)."
    )


def test_a_target_in_the_robots_frame_is_turned_into_the_map():
    declared = one_tool(
        does="walk_to",
        args={"ahead": {"is": "target_x", "unit": "m", "frame": "robot"}},
        fixed={"speed": {"value": 1.0, "unit": "m/s"}},
    )
    read = command(declared, "act", {"ahead": 3.0}, HERE)
    assert read.args == pytest.approx({"x": 1.0, "y": 5.0, "speed_percent": 50.0})
    assert not read.has_speed
    for unknown in (None, Pose(math.nan, 0.0), Pose(0.0, 0.0, math.inf)):
        assert "where the robot stands is unknown" in declared.read("act", {"ahead": 3.0}, unknown).reason


def test_a_velocity_without_axes_or_duration_has_none_and_runs_for_its_time_to_live():
    declared = one_tool(does="walk_with_velocity", args={"v": {"is": "linear_x", "unit": "%"}})
    assert command(declared, "act", {"v": 50}).args == {
        "linear_x": 1.0,
        "linear_y": 0.0,
        "angular_z": 0.0,
        "duration": 5.0,
        "speed_percent": 50.0,
    }


def test_arguments_may_count_the_other_way_round():
    declared = drive(args={"vy": {"is": "linear_y", "unit": "m/s", "reverse": True}})
    assert command(declared, "act", {"vx": 0, "vy": 1, "w": 0, "t": 1}).args["linear_y"] == -1.0


def test_endless_durations_are_read_as_the_time_to_live_where_declared():
    endless = drive(args={"t": {"is": "duration", "unit": "s", "zero_is_endless": True}})
    for given_s in (0, -1, -1e300):
        read = endless.read("act", {"vx": 1, "vy": 0, "w": 0, "t": given_s}, None)
        assert isinstance(read, Refusal) == (given_s == -1e300)
        assert isinstance(read, Refusal) or read.args["duration"] == 5.0
    assert refusal(drive(), "act", {"vx": 1, "vy": 0, "w": 0, "t": 0}) == "act: t must be above 0, not 0."


def test_a_declared_maximum_holds_in_the_targets_unit():
    bounded = drive(args={"vx": {"is": "linear_x", "unit": "m/s", "max": 0.3}})
    assert refusal(bounded, "act", {"vx": -0.31, "vy": 0, "w": 0, "t": 1}) == (
        "act: vx must be at most 0.3 m/s, not -0.31."
    )
    assert command(bounded, "act", {"vx": -0.3, "vy": 0, "w": 0, "t": 1})


def test_a_zero_velocity_is_a_stop_only_where_declared():
    still = {"vx": 0, "vy": 0.0, "w": -0.0, "t": 1}
    assert command(drive(zero_stops=True), "act", still) == Command("stop", "protective")
    assert command(drive(), "act", still).tool_class == "locomotion"


def test_defaults_say_what_is_left_out():
    declared = drive(args={"t": {"is": "duration", "unit": "ms", "default": 2000}})
    assert command(declared, "act", {"vx": 1, "vy": 0, "w": 0}).args["duration"] == 2.0


def test_actions_without_a_word_keep_their_own_name_and_free_arguments():
    declared = one_tool(
        **{
            "class": "gesture",
            "args": {"times": {"is": "free", "type": "integer"}, "mood": {"equals": "calm"}},
        }
    )
    assert command(declared, "act", {"times": 2, "mood": "calm"}) == Command("act", "gesture", {"times": 2})
    assert refusal(declared, "act", {"times": 2.5, "mood": "calm"}) == (
        "act: times must be a whole number, not 2.5."
    )
    assert refusal(declared, "act", {"times": 2, "mood": "wild"}) == "act: mood must be 'calm', not 'wild'."


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("text", "a", 1),
        ("number", 1.5, math.inf),
        ("number", 1, True),
        ("boolean", True, 1),
        ("object", {"a": [1, None]}, {"a": [math.nan]}),
        ("array", [1, "a"], {"a": 1}),
        ("integer", 3, math.nan),
        ("array", [], [[0] * 6000, [0] * 6000]),
    ],
)
def test_free_arguments_have_their_type_and_only_finite_numbers(kind, good, bad):
    declared = one_tool(**{"class": "none", "args": {"a": {"is": "free", "type": kind}}})
    assert command(declared, "act", {"a": good}).args == {"a": good}
    assert refusal(declared, "act", {"a": bad})


def test_texts_are_cut_in_the_command():
    assert command(ROBOT, "speak", {"text": "a" * 5000}).args == {"text": "a" * MAX_TEXT}


def test_only_the_watched_robot_is_commanded():
    sdk = MAPS["unitree-sdk2-mcp"]
    assert command(sdk, "stop_movement", {"robot_id": "g1"}).tool == "stop"
    assert refusal(sdk, "stop_movement", {"robot_id": "h1"}) == (
        "stop_movement: robot_id must be 'g1', not 'h1'."
    )
    assert refusal(sdk, "stop_movement", {"robot": "g1"}).startswith(
        "stop_movement: unknown argument 'robot'"
    )


def test_choices_are_made_by_their_constants():
    phanthymotus = MAPS["phanthymotus-g1"]
    assert command(phanthymotus, "loco", {"action": "stop_move"}).tool == "stop"
    assert command(phanthymotus, "loco", {"action": "move", "vx": 0.5}).tool == "walk_with_velocity"
    height = command(phanthymotus, "loco", {"action": "set_stand_height", "height": 0.5})
    assert height == Command("loco.set_stand_height", "posture", {"height": 0.5})
    assert "no declared use of this tool" in refusal(phanthymotus, "loco", {"action": "fly"})
    assert refusal(phanthymotus, "loco", {"action": "move", "vx": 0.5, "height": 1}).startswith(
        "loco: unknown argument 'height'"
    )


def twist(**linear: Any) -> dict[str, Any]:
    return {"topic": "/cmd_vel", "msg_type": "geometry_msgs/Twist", "msg": {"linear": linear}}


def test_a_twist_is_a_velocity():
    """Thread 1: what would be unbounded is refused, what is too fast for now is slowed."""
    assert command(ROS, "publish_once", twist(x=0.5)).args["speed_percent"] == 100.0
    for unbounded in (100.0, 1e9, math.inf):
        assert isinstance(ROS.read("publish_once", twist(x=unbounded), None), Refusal)
    slowed = ROS.rewrite("publish_once", twist(x=0.4, y=0.3), {"speed_percent": 30.0})
    assert slowed == twist(x=pytest.approx(0.12), y=pytest.approx(0.09))


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("publish_for_durations", {"topic": "/cmd_vel", "messages": [{}], "durations": [60]}),
        ("publish_once", {**twist(x=0.1), "topic": "/arm"}),
        ("publish_once", {**twist(x=0.1), "msg_type": "std_msgs/String"}),
        ("publish_once", twist(x=0.1, z=1.0)),
        ("publish_once", {"topic": "/cmd_vel", "msg_type": "geometry_msgs/Twist", "msg": "go"}),
        ("publish_once", {"topic": "/cmd_vel", "msg_type": "geometry_msgs/Twist", "msg": DEEP}),
        ("call_service", {"service_name": "/reset", "service_type": "std_srvs/Empty", "request": {}}),
        ("connect_to_robot", {"ip": "10.0.0.9"}),
        ("made_up_service", {"anything": {"goes": 1}}),
    ],
)
def test_whatever_is_not_declared_is_refused(tool, args):
    """Thread 2: free-form topics, services and tools."""
    assert isinstance(ROS.read(tool, args, None), Refusal)


def test_lists_are_read_by_position():
    declared = one_tool(
        does="walk_to",
        args={
            "goal.0": {"is": "target_x", "unit": "m", "frame": "map"},
            "goal.1": {"is": "target_y", "unit": "m", "frame": "map"},
            "opts.speed": {"is": "speed", "unit": "%", "default": 100},
        },
    )
    assert command(declared, "act", {"goal": [1, 2]}).args == {"x": 1.0, "y": 2.0, "speed_percent": 100.0}
    for bad in ([1], [1, 2, 3], {"0": 1, "1": 2}, "12", None):
        assert "goal must be a list of 2 values" in refusal(declared, "act", {"goal": bad})
    slowed = declared.rewrite("act", {"goal": [1, 2]}, {"speed_percent": 30.0})
    assert slowed == {"goal": [1, 2], "opts": {"speed": 30.0}}


def test_without_a_decision_the_arguments_pass_untouched():
    raw = {"y": 1, "x": "not even read", "speed_percent": "80 %"}
    untouched = ROBOT.rewrite("walk_to", raw, {})
    assert untouched == raw
    assert [*untouched] == [*raw]


percents = st.floats(0.01, 100)


@given(
    st.sampled_from(["%", "fraction", "m/s", "km/h", "cm/s", "ft/s"]),
    st.floats(0.011, 1.0),
    percents,
)
def test_a_slowed_walk_is_at_most_a_hair_below_its_limit(unit, share, limit):
    declared = walk(unit=unit)
    top = declared.tools["act"].readers[0].leaves[2].scale
    raw = {"x": 1, "y": -2.5, "v": share * 100 / top}
    before = effective_percent(declared, "act", raw)
    slowed = declared.rewrite("act", raw, {"speed_percent": limit})
    after = effective_percent(declared, "act", slowed)
    assert after <= min(before, limit) <= after + 1e-6
    assert {**slowed, "v": raw["v"]} == raw
    assert slowed == raw or before > limit


axis = st.floats(-1.4, 1.4)


@given(axis, axis, st.floats(-4, 4), percents)
def test_a_slowed_velocity_keeps_its_direction_and_duration(v_x, v_y, w_z, limit):
    declared = drive()
    raw = {"vx": v_x, "vy": v_y, "w": w_z, "t": 3}
    before = command(declared, "act", raw)
    asked = before.args["speed_percent"]
    slowed = declared.rewrite("act", raw, {"speed_percent": limit})
    after = command(declared, "act", slowed)
    assert after.args["speed_percent"] <= min(asked, limit) <= after.args["speed_percent"] + 1e-6
    assert after.args["duration"] == 3.0
    assume(asked > limit)
    for name in ("linear_x", "linear_y", "angular_z"):
        assert after.args[name] == pytest.approx(before.args[name] * limit / asked, rel=1e-9, abs=1e-12)


@given(st.floats(0.05, 0.5), st.integers(1, 99))
def test_the_command_that_a_guard_clamps_is_the_call_that_runs(v_x, limit):
    args = twist(x=v_x)
    before = effective_percent(ROS, "publish_once", args)
    assume(before > limit)
    slowed = ROS.rewrite("publish_once", args, {"speed_percent": float(limit)})
    assert limit - 1e-6 <= effective_percent(ROS, "publish_once", slowed) <= limit


def test_what_was_left_out_is_written_when_it_must_be_slower():
    declared = walk(unit="m/s", default=2.0)
    assert declared.rewrite("act", {"x": 1, "y": 2}, {"speed_percent": 25.0}) == {"x": 1, "y": 2, "v": 0.5}
    assert declared.rewrite("act", {"x": 1, "y": 2, "v": 0.1}, {"speed_percent": 25.0})["v"] == 0.1


def test_a_cap_on_a_velocity_is_what_is_lowered():
    raw = {"linear_x": 0.9, "linear_y": 0.0, "angular_z": 0.0, "duration": 4, "speed_percent": "100%"}
    slowed = ROBOT.rewrite("walk_with_velocity", raw, {"speed_percent": 30.0})
    assert slowed == {**raw, "speed_percent": 30.0}
    assert effective_percent(ROBOT, "walk_with_velocity", slowed) == 30.0


def test_whole_number_speeds_are_rounded_down():
    declared = walk(unit="%", type="integer")
    assert declared.rewrite("act", {"x": 1, "y": 2, "v": 90}, {"speed_percent": 33.7})["v"] == 33
    with pytest.raises(InputError, match=r"act cannot go as slowly as 0.5 %"):
        declared.rewrite("act", {"x": 1, "y": 2, "v": 90}, {"speed_percent": 0.5})


@pytest.mark.parametrize(
    ("tool", "args", "decision"),
    [
        ("wave_hand", {"hand": "left"}, {"speed_percent": 30.0}),
        ("walk_to", {"x": 1, "y": 2, "speed_percent": 3}, {"x": 0.0}),
        ("walk_to", {"x": 1, "y": 2}, {"speed_percent": 30.0}),
        ("walk_to", {"x": 1, "y": 2, "speed_percent": 3}, {"speed_percent": math.nan}),
        ("walk_to", {"x": 1, "y": 2, "speed_percent": 3}, {"speed_percent": 0.0}),
        ("fly", {}, {"speed_percent": 30.0}),
    ],
)
def test_a_change_that_cannot_be_made_is_an_error(tool, args, decision):
    with pytest.raises(InputError):
        ROBOT.rewrite(tool, args, decision)


def test_a_fixed_speed_cannot_be_lowered():
    declared = one_tool(
        does="turn",
        args={"by": {"is": "angle", "unit": "rad"}},
        fixed={"speed": {"value": 30, "unit": "deg/s"}},
    )
    read = command(declared, "act", {"by": math.pi})
    assert read.args == pytest.approx({"angle_deg": 180.0, "speed_percent": 100 * math.radians(30) / 4})
    assert not read.has_speed
    with pytest.raises(InputError, match="act cannot be slowed"):
        declared.rewrite("act", {"by": 1}, {"speed_percent": 5.0})


def test_a_velocity_with_a_fixed_axis_cannot_be_slowed():
    declared = tool_map(
        tools={
            "creep": {
                "does": "walk_with_velocity",
                "args": {"w": {"is": "angular_z", "unit": "rad/s"}},
                "fixed": {"linear_x": {"value": 0.2, "unit": "m/s"}},
            }
        }
    )
    assert not command(declared, "creep", {"w": 0.1}).has_speed
