"""How the session loop reaches a robot: one role, by direct dispatch or over MCP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from heedful.robots.robot import Robot
from heedful.robots.tools import TOOLS


@dataclass(frozen=True, slots=True)
class ToolOffer:
    """A tool as the server lists it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What came back from a tool call."""

    text: str
    is_error: bool


class RobotClient(Protocol):
    """A connection to a robot's tools."""

    async def __aenter__(self) -> Self:
        """Connect."""
        ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnect."""
        ...

    async def tools(self) -> tuple[ToolOffer, ...]:
        """Return the tools on offer."""
        ...

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolReply:
        """Call a tool; a tool error is a reply, a broken connection raises RobotError."""
        ...


def offered_tools() -> tuple[ToolOffer, ...]:
    """Return heedful's own robot tools as a server offers them."""
    return tuple(ToolOffer(t.name, t.description, t.input_schema) for t in TOOLS.values())


class DirectClient:
    """Calls the robot as a function; same results as over MCP, without the protocol."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    async def __aenter__(self) -> Self:
        """Connect; nothing to do."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnect; nothing to do."""

    async def tools(self) -> tuple[ToolOffer, ...]:
        """Return the tools on offer."""
        return offered_tools()

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolReply:
        """Call a tool."""
        event = self._robot.call(name, args)
        return ToolReply(event.result, event.status not in ("ok",))
