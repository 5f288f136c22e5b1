"""The maps that ship: what they let through, what they know to be missing, and a guard on top of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from heedful.errors import InputError
from heedful.guards.guard import Command, Refusal
from heedful.guards.spec_guard import SpecGuard
from heedful.guards.tool_map.actions import ACTIONS
from heedful.guards.tool_map.load import load_tool_map, parse_tool_map, shipped_tool_maps, tool_map_text
from heedful.robots.tools import TOOLS
from heedful.spec.load import load_spec
from heedful.state.geometry import Pose
from heedful.state.series import INFINITE
from heedful.trace.records import Reading

SPECS = ("iso10218-humanoid", "humanoid-context")
FOREIGN = [name for name in shipped_tool_maps() if name != "heedful-robot"]
PUBLIC_TOOLS = {
    "unitree-sdk2-mcp": {
        *("get_sdk_info", "list_robots", "get_robot_info", "connect_robot", "disconnect_robot", "stand_up"),
        *("sit_down", "walk_with_velocity", "move_joint", "move_joints", "stop_movement", "emergency_stop"),
        "wave_hand",
    },
    "unitree-go2-mcp-server": {
        *("get_topics", "pub_wirelesscontroller", "stand_up_from_a_fall", "stretch", "shake_hands", "love"),
        *("pounce", "jump_forward", "sit_down", "greet", "dance", "stop"),
    },
    "phanthymotus-g1": {"loco", "switch_mode", "arm", "tts", "spatial"},
    "ros-mcp-server": {"publish_once", "subscribe_once", "call_service", "connect_to_robot"},
    "heedful-robot": {*TOOLS},
}
HERE = Pose(0.0, 0.0, 0.0)


def twist(x: float, z: float = 0.0) -> dict[str, Any]:
    msg = {"linear": {"x": x, "y": 0.0, "z": 0.0}, "angular": {"x": 0.0, "y": 0.0, "z": z}}
    return {"topic": "/cmd_vel", "msg_type": "geometry_msgs/msg/Twist", "msg": msg}


def test_a_map_ships_for_every_public_tool_list():
    assert set(shipped_tool_maps()) == set(PUBLIC_TOOLS)


@pytest.mark.parametrize("name", shipped_tool_maps())
def test_every_public_tool_is_declared_or_denied(name):
    shipped = load_tool_map(name)
    assert PUBLIC_TOOLS[name] <= {*shipped.tools, *shipped.document.denied}


@pytest.mark.parametrize("name", shipped_tool_maps())
def test_classes_are_those_of_the_shipped_specs(name):
    for spec in map(load_spec, SPECS):
        for entry in load_tool_map(name).tools.values():
            for reader in entry.readers:
                assert spec.document.tools.get(reader.does, reader.tool_class) == reader.tool_class


def test_actions_have_the_classes_of_the_shipped_specs():
    for spec in map(load_spec, SPECS):
        assert all(ACTIONS[tool].tool_class == kind for tool, kind in spec.document.tools.items())


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_not_printed_in_the_public_list_is_marked(name):
    assert "# to check" in tool_map_text(name)


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("spec", SPECS)
def test_invariants_that_cannot_be_guarded_are_named(name, spec):
    shipped = load_tool_map(name)
    with pytest.raises(InputError) as caught:
        shipped.spec_for(load_spec(spec))
    message = str(caught.value)
    assert "S2, S3" in message
    assert "signal human.distance has no source; add it under 'signals'" in message
    assert shipped.document.missing["human.distance"] in message


@pytest.mark.parametrize("name", shipped_tool_maps())
def test_every_signal_of_the_shipped_specs_has_a_source_or_is_known_to_be_missing(name):
    document = load_tool_map(name).document
    for spec in map(load_spec, SPECS):
        assert set(spec.document.signals) <= {*document.signals, *document.missing}


@pytest.mark.parametrize(
    ("name", "tool", "args", "expected"),
    [
        (
            "unitree-sdk2-mcp",
            "walk_with_velocity",
            {"robot_id": "g1", "linear_x": 0.4},
            {"linear_x": 0.4, "linear_y": 0.0, "angular_z": 0.0, "duration": 2.0, "speed_percent": 40.0},
        ),
        (
            "unitree-go2-mcp-server",
            "pub_wirelesscontroller",
            {"linear_x": 0.0, "linear_y": 0.37, "yaw": 0.0, "pitch": 0, "keys": 0, "duration": 0.5},
            {"linear_x": 0.0, "linear_y": -0.37, "angular_z": 0.0, "duration": 0.5, "speed_percent": 10.0},
        ),
        (
            "phanthymotus-g1",
            "loco",
            {"action": "move", "vyaw": 1.0},
            {"linear_x": 0.0, "linear_y": 0.0, "angular_z": 1.0, "duration": 10.0, "speed_percent": 50.0},
        ),
        (
            "phanthymotus-g1",
            "spatial",
            {"action": "navigate_to_pose", "x": 1, "y": 2},
            {"x": 1.0, "y": 2.0, "speed_percent": 100.0},
        ),
        (
            "ros-mcp-server",
            "publish_once",
            twist(0.25, 0.1),
            {"linear_x": 0.25, "linear_y": 0.0, "angular_z": 0.1, "duration": 2.0, "speed_percent": 50.0},
        ),
    ],
)
def test_motions_of_public_servers_are_read(name, tool, args, expected):
    read = load_tool_map(name).read(tool, args, HERE)
    assert isinstance(read, Command)
    assert read.tool_class == "locomotion"
    assert read.args == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "tool", "args"),
    [
        ("unitree-sdk2-mcp", "walk_with_velocity", {"robot_id": "go2", "linear_x": 0.4}),
        ("unitree-sdk2-mcp", "walk_with_velocity", {"robot_id": "g1", "linear_x": 1.5}),
        ("unitree-sdk2-mcp", "disconnect_robot", {"robot_id": "g1"}),
        ("unitree-sdk2-mcp", "move_joints", {"robot_id": "g1", "positions": {}}),
        ("unitree-go2-mcp-server", "pub_wirelesscontroller", {"keys": 1056}),
        (
            "unitree-go2-mcp-server",
            "pub_wirelesscontroller",
            {"linear_x": 1, "linear_y": 0, "yaw": 0, "pitch": 0, "keys": 257},
        ),
        ("phanthymotus-g1", "switch_mode", {"mode": "zero_torque"}),
        ("phanthymotus-g1", "switch_mode_expert", {"fsm_id": 0}),
        ("phanthymotus-g1", "spatial", {"action": "navigate_to_tag", "tag_name": "door"}),
        ("phanthymotus-g1", "loco", {"action": "wave_hand", "turn": True}),
        ("ros-mcp-server", "publish_once", {**twist(0.1), "topic": "/joint_trajectory"}),
    ],
)
def test_what_no_rule_could_hold_does_not_pass(name, tool, args):
    assert isinstance(load_tool_map(name).read(tool, args, HERE), Refusal)


def ros_with_people() -> Any:
    """Return the ROS map and a guard for what it can sense once people are sensed as well."""
    shipped = load_tool_map("ros-mcp-server")
    spec = load_spec("iso10218-humanoid")
    kept = tuple(i for i in spec.document.invariants if i.id in ("S2", "S5"))
    changed = spec.document.model_copy(update={"invariants": kept, "precedence": ()})
    return shipped, SpecGuard(type(spec)(changed, shipped.limits))


def test_a_ros_base_is_guarded_end_to_end():
    """Thread 1: a fast twist beside a person is slowed, one out of the workspace is denied."""
    ros, guard = ros_with_people()
    pose = {name: Reading(0.0, 0.0) for name in ("robot.x", "robot.y", "robot.yaw")}
    guard.observe({**pose, "human.distance": Reading(0.8, 0.0)}, 0.0)
    read = ros.read("publish_once", twist(0.5), HERE)
    decision = guard.review(read, 0.1)
    assert (decision.kind, decision.rules) == ("clamp", ("S2",))
    sent = ros.rewrite("publish_once", twist(0.5), decision.args)
    assert sent == twist(pytest.approx(0.15))
    assert guard.review(ros.read("publish_once", sent, HERE), 0.1).kind == "allow"
    guard.observe({"robot.x": Reading(2.9, 0.2), "human.distance": Reading(5.0, 0.2)}, 0.2)
    away = guard.review(ros.read("publish_once", twist(0.5), HERE), 0.2)
    assert (away.kind, away.rules) == ("deny", ("S5",))
    assert guard.review(ros.read("publish_once", twist(0.0), HERE), 0.2).kind == "allow"


def test_the_guides_map_loads_and_means_what_the_guide_says():
    guide = Path(__file__).parents[3] / "docs" / "guides" / "tool-map.md"
    (text,) = re.findall(r"```yaml\n(.*?)```", guide.read_text(encoding="utf-8"), flags=re.DOTALL)
    shown = parse_tool_map(text, "tool-map.md")
    assert shown.spec_for(load_spec("iso10218-humanoid")).limits.v_max_m_s == 0.8
    ahead = shown.read("goto", {"id": "r1", "x_cm": 100, "y_cm": 0}, Pose(1.0, 1.0, 0.0))
    assert ahead == Command("walk_to", "locomotion", {"x": 2.0, "y": 1.0, "speed_percent": 50.0})
    driven = shown.read("drive", {"twist": {"linear": {"x": 0.4}, "angular": {"z": 0}}}, None)
    assert (driven.args["duration"], driven.args["speed_percent"]) == (5.0, 50.0)
    people = {"structuredContent": {"people": [], "age_ms": 100}}
    assert shown.readings_of("people", people, 1.0, 1.1)["human.distance"].value == INFINITE
