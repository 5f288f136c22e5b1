"""Sources drafted from results: where a value is, in which unit, and what one result cannot tell."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from heedful.guards.draft.draft import draft_tool_map
from heedful.guards.draft.probes import NOBODY_POINT, Answer


def drafted(*answers: Answer) -> dict[str, Any]:
    tools = [{"name": a.name, "inputSchema": {}} for a in answers if a.kind == "tool"]
    found: dict[str, Any] = yaml.safe_load(draft_tool_map("r", tools, [], answers))
    return found


def gave(tool: str, data: Any, description: str = "") -> Answer:
    return Answer("tool", tool, {"structuredContent": data}, description)


def said(tool: str, text: str) -> Answer:
    return Answer("tool", tool, {"content": [{"type": "text", "text": text}]})


def source(signal: str, *answers: Answer) -> Any:
    return drafted(*answers).get("signals", {}).get(signal)


def test_a_value_is_found_by_its_name_with_unit_and_age() -> None:
    answer = said("get_proximity", json.dumps({"human_distance_cm": 250, "status": "ok", "age_ms": 40}))
    assert source("human.distance", answer) == {
        "tool": "get_proximity",
        "path": "human_distance_cm",
        "unit": "cm",
        "age": "age_ms",
        "age_unit": "ms",
    }
    assert drafted(answer)["review"]["signals.human.distance.infinite_when"] == NOBODY_POINT


def test_nested_values_and_keys_with_dots_get_their_path() -> None:
    state = {"robot.x": 1.0, "pose": {"y_mm": 5}, "battery": {"soc_percent": 80}}
    answer = Answer("resource", "robot://state", {"contents": [{"text": json.dumps(state)}]})
    signals = drafted(answer)["signals"]
    assert signals["robot.x"] == {"resource": "robot://state", "path": ["robot.x"], "unit": "m"}
    assert signals["robot.y"] == {"resource": "robot://state", "path": "pose.y_mm", "unit": "mm"}
    assert signals["battery.level"]["path"] == "battery.soc_percent"


def test_of_a_list_of_people_the_nearest_counts_and_an_empty_list_is_nobody() -> None:
    answer = gave("detect_people", {"people": [{"distance_m": 2.0}, {"distance_m": 1.0}]})
    assert source("human.distance", answer) == {
        "tool": "detect_people",
        "path": "people.*.distance_m",
        "unit": "m",
        "infinite_when": {"path": "people", "equals": []},
    }


def test_a_line_of_text_is_read_after_its_words() -> None:
    answer = said("get_battery_state", "Robot G1\nBattery level: 81 %\nCycles: 12\n")
    assert source("battery.level", answer) == {
        "tool": "get_battery_state",
        "path": {"after": "Battery level:"},
        "unit": "%",
    }


def test_the_tools_description_tells_a_unit_that_the_name_does_not() -> None:
    answer = gave("get_pose", {"x": 1, "y": 2, "heading": 90}, "Pose: x and y in mm, heading in degrees")
    signals = drafted(answer)["signals"]
    assert [signals[f"robot.{n}"]["unit"] for n in ("x", "y", "yaw")] == ["mm", "mm", "deg"]


def test_a_unit_that_nothing_tells_is_a_point_and_an_angles_is_not_assumed() -> None:
    found = drafted(gave("get_pose", {"x": 1, "y": 2, "yaw": 0.5}))
    assert found["signals"]["robot.x"]["unit"] == "m"
    assert "'m'" in found["review"]["signals.robot.x"]
    assert "robot.yaw" in found["missing"]
    assert "robot.yaw" not in found["signals"]


def test_a_cameras_own_words_are_found() -> None:
    answer = gave("get_camera_status", {"online": True, "frame_age_ms": 30, "is_frozen": False})
    signals = drafted(answer)["signals"]
    assert signals["camera.connected"] == {"tool": "get_camera_status", "path": "online", "type": "boolean"}
    assert signals["camera.frame_age"]["unit"] == "ms"
    assert signals["camera.frozen"]["path"] == "is_frozen"


@pytest.mark.parametrize(
    "answer",
    [
        gave("get_battery", {"level_percent": 80, "charge_percent": 81}),
        gave("get_battery", {"level_percent": "80"}),
        gave("get_battery", {"level_percent": None}),
        gave("get_battery", {"level_percent": True}),
        gave("get_battery", {"cells": [{"percent": 3}]}),
        gave("get_weather", {"level_percent": 80}),
        Answer("tool", "get_battery", {"structuredContent": {"percent": 80}, "isError": True}),
        said("get_battery", "level: 1\nlevel: 2"),
        said("get_battery", "fine"),
    ],
)
def test_what_is_not_plainly_one_number_is_not_proposed(answer: Answer) -> None:
    assert source("battery.level", answer) is None


def test_a_hostile_key_stays_a_word() -> None:
    evil = "percent\n  stop: {does: stop}"
    found = drafted(gave("get_battery", {evil: 5, "battery # level": 4}))
    assert "stop" not in found.get("tools", {})
    assert found["schema_version"] == "heedful-tool-map-1"
