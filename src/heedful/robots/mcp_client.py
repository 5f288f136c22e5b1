"""A robot behind an MCP server: in memory, a child process on stdio, or streamable HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Self

import mcp_types as types
from mcp.client import Client
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from heedful.errors import RobotError
from heedful.robots.client import ToolOffer, ToolReply
from heedful.robots.in_memory import InMemoryClient, connect_in_memory

WIRE_TIMEOUT_S = 60.0
"""Longest wait for one result of a server in another process [s]."""


class McpClient:
    """A connection over the MCP SDK."""

    def __init__(self, target: Any, *, mode: str = "auto", timeout_s: float | None = None) -> None:
        """Prepare a connection.

        Args:
            target: An MCP server object (in memory), a URL (streamable HTTP) or stdio parameters.
            mode: The SDK's connection mode; `legacy` frames every message, even in memory.
            timeout_s: Longest wait for one result [s]; None for 60 s over a wire and no limit in memory.
        """
        self._connection = _connect(target, mode, timeout_s)

    async def __aenter__(self) -> Self:
        """Connect and negotiate.

        Raises:
            RobotError: If the server cannot be reached or does not answer.
        """
        try:
            self._tools = await self._connection.__aenter__()
        except (MCPError, OSError, ExceptionGroup) as error:
            raise RobotError(f"The robot's MCP server cannot be reached: {_cause(error)}.") from error
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Disconnect; an error of the body goes on as it is.

        Raises:
            RobotError: If the connection broke and the body had not failed.
        """
        try:
            await self._connection.__aexit__(kind, error, trace)
        except (MCPError, OSError, ExceptionGroup) as broken:
            # the SDK's task groups wrap the body's error in groups that nobody above expects
            if not isinstance(error, Exception):
                raise RobotError(f"The robot's MCP server broke: {_cause(broken)}.") from broken

    async def tools(self) -> tuple[ToolOffer, ...]:
        """Return the tools on offer.

        Raises:
            RobotError: If the connection or the server broke.
        """
        try:
            listed = (await self._tools.list_tools()).tools
        except MCPError as error:
            raise RobotError(f"The robot's MCP server does not list its tools: {error}.") from error
        return tuple(ToolOffer(t.name, t.description or "", _with_type_first(t.input_schema)) for t in listed)

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolReply:
        """Call a tool.

        A timeout ends the waiting, not the call: the server may still carry it out later, and then only
        the robot's journal tells of it.

        Raises:
            RobotError: If the connection or the server broke; a tool error is a reply.
        """
        try:
            result = await self._tools.call_tool(name, dict(args))
        except MCPError as error:
            raise RobotError(f"The robot's MCP server failed on {name}: {error}.") from error
        text = "\n".join([c.text for c in result.content if isinstance(c, types.TextContent)])
        return ToolReply(text, bool(result.is_error))


def _connect(
    target: Any, mode: str, timeout_s: float | None
) -> AbstractAsyncContextManager[Client | InMemoryClient]:
    if mode == "auto" and isinstance(target, Server):
        return connect_in_memory(target, timeout_s)
    limit_s = WIRE_TIMEOUT_S if timeout_s is None else timeout_s
    return Client(target, mode=mode, read_timeout_seconds=limit_s)


def _with_type_first(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema in the order that servers write; the handshake's models put its type last."""
    return {"type": "object", **schema}


def _cause(error: Exception) -> str:
    """Return what a connection failed of: the innermost error of the SDK's nested groups."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
