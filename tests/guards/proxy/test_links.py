"""The ways in and out: one message, or many at once, never keeps the next from going through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

from heedful.guards.proxy import message as m
from heedful.guards.proxy import proxy
from heedful.guards.proxy.asker import Asker
from heedful.guards.proxy.first_answer import SILENT
from heedful.guards.proxy.http_link import HttpLink
from heedful.guards.proxy.message import Message, read_strict
from heedful.guards.proxy.stdio import _lines
from tests.guards.proxy.harness import Bench, Client


class Stream:
    """What the SDK's transport is given."""

    def __init__(self) -> None:
        self.got: list[Any] = []

    async def send(self, item: Any) -> None:
        self.got.append(item)


def test_a_message_that_the_transport_cannot_carry_keeps_no_stop_from_going_out() -> None:
    async def run() -> None:
        link, stream = HttpLink("http://127.0.0.1:1/mcp"), Stream()
        pump = asyncio.create_task(link._pump(stream))
        link.send(read_strict(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}'))
        link.send(read_strict(b'{"method":"notifications/any","params":7}'))
        link.send(m.request("s", m.CALL_TOOL, {"name": "stop", "arguments": {}}))
        await asyncio.sleep(0.05)
        assert len(stream.got) == 1
        answer = link._in.get_nowait()
        assert answer is not None
        assert (answer.id, "error" in answer.body) == (1, True)
        pump.cancel()

    asyncio.run(run())


def test_many_lines_at_once_let_the_guard_look_between_them() -> None:
    async def run() -> None:
        looks = 0

        async def look() -> None:
            nonlocal looks
            while True:
                looks += 1
                await asyncio.sleep(0)

        reader = asyncio.StreamReader()
        reader.feed_data(b"{}\n" * 1000)
        reader.feed_eof()
        watching = asyncio.create_task(look())
        assert len([line async for line in _lines(reader)]) == 1000
        assert looks >= 1000
        watching.cancel()

    asyncio.run(run())


def asking(asker: Asker, sent: list[Message]) -> Any:
    """Return the envelope of the guard's next question."""

    async def ask() -> None:
        question = asyncio.create_task(asker.ask(m.CALL_TOOL, {"name": "stop"}, 1.0))
        await asyncio.sleep(0)
        question.cancel()

    asyncio.run(ask())
    return sent[-1].meta.get(PROTOCOL_VERSION_META_KEY)


def test_no_client_makes_the_guard_speak_a_revision_that_the_server_refuses() -> None:
    sent: list[Message] = []
    odd = {PROTOCOL_VERSION_META_KEY: "9999-01-01", CLIENT_CAPABILITIES_META_KEY: {}}
    asker = Asker(sent.append)
    asker.speak_modern(odd)
    assert not asker.can_ask.is_set()
    asker.speak_modern({**odd, PROTOCOL_VERSION_META_KEY: "2026-07-28"})
    asker.speak_modern(odd)
    assert asking(asker, sent) == "2026-07-28"


def test_an_open_session_is_not_left_for_another_revision() -> None:
    sent: list[Message] = []
    asker = Asker(sent.append)
    asker.speak_legacy()
    asker.speak_modern({PROTOCOL_VERSION_META_KEY: "2026-07-28", CLIENT_CAPABILITIES_META_KEY: {}})
    assert asking(asker, sent) is None


class Silent:
    """A link to a program that echoes what it is sent, or says nothing."""

    def __init__(self) -> None:
        self.closed = asyncio.Event()

    async def open(self) -> None:
        """Open nothing."""

    def send(self, message: Message) -> None:
        """Take a message."""

    async def drained(self) -> None:
        """Wait for nothing."""

    async def messages(self) -> AsyncIterator[Message]:
        """Yield a request, as an echo would, and no answer."""
        yield m.request("echo", "initialize", {})
        await self.closed.wait()

    async def describe_end(self) -> str:
        """Say how it ended."""
        return "it ended"

    async def close(self) -> None:
        """Close."""
        self.closed.set()


def test_a_program_that_is_no_mcp_server_is_given_up_and_its_client_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proxy, "ANSWER_S", 0.05)

    async def run() -> None:
        bench = Bench()
        client = Client()
        guarded = proxy.Proxy(Silent(), bench.gate, lambda: bench.now_s)
        guarded.attach(client)
        running = asyncio.create_task(guarded.run())
        await asyncio.sleep(0)
        guarded.from_client(client, m.request(1, "initialize", {"protocolVersion": "2025-11-25"}))
        assert await asyncio.wait_for(running, 10) == SILENT
        (told,) = [message for message in client.got if message.is_answer]
        assert SILENT in str(told.body["error"])

    asyncio.run(run())
