"""The SDK's session and server joined in one process keep the contract of a connection."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import mcp_types as types
import pytest
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from heedful.robots.in_memory import connect_in_memory

DONE = types.CallToolResult(content=[types.TextContent(type="text", text="done")])


def answering(act: Callable[[Any, types.CallToolRequestParams], Awaitable[Any]]) -> Server[Any]:
    return Server("test", on_call_tool=act)


async def ask(server: Server[Any]) -> types.CallToolResult:
    async with connect_in_memory(server) as client:
        return await client.call_tool("act", {"x": 1})


def failure(server: Server[Any], timeout_s: float | None = None) -> MCPError:
    async def session() -> MCPError:
        async with connect_in_memory(server, timeout_s) as client:
            with pytest.raises(MCPError) as caught:
                await client.call_tool("act", {"x": 1})
        return caught.value

    return asyncio.run(session())


def test_a_handler_gets_what_was_sent_and_the_client_what_it_answers() -> None:
    seen = []

    async def act(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        seen.append((ctx.request_id, params.name, params.arguments))
        return DONE

    assert asyncio.run(ask(answering(act))) == DONE
    assert seen == [(2, "act", {"x": 1})]  # the handshake was the first request


def test_a_handler_that_breaks_is_an_error_that_tells_nothing_of_it() -> None:
    async def act(_ctx: Any, _params: Any) -> Any:
        raise KeyError("secret")

    error = failure(answering(act))
    assert (error.code, error.message) == (types.INTERNAL_ERROR, "Internal server error")
    assert isinstance(error.__cause__, KeyError)


def test_an_error_of_the_protocol_arrives_as_it_is() -> None:
    async def act(_ctx: Any, _params: Any) -> Any:
        raise MCPError(types.INVALID_PARAMS, "no such thing", {"k": 1})

    error = failure(answering(act))
    assert (error.code, error.message, error.data) == (types.INVALID_PARAMS, "no such thing", {"k": 1})


@pytest.mark.parametrize("answer", [{}, {"content": [{"type": "text"}]}, {"content": "text"}])
def test_an_answer_that_is_no_result_is_refused(answer: dict[str, Any]) -> None:
    async def act(_ctx: Any, _params: Any) -> Any:
        return answer

    assert "invalid result" in failure(answering(act)).message


def test_a_message_that_is_no_request_is_refused() -> None:
    malformed: types.Request[Any, Any] = types.Request(method="tools/call", params={"arguments": {}})

    async def act(_ctx: Any, _params: Any) -> Any:
        raise AssertionError("not reached")

    async def session() -> None:
        async with connect_in_memory(answering(act)) as client:
            with pytest.raises(MCPError, match="Invalid request parameters"):
                await client.session.send_request(malformed, types.CallToolResult)
            with pytest.raises(MCPError, match="Method not found"):
                await client.list_tools()

    asyncio.run(session())


def test_a_limit_ends_the_waiting() -> None:
    async def act(_ctx: Any, _params: Any) -> Any:
        await asyncio.Event().wait()

    error = failure(answering(act), timeout_s=0.01)
    assert error.code == types.REQUEST_TIMEOUT


def test_a_server_may_notify_its_client_but_not_ask_it() -> None:
    async def act(ctx: Any, _params: Any) -> types.CallToolResult:
        await ctx.session.send_tool_list_changed()
        await ctx.session.send_request(types.ListRootsRequest(), types.ListRootsResult)
        return DONE

    assert failure(answering(act)).code == types.INVALID_REQUEST


def test_a_closed_connection_carries_nothing() -> None:
    async def act(_ctx: Any, _params: Any) -> types.CallToolResult:
        return DONE

    async def session() -> None:
        async with connect_in_memory(answering(act)) as client:
            assert await client.call_tool("act", {}) == DONE
        with pytest.raises(MCPError, match="Connection closed"):
            await client.call_tool("act", {})

    asyncio.run(session())
