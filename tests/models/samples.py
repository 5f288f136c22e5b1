"""Tools, conversations and clocks that the tests of this folder share."""

from __future__ import annotations

import asyncio
from typing import Any

from heedful.models.message import Message, ModelRequest, ToolCall, ToolSpec

NUMBER = {"type": "number"}

WALK = ToolSpec(
    "walk_to",
    "Walk to a point.",
    {
        "type": "object",
        "properties": {
            "x": NUMBER,
            "y": NUMBER,
            "speed_percent": {"type": "integer", "description": "share of full speed"},
        },
        "required": ["x", "y"],
        "additionalProperties": False,
    },
)
BATTERY = ToolSpec("get_battery", "Read the battery.", {"type": "object", "properties": {}})
CAMERA = ToolSpec("get_camera_status", "Read the camera.", {"type": "object", "properties": {}})
PROXIMITY = ToolSpec("get_proximity", "Distance to the nearest person.", {"type": "object", "properties": {}})
TOOLS = (WALK, BATTERY, CAMERA, PROXIMITY)


def call(call_id: str, name: str = "get_battery", **arguments: Any) -> ToolCall:
    return ToolCall(call_id, name, arguments)


def result(
    call_id: str, content: str = "ok", name: str | None = "get_battery", *, is_error: bool = False
) -> Message:
    return Message("tool", content, tool_call_id=call_id, tool_name=name, is_error=is_error)


def user(content: str) -> Message:
    return Message("user", content)


def assistant(content: str = "", *calls: ToolCall) -> Message:
    return Message("assistant", content, tool_calls=calls)


def request(*messages: Message, **fields: Any) -> ModelRequest:
    return ModelRequest(messages=messages or (user("walk"),), tools=fields.pop("tools", TOOLS), **fields)


def windowed_conversation() -> tuple[Message, ...]:
    """The hard cases at once: a window cut through a call, updates pushed in between, parallel calls."""
    return (
        Message("system", "You run a robot."),
        result("lost", "80 %"),
        user("Check everything, then walk."),
        assistant("Checking.", call("a"), call("b", "get_camera_status")),
        result("b", "connected", "get_camera_status"),
        user("[sensor update] battery 14 %"),
        result("a", "14 %"),
        assistant("", call("c", "walk_to", x=1.0, y=0.5)),
        user("Are you there?"),
        assistant("", call("d", "walk_to", x=2.0, y=0.5)),
        result("d", "refused by the guard", "walk_to", is_error=True),
        user("Then sit."),
    )


class FakeTime:
    """A clock that only moves when someone sleeps."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.now = now
        self.sleeps: list[float] = []

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.sleeps.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)
