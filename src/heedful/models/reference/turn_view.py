"""What a scripted model knows in the middle of a turn, read from the messages alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple

import orjson

from heedful.models.hint import TurnHint
from heedful.models.message import Message, ModelRequest
from heedful.state.geometry import Pose, rounded
from heedful.state.series import INFINITE, Value

PERCEPTION = ("get_camera_status", "get_proximity", "get_battery", "get_position")
ENDS_WALK = ("stop", "sit_down", "stand_up", "emergency_stop", "walk_to", "turn")
RADIANS_PER_DEGREE = 0.017453292519943295


class Done(NamedTuple):
    """One tool call of this turn and its result."""

    tool: str
    args: Mapping[str, Any]
    result: Mapping[str, Any]
    is_error: bool

    @property
    def is_reading(self) -> bool:
        """Whether it asked a sensor."""
        return self.tool.startswith("get_")

    @property
    def is_fault(self) -> bool:
        """Whether the robot broke down, which may pass; what it refuses it would refuse again."""
        return self.is_error and "fault" in str(self.result.get("error"))

    @property
    def is_partial(self) -> bool:
        """Whether the robot says that it began a motion and could not end it."""
        return self.is_error and "x" in self.result

    @property
    def starts_walk(self) -> bool:
        """Whether it started a motion that runs on."""
        return self.tool == "walk_with_velocity" and (not self.is_error or self.is_partial)


class TurnView:
    """The turn so far; what is derived from it is derived once."""

    def __init__(
        self, hint: TurnHint, done: tuple[Done, ...], messages: Sequence[Message] = (), start: int = 0
    ) -> None:
        """Sort the turn's calls.

        Args:
            hint: What the turn's utterance asks for.
            done: The turn's calls.
            messages: The conversation as it was sent.
            start: Where in it the turn's own messages begin.
        """
        self.hint = hint
        self.done = done
        self._messages, self._start = messages, start
        self.readings = tuple([d for d in done if d.is_reading])
        """The calls that asked a sensor."""
        self._actuations = tuple([d for d in done if not d.is_reading])
        self._tail = tuple(takewhile(_is_reading, done[::-1]))
        self._newest = {d.tool: d.result for d in done if not d.is_error}

    @property
    def before(self) -> Sequence[Message]:
        """The messages sent before this turn's."""
        return self._messages[: self._start]

    def earlier(self) -> list[Done]:
        """Return the calls of earlier turns that are still in the conversation."""
        return _done_in(self.before)

    def earlier_values(self) -> Iterator[dict[str, Value]]:
        """Yield the charge that earlier turns read, newest first; nothing else outlives a turn."""
        for message in reversed(self.before):
            if message.role == "tool" and message.tool_name == "get_battery" and not message.is_error:
                level = _parsed(message.content).get("battery_percent")
                if isinstance(level, int | float):
                    yield {"battery.level": float(level)}

    def latest(self, tool: str) -> Mapping[str, Any]:
        """Return what a tool answered last in this turn, failures apart; empty when it never did."""
        return self._newest.get(tool, {})

    def since_last_actuation(self) -> tuple[str, ...]:
        """Return the sensors that answered since the robot was last told to act."""
        return tuple([done.tool for done in self._tail if not done.is_error])

    def rounds_of_reading(self) -> int:
        """Return how often the sensor asked most was asked since the robot was last told to act."""
        tools = [done.tool for done in self._tail]
        return max((tools.count(tool) for tool in tools), default=0)

    def actuations(self) -> tuple[Done, ...]:
        """Return the calls that told the robot to act."""
        return self._actuations

    def walking(self) -> float | None:
        """Return the speed of the motion that this turn started and nothing ended since [%], or None."""
        for done in self._actuations[::-1]:
            if done.starts_walk:
                return float(done.result.get("speed_percent") or done.args["speed_percent"])
            if done.tool in ENDS_WALK and not done.is_error:
                return None
        return None

    def ages(self) -> dict[str, float]:
        """Return how old the values were when they were read, where the sensor said so [s]."""
        age = self.latest("get_proximity").get("age_s")
        return {"human.distance": float(age)} if isinstance(age, int | float) else {}

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
        """Whether the robot sits, by what it did last or said of itself."""
        for done in self.done[::-1]:
            if done.tool in ("sit_down", "stand_up") and not done.is_error:
                return done.tool == "sit_down"
            if done.tool == "get_position" and not done.is_error:
                return bool(done.result.get("posture") == "seated")
        return False


class TurnReader:
    """Reads the turn that a request continues; what it read of the same turn before is not read again."""

    def __init__(self) -> None:
        self._read: Sequence[Message] = ()
        self._done: tuple[Done, ...] = ()

    def read(self, request: ModelRequest) -> TurnView:
        """Return the view of the turn that `request` continues."""
        hint = request.hint
        if not isinstance(hint, TurnHint):
            raise TypeError("a reference model needs the turn's hint; it cannot read words")
        start = _turn_start(request.messages)
        messages = request.messages[start:]
        if messages[: len(self._read)] != self._read:
            self._read, self._done = (), ()
        self._done += tuple(_done_in(messages[len(self._read) :]))
        self._read = messages
        return TurnView(hint, self._done, request.messages, start)


def _is_reading(done: Done) -> bool:
    return done.is_reading


def _turn_start(messages: Sequence[Message]) -> int:
    start = len(messages)
    while start > 0 and messages[start - 1].role != "user":
        start -= 1
    return start


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
