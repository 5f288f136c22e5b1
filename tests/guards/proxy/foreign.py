"""A spec and tool maps under which a server that is no robot passes whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

TYPES = {"string": "text", "number": "number", "integer": "integer", "boolean": "boolean", "object": "object"}


def write_map(path: Path, tools: Iterable[Mapping[str, Any]]) -> Path:
    """Write a map that declares every tool as one that moves nothing, and sensors that are not there."""
    declared: dict[str, Any] = {tool["name"]: _tool(tool) for tool in tools}
    declared |= {"robot_stop": {"does": "stop"}, "robot_sit": {"does": "sit_down"}}
    none = {"resource": "robot://none", "poll_s": 3600}
    numbers = {
        "human.distance": "m",
        "battery.level": "%",
        "camera.frame_age": "s",
        "robot.x": "m",
        "robot.y": "m",
    }
    signals: dict[str, Any] = {name: {**none, "path": name, "unit": unit} for name, unit in numbers.items()}
    for name in ("camera.connected", "camera.frozen"):
        signals[name] = {**none, "path": name, "type": "boolean"}
    limits = {"v_max_m_s": 1.0, "w_max_rad_s": 1.0, "time_to_live_s": 10.0, "deceleration_m_s2": 2.0}
    document = {
        "schema_version": "heedful-tool-map-1",
        "name": "foreign",
        "version": "1",
        "limits": limits,
        "tools": declared,
        "signals": signals,
    }
    path.write_text(yaml.safe_dump(document), encoding="utf-8")
    return path


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    properties = tool.get("inputSchema", {}).get("properties", {})
    args = {
        name: {"is": "free", "type": TYPES.get(schema.get("type"), "text"), "optional": True}
        for name, schema in properties.items()
    }
    return {"class": "none", "args": args}
