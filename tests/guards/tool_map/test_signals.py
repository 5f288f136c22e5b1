"""Signals out of results: what is plainly there is read, everything else is unknown."""

from __future__ import annotations

import math
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.guards.tool_map.load import load_tool_map, shipped_tool_maps
from heedful.guards.tool_map.tool_map import ToolMap
from heedful.spec.load import load_spec
from heedful.state.series import INFINITE
from heedful.trace.records import Reading
from tests.robots.robots import LOST_LATER, NO_CAMERA, NOBODY, robot, scene

from .tool_maps import tool_map

MAPS = {name: load_tool_map(name) for name in shipped_tool_maps()}
ROBOT = MAPS["heedful-robot"]
DEEP: Any = 1
for _ in range(3000):
    DEEP = [DEEP]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["content", "structuredContent", "isError", "text", "type", "data", "msg", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def structured(**data: Any) -> dict[str, Any]:
    return {"content": [], "structuredContent": data, "isError": False}


def text(data: Any) -> dict[str, Any]:
    written = data if isinstance(data, str) else orjson.dumps(data).decode()
    return {"content": [{"type": "text", "text": written}], "isError": False}


def picture(data: str) -> dict[str, Any]:
    return {"content": [{"type": "image", "data": data, "mimeType": "image/png"}], "isError": False}


def source(**signal: Any) -> ToolMap:
    """Return a map of one signal, `s`."""
    return tool_map(signals={"s": {"tool": "sense", **signal}})


def read(declared: ToolMap, result: Any, asked_s: float = 10.0, now_s: float = 10.1) -> Reading:
    return declared.readings(declared.polls()[0], result, asked_s, now_s)["s"]


def value(result: Any, **signal: Any) -> Any:
    return read(source(**signal), result).value


DISTANCE = {"path": "d", "unit": "m"}


@pytest.mark.parametrize("scripted", [scene(), scene(signals=NOBODY), scene(signals=NO_CAMERA)])
def test_heedfuls_robot_is_sensed_as_it_senses(scripted):
    body = robot(scripted)
    body.world.advance(1.0)
    for poll in ROBOT.polls():
        asked_s = body.world.now_s
        event = body.call(str(poll.tool), poll.args)
        sensed = ROBOT.readings(poll, text(event.result), asked_s, event.ended_s)
        assert set(sensed) == set(event.readings)
        for name, reading in sensed.items():
            expected = event.readings[name].value
            assert reading.value == (pytest.approx(expected, abs=1e-3) if name == "robot.yaw" else expected)
            assert reading.sampled_s <= asked_s


def test_a_track_that_is_held_keeps_its_age():
    body = robot(scene(signals=LOST_LATER))
    body.world.advance(1.5)
    asked_s = body.world.now_s
    event = body.call("get_proximity", {})
    sensed = ROBOT.readings_of("get_proximity", text(event.result), asked_s, event.ended_s)
    held = event.readings["human.distance"]
    assert sensed["human.distance"].value == held.value
    assert held.sampled_s - 0.06 <= sensed["human.distance"].sampled_s <= held.sampled_s


def test_nobody_in_view_is_a_distance_without_end():
    told = {"human_distance_m": None, "status": "no person in view", "age_s": 0.25}
    sensed = ROBOT.readings_of("get_proximity", text(told), 10.0, 10.1)
    assert sensed == {"human.distance": Reading(INFINITE, 9.75)}
    spec = load_spec("iso10218-humanoid")
    assert spec.screen("human.distance", sensed["human.distance"].value) == INFINITE


def test_structured_data_comes_before_text():
    both = {**structured(d=1.5), **{"content": text({"d": 9.0})["content"]}}
    assert value(both, **DISTANCE) == 1.5
    assert value(text({"d": 2}), **DISTANCE) == 2.0
    wrapped = {"structuredContent": {"result": '{"d": 3.0}'}, **text({"d": 3.0})}
    assert value(wrapped, **DISTANCE) == 3.0
    assert value(text("2.5"), path="", unit="ft") == pytest.approx(0.762)


def test_resources_are_read_like_results():
    body = orjson.dumps({"battery.level": 0.5}).decode()
    declared = tool_map(
        signals={"s": {"resource": "robot://state", "path": ["battery.level"], "unit": "fraction"}}
    )
    contents = {"contents": [{"uri": "robot://state", "mimeType": "application/json", "text": body}]}
    assert read(declared, contents) == Reading(50.0, 10.0)


@pytest.mark.parametrize(
    "found",
    [None, True, "1.5", [], {}, math.nan, math.inf, -math.inf, 10**400, 1e9, 1e300, -1e9, DEEP],
)
def test_what_is_no_number_is_unknown(found):
    assert value(structured(d=found), **DISTANCE) is None


@pytest.mark.parametrize(
    "result",
    [
        None,
        {},
        [],
        "text",
        {**structured(d=1.5), "isError": True},
        {**structured(d=1.5), "isError": "no"},
        {**structured(d=1.5), "is_error": True},
        structured(e=1.5),
        text("not JSON"),
        text(""),
        text("[" * 100_000),
        {"content": [{"type": "text", "text": 5}]},
        {"content": "d"},
        {"content": [None, [], {"type": "text"}]},
    ],
)
def test_a_result_that_is_none_is_unknown(result):
    assert read(source(**DISTANCE), result) == Reading(None, 10.0)


@given(st.sampled_from(shipped_tool_maps()), anything)
def test_no_result_breaks_the_reader_or_gives_a_number_that_is_not_finite(name, result):
    declared = MAPS[name]
    for poll in declared.polls():
        readings = declared.readings(poll, result, 1.0, 2.0)
        assert [*readings] == [*poll.signals]
        for reading in readings.values():
            assert reading.sampled_s <= 1.0
            assert not isinstance(reading.value, float) or math.isfinite(reading.value)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("a.b", 1.0),
        ("list.1.d", 2.0),
        (["a.b"], 3.0),
        ("list.*.d", 2.0),
        ("list.9.d", None),
        (["list", -1, "d"], None),
        ("a.b.c", None),
        ("holes.*.d", None),
        ("none.*.d", None),
        ("a.*", None),
    ],
)
def test_paths_lead_into_objects_and_lists(path, found):
    data = {
        "a": {"b": 1},
        "a.b": 3,
        "list": [{"d": 5}, {"d": 2}],
        "holes": [{"d": 1}, {}],
        "none": [],
    }
    assert value(structured(**data), path=path, unit="m") == found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Battery: 83%\n", 83.0),
        ("Battery: 83.5 %", 83.5),
        ("Battery: -1", -1.0),
        ("Battery: 83.", 83.0),
        ("Battery: 1e2", None),
        ("Battery: 1.2.3", None),
        ("Battery: full", None),
        ("Battery:", None),
        ("Battery: 83%\nBattery: 10%", None),
        ("battery 83%", None),
    ],
)
def test_plain_text_is_read_after_its_words(line, found):
    assert value(text(f"Go2\n  {line}"), path={"after": "Battery:"}, unit="%") == found


def test_words_after_words_are_read_as_well():
    signal = {"path": {"after": "Camera:"}, "type": "boolean", "true_when": ["ok"], "false_when": ["lost"]}
    assert [value(text(f"Camera: {word}\nx"), **signal) for word in ("ok", "lost", "?")] == [
        True,
        False,
        None,
    ]


def test_booleans_are_booleans_or_declared_words():
    assert [value(structured(c=c), path="c", type="boolean") for c in (True, False)] == [True, False]
    assert [value(structured(c=c), path="c", type="boolean") for c in (1, 0, "true", None)] == [None] * 4
    words = {"path": "c", "type": "boolean", "true_when": ["up", 1], "false_when": [False]}
    assert [value(structured(c=c), **words) for c in ("up", 1, 1.0, True, False, 0, "down")] == [
        *(True, True, True, None),
        *(False, None, None),
    ]


def test_texts_are_words_of_the_spec():
    assert value(structured(p="seated"), path="p", type="text") == "seated"
    words = {"path": "p", "type": "text", "words": {"SIT": "seated"}}
    assert [value(structured(p=p), **words) for p in ("SIT", "seated", 1)] == ["seated", None, None]


def test_results_may_say_that_they_do_not_know_or_see_nobody():
    signal = {
        **DISTANCE,
        "null_when": {"path": "status", "equals": ["lost", -1]},
        "infinite_when": {"path": "people", "equals": []},
    }
    assert value(structured(d=1.0, status="ok", people=[1]), **signal) == 1.0
    assert value(structured(d=1.0, status="lost", people=[]), **signal) is None
    assert value(structured(d=1.0, status="ok", people=[]), **signal) == INFINITE
    assert value(structured(status="ok"), **signal) is None
    assert (
        value(structured(d=-1.0), path="d", unit="m", infinite_when={"path": "d", "equals": -1}) == INFINITE
    )
    assert value(structured(d=True), path="d", unit="m", infinite_when={"path": "d", "equals": 1}) is None


def test_an_age_counts_from_when_the_guard_asked():
    signal = {**DISTANCE, "age": "age", "age_unit": "ms"}
    assert read(source(**signal), structured(d=1.0, age=250)) == Reading(1.0, 9.75)
    for age in (None, -1, math.nan, "5", True):
        assert read(source(**signal), structured(d=1.0, age=age)) == Reading(None, 10.0)


def test_a_stamp_that_does_not_move_makes_a_value_old():
    declared = source(**DISTANCE, stamp="t")
    sampled = [
        read(declared, structured(d=1.0, t=stamp), asked, asked + 0.01).sampled_s
        for stamp, asked in [(500.0, 1.0), (500.1, 1.1), (500.1, 1.2), (500.1, 3.2)]
    ]
    assert sampled == pytest.approx([1.0, 1.1, 1.1, 1.1], abs=0.011)


def test_a_result_that_was_held_back_is_as_old_as_its_stamp_says():
    declared = source(**DISTANCE, stamp="t")
    read(declared, structured(d=1.0, t=500.0), 1.0, 1.01)
    assert read(declared, structured(d=1.0, t=500.2), 3.0, 3.01).sampled_s == pytest.approx(1.21, abs=1e-3)


def test_a_clock_that_was_set_back_makes_values_old_until_the_target_starts_anew():
    declared = source(**DISTANCE, stamp="t")
    read(declared, structured(d=1.0, t=500.0), 1.0, 1.01)
    assert read(declared, structured(d=1.0, t=3.0), 1.1, 1.11).sampled_s < -400
    declared.forget()
    assert read(declared, structured(d=1.0, t=3.0), 1.1, 1.11).sampled_s == 1.1


@pytest.mark.parametrize("stamp", [{"sec": 5, "nanosec": 500_000_000}, {"secs": 5, "nsecs": 500_000_000}])
def test_ros_stamps_are_read(stamp):
    declared = source(**DISTANCE, stamp="t")
    read(declared, structured(d=1.0, t={"sec": 5, "nanosec": 0}), 1.0, 1.0)
    assert read(declared, structured(d=1.0, t=stamp), 2.0, 2.0).sampled_s == pytest.approx(1.5, abs=1e-3)


@pytest.mark.parametrize("stamp", [None, "now", {"sec": 5}, {"sec": "5", "nanosec": 0}, [5], math.inf])
def test_a_value_without_the_stamp_it_should_have_is_unknown(stamp):
    assert read(source(**DISTANCE, stamp="t"), structured(d=1.0, t=stamp)) == Reading(None, 10.0)


def frozen(declared: ToolMap, *results: tuple[float, Any]) -> list[Any]:
    return [read(declared, result, at, at + 0.01).value for at, result in results]


def test_a_picture_that_stays_the_same_is_a_frozen_camera():
    """Thread 7: the same image again and again is no live camera, however new its arrival."""
    declared = source(reads="unchanged", frozen_after_s=0.5)
    a, b = picture("AAAA"), picture("BBBB")
    assert frozen(declared, (0.0, a), (0.1, b), (0.2, b), (0.5, b), (0.65, b), (0.7, a)) == [
        *(None, False, False, False),
        *(True, False),
    ]


def test_a_picture_that_never_changed_is_not_known_to_be_live():
    declared = source(reads="unchanged", frozen_after_s=0.5)
    a = picture("AAAA")
    assert frozen(declared, (0.0, a), (0.3, a), (0.6, a)) == [None, None, True]


def test_an_old_stamp_is_a_frozen_camera_although_pictures_differ():
    declared = source(reads="unchanged", frozen_after_s=0.5, stamp="t")
    moments = [(0.0, 7.0), (0.1, 7.1), (0.2, 7.1), (0.7, 7.1), (0.8, 6.0), (0.9, 7.2)]
    results = [(at, structured(t=stamp, image=str(at))) for at, stamp in moments]
    assert frozen(declared, *results) == [None, False, False, True, True, False]


def test_the_age_of_a_frame_is_told_by_its_stamp_or_its_picture():
    by_picture = source(reads="age")
    assert frozen(by_picture, (0.0, picture("A")), (0.1, picture("B")), (0.6, picture("B"))) == [
        None,
        pytest.approx(0.01),
        pytest.approx(0.51),
    ]
    by_stamp = source(reads="age", stamp="t")
    results = [(0.0, structured(t=7.0)), (0.1, structured(t=7.1)), (1.1, structured(t=7.3))]
    assert frozen(by_stamp, *results) == [None, pytest.approx(0.01), pytest.approx(0.8, abs=1e-3)]


def test_a_result_that_overtook_another_changes_nothing():
    declared = source(reads="unchanged", frozen_after_s=0.5)
    a, b = picture("AAAA"), picture("BBBB")
    frozen(declared, (0.0, a), (0.2, b))
    assert frozen(declared, (0.1, a), (0.75, b)) == [False, True]


def test_presence_is_told_by_a_picture_or_a_value():
    assert value(picture("AAAA"), reads="present") is True
    assert value(text("no camera"), reads="present") is False
    assert value({**picture("AAAA"), "isError": True}, reads="present") is None
    assert value(structured(msg={"t": 0}), reads="present", path="msg.t") is True
    assert value(structured(msg={"t": None}), reads="present", path="msg.t") is False
    blob = {"contents": [{"uri": "cam://0", "mimeType": "image/jpeg", "blob": "AAAA"}]}
    assert value(blob, reads="present") is True


@pytest.mark.parametrize(
    ("quaternion", "yaw"),
    [
        ({"x": 0, "y": 0, "z": 0, "w": 1}, 0.0),
        ({"x": 0, "y": 0, "z": math.sin(0.5), "w": math.cos(0.5)}, 1.0),
        ({"x": 0, "y": 0, "z": -math.sin(0.5), "w": math.cos(0.5)}, -1.0),
        ({"x": 0, "y": 0, "z": 0, "w": 0}, None),
        ({"x": 0, "y": 0, "z": 0}, None),
        ({"x": 0, "y": 0, "z": 0, "w": "1"}, None),
        ([0, 0, 0, 1], None),
    ],
)
def test_a_heading_is_read_from_a_quaternion(quaternion, yaw):
    found = value(structured(q=quaternion), reads="heading", path="q")
    assert found == (None if yaw is None else pytest.approx(yaw))


def test_ros_odometry_gives_the_pose():
    ros = load_tool_map("ros-mcp-server")
    pose = {"position": {"x": 1.0, "y": -2.0}, "orientation": {"x": 0, "y": 0, "z": 0, "w": 1}}
    msg = {"header": {"stamp": {"sec": 3, "nanosec": 0}}, "pose": {"pose": pose}}
    odometry = next(poll for poll in ros.polls() if "robot.x" in poll.signals)
    assert ros.readings(odometry, structured(msg=msg), 1.0, 1.1) == {
        "robot.x": Reading(1.0, 1.0),
        "robot.y": Reading(-2.0, 1.0),
        "robot.yaw": Reading(0.0, 1.0),
    }
    assert {r.value for r in ros.readings(odometry, structured(error="Timeout"), 2.0, 2.5).values()} == {None}


def test_calls_of_the_model_tell_what_polls_with_the_same_arguments_would():
    declared = tool_map(
        signals={
            "robot.x": {"tool": "where", "args": {"id": 1}, "path": "x", "unit": "m"},
            "robot.y": {"tool": "where", "args": {"id": 2}, "path": "y", "unit": "m"},
        }
    )
    result = structured(x=1, y=2)
    assert [*declared.readings_of("where", result, 0.0, 0.1)] == ["robot.x", "robot.y"]
    assert [*declared.readings_of("where", result, 0.0, 0.1, {"id": 2})] == ["robot.y"]
    assert declared.readings_of("elsewhere", result, 0.0, 0.1) == {}
