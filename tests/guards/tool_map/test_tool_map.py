"""Loading a tool map: what is refused, where, and with which fix; and what a spec needs of it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from heedful.errors import InputError, UnknownNameError
from heedful.guards.guard import Command, Refusal
from heedful.guards.tool_map.load import load_tool_map, parse_tool_map, shipped_tool_maps, tool_map_text
from heedful.guards.tool_map.signals import Poll
from heedful.spec.load import load_spec
from heedful.state.motion import RobotLimits

from .tool_maps import LIMITS, document, drive, one_tool, tool_map

SPEC = load_spec("iso10218-humanoid")
ROBOT = load_tool_map("heedful-robot")
TEXT = tool_map_text("heedful-robot")
DISTANCE = {"tool": "scan", "path": "d", "unit": "m"}


def error_of(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_tool_map(text, "mine.yaml")
    return str(caught.value)


def fault_of(**fields: Any) -> str:
    return error_of(yaml.safe_dump(document(**fields), sort_keys=False))


def fault_of_tool(**declared: Any) -> str:
    return fault_of(tools={"act": declared})


def edited(old: str, new: str) -> tuple[str, int]:
    """Return the shipped map with `old` replaced, and the line where that is."""
    assert TEXT.count(old) == 1
    return TEXT.replace(old, new), TEXT[: TEXT.index(old)].count("\n") + 1


def test_a_file_loads_like_the_shipped_name(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(TEXT, encoding="utf-8")
    loaded = load_tool_map(str(path))
    assert loaded.document == ROBOT.document
    assert (loaded.name, loaded.version) == ("heedful-robot", "1.0")
    assert loaded.limits == RobotLimits(1.0, 1.0, 10.0, 2.0)


def test_unknown_map_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'heedful-robot'"):
        load_tool_map("heedful-robots")


def test_a_file_that_is_no_text_is_an_input_error(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        load_tool_map(str(path))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "x: {is: target_x, unit: m, frame: map}",
            "x: {is: target_x, unit: deg, frame: map}",
            "tools.walk_to.args.x: target_x cannot be in 'deg', which measures angle. "
            "Allowed: m, cm, mm, km, ft, in.",
        ),
        (
            "angular_z: {is: angular_z, unit: rad/s}",
            "angular_z: {is: angular_z, unit: deg}",
            "tools.walk_with_velocity.args.angular_z: angular_z cannot be in 'deg', which measures angle. "
            "Did you mean 'deg/s'? Allowed: rad/s, deg/s, rpm, %, fraction.",
        ),
        (
            "angle_deg: {is: angle, unit: deg}",
            'angle_deg: {is: angle, unit: "%"}',
            "tools.turn.args.angle_deg: angle cannot be in '%', which measures share. Allowed: rad, deg.",
        ),
        (
            "duration: {is: duration, unit: s}",
            "duration: {is: duration, unit: sec}",
            "tools.walk_with_velocity.args.duration: Unit 'sec' is not known. ",
        ),
        (
            "robot.yaw: {tool: get_position, path: heading_deg, unit: deg}",
            "robot.yaw: {tool: get_position, path: heading_deg, unit: degrees}",
            "signals.robot.yaw.unit: Unit 'degrees' is not known. ",
        ),
    ],
)
def test_units_that_do_not_fit_are_refused_with_line_and_fix(old, new, message):
    """Thread 28."""
    text, line = edited(old, new)
    found = error_of(text)
    assert found.startswith(f"mine.yaml: line {line}: ")
    assert message in found


def test_a_field_that_is_not_known_is_refused_at_its_line():
    text, line = edited("  stop: {does: stop}", "  stop: {does: stop, colour: red}")
    assert error_of(text).startswith(f"mine.yaml: line {line}: tools.stop.colour: Extra inputs")


def test_every_fault_is_told_at_once():
    text, first = edited("angle_deg: {is: angle, unit: deg}", "angle_deg: {is: angle, unit: m}")
    text = text.replace("stop: {does: stop}\n  emergency", "stop: {does: halt}\n  emergency")
    lines = error_of(text).splitlines()
    assert [line.split(":")[1] for line in lines] == [f" line {first}", f" line {first + 2}"]


def test_anything_but_plain_yaml_is_refused():
    assert "not valid YAML" in error_of("name: !!python/object/apply:os.system ['true']")
    assert "written twice" in error_of(TEXT + "\nname: other\n")
    assert error_of("")
    assert error_of("- 1")


WALK = {
    "x": {"is": "target_x", "unit": "m", "frame": "map"},
    "y": {"is": "target_y", "unit": "m", "frame": "map"},
    "v": {"is": "speed", "unit": "%"},
}
W = {"w": {"is": "angular_z", "unit": "rad/s"}}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in WALK.items() if key != name}


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({}, "write either 'does' (one of heedful's actions) or 'class'"),
        ({"does": "stop", "class": "protective"}, "not both or neither"),
        ({"does": "walkto"}, "Action 'walkto' is not known. Did you mean 'walk_to' or"),
        ({"does": "walk_to", "args": without("v")}, "walk_to needs speed: declare the argument"),
        ({"does": "walk_to", "args": without("y")}, "walk_to needs target_y"),
        ({"does": "turn"}, "turn needs angle"),
        ({"does": "walk_with_velocity"}, "needs at least one of linear_x"),
        ({"does": "stop", "args": {"x": WALK["x"]}}, "target_x is nothing that stop takes"),
        ({"does": "walk_to", "args": {**WALK, "z": WALK["x"]}}, "target_x is already what 'x' is"),
        ({"does": "walk_to", "args": {**WALK, "x": {"is": "target_x", "unit": "m"}}}, "needs its 'frame'"),
        (
            {"does": "walk_to", "args": {**WALK, "x": {**WALK["x"], "frame": "robot"}}},
            "all targets of a tool must be in one frame",
        ),
        ({"does": "walk_to", "args": {**WALK, "v": {"is": "speed"}}}, "speed needs its 'unit'"),
        ({"does": "walk_to", "args": {**WALK, "v": {"is": "speed", "unit": "rad/s"}}}, "'rad/s'"),
        ({"does": "walk_to", "args": {**WALK, "v": {**WALK["v"], "default": 300}}}, "must be above 0"),
        ({"does": "walk_to", "args": {**WALK, "v": {**WALK["v"], "default": "fast"}}}, "a finite number"),
        ({"does": "walk_to", "args": {**WALK, "v": {**WALK["v"], "optional": True}}}, "write 'default'"),
        ({"does": "walk_to", "args": {**WALK, "v": {**WALK["v"], "reverse": True}}}, "delete 'reverse'"),
        ({"does": "walk_to", "args": {**WALK, "a": {"is": "free"}}}, "needs its JSON 'type'"),
        ({"does": "walk_to", "args": {**WALK, "a": {}}}, "write either 'is'"),
        ({"does": "walk_to", "args": {**WALK, "a": {"is": "free", "equals": 1}}}, "write either 'is'"),
        ({"does": "walk_to", "args": {**WALK, "a": {"equals": []}}}, "nothing would pass"),
        (
            {"does": "walk_to", "args": {**WALK, "a": {"is": "free", "type": "text", "unit": "m"}}},
            "only quantities have a unit",
        ),
        ({"does": "walk_to", "args": {**WALK, "x.a": {"equals": 1}}}, "lies within the argument 'x'"),
        ({"does": "walk_to", "args": {**WALK, "a.1": {"equals": 1}}}, "declared from 0 on"),
        (
            {"does": "walk_to", "args": {**WALK, "a.0": {"equals": 1}, "a.b": {"equals": 1}}},
            "one or the other",
        ),
        ({"does": "walk_to", "args": {**WALK, "a.0": {"equals": 1, "optional": True}}}, "cannot be left out"),
        ({"does": "walk_to", "args": {**WALK, "id": {"is": "robot_id"}}}, "as 'robot' at the top"),
        ({"does": "walk_to", "args": WALK, "fixed": {"speed": {"value": 1, "unit": "%"}}}, "cannot be fixed"),
        (
            {"does": "walk_to", "args": without("v"), "fixed": {"speed": {"value": 1, "unit": "deg"}}},
            "fixed.speed.unit: speed cannot be in 'deg'",
        ),
        (
            {"does": "walk_to", "args": without("v"), "fixed": {"speed": {"value": 3, "unit": "m/s"}}},
            "above the robot's maximum speed",
        ),
        (
            {"does": "walk_to", "args": without("v"), "fixed": {"speed": {"value": 0, "unit": "m/s"}}},
            "must be above 0",
        ),
        (
            {"does": "walk_to", "args": without("x"), "fixed": {"target_x": {"value": 1e308, "unit": "km"}}},
            "this is out of range",
        ),
        ({"does": "stop", "fixed": {"speed": {"value": 1, "unit": "%"}}}, "speed is nothing that stop has"),
        (
            {"does": "walk_with_velocity", "args": W, "fixed": {"angle": {"value": 1, "unit": "rad"}}},
            "angle is",
        ),
        ({"does": "stop", "replaces": True}, "can be replaced by itself"),
        (
            {
                "does": "turn",
                "args": {"a": {"is": "angle", "unit": "deg"}},
                "fixed": {"speed": {"value": 1, "unit": "%"}},
                "replaces": True,
            },
            "can be replaced by itself",
        ),
        ({"does": "stop", "zero_stops": True}, "only a velocity command"),
        ({"class": "gesture", "args": {"v": {"is": "speed", "unit": "%"}}}, "Allowed: robot_id, free"),
    ],
)
def test_declarations_that_cannot_be_trusted_are_refused(declared, message):
    assert message in fault_of_tool(**declared)


def test_a_tool_named_like_an_action_says_what_it_does():
    assert "write 'does: walk_to'" in fault_of(tools={"walk_to": {"class": "none"}})


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"denied": {"halt": "no"}}, "denied.halt: this tool is declared more than once"),
        ({"choices": {"halt": [{"does": "stop"}]}}, "declared more than once"),
        ({"choices": {"act": [{"does": "stop"}]}}, "a choice is known by an argument with 'equals'"),
        ({"choices": {"act": []}}, "at least 1 item"),
        ({"actions": {"stop": {"tool": "stopp"}}}, "unknown tool 'stopp'"),
        ({"actions": {"sit_down": {"tool": "halt"}}}, "read as stop, not as sit_down"),
        ({"actions": {"stop": {"tool": "halt", "args": {"now": 1}}}}, "unknown argument 'now'"),
        ({"actions": {"dance": {"tool": "halt"}}}, "Input should be 'stop'"),
        (
            {"limits": {**LIMITS, "v_max_m_s": True}},
            "limits.v_max_m_s: Value error, must be a number, not True",
        ),
        ({"limits": {**LIMITS, "w_max_rad_s": "1"}}, "must be a number, not '1'"),
        ({"limits": {**LIMITS, "v_max_m_s": 0}}, "greater than 0"),
        ({"review": {"limits": "write yours"}}, "1 open points; settle each"),
    ],
)
def test_maps_that_cannot_be_trusted_are_refused(fields, message):
    assert message in fault_of(**fields)


@pytest.mark.parametrize(
    ("signal", "message"),
    [
        ({"path": "d", "unit": "m"}, "write either the 'tool' or the 'resource'"),
        ({**DISTANCE, "resource": "a://b"}, "write either the 'tool' or the 'resource'"),
        ({"resource": "a://b", "unit": "m", "args": {"a": 1}}, "a resource takes no arguments"),
        ({"tool": "scan", "path": "d"}, "a number needs its 'unit'"),
        ({**DISTANCE, "unit": "mtr"}, "Unit 'mtr' is not known"),
        ({**DISTANCE, "age": "a", "age_unit": "m"}, "'age' cannot be in 'm'"),
        ({**DISTANCE, "age": "a", "stamp": "b"}, "not both"),
        ({**DISTANCE, "type": "text"}, "only a number that is read has a unit"),
        ({**DISTANCE, "words": {"a": "b"}}, "only a text value has 'words'"),
        ({**DISTANCE, "true_when": [1]}, "only a boolean value"),
        ({**DISTANCE, "frozen_after_s": 1}, "'reads: unchanged' needs 'frozen_after_s'"),
        ({"tool": "scan", "reads": "unchanged"}, "'reads: unchanged' needs 'frozen_after_s'"),
        ({"tool": "scan", "reads": "present", "age": "a"}, "what is no value has no age"),
        ({"tool": "scan", "reads": "present", "null_when": {"equals": 1}}, "only a value can be null"),
        ({"tool": "scan", "reads": "age", "infinite_when": {"equals": 1}}, "only a number can be infinite"),
        ({**DISTANCE, "poll_s": 0}, "greater than or equal to 0.01"),
        ({**DISTANCE, "tool": "halt"}, "halt acts on the robot"),
        ({**DISTANCE, "tool": "look"}, "missing argument 'where'"),
    ],
)
def test_sources_that_cannot_be_trusted_are_refused(signal, message):
    look = {"class": "none", "args": {"where": {"is": "free", "type": "text"}}}
    tools = {"halt": {"does": "stop"}, "look": look}
    assert message in fault_of(tools=tools, signals={"human.distance": signal})


def test_a_signal_is_not_both_found_and_missing():
    message = fault_of(signals={"human.distance": DISTANCE}, missing={"human.distance": "no"})
    assert "missing.human.distance: this signal has a source" in message


def test_entries_say_what_a_tool_does():
    entries = {
        name: (entry.does, entry.tool_class, entry.blocks, entry.replaces)
        for name, entry in drive(replaces=True).tools.items()
    }
    assert entries == {
        "act": ("walk_with_velocity", "locomotion", False, True),
        "halt": ("stop", "protective", True, False),
    }


def test_a_tool_that_does_many_things_counts_as_the_strictest():
    entry = load_tool_map("phanthymotus-g1").tools["loco"]
    assert (entry.does, entry.tool_class, entry.blocks, entry.replaces) == ("loco", "locomotion", False, True)
    assert entry.reader_for({"action": "stop_move"}).does == "stop"
    assert entry.reader_for({"action": "fly"}) is None


def test_denied_tools_are_refused_with_the_reason():
    denied = tool_map(denied={"reboot": "the robot falls"})
    assert denied.read("reboot", {}, None) == Refusal(
        "reboot is denied by the tool map mine: the robot falls"
    )


def test_signals_of_one_call_are_polled_together_as_often_as_any_needs():
    assert ROBOT.polls()[0] == Poll(
        "get_camera_status", None, {}, 0.1, ("camera.connected", "camera.frame_age", "camera.frozen")
    )
    mixed = tool_map(
        signals={
            "robot.x": {"tool": "where", "path": "x", "unit": "m", "poll_s": 1},
            "robot.y": {"tool": "where", "path": "y", "unit": "m", "poll_s": 0.5},
            "robot.z": {"tool": "where", "args": {"axis": "z"}, "path": "z", "unit": "m"},
            "battery.level": {"resource": "robot://state", "path": ["battery.level"], "unit": "%"},
        }
    )
    assert mixed.polls() == (
        Poll("where", None, {}, 0.5, ("robot.x", "robot.y")),
        Poll("where", None, {"axis": "z"}, 0.1, ("robot.z",)),
        Poll(None, "robot://state", {}, 0.1, ("battery.level",)),
    )


def test_the_guards_own_calls_are_found_or_written():
    assert ROBOT.action("stop") == ("stop", {})
    assert ROBOT.action("sit_down") == ("sit_down", {})
    assert tool_map().action("sit_down") is None
    assert tool_map().action("dance") is None
    ids = tool_map(
        robot="r2",
        tools={"halt": {"does": "stop", "args": {"id": {"is": "robot_id"}, "now": {"equals": True}}}},
    )
    assert ids.action("stop") == ("halt", {"id": "r2", "now": True})


@pytest.mark.parametrize("name", shipped_tool_maps())
@pytest.mark.parametrize("action", ["stop", "sit_down", "emergency_stop"])
def test_the_guards_own_calls_are_read_as_what_they_are(name, action):
    shipped = load_tool_map(name)
    call = shipped.action(action)
    if call is not None:
        read = shipped.read(*call, None)
        assert isinstance(read, Command)
        assert (read.tool, read.tool_class) == (action, "protective")


@pytest.mark.parametrize("spec", ["iso10218-humanoid", "humanoid-context"])
def test_heedfuls_robot_has_all_that_the_shipped_specs_need(spec):
    loaded = load_spec(spec)
    fitted = ROBOT.spec_for(loaded)
    assert fitted.document == loaded.document
    assert fitted.limits == ROBOT.limits


def test_a_fitted_spec_knows_the_robots_limits_and_its_own_actions():
    text = TEXT.replace("v_max_m_s: 1.0", "v_max_m_s: 0.6").replace(
        "  shake_hands: {does: shake_hands}", "  shake_hands: {does: shake_hands}\n  dance: {class: gesture}"
    )
    fitted = parse_tool_map(text).spec_for(SPEC)
    assert fitted.limits.v_max_m_s == 0.6
    assert fitted.tool_class("dance") == "gesture"
    assert fitted.admission("dance", frozenset({"S3"})).is_prohibited
    assert "dance" not in SPEC.document.tools


def lack_of(text: str, spec: Any = SPEC) -> str:
    with pytest.raises(InputError) as caught:
        parse_tool_map(text, "mine.yaml").spec_for(spec)
    return str(caught.value)


def test_a_signal_without_a_source_names_its_invariants():
    text = TEXT.replace("  battery.level: {tool: get_battery", "  battery.volts: {tool: get_battery")
    assert lack_of(text) == (
        "Spec iso10218-humanoid cannot be guarded with tool map mine.yaml:\n"
        "  - S4: signal battery.level has no source; add it under 'signals'."
    )


def test_a_map_without_a_pose_cannot_bound_a_region():
    lines = [line for line in TEXT.splitlines() if not line.startswith("  robot.")]
    message = lack_of("\n".join(lines))
    assert [line[4:20] for line in message.splitlines()[1:]] == ["S5: signal robot"] * 3
    assert "robot.yaw" in message


def test_a_map_without_stop_or_a_required_action_is_refused():
    lines = [
        line
        for line in TEXT.splitlines()
        if line not in ("  stop: {does: stop}", "  sit_down: {does: sit_down}")
    ]
    message = lack_of("\n".join(lines))
    assert "no tool does 'stop'; declare one" in message
    assert "S4: no tool does 'sit_down', which it requires" in message


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "path: heading_deg, unit: deg}",
            "path: heading_deg, unit: m}",
            "signals.robot.yaw: it must be a number in rad",
        ),
        (
            'path: battery_percent, unit: "%"',
            "path: battery_percent, unit: V",
            "signals.battery.level: the spec counts it in '%', the map's unit gives 'V'.",
        ),
        (
            "type: boolean, path: connected}",
            "type: text, path: connected}",
            "signals.camera.connected: the spec reads a boolean, the map gives a text.",
        ),
    ],
)
def test_a_source_of_another_kind_is_refused(old, new, message):
    assert message in lack_of(TEXT.replace(old, new))


def test_words_that_the_spec_does_not_know_are_refused():
    text = TEXT.replace(
        "type: text, path: facing}", "type: text, path: facing, words: {ja: robt, nein: away}}"
    )
    assert "the words robt are none of the spec's: robot, away." in lack_of(
        text, load_spec("humanoid-context")
    )


def test_an_action_is_of_one_class_only():
    documented = SPEC.document.model_copy(update={"tools": {**SPEC.document.tools, "dance": "none"}})
    spec = type(SPEC)(documented)
    text = TEXT.replace("  shake_hands: {does: shake_hands}", "  dance: {class: gesture}")
    assert "dance is gesture here and none in the spec" in lack_of(text, spec)


def test_targets_in_the_robots_frame_need_a_pose_whatever_the_spec_says():
    declared = one_tool(
        does="walk_to",
        args={"ahead": {"is": "target_x", "unit": "m", "frame": "robot"}, "v": {"is": "speed", "unit": "%"}},
    )
    invariants = tuple(i for i in SPEC.document.invariants if i.id == "S2")
    document = SPEC.document.model_copy(update={"invariants": invariants, "precedence": ()})
    with pytest.raises(InputError, match=r"targets in the robot.s frame: signal robot\.yaw has no source"):
        declared.spec_for(type(SPEC)(document))
