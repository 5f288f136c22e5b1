"""An MCP server and its client in one process: the SDK's session and its server, with no wire between.

The SDK's own `Client` sets up a connection for every request to a server in its process, a timer and a
turn of the event loop besides. Here the handshake is made once and a request is answered where it is
sent. Both sides validate every message as they do over a wire.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import anyio
import anyio.abc
import mcp_types as types
from mcp.client.session import ClientSession
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import ServerRunner, aclose_shielded
from mcp.shared.dispatcher import (
    CallOptions,
    Dispatcher,
    OnNotify,
    OnNotifyIntercept,
    OnRequest,
    run_notify_intercept,
)
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import handler_exception_to_error_data
from mcp.shared.transport_context import TransportContext

Params = Mapping[str, Any] | None
_TRANSPORT = TransportContext(kind="memory", can_send_request=False)


@dataclass(frozen=True, slots=True)
class InMemoryClient:
    """What a robot's client asks, by the names that the SDK's `Client` gives it."""

    session: ClientSession

    async def list_tools(self) -> types.ListToolsResult:
        """Return the tools on offer."""
        return await self.session.list_tools()

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool; after a handshake there is one kind of answer, the session's own call tries two."""
        params = types.CallToolRequestParams(name=name, arguments=arguments)
        return await self.session.send_request(types.CallToolRequest(params=params), types.CallToolResult)


@asynccontextmanager
async def connect_in_memory(
    server: Server[Any], timeout_s: float | None = None
) -> AsyncIterator[InMemoryClient]:
    """Serve `server` on this event loop for as long as its client is connected.

    Args:
        server: The server; it may notify its client, not ask it anything.
        timeout_s: Longest wait for one result [s]; None for no limit.
    """
    async with server.lifespan(server) as state:
        dispatcher = InMemoryDispatcher(server, state)
        try:
            async with ClientSession(dispatcher=dispatcher, read_timeout_seconds=timeout_s) as session:
                await session.initialize()
                yield InMemoryClient(session)
        finally:
            await aclose_shielded(dispatcher.connection)


class InMemoryDispatcher(Dispatcher[TransportContext]):
    """Hands what a client's session sends to a server's runner, and returns what that answers."""

    def __init__(self, server: Server[Any], lifespan_state: Any) -> None:
        self.connection = Connection.for_loop(_Message(self, None))
        self._runner = ServerRunner(server, self.connection, lifespan_state)
        self._requests = 0
        self._is_open = False
        self._on_notify: OnNotify | None = None
        self._intercept: OnNotifyIntercept | None = None

    async def run(
        self,
        on_request: OnRequest,
        on_notify: OnNotify,
        on_notify_intercept: OnNotifyIntercept | None = None,
        *,
        task_status: anyio.abc.TaskStatus[None] = anyio.TASK_STATUS_IGNORED,
    ) -> None:
        """Stay open until cancelled."""
        del on_request
        self._on_notify, self._intercept, self._is_open = on_notify, on_notify_intercept, True
        task_status.started()
        try:
            await anyio.sleep_forever()
        finally:
            self._is_open = False

    async def send_raw_request(
        self, method: str, params: Params, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Return the server's answer.

        Raises:
            MCPError: If the server refuses or fails, does not answer in time, or the connection is closed.
        """
        limit_s = opts.get("timeout") if opts else None
        if limit_s is None:
            return await self._answer(method, params)
        try:
            async with asyncio.timeout(limit_s):
                return await self._answer(method, params)
        except TimeoutError:
            raise MCPError(types.REQUEST_TIMEOUT, f"no answer to {method!r} in {limit_s:g} s") from None

    async def notify(self, method: str, params: Params, opts: CallOptions | None = None) -> None:
        """Notify the server; once the connection is closed, nobody."""
        del opts
        if self._is_open:
            await self._runner.on_notify(_Message(self, None), method, params)

    async def deliver(self, method: str, params: Params) -> None:
        """Notify the client; once the connection is closed, nobody."""
        if self._on_notify is None or not self._is_open:
            return
        if not run_notify_intercept(self._intercept, method, params):
            await self._on_notify(_Message(self, None), method, params)

    async def _answer(self, method: str, params: Params) -> dict[str, Any]:
        if not self._is_open:
            raise MCPError(types.CONNECTION_CLOSED, "Connection closed")
        self._requests += 1
        try:
            return await self._runner.on_request(_Message(self, self._requests), method, params)
        except MCPError:
            raise
        except Exception as error:
            known = handler_exception_to_error_data(error)
            failed = known or types.ErrorData(code=types.INTERNAL_ERROR, message="Internal server error")
            raise MCPError.from_error_data(failed) from error


class _Message:
    """What the receiver of a message sees of it, and its way back to the client."""

    transport = _TRANSPORT
    can_send_request = False
    message_metadata = None

    def __init__(self, dispatcher: InMemoryDispatcher, request_id: int | None) -> None:
        self._dispatcher = dispatcher
        self.request_id = request_id

    @cached_property
    def cancel_requested(self) -> anyio.Event:
        """Never set: a caller that gives up cancels the handler itself."""
        return anyio.Event()

    async def send_raw_request(
        self, method: str, params: Params, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        """Refuse to ask the client."""
        del params, opts
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Params, opts: CallOptions | None = None) -> None:
        """Notify the client."""
        del opts
        await self._dispatcher.deliver(method, params)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report to nobody: no call of ours asks for progress."""
        del progress, total, message
