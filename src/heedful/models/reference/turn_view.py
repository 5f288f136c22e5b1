"""What a scripted model knows in the middle of a turn, read from the messages alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from heedful.models.hint import TurnHint
from heedful.models.message import Message, ModelRequest
from heedful.state.geometry import Pose, rounded
from heedful.state.series import INFINITE, Value

PERCEPTION = ("get_camera_status", "get_proximity", "get_battery", "get_position")
RADIANS_PER_DEGREE = 0.017453292519943295


@dataclass(frozen=True, slots=True)
class Done:
    """One tool call of this turn and its result."""

    tool: str
    args: Mapping[str, Any]
    result: Mapping[str, Any]
    is_error: bool


@dataclass(frozen=True, slots=True)
class TurnView:
    """The turn so far."""

    hint: TurnHint
    done: tuple[Done, ...]

    def latest(self, tool: str) -> Mapping[str, Any]:
        """Return the newest result of a tool in this turn; empty when there is none."""
        return next((d.result for d in reversed(self.done) if d.tool == tool), {})

    def since_last_actuation(self) -> tuple[str, ...]:
        """Return the perception tools read since the robot was last told to act."""
        read: list[str] = []
        for done in reversed(self.done):
            if not done.tool.startswith("get_"):
                break
            read.append(done.tool)
        return tuple(read)

    def actuations(self) -> tuple[Done, ...]:
        """Return the calls that told the robot to act."""
        return tuple(d for d in self.done if not d.tool.startswith("get_"))

    def sensed(self) -> dict[str, Value]:
        """Return the sensor values read in this turn; a value not read is absent."""
        values: dict[str, Value] = {}
        camera, near = self.latest("get_camera_status"), self.latest("get_proximity")
        where, person = self.latest("get_position"), self.latest("get_human_pose")
        if camera:
            values["camera.connected"] = camera.get("connected")
            values["camera.frame_age"] = camera.get("frame_age_s")
            values["camera.frozen"] = camera.get("frozen")
        if near:
            nobody = near.get("status") == "no person in view"
            values["human.distance"] = INFINITE if nobody else near.get("human_distance_m")
        values["battery.level"] = self.latest("get_battery").get("battery_percent")
        values["robot.x"], values["robot.y"] = where.get("x"), where.get("y")
        return values | {f"human.{name}": value for name, value in person.items() if name != "error"}

    def pose(self) -> Pose:
        """Return where the robot says it is; the origin when it was not asked."""
        where = self.latest("get_position")
        x, y, heading = where.get("x"), where.get("y"), where.get("heading_deg")
        if not isinstance(x, float) or not isinstance(y, float):
            return Pose(0.0, 0.0)
        return Pose(x, y, rounded((heading or 0.0) * RADIANS_PER_DEGREE))

    @property
    def is_seated(self) -> bool:
        """Whether the robot said that it sits."""
        sat = any(d.tool == "sit_down" and not d.is_error for d in self.done)
        return sat or self.latest("get_position").get("posture") == "seated"


def read_view(request: ModelRequest) -> TurnView:
    """Return the view of the turn that `request` continues."""
    hint = request.hint
    if not isinstance(hint, TurnHint):
        raise TypeError("a reference model needs the turn's hint; it cannot read words")
    return TurnView(hint, tuple(_done_in(_current_turn(request.messages))))


def _current_turn(messages: Sequence[Message]) -> Sequence[Message]:
    start = len(messages)
    while start > 0 and messages[start - 1].role != "user":
        start -= 1
    return messages[start:]


def _done_in(messages: Sequence[Message]) -> list[Done]:
    asked = {call.id: call for m in messages for call in m.tool_calls}
    done = []
    for message in messages:
        call = asked.get(message.tool_call_id or "")
        if message.role == "tool" and call is not None:
            done.append(Done(call.name, call.arguments, _parsed(message.content), message.is_error))
    return done


def _parsed(text: str) -> Mapping[str, Any]:
    data = orjson.loads(text)
    return data if isinstance(data, dict) else {}
