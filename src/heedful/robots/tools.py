"""The robot's tools: names, descriptions, argument schemas and how long each takes.

The strings are the same in the MCP server, the trace and the specs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

_NUMBER = {"type": "number"}
_SPEED = {
    "type": "number",
    "exclusiveMinimum": 0,
    "maximum": 100,
    "description": "Speed in percent of the maximum (1.0 m/s walking, 1.0 rad/s turning), above 0 up to 100.",
}


@dataclass(frozen=True, slots=True)
class Tool:
    """One capability as a client sees it."""

    name: str
    description: str
    arguments: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """JSON Schema of each argument; all are required."""
    takes_s: float = 0.05
    """Declared time before it returns, travel excluded [s]."""
    latency_s: float | None = None
    """Time until the body begins, where that is less [s]; a world with a body takes the rest itself."""
    signals: tuple[str, ...] = ()
    """Signals it reads; empty on actuation."""
    is_actuation: bool = False

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of all arguments."""
        return {
            "type": "object",
            "properties": {name: dict(schema) for name, schema in self.arguments.items()},
            "required": list(self.arguments),
            "additionalProperties": False,
        }


def _meters(what: str) -> dict[str, Any]:
    return {**_NUMBER, "description": f"{what} in the map frame [m]."}


_ACTUATION = (
    Tool(
        "walk_to",
        "Walk in a straight line to a point of the map; returns when the robot has arrived.",
        {"x": _meters("Target x"), "y": _meters("Target y"), "speed_percent": _SPEED},
        takes_s=0.2,
    ),
    Tool(
        "walk_with_velocity",
        "Start walking at a velocity and return at once; the motion goes on for `duration`, at most 10 s.",
        {
            "linear_x": {**_NUMBER, "description": "Forward velocity [m/s]."},
            "linear_y": {**_NUMBER, "description": "Velocity to the left [m/s]."},
            "angular_z": {**_NUMBER, "description": "Turning rate, counter-clockwise [rad/s]."},
            "duration": {**_NUMBER, "exclusiveMinimum": 0, "description": "How long to walk [s]."},
            "speed_percent": _SPEED,
        },
        takes_s=0.1,
    ),
    Tool(
        "turn",
        "Turn on the spot; returns when done. Positive is counter-clockwise (left).",
        {"angle_deg": {**_NUMBER, "description": "Angle to turn by [degrees]."}, "speed_percent": _SPEED},
        takes_s=0.2,
    ),
    Tool("stop", "Stop walking now and stand still.", takes_s=0.1),
    Tool(
        "emergency_stop",
        "Cut all motion; the robot refuses to move until an operator resets it. For real danger only.",
        takes_s=0.1,
    ),
    Tool("stand_up", "Stand up from a seated posture.", takes_s=4.0, latency_s=0.1),
    Tool("sit_down", "Sit down in a balanced, controlled way.", takes_s=4.0, latency_s=0.1),
    Tool(
        "wave_hand",
        "Wave a hand.",
        {"hand": {"type": "string", "enum": ["left", "right"], "description": "Which hand."}},
        takes_s=2.0,
        latency_s=0.1,
    ),
    Tool("shake_hands", "Offer the right hand and shake hands.", takes_s=3.0, latency_s=0.1),
    Tool(
        "speak",
        "Say something aloud.",
        {"text": {"type": "string", "description": "What to say."}},
        takes_s=0.1,
    ),
)

HUMAN_SIGNALS = (
    "human.posture",
    "human.facing",
    "human.is_child",
    "human.carrying",
    "human.handover",
)

_PERCEPTION = (
    Tool(
        "get_human_pose",
        "Read what the camera sees of the nearest person: posture, facing, child, carried object, handover.",
        signals=HUMAN_SIGNALS,
    ),
    Tool("get_proximity", "Measure the distance to the nearest person [m].", signals=("human.distance",)),
    Tool(
        "get_camera_status",
        "Read whether the head camera is connected, how old its newest frame is and whether it is frozen.",
        signals=("camera.connected", "camera.frame_age", "camera.frozen"),
    ),
    Tool("get_battery", "Read the battery's state of charge [%].", signals=("battery.level",)),
    Tool(
        "get_position",
        "Read the robot's position and heading in the map frame, and whether it stands or sits.",
        signals=("robot.x", "robot.y", "robot.yaw"),
    ),
)

TOOLS: Mapping[str, Tool] = {
    **{t.name: replace(t, is_actuation=True) for t in _ACTUATION},
    **{t.name: t for t in _PERCEPTION},
}
"""Every tool by name, actuation first."""
