"""The way to a robot's server over streamable HTTP, by the SDK's own transport."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.inbound import (
    MCP_METHOD_HEADER,
    MCP_NAME_HEADER,
    MCP_PROTOCOL_VERSION_HEADER,
    NAME_BEARING_METHODS,
    encode_header_value,
    find_invalid_x_mcp_header,
    mcp_param_headers,
    x_mcp_header_map,
)
from mcp.shared.message import ClientMessageMetadata, SessionMessage
from mcp_types import PROTOCOL_VERSION_META_KEY, jsonrpc_message_adapter

from heedful.errors import InputError
from heedful.guards.proxy.message import (
    CALL_TOOL,
    INITIALIZE,
    INVALID_REQUEST,
    LIST_TOOLS,
    Message,
    failure,
    key_of,
    write,
)
from heedful.guards.proxy.stdio import LONGEST_LINE

CONNECT_S = 5.0
"""How long the robot's server may take to accept a connection [s]."""
MOST_WAITING = 1024
"""Messages on the way to the server before senders are held."""


class HttpLink:
    """A robot's server at a URL; one session for all clients."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """Take the address and, where the server asks for one, a bearer token.

        Raises:
            InputError: If it is no http address.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"--url takes an http address such as http://127.0.0.1:8000/mcp, not {url!r}.")
        self._url, self._host = url, parts.hostname
        self._port = parts.port or (443 if parts.scheme == "https" else 80)
        self._token = token
        self._out: asyncio.Queue[Message] = asyncio.Queue()
        self._in: asyncio.Queue[Message | None] = asyncio.Queue()
        self._carrier: asyncio.Task[None] | None = None
        self._asked: dict[Any, str] = {}
        self._version = ""
        self._headers_of: dict[str, Mapping[tuple[str, ...], str]] = {}
        self._end = "the robot's server closed the connection"

    async def open(self) -> None:
        """Connect.

        Raises:
            InputError: If nobody listens there.
        """
        logging.getLogger("mcp").setLevel(logging.CRITICAL)
        try:
            async with asyncio.timeout(CONNECT_S):
                _, writer = await asyncio.open_connection(self._host, self._port)
        except (OSError, TimeoutError) as error:
            raise InputError(f"The robot's server at {self._url} cannot be reached: {error}.") from error
        writer.close()
        self._carrier = asyncio.create_task(self._carry())

    def send(self, message: Message) -> None:
        """Send a message."""
        if message.is_request:
            self._asked[key_of(message.id)] = message.method or ""
        self._out.put_nowait(message)

    async def drained(self) -> None:
        """Wait until the server takes more."""
        while self._out.qsize() > MOST_WAITING:
            await asyncio.sleep(0.001)

    async def messages(self) -> AsyncIterator[Message]:
        """Yield what the server sends."""
        while (message := await self._in.get()) is not None:
            yield message

    async def describe_end(self) -> str:
        """Say how the connection ended."""
        return self._end

    async def close(self) -> None:
        """End the session."""
        if self._carrier is not None:
            self._carrier.cancel()
            await asyncio.gather(self._carrier, return_exceptions=True)

    async def _carry(self) -> None:
        headers = {} if self._token is None else {"authorization": f"Bearer {self._token}"}
        timeout = httpx2.Timeout(30.0, read=None)
        try:
            async with (
                httpx2.AsyncClient(headers=headers, timeout=timeout, follow_redirects=False) as client,
                streamable_http_client(self._url, http_client=client, max_sse_event_size=LONGEST_LINE) as (
                    read,
                    write_stream,
                ),
            ):
                sending = asyncio.create_task(self._pump(write_stream))
                try:
                    async for item in read:
                        if isinstance(item, SessionMessage):
                            self._in.put_nowait(self._received(item))
                finally:
                    sending.cancel()
        except (OSError, httpx2.HTTPError, ExceptionGroup) as error:
            self._end = f"the robot's server cannot be reached any more ({_cause(error)})"
        finally:
            self._in.put_nowait(None)

    async def _pump(self, stream: Any) -> None:
        while True:
            message = await self._out.get()
            try:
                metadata = ClientMessageMetadata(headers=self._headers(message))
                parsed = jsonrpc_message_adapter.validate_python(message.body, by_name=False)
            except (ValueError, TypeError, RecursionError):
                self._refuse(message)
            else:
                await stream.send(SessionMessage(parsed, metadata=metadata))

    def _refuse(self, message: Message) -> None:
        """Answer a message that the transport cannot carry, in the server's place."""
        if message.is_request:
            self._asked.pop(key_of(message.id), None)
            self._in.put_nowait(failure(message.id, INVALID_REQUEST, "this is no JSON-RPC 2.0 request"))

    def _headers(self, message: Message) -> dict[str, str]:
        """Return the headers that repeat the body, as the message's own revision wants them."""
        version = message.meta.get(PROTOCOL_VERSION_META_KEY)
        if not isinstance(version, str):
            is_session = self._version and message.method != INITIALIZE
            return {MCP_PROTOCOL_VERSION_HEADER: self._version} if is_session else {}
        method = message.method or ""
        headers = {MCP_PROTOCOL_VERSION_HEADER: version, MCP_METHOD_HEADER: method}
        name = message.params.get(NAME_BEARING_METHODS.get(method, ""))
        if isinstance(name, str):
            headers[MCP_NAME_HEADER] = encode_header_value(name)
        arguments = message.params.get("arguments")
        if method == CALL_TOOL and isinstance(name, str) and isinstance(arguments, dict):
            headers |= mcp_param_headers(self._headers_of.get(name, {}), arguments)
        return headers

    def _received(self, item: SessionMessage) -> Message:
        message = write(item.message.model_dump(by_alias=True, mode="json", exclude_unset=True))
        result = message.body.get("result")
        if message.is_answer and isinstance(result, dict):
            method = self._asked.pop(key_of(message.id), "")
            if method == INITIALIZE:
                self._version = str(result.get("protocolVersion", ""))
            elif method == LIST_TOOLS and isinstance(result.get("tools"), list):
                self._learn_headers(result["tools"])
        return message

    def _learn_headers(self, tools: list[Any]) -> None:
        for tool in tools:
            schema = tool.get("inputSchema") if isinstance(tool, dict) else None
            if schema is not None and find_invalid_x_mcp_header(schema) is None:
                self._headers_of[str(tool.get("name"))] = x_mcp_header_map(schema)


def _cause(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__
