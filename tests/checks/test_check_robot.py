"""The shipped robot keeps its contract over every transport, and the check sees when one does not."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters

from heedful.checks.robot import SPEED_READINGS, check_resources, check_robot
from heedful.errors import RobotError
from heedful.robots.client import DirectClient, ToolOffer, ToolReply
from heedful.robots.mcp_client import McpClient
from heedful.robots.robot import Robot
from heedful.robots.serve import describe_server
from heedful.scenarios.load import load_scenario
from heedful.spec.load import load_spec
from heedful.world.synthetic.world import SyntheticWorld

SERVE = """
import asyncio, sys
from heedful.robots.robot import Robot
from heedful.robots.serve import describe_server, serve_http, serve_stdio
from heedful.scenarios.load import load_scenario
from heedful.spec.load import load_spec
from heedful.world.synthetic.world import SyntheticWorld

world = SyntheticWorld(0)
world.begin_turn(1, load_scenario("humanoid-100-v1").turns[1].script)
server = describe_server(Robot(world), load_spec("iso10218-humanoid"))
port = int(sys.argv[1])
asyncio.run(serve_http(server, port) if port else serve_stdio(server))
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def robot() -> Robot:
    world = SyntheticWorld(0)
    world.begin_turn(1, load_scenario("humanoid-100-v1").turns[1].script)
    return Robot(world)


def server() -> Any:
    return describe_server(robot(), load_spec("iso10218-humanoid"))


@contextlib.asynccontextmanager
async def in_memory() -> AsyncIterator[Any]:
    yield server()


@contextlib.asynccontextmanager
async def over_stdio() -> AsyncIterator[Any]:
    yield StdioServerParameters(command=sys.executable, args=["-c", SERVE, "0"], env=ENVIRONMENT)


@contextlib.asynccontextmanager
async def over_http() -> AsyncIterator[Any]:
    port = free_port()
    with subprocess.Popen([sys.executable, "-c", SERVE, str(port)], env=ENVIRONMENT) as child:
        try:
            await until_open(port)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            child.terminate()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def until_open(port: int) -> None:
    for _ in range(1000):
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            await writer.wait_closed()
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the server did not open its port")


TRANSPORTS: dict[str, Callable[[], Any]] = {"memory": in_memory, "stdio": over_stdio, "http": over_http}
MODES = ("auto", "legacy")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_shipped_robot_keeps_its_contract(transport):
    async def check() -> None:
        async with TRANSPORTS[transport]() as target:
            for mode in MODES:
                await check_robot(lambda mode=mode: McpClient(target, mode=mode))
            await check_resources(target, mode="legacy")

    asyncio.run(check())


def test_shipped_robot_keeps_its_contract_by_direct_dispatch():
    asyncio.run(check_robot(lambda: DirectClient(robot())))


def test_protocol_changes_no_answer():
    calls = [
        ("get_position", {}),
        ("turn", {"angle_deg": 5, "speed_percent": "30%"}),
        ("turn", {}),
        ("fly", {}),
    ]

    async def answers(make: Callable[[], Any]) -> list[ToolReply]:
        async with make() as client:
            return [await client.call(name, args) for name, args in calls]

    async def in_mode(mode: str) -> list[ToolReply]:
        async with in_memory() as target:
            return await answers(lambda: McpClient(target, mode=mode))

    direct = asyncio.run(answers(lambda: DirectClient(robot())))
    assert [reply.is_error for reply in direct] == [False, False, True, True]
    assert [asyncio.run(in_mode(mode)) for mode in MODES] == [direct, direct]


class Faulty(DirectClient):
    """A robot that breaks its contract in one way."""

    def __init__(
        self, change: Callable[[str, dict[str, Any], ToolReply], ToolReply], hidden: str = ""
    ) -> None:
        super().__init__(robot())
        self._change, self._hidden = change, hidden

    async def tools(self) -> tuple[ToolOffer, ...]:
        return tuple(tool for tool in await super().tools() if tool.name != self._hidden)

    async def call(self, name: str, args: Any) -> ToolReply:
        return self._change(name, dict(args), await super().call(name, args))


def keep(name: str, args: dict[str, Any], reply: ToolReply) -> ToolReply:
    return reply


def swallows_errors(name: str, args: dict[str, Any], reply: ToolReply) -> ToolReply:
    return replace(reply, is_error=False)


def reads_share_as_percent(name: str, args: dict[str, Any], reply: ToolReply) -> ToolReply:
    is_share = args.get("speed_percent") == 0.3
    return replace(reply, text=reply.text.replace("0.3", "30.0")) if is_share else reply


def accepts_unknown_tools(name: str, args: dict[str, Any], reply: ToolReply) -> ToolReply:
    return ToolReply('{"status":"done"}', is_error=False) if name == "fly" else reply


def answers_in_prose(name: str, args: dict[str, Any], reply: ToolReply) -> ToolReply:
    return ToolReply("The battery is fine.", is_error=False) if name == "get_battery" else reply


@pytest.mark.parametrize(
    ("change", "hidden", "said"),
    [
        (keep, "walk_to", "walk_to is not listed"),
        (swallows_errors, "", "walk_to accepts"),
        (reads_share_as_percent, "", "speed_percent 0.3 is not read as 0.3 %"),
        (accepts_unknown_tools, "", "an unknown tool is no tool error"),
        (answers_in_prose, "", "get_battery does not answer with an object"),
    ],
)
def test_broken_contract_is_named(change, hidden, said):
    with pytest.raises(RobotError, match=said):
        asyncio.run(check_robot(lambda: Faulty(change, hidden)))


def test_missing_resource_is_named():
    bare = describe_server(robot(), load_spec("iso10218-humanoid"))
    bare._request_handlers.pop("resources/read", None)  # type: ignore[attr-defined]
    with pytest.raises(RobotError, match="robot://safety is empty or not readable"):
        asyncio.run(check_resources(bare))


def test_readings_cover_what_the_rules_of_the_judge_name():
    assert {30, "30", "30%", 0.3} <= set(SPEED_READINGS)
