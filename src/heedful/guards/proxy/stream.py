"""Messages on the way to an HTTP client: one JSON answer, or a stream of events when more comes before it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from starlette.types import Receive, Send

from heedful.guards.proxy.message import Message

PING_S = 15.0
"""How often a silent stream shows that it is alive [s]."""
PING = b": ping\n\n"
EVENTS = {"content-type": "text/event-stream", "cache-control": "no-cache, no-transform"}

Box = asyncio.Queue[Message | None]


class GoneError(Exception):
    """The client closed the connection."""


async def answer_request(
    box: Box,
    receive: Receive,
    send: Send,
    status_of: Callable[[Message], int],
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send what belongs to one request until it is answered or its client closes.

    Args:
        box: Where the messages come in; the last one is the answer.
        receive: The ASGI channel that tells of the client's end.
        send: The ASGI channel to the client.
        status_of: HTTP status of an answer that comes alone.
        headers: More headers.
    """
    gone = asyncio.create_task(_wait_for_end(receive))
    try:
        first = await _next(box, gone)
        if first is not None and first.is_answer:
            given = {**(headers or {}), "content-type": "application/json"}
            await _start(send, status_of(first), given)
            await send({"type": "http.response.body", "body": first.raw})
            return
        await _start(send, 200, {**(headers or {}), **EVENTS})
        await _send_events(first, box, gone, send)
    except GoneError:
        pass
    finally:
        gone.cancel()


async def stream_events(box: Box, receive: Receive, send: Send) -> None:
    """Send messages as they come until the client closes, or None comes."""
    gone = asyncio.create_task(_wait_for_end(receive))
    try:
        await _start(send, 200, EVENTS)
        await send({"type": "http.response.body", "body": PING, "more_body": True})
        while True:
            message = await _next(box, gone)
            await _send(send, PING if message is None else _event(message))
    except GoneError:
        pass
    finally:
        gone.cancel()


async def _send_events(first: Message | None, box: Box, gone: asyncio.Task[None], send: Send) -> None:
    message = first
    while message is None or not message.is_answer:
        await _send(send, PING if message is None else _event(message))
        message = await _next(box, gone)
    await send({"type": "http.response.body", "body": _event(message), "more_body": False})


async def _next(box: Box, gone: asyncio.Task[None]) -> Message | None:
    """Return the next message; None when it is time for a sign of life.

    Raises:
        GoneError: If the client closed, or the stream was ended by a None.
    """
    getting = asyncio.create_task(box.get())
    try:
        await asyncio.wait({getting, gone}, timeout=PING_S, return_when=asyncio.FIRST_COMPLETED)
        if getting.done() and (message := getting.result()) is not None:
            return message
        if getting.done() or gone.done():
            raise GoneError
    finally:
        getting.cancel()
    return None


async def _wait_for_end(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _start(send: Send, status: int, headers: Mapping[str, str]) -> None:
    pairs = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})


async def _send(send: Send, body: bytes) -> None:
    await send({"type": "http.response.body", "body": body, "more_body": True})


def _event(message: Message) -> bytes:
    return b"event: message\ndata: " + message.raw.replace(b"\r", b"").replace(b"\n", b"") + b"\n\n"
