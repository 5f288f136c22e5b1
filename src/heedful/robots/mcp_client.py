"""A robot behind an MCP server: in memory, a child process on stdio, or streamable HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import mcp_types as types
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from heedful.errors import RobotError
from heedful.robots.client import ToolOffer, ToolReply


class McpClient:
    """A connection over the MCP SDK."""

    def __init__(self, target: Any, *, mode: str = "auto", timeout_s: float = 60.0) -> None:
        """Prepare a connection.

        Args:
            target: An MCP server object (in memory), a URL (streamable HTTP) or stdio parameters.
            mode: The SDK's connection mode; `legacy` frames every message even in memory.
            timeout_s: Longest wait for one result [s].
        """
        self._client = Client(target, mode=mode, read_timeout_seconds=timeout_s)

    async def __aenter__(self) -> Self:
        """Connect and negotiate.

        Raises:
            RobotError: If the server cannot be reached or does not answer.
        """
        try:
            await self._client.__aenter__()
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
            await self._client.__aexit__(kind, error, trace)
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
            listed = (await self._client.list_tools()).tools
        except MCPError as error:
            raise RobotError(f"The robot's MCP server does not list its tools: {error}.") from error
        return tuple(ToolOffer(t.name, t.description or "", t.input_schema) for t in listed)

    async def call(self, name: str, args: Mapping[str, Any]) -> ToolReply:
        """Call a tool.

        A timeout ends the waiting, not the call: the server may still carry it out later, and then only
        the robot's journal tells of it.

        Raises:
            RobotError: If the connection or the server broke; a tool error is a reply.
        """
        try:
            result = await self._send(name, dict(args))
        except MCPError as error:
            raise RobotError(f"The robot's MCP server failed on {name}: {error}.") from error
        text = "\n".join(c.text for c in result.content if isinstance(c, types.TextContent))
        return ToolReply(text, bool(result.is_error))

    async def _send(self, name: str, args: dict[str, Any]) -> types.CallToolResult:
        """Call by the session; by the SDK's slower driver only where a server wants more than one round."""
        try:
            result = await self._client.session.call_tool(name, args, allow_input_required=True)
        except MCPError as error:
            if error.code != types.HEADER_MISMATCH:
                raise
            return await self._client.call_tool(name, args)
        if isinstance(result, types.InputRequiredResult):
            return await self._client.call_tool(name, args, request_state=result.request_state)
        return result


def _cause(error: Exception) -> str:
    """Return what a connection failed of: the innermost error of the SDK's nested groups."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
