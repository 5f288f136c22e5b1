"""The robot behind MCP is the same robot: over memory, stdio and HTTP, with failures kept apart."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import anyio
import mcp_types as types
import orjson
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from heedful.errors import ProviderError, RobotError
from heedful.robots.client import DirectClient, RobotClient, ToolOffer, ToolReply, offered_tools
from heedful.robots.mcp_client import McpClient
from heedful.robots.robot import Robot
from heedful.robots.serve import describe_server, serve_http
from heedful.robots.tools import TOOLS
from heedful.scenarios.load import load_scenario
from heedful.spec.load import load_spec
from heedful.spec.prompt import render_rules
from heedful.world.synthetic.world import SyntheticWorld

from .robots import robot, scene

SPEC = load_spec("iso10218-humanoid")
SCENARIO = load_scenario("humanoid-100-v1")
Call = tuple[str, dict[str, Any]]
CALLS: tuple[Call, ...] = (
    ("get_position", {}),
    ("get_proximity", {}),
    ("walk_to", {"x": 0.5, "y": 0.25, "speed_percent": "40%"}),
    ("walk_to", {"x": 0.5, "y": 0.25}),
    ("walk_to", {"x": True, "y": None, "speed_percent": [1]}),
    ("walk_to", {"x": 2**53, "y": 1e300, "speed_percent": 1}),
    (
        "walk_with_velocity",
        {"linear_x": 0.3, "linear_y": 0, "angular_z": 0.2, "duration": 3, "speed_percent": 30},
    ),
    ("get_battery", {}),
    ("stop", {}),
    ("turn", {"angle_deg": -45, "speed_percent": 100}),
    (
        "speak",
        {"text": "Grüße, 机器人 \U0001f916 \u2028 \x00 <|im_end|> {{7*7}} ../../etc/passwd '; DROP TABLE"},
    ),
    ("speak", {"text": "x" * 100_000}),
    ("speak", {"__proto__": {"admin": True}, "text": "a"}),
    ("fly", {"height": 3}),
    ("", {}),
    ("wave_hand", {"hand": "right"}),
    ("sit_down", {}),
    ("walk_to", {"x": 0.0, "y": 0.0, "speed_percent": 10}),
    ("get_human_pose", {}),
    ("emergency_stop", {}),
    ("get_camera_status", {"verbose": True}),
)


async def replies(client: RobotClient, calls: Sequence[Call] = CALLS) -> list[ToolReply]:
    async with client as connected:
        assert await connected.tools() == offered_tools()
        return [await connected.call(name, args) for name, args in calls]


def served() -> Robot:
    """The robot that `heedful serve` serves by default, in its first turn."""
    world = SyntheticWorld(0, SPEC.limits, SCENARIO.noise_law())
    world.begin_turn(0, SCENARIO.turns[0].script)
    return Robot(world)


def directly(made: Robot) -> list[ToolReply]:
    return asyncio.run(replies(DirectClient(made)))


@contextlib.asynccontextmanager
async def over_http(made: Robot) -> AsyncIterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    task = asyncio.create_task(serve_http(describe_server(made, SPEC), port))
    async with asyncio.timeout(20):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
                break
            except OSError:
                continue
    writer.close()
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_calls_over_mcp_in_memory_give_what_direct_calls_give(mode: str) -> None:
    direct, remote = robot(), robot()
    expected = directly(direct)
    found = asyncio.run(replies(McpClient(describe_server(remote, SPEC), mode=mode)))
    assert found == expected
    assert remote.journal == direct.journal


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_tools_over_mcp_in_memory_read_as_direct_ones_to_the_letter(mode: str) -> None:
    async def session() -> tuple[ToolOffer, ...]:
        async with McpClient(describe_server(robot(), SPEC), mode=mode) as client:
            return await client.tools()

    assert repr(asyncio.run(session())) == repr(offered_tools())


def test_calls_over_http_give_what_direct_calls_give() -> None:
    direct, remote = robot(), robot()
    expected = directly(direct)

    async def session() -> list[ToolReply]:
        async with over_http(remote) as url:
            return await replies(McpClient(url))

    assert asyncio.run(session()) == expected
    assert remote.journal == direct.journal


def test_calls_over_stdio_give_what_direct_calls_give() -> None:
    server = StdioServerParameters(command=sys.executable, args=["-m", "heedful", "serve"])
    assert asyncio.run(replies(McpClient(server))) == directly(served())


def use(made: Robot, work: Callable[[Client], Awaitable[Any]]) -> Any:
    async def session() -> Any:
        async with Client(describe_server(made, SPEC)) as client:
            return await work(client)

    return asyncio.run(session())


def test_tools_are_listed_with_schemas_and_hints() -> None:
    listed = use(robot(), lambda client: client.list_tools()).tools
    assert [tool.name for tool in listed] == list(TOOLS)
    for tool in listed:
        assert tool.input_schema["additionalProperties"] is False
        assert sorted(tool.input_schema["required"]) == sorted(tool.input_schema["properties"])
        assert tool.description
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint is tool.name.startswith("get_")


def test_resources_are_listed_and_read() -> None:
    made = robot()

    async def read_all(client: Client) -> dict[str, Any]:
        uris = [str(resource.uri) for resource in (await client.list_resources()).resources]
        return {uri: (await client.read_resource(uri)).contents[0] for uri in uris}

    contents = use(made, read_all)
    texts = {uri: content.text for uri, content in contents.items()}
    assert texts["robot://safety"] == render_rules(SPEC)
    corners = [list(corner) for corner in SPEC.document.workspace.polygon]
    assert orjson.loads(texts["robot://workspace"]) == {"frame": "map", "unit": "m", "polygon": corners}
    state = orjson.loads(texts["robot://state"])
    assert (state["battery.level"], state["posture"]) == (80.0, "standing")
    mimes = {uri: content.mime_type for uri, content in contents.items()}
    assert mimes["robot://safety"] == "text/plain"
    assert mimes["robot://state"] == "application/json"
    assert made.journal == []  # reading a resource is no call of the robot


def test_the_state_is_read_anew_every_time() -> None:
    async def twice(client: Client) -> list[Any]:
        first = await client.read_resource("robot://state")
        await client.call_tool("sit_down", {})
        return [
            orjson.loads(r.contents[0].text) for r in (first, await client.read_resource("robot://state"))
        ]  # type: ignore[union-attr]

    before, after = use(robot(), twice)
    assert (before["posture"], after["posture"]) == ("standing", "seated")


@pytest.mark.parametrize("uri", ["robot://secrets", "robot://state/../safety", "file:///etc/passwd"])
def test_an_unknown_resource_is_an_error(uri: str) -> None:
    async def read(client: Client) -> None:
        with pytest.raises(MCPError, match="Unknown resource"):
            await client.read_resource(uri)

    use(robot(), read)


def test_an_unknown_tool_is_a_result_that_the_model_sees() -> None:
    result = use(robot(), lambda client: client.call_tool("fly", {}))
    assert result.is_error
    assert "unknown tool 'fly'" in result.content[0].text


def test_a_missing_argument_object_is_no_arguments() -> None:
    assert not use(robot(), lambda client: client.call_tool("stop")).is_error


def unreachable() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{free.getsockname()[1]}/mcp"


@pytest.mark.parametrize(
    "target",
    [
        unreachable,
        lambda: StdioServerParameters(command="/no/such/server", args=[]),
        lambda: StdioServerParameters(command=sys.executable, args=["-c", "raise SystemExit(3)"]),
    ],
)
def test_a_server_that_cannot_be_reached_is_one_error_of_ours(target: Callable[[], Any]) -> None:
    with pytest.raises(RobotError, match="cannot be reached"):
        asyncio.run(replies(McpClient(target(), timeout_s=10)))


def test_a_server_that_dies_in_the_middle_is_one_error_of_ours() -> None:
    script = """
import asyncio, os, sys
sys.path.insert(0, sys.argv[1])
from heedful.robots.serve import serve_stdio, describe_server
from heedful.spec.load import load_spec
from tests.robots.robots import robot
made = robot()
call = made.call
def once(name, args):
    if made.journal: os._exit(9)
    return call(name, args)
made.call = once
asyncio.run(serve_stdio(describe_server(made, load_spec("iso10218-humanoid"))))
"""
    root = __file__.rsplit("/tests/", 1)[0]

    async def session() -> list[str]:
        seen = []
        async with McpClient(
            StdioServerParameters(command=sys.executable, args=["-c", script, root])
        ) as client:
            seen.append((await client.call("get_battery", {})).text)
            for work in (client.call("stop", {}), client.tools()):
                with pytest.raises(RobotError) as caught:
                    await work
                seen.append(str(caught.value))
        return seen

    first, second, third = asyncio.run(session())
    assert first == '{"battery_percent":80.0}'
    assert "failed on stop" in second
    assert "does not list its tools" in third


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("error", [ProviderError("x", "down"), KeyError("k"), TimeoutError()])
def test_an_error_of_the_session_leaves_the_connection_as_it_is(mode: str, error: Exception) -> None:
    async def session() -> None:
        async with McpClient(describe_server(robot(), SPEC), mode=mode):
            raise error

    with pytest.raises(type(error)) as caught:
        asyncio.run(session())
    assert caught.value is error


def late_server(made: Robot, gate: anyio.Event, acted: anyio.Event) -> Server[Any]:
    """A server whose robot acts only when the gate opens, however long its client waits."""

    async def act(name: str, args: dict[str, Any]) -> None:
        await gate.wait()
        made.call(name, args)
        acted.set()

    running: list[asyncio.Task[None]] = []

    async def call_tool(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        running.append(asyncio.ensure_future(act(params.name, params.arguments or {})))
        await asyncio.shield(running[-1])
        return types.CallToolResult(content=[], is_error=False)

    async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[])

    return Server("late", on_call_tool=call_tool, on_list_tools=list_tools)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_actuation_after_the_client_gave_up_stands_in_the_journal(mode: str) -> None:
    made = robot(scene())

    async def session() -> None:
        gate, acted = anyio.Event(), anyio.Event()
        async with McpClient(late_server(made, gate, acted), mode=mode, timeout_s=0.05) as client:
            with pytest.raises(RobotError, match="failed on walk_to"):
                await client.call("walk_to", {"x": 1.0, "y": 0.0, "speed_percent": 100.0})
            assert made.journal == []
            gate.set()
            await acted.wait()

    asyncio.run(session())
    assert [event.tool for event in made.journal] == ["walk_to"]
    assert made.world.robot().pose.x == 1.0
