"""Small tool maps for tests, written as a person would write them."""

from __future__ import annotations

from typing import Any

import yaml

from heedful.guards.tool_map.load import parse_tool_map
from heedful.guards.tool_map.tool_map import ToolMap

LIMITS = {"v_max_m_s": 2.0, "w_max_rad_s": 4.0, "time_to_live_s": 5.0, "deceleration_m_s2": 2.0}


def document(**fields: Any) -> dict[str, Any]:
    head = {"schema_version": "heedful-tool-map-1", "name": "mine", "version": "1.0", "limits": LIMITS}
    return {**head, "tools": {"halt": {"does": "stop"}}, **fields}


def tool_map(**fields: Any) -> ToolMap:
    return parse_tool_map(yaml.safe_dump(document(**fields), sort_keys=False), "mine.yaml")


def one_tool(**declared: Any) -> ToolMap:
    """Return a map of one tool, `act`."""
    return tool_map(tools={"act": declared, "halt": {"does": "stop"}})


def walk(**speed: Any) -> ToolMap:
    """Return a map of one tool, `act(x, y, v)`, whose speed argument is as given."""
    return one_tool(
        does="walk_to",
        args={
            "x": {"is": "target_x", "unit": "m", "frame": "map"},
            "y": {"is": "target_y", "unit": "m", "frame": "map"},
            "v": {"is": "speed", **speed},
        },
    )


def drive(**changes: Any) -> ToolMap:
    """Return a map of one tool, `act(vx, vy, w, t)`, a velocity without a speed argument."""
    args = {
        "vx": {"is": "linear_x", "unit": "m/s"},
        "vy": {"is": "linear_y", "unit": "m/s"},
        "w": {"is": "angular_z", "unit": "rad/s"},
        "t": {"is": "duration", "unit": "s"},
    }
    return one_tool(does="walk_with_velocity", args={**args, **changes.pop("args", {})}, **changes)
