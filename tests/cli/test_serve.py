"""`heedful serve` works with any MCP client, over stdio and streamable HTTP, on loopback only."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import mcp_types as types
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from heedful.robots.tools import TOOLS


async def exercise(client: Client) -> None:
    tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == list(TOOLS)
    resources = (await client.list_resources()).resources
    assert {str(r.uri) for r in resources} == {"robot://state", "robot://workspace", "robot://safety"}
    safety = (await client.read_resource("robot://safety")).contents[0]
    assert isinstance(safety, types.TextResourceContents)
    assert "S4" in safety.text
    walked = await client.call_tool("walk_to", {"x": 0.5, "y": 0.0, "speed_percent": "40%"})
    assert not walked.is_error
    assert isinstance(walked.content[0], types.TextContent)
    assert json.loads(walked.content[0].text)["x"] == pytest.approx(0.5, abs=0.15)
    refused = await client.call_tool("walk_to", {"position": [9, 9, 9]})
    assert refused.is_error


async def over(target: StdioServerParameters | str) -> None:
    async with Client(target, read_timeout_seconds=60) as client:
        await exercise(client)


@pytest.mark.parametrize("world", ["synthetic", "sim"])
def test_stdio_serves_tools_and_resources(world: str, tmp_path: Path) -> None:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "heedful", "serve", "--world", world],
        env={**os.environ, "HEEDFUL_DATA": str(tmp_path)},
    )
    asyncio.run(over(command))


@pytest.fixture
def port() -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "heedful", "serve", "--http", str(free)],
        stderr=subprocess.DEVNULL,
        env=os.environ,
    )
    try:
        while process.poll() is None:
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", free)) == 0:
                    break
        yield free
    finally:
        process.terminate()
        process.wait(timeout=20)


def test_http_serves_on_loopback_only(port: int) -> None:
    asyncio.run(over(f"http://127.0.0.1:{port}/mcp"))
    table = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()
    listening = [line.split()[1] for line in table if f":{port:04X} " in line]
    assert any(address.startswith("0100007F") for address in listening)
    assert not any(address.startswith("00000000") for address in listening)


def test_a_turn_that_does_not_exist_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "heedful", "serve", "--turn", "101"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "between 1 and 100" in done.stderr
