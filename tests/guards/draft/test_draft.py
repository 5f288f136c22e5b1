"""Drafts: guesses are marked, what is unsure does not pass, and a settled draft loads."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InputError
from heedful.guards.draft.draft import draft_tool_map
from heedful.guards.draft.probes import Answer
from heedful.guards.guard import Command, Refusal
from heedful.guards.tool_map.load import parse_tool_map
from heedful.guards.tool_map.tool_map import ToolMap
from heedful.robots.tools import TOOLS
from tests.guards.tool_map.test_reading import anything


def tool(name: str, description: str = "", output: Any = None, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": [*properties]}
    listed = {"name": name, "description": description, "inputSchema": schema}
    return listed if output is None else {**listed, "outputSchema": {"properties": output}}


def number(description: str = "", **more: Any) -> dict[str, Any]:
    return {"type": "number", "description": description, **more}


def settled(text: str) -> ToolMap:
    """Return the map once a person has settled every point."""
    assert "\nreview:\n" in text
    return parse_tool_map(text[: text.index("\nreview:\n")], "draft.yaml")


def points(text: str) -> dict[str, str]:
    found: dict[str, str] = yaml.safe_load(text)["review"]
    return found


HEEDFUL = [
    tool(t.name, t.description, **{n: dict(s) for n, s in t.arguments.items()}) for t in TOOLS.values()
]


def test_heedfuls_robot_is_drafted_as_it_is_shipped():
    drafted = settled(draft_tool_map("heedful-robot", HEEDFUL))
    assert {name: (e.does, e.tool_class) for name, e in drafted.tools.items()} == {
        name: (name, e.tool_class) for name, e in drafted.tools.items()
    }
    assert set(drafted.tools) == set(TOOLS)
    walk = {"x": 1, "y": 2, "speed_percent": "30%"}
    assert drafted.read("walk_to", walk, None) == Command(
        "walk_to", "locomotion", {"x": 1.0, "y": 2.0, "speed_percent": 30.0}, has_speed=True
    )


def test_an_unsettled_draft_lists_its_open_points():
    text = draft_tool_map("r", [tool("dance", "Shake it"), tool("stop")])
    with pytest.raises(InputError) as caught:
        parse_tool_map(text, "draft.yaml")
    message = str(caught.value)
    assert message.startswith("draft.yaml: line ")
    assert "3 open points" in message
    assert "- tools.dance: what it does is not clear from its name; it says: Shake it; declare" in message
    assert "- limits: write what your robot's maker declares" in message
    assert "- checks: compare every line marked 'check:' (1)" in message


def test_every_guess_is_marked_with_its_reason():
    text = draft_tool_map("r", HEEDFUL)
    body = text[text.index("\ntools:\n") : text.index("\nmissing:\n")]
    unmarked = [line for line in body.splitlines() if "# check: " not in line]
    assert {line.strip().split(":")[0] for line in unmarked} <= {"", "tools", "does", "class", "args"}


def test_what_is_unsure_does_not_pass():
    unsure = [
        tool("dance"),
        tool("walk_to", x=number("Target x"), y=number("Target y"), speed_percent=number()),
        tool("turn", angle=number("how far"), speed_percent=number()),
        tool("move", vx=number("m/s"), gait={"type": "string"}),
        tool("stop", now={"type": "boolean"}),
        tool("get_thing", key={}),
    ]
    text = draft_tool_map("r", unsure)
    drafted = settled(text)
    assert not drafted.tools
    assert {f"tools.{t['name']}" for t in unsure} <= points(text).keys()
    assert "argument 'x' looks like target_x, in a unit" in points(text)["tools.walk_to"]
    assert "argument 'gait' is not understood" in points(text)["tools.move"]
    assert isinstance(drafted.read("dance", {}, None), Refusal)


@pytest.mark.parametrize("hint", [{"readOnlyHint": True}, {"destructiveHint": False, "idempotentHint": True}])
def test_annotations_change_nothing(hint):
    tools = [tool("dance"), tool("get_battery"), *HEEDFUL]
    text = draft_tool_map("r", tools)
    assert draft_tool_map("r", [{**t, "annotations": hint} for t in tools]) == text
    assert "# Annotations such as readOnlyHint are claims of the server; none was used." in text


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("moveToPosition", "walk_to"),
        ("navigate_to_pose", "walk_to"),
        ("set_velocity", "walk_with_velocity"),
        ("stop_movement", "stop"),
        ("EmergencyStop", "emergency_stop"),
        ("robot_sit_down", "sit_down"),
        ("shake_hand", "shake_hands"),
        ("get_up", "stand_up"),
        ("take_picture", "get_camera_image"),
    ],
)
def test_names_are_read_whatever_their_style(name, does):
    args = {
        "walk_to": {
            "x": number("map frame [m]"),
            "y": number("map frame [m]"),
            "speed_m_s": number(),
        },
        "walk_with_velocity": {"vx": number("m/s")},
    }
    drafted = settled(draft_tool_map("r", [tool(name, **args.get(does, {}))]))
    assert drafted.tools[name].does == does


@pytest.mark.parametrize(
    "name", ["jump", "get_up_and_dance_now", "unstop", "standby", "forget_battery", "walk_dog"]
)
def test_names_that_only_resemble_are_not_taken(name):
    assert name not in settled(draft_tool_map("r", [tool(name)])).tools


@pytest.mark.parametrize(
    ("prop", "unit"),
    [
        ({"angle_deg": number()}, "deg"),
        ({"angle": number("in radians")}, "rad"),
        ({"angle": number("Angle [degrees]")}, "deg"),
        ({"angle_deg": number("in radians")}, None),
        ({"angle": number("degrees or radians")}, None),
        ({"angle": number("in metres")}, None),
    ],
)
def test_a_unit_is_taken_only_if_it_is_told_once(prop, unit):
    text = draft_tool_map("r", [tool("turn", **prop, speed_percent=number())])
    drafted = settled(text)
    assert ("turn" in drafted.tools) == (unit is not None)
    if unit is not None:
        assert drafted.document.tools["turn"].args[next(iter(prop))].unit == unit


def test_nested_arguments_and_defaults_are_drafted():
    linear = {"type": "object", "properties": {"linear_x": number("m/s", default=0.5)}}
    drafted = settled(draft_tool_map("r", [tool("move", msg=linear)]))
    assert drafted.read("move", {"msg": {"linear_x": 0.25}}, None).args["speed_percent"] == 25.0
    assert drafted.read("move", {}, None).args["linear_x"] == 0.5


def test_the_watched_robot_is_asked_for():
    text = draft_tool_map("r", [tool("stop", robot_id={"type": "string"})])
    assert "write the id" in points(text)["robot"]
    assert settled(text).action("stop") == ("stop", {"robot_id": "the-robot"})


def test_signals_are_drafted_from_output_schemas_only():
    text = draft_tool_map(
        "r",
        [
            tool("get_battery", output={"percent": number()}),
            tool("get_proximity"),
            tool("get_pose", output={"x": number("m"), "y": number("m"), "yaw_deg": number(), "frame": {}}),
            tool("get_camera_image"),
        ],
        [{"uri": "robot://battery"}],
    )
    drafted = settled(text)
    result = {"structuredContent": {"percent": 55, "x": 1, "y": 2, "yaw_deg": 180}}
    assert drafted.readings_of("get_battery", result, 0.0, 0.1)["battery.level"].value == 55.0
    assert drafted.readings_of("get_pose", result, 0.0, 0.1)["robot.yaw"].value == pytest.approx(
        3.14159, abs=1e-4
    )
    assert {p.signals for p in drafted.polls() if p.tool == "get_camera_image"} == {
        ("camera.connected", "camera.frame_age", "camera.frozen")
    }
    assert "human.distance" in drafted.document.missing
    assert "get_proximity seems to read it" in points(text)["signals.human.distance"]


def test_hostile_names_and_descriptions_stay_comments_and_words():
    evil = "x\n  stop: {does: stop}\nreview: {}\n# \u2028 \x85 \x00 "
    tools = [
        tool("dance", evil),
        tool(evil, evil),
        tool("no", "yes"),
        tool("~"),
        tool("speak", **{"text": {"type": "string", "description": evil}}),
        tool("wave_hand", hand={"type": "string", "enum": ["left", "#no: {", "yes"]}),
        {"name": 5},
        None,
        tool("stop"),
        tool("stop"),
    ]
    text = draft_tool_map(evil, tools)
    drafted = settled(text)
    assert set(drafted.tools) == {"speak", "wave_hand"}
    assert drafted.document.tools["wave_hand"].args["hand"].values == ("left", "#no: {", "yes")
    assert (
        "4 more have no readable name" in points(text)["tools"]
        or "more have no readable" in points(text)["tools"]
    )


names = st.sampled_from(["walk_to", "move", "turn", "stop", "wave_hand", "get_battery", "say"]) | st.text(
    max_size=8
)
schemas = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["number", "string", "integer", "boolean", "object"]) | anything,
        "description": st.sampled_from(["[m] in the map frame", "m/s", "rad/s", "percent", "degrees"])
        | anything,
        "default": anything,
        "enum": anything,
    },
)
keys = st.sampled_from(
    ["x", "y", "vx", "w_z", "duration_s", "speed_percent", "angle_deg", "hand", "text"]
) | st.text(max_size=6)
told = st.dictionaries(
    st.sampled_from(["x", "distance_m", "human.distance", "battery", "percent", "age_s", "frozen", "*"])
    | st.text(max_size=4),
    st.recursive(
        anything, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner)
    ),
    max_size=5,
)
answers = st.builds(
    Answer,
    st.sampled_from(["tool", "resource"]),
    st.sampled_from(["get_battery", "get_position", "people", "camera"]) | st.text(max_size=6),
    st.builds(lambda data: {"structuredContent": data}, told)
    | st.builds(lambda text: {"content": [{"type": "text", "text": text}]}, st.text(max_size=40))
    | anything,
    st.text(max_size=10),
)
tools_listed = st.lists(
    st.fixed_dictionaries(
        {"name": names},
        optional={
            "description": st.text(max_size=20),
            "inputSchema": st.fixed_dictionaries({"properties": st.dictionaries(keys, schemas, max_size=4)})
            | anything,
            "outputSchema": anything,
            "annotations": anything,
        },
    )
    | anything,
    max_size=5,
)


@given(st.text(max_size=10), tools_listed, st.lists(anything, max_size=2), st.lists(answers, max_size=3))
def test_every_draft_loads_once_it_is_settled_and_only_then(server, tools, resources, given_once):
    text = draft_tool_map(server, tools, resources, given_once)
    settled(text)
    with pytest.raises(InputError, match="open points"):
        parse_tool_map(text, "draft.yaml")
