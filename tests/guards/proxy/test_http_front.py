"""HTTP: who is let in, what the headers must say, sessions, streams, sizes and rates."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from heedful.guards.proxy import message as m
from heedful.guards.proxy.access import Access
from heedful.guards.proxy.http_front import HttpFront
from tests.guards.proxy.harness import Bench, result, turn

VERSION = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
ACCEPT = {"accept": "application/json, text/event-stream"}
AT = "http://127.0.0.1:8000"


class Site:
    """The front with a robot that answers at once."""

    def __init__(self, **access: Any) -> None:
        self.bench = Bench(is_shared=True).ready()
        host = access.pop("host", "127.0.0.1")
        token = access.pop("token", None)
        checks = Access(host, token=token, clock=lambda: self.bench.now_s, **access)
        self.front = HttpFront(self.bench.proxy, checks, lambda: self.bench.now_s)
        self.answers_with_progress = False
        self.bench.robot.on_send = self.reply

    def reply(self, message: m.Message) -> None:
        if not message.is_request:
            return
        if message.method == "initialize":
            told: dict[str, Any] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
        elif message.method == m.CALL_TOOL:
            told = result({"status": "done"})
        else:
            told = {"echo": message.method}
        loop = asyncio.get_running_loop()
        if "progressToken" in message.meta:
            token = message.meta["progressToken"]
            loop.call_soon(
                self.bench.proxy.from_server,
                m.notification(m.PROGRESS, {"progressToken": token, "progress": 1}),
            )
        loop.call_soon(self.bench.proxy.from_server, m.answer(message.id, told))

    @asynccontextmanager
    async def client(self) -> AsyncIterator[httpx.AsyncClient]:
        transport = httpx.ASGITransport(app=self.front)  # type: ignore[arg-type]
        async with httpx.AsyncClient(transport=transport, base_url=AT, headers=ACCEPT) as client:
            yield client


def rpc(method: str, request_id: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}


def modern(method: str, name: str | None = None) -> dict[str, str]:
    headers = {"mcp-protocol-version": VERSION, "mcp-method": method}
    return headers if name is None else {**headers, "mcp-name": name}


async def post(site: Site, body: Any, headers: dict[str, str] | None = None) -> httpx.Response:
    async with site.client() as client:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await client.post(
            "/mcp", content=content, headers={"content-type": "application/json", **(headers or {})}
        )


def test_a_modern_call_needs_no_session_and_is_guarded() -> None:
    async def run() -> None:
        site = Site()
        body = rpc("tools/call", name="get_battery", arguments={}, _meta=META)
        told = await post(site, body, modern("tools/call", "get_battery"))
        assert (told.status_code, told.json()["result"]["isError"]) == (200, False)
        body = rpc("tools/call", name="fly", arguments={}, _meta=META)
        told = await post(site, body, modern("tools/call", "fly"))
        assert told.json()["result"]["isError"] is True
        assert told.json()["result"]["resultType"] == "complete"

    asyncio.run(run())


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp-protocol-version": VERSION, "mcp-method": "tools/list", "mcp-name": "stop"},
        {"mcp-protocol-version": VERSION, "mcp-method": "tools/call", "mcp-name": "get_battery"},
        {"mcp-protocol-version": "2025-11-25", "mcp-method": "tools/call", "mcp-name": "stop"},
        {"mcp-protocol-version": VERSION},
        {},
    ],
)
def test_headers_that_say_something_else_than_the_body_are_a_mismatch(headers: dict[str, str]) -> None:
    async def run() -> None:
        site = Site()
        told = await post(site, rpc("tools/call", name="stop", arguments={}, _meta=META), headers)
        assert (told.status_code, told.json()["error"]["code"]) == (400, -32020)
        assert site.bench.robot.sent == []

    asyncio.run(run())


def test_a_session_opens_answers_streams_and_ends() -> None:
    async def run() -> None:
        site = Site()
        hello = rpc("initialize", protocolVersion="2025-11-25", capabilities={})
        opened = await post(site, hello)
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        assert opened.json()["result"]["protocolVersion"] == "2025-11-25"
        note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert (await post(site, note, session)).status_code == 202
        plain = await post(site, rpc("tools/call", 2, name="stop", arguments={}), session)
        assert plain.headers["content-type"] == "application/json"
        streamed = await post(site, rpc("resources/read", 3, uri="a", _meta={"progressToken": "p"}), session)
        assert streamed.headers["content-type"] == "text/event-stream"
        events = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: ")]
        assert [e.get("method", "answer") for e in events] == ["notifications/progress", "answer"]
        assert (events[0]["params"]["progressToken"], events[1]["id"]) == ("p", 3)
        async with site.client() as client:
            assert (await client.delete("/mcp", headers=session)).status_code == 204
        assert (await post(site, rpc("ping", 4), session)).status_code == 404

    asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-length": "99999999999"}, 413),
        ({"mcp-session-id": "guessed"}, 404),
        ({}, 400),
    ],
)
def test_who_may_not_come_in_is_told_why(headers: dict[str, str], status: int) -> None:
    async def run() -> None:
        site = Site()
        told = await post(site, rpc("ping"), headers)
        assert told.status_code == status
        assert site.bench.robot.sent == []

    asyncio.run(run())


def test_the_pages_own_origin_may_speak() -> None:
    async def run() -> None:
        told = await post(Site(), rpc("initialize", capabilities={}), {"origin": AT})
        assert told.status_code == 200

    asyncio.run(run())


@pytest.mark.parametrize(
    ("given", "status"), [(None, 401), ("Bearer wrong", 401), ("Bearer ", 401), ("Bearer s3cret", 200)]
)
def test_another_address_than_loopback_needs_the_token(given: str | None, status: int) -> None:
    async def run() -> None:
        site = Site(host="0.0.0.0", token="s3cret")  # noqa: S104, S106 - nothing is bound here
        headers = {} if given is None else {"authorization": given}
        assert (await post(site, rpc("initialize", capabilities={}), headers)).status_code == status

    asyncio.run(run())


def test_too_large_a_body_and_too_many_requests_are_refused() -> None:
    async def run() -> None:
        site = Site(per_s=3.0)
        assert (await post(site, b'{"a":"' + b"x" * (17 * 1024 * 1024) + b'"}')).status_code == 413
        codes = [(await post(site, rpc("ping"))).status_code for _ in range(4)]
        assert codes[-1] == 429
        site.bench.now_s += 1.0
        assert (await post(site, rpc("ping"))).status_code == 400

    asyncio.run(run())


def test_a_body_with_two_meanings_is_refused() -> None:
    async def run() -> None:
        told = await post(Site(), b'{"id":1,"method":"tools/list","method":"tools/call"}')
        assert (told.status_code, told.json()["error"]["code"]) == (400, -32600)

    asyncio.run(run())


def test_a_client_that_closes_the_connection_of_a_motion_stops_it() -> None:
    async def run() -> None:
        site = Site()
        site.bench.accept_own_calls()
        body = rpc(
            "tools/call", name="walk_to", arguments={"x": 1.0, "y": 0.0, "speed_percent": 10}, _meta=META
        )
        asking = asyncio.create_task(post(site, body, modern("tools/call", "walk_to")))
        while not site.bench.robot.calls("walk_to"):
            await turn()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)
        await turn()
        assert site.bench.gate.motions.abandoned is not None

    asyncio.run(run())


@pytest.mark.parametrize("headers", [{"host": "[::1"}, {"host": "127.0.0.1:8000", "origin": "http://["}])
def test_a_host_or_origin_that_is_none_is_refused(headers: dict[str, str]) -> None:
    async def run() -> None:
        answer = await post(Site(), rpc("ping", _meta=META), {**modern("ping"), **headers})
        assert answer.status_code == 400

    asyncio.run(run())
