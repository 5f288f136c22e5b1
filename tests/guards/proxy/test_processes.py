"""Real processes: any client, any server, every transport and revision, and what happens when one dies."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from heedful.guards.audit.check import verify_log
from tests.guards.proxy.foreign import write_map
from tests.guards.proxy.processes import (
    EVERYTHING,
    GUARD,
    ROBOT,
    free_port,
    guard_over_pipes,
    running,
    serving,
    stdio,
    talk,
)

PUBLIC = {
    "mcp-server-everything": ["get-sum", {"a": 1, "b": 2}],
    "mcp-server-time": ["get_current_time", {"timezone": "UTC"}],
}
MODES = ("legacy", "2026-07-28")


async def tools_of(target: Any, mode: str = "auto") -> list[dict[str, Any]]:
    async with Client(target, mode=mode, read_timeout_seconds=60) as client:
        return [t.model_dump(by_alias=True, mode="json") for t in (await client.list_tools()).tools]


async def ask_everything(target: Any, mode: str, kilobytes: int = 1000) -> dict[str, Any]:
    """Return everything a server tells, as JSON."""
    told: dict[str, Any] = {}
    async with Client(target, mode=mode, read_timeout_seconds=60) as client:
        told["version"], told["instructions"] = client.protocol_version, client.instructions
        told["capabilities"] = plain(client.server_capabilities)
        told["tools"] = plain(await client.list_tools())
        told["resources"] = plain(await client.list_resources())
        told["templates"] = plain(await client.list_resource_templates())
        told["prompts"] = plain(await client.list_prompts())
        for tool, args in (
            ("echo", {"text": "grüezi \u2028 \U0001f916"}),
            ("weather", {"city": "Zürich"}),
            ("picture", {"kilobytes": kilobytes}),
            ("fail", {"text": "on purpose"}),
        ):
            told[tool] = plain(await client.call_tool(tool, args))
        steps: list[Any] = []

        async def note(*step: Any) -> None:
            steps.append(step)

        told["count"] = plain(await client.call_tool("count", {"to": 3}, progress_callback=note))
        told["steps"] = steps
        for uri in ("memo://fixed", "memo://blob", "memo://named/ada"):
            told[uri] = plain(await client.read_resource(uri))
        told["prompt"] = plain(await client.get_prompt("greet", {"name": "Ada"}))
        for wrong in ("memo://missing",):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(wrong)
            told[wrong] = str(caught.value)
    return told


def plain(value: Any) -> Any:
    return value.model_dump(by_alias=True, mode="json")


@pytest.fixture(scope="module")
def everything_map(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("maps") / "map.yaml"
    return str(write_map(path, asyncio.run(tools_of(stdio(EVERYTHING)))))


@pytest.mark.parametrize("mode", MODES)
def test_over_pipes_every_answer_is_the_same_with_the_guard(everything_map: str, mode: str) -> None:
    guarded = (*GUARD, "--map", everything_map, "--", *EVERYTHING)
    bare, through = (asyncio.run(ask_everything(stdio(c), mode)) for c in (EVERYTHING, guarded))
    assert through == bare


@pytest.mark.parametrize("mode", MODES)
def test_over_http_every_answer_is_the_same_with_the_guard(everything_map: str, mode: str) -> None:
    behind, front = free_port(), free_port()
    with serving((*EVERYTHING, str(behind)), behind) as url:
        command = (*GUARD, "--map", everything_map, "--http", str(front), "--url", url)
        with serving(command, front) as guarded:
            # the SDK's client takes events of at most 1 MiB
            bare, through = (asyncio.run(ask_everything(at, mode, 700)) for at in (url, guarded))
    assert through == bare


@pytest.mark.parametrize("command", PUBLIC)
def test_a_public_server_works_through_the_guard_unchanged(command: str, tmp_path: Path) -> None:
    found = shutil.which(command)
    if found is None:
        assert command not in os.environ.get("HEEDFUL_PEERS", "").split(), f"{command} is not on the PATH"
        pytest.skip(f"needs {command} on the PATH")
    tool, args = PUBLIC[command]

    async def ask(target: Any) -> Any:
        async with Client(target, mode="auto", read_timeout_seconds=60) as client:
            listed = plain(await client.list_tools())
            return client.server_info, listed, (await client.call_tool(tool, args)).is_error

    path = str(write_map(tmp_path / "map.yaml", asyncio.run(tools_of(stdio([found])))))
    guarded = (*GUARD, "--map", path, "--", found)
    assert asyncio.run(ask(stdio(guarded))) == asyncio.run(ask(stdio([found])))


async def drive(client: Client) -> list[str]:
    """Return what became of a few commands to our robot."""
    told: list[str] = []
    for tool, args in (
        ("walk_to", {"x": 0.5, "y": 0.0, "speed_percent": 40}),
        ("walk_to", {"x": 50.0, "y": 0.0, "speed_percent": 40}),
        ("get_battery", {}),
        ("fly", {}),
        ("stop", {}),
    ):
        result = await client.call_tool(tool, args)
        told.append("refused" if result.is_error else "done")
    return told


EXPECTED = ["done", "refused", "done", "refused", "done"]


@pytest.mark.parametrize("mode", MODES)
def test_our_robot_over_pipes_and_its_log(tmp_path: Path, mode: str) -> None:
    log = tmp_path / "log.jsonl"

    async def run() -> list[str]:
        command = (*GUARD, "--log", str(log), "--", *ROBOT)
        async with Client(stdio(command), mode=mode, read_timeout_seconds=60) as client:
            return await drive(client)

    assert asyncio.run(run()) == EXPECTED
    check = verify_log(log)
    assert (check.is_intact, check.is_closed, check.close_reason) == (True, True, "the client closed")
    assert (check.decisions["allow"], check.decisions["deny"]) == (3, 2)


def test_several_clients_over_http_share_one_guard_and_one_robot() -> None:
    port = free_port()

    async def run(url: str) -> list[list[str]]:
        async with (
            Client(url, mode="legacy", read_timeout_seconds=60) as first,
            Client(url, mode="auto", read_timeout_seconds=60) as second,
        ):
            return [await drive(first), await drive(second)]

    with serving((*GUARD, "--http", str(port), "--", *ROBOT), port) as url:
        assert asyncio.run(run(url)) == [EXPECTED, EXPECTED]
        table = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()
        listening = [line.split()[1] for line in table if f":{port:04X} " in line]
        assert not any(address.startswith("00000000") for address in listening)


def child_of(pid: int) -> int:
    return int(Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()[0])


def test_a_killed_robot_server_refuses_with_the_reason_and_ends_with_3(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    process = guard_over_pipes("--log", str(log))
    try:
        walk = {"name": "walk_to", "arguments": {"x": 0.3, "y": 0.0, "speed_percent": 20}}
        assert not talk(process, {"id": 1, "method": "tools/call", "params": walk})["result"]["isError"]
        os.kill(child_of(process.pid), signal.SIGKILL)
        number = 2
        while "signal 9" not in json.dumps(
            told := talk(process, {"id": number, "method": "tools/call", "params": walk})
        ):
            assert number < 1000
            number += 1
        assert "result" in told or "error" in told
        process.stdin.close()
        assert process.wait(timeout=30) == 3
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert verify_log(log).close_reason.startswith("the robot's server was ended by signal 9")


def test_a_cancelled_walk_that_moves_late_is_stopped_after_it_moved_18(tmp_path: Path) -> None:
    motors = tmp_path / "motors"
    motors.touch()
    robot = (sys.executable, "-m", "tests.guards.proxy.late_robot", str(motors))
    process = guard_over_pipes(robot=robot)
    try:
        walk = {"name": "walk_to", "arguments": {"x": 0.3, "y": 0.0, "speed_percent": 20}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": walk}
        process.stdin.write(json.dumps(body).encode() + b"\n")
        process.stdin.flush()
        while "asked" not in motors.read_text(encoding="utf-8"):
            assert process.poll() is None
        talk(process, {"method": "notifications/cancelled", "params": {"requestId": 1}})
        while not re.search("stop\n(.*\n)*moved\nstop\n", motors.read_text(encoding="utf-8")):
            assert process.poll() is None
        process.stdin.close()
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_told_to_end_guard_stops_what_moves_first(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    process = guard_over_pipes("--log", str(log))
    try:
        velocity = {"linear_x": 0.2, "linear_y": 0.0, "angular_z": 0.0, "duration": 9.0, "speed_percent": 20}
        call = {"name": "walk_with_velocity", "arguments": velocity}
        assert not talk(process, {"id": 1, "method": "tools/call", "params": call})["result"]["isError"]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()
    assert '"action":"stop"' in log.read_text(encoding="utf-8")
    assert verify_log(log).is_closed


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "one of them"),
        (["--url", "ftp://x", "--", "robot"], "one of them"),
        (["--url", "ftp://x"], "http address"),
        (["--spec", "nope", "--", "robot"], "not known"),
        (["--map", "heedful-robt", "--", "robot"], "Did you mean 'heedful-robot'"),
        (["--margin", "human.distance=far", "--", "robot"], "cannot be read"),
        (["--margin", "human.distanse=1", "--", "robot"], "human.distance"),
        (["--", "/no/such/robot"], "cannot be started"),
        (["--max-calls", "9999", "--", "robot"], "1 to 256"),
    ],
)
def test_bad_input_is_told_and_nothing_is_started(arguments: list[str], says: str) -> None:
    done = subprocess.run(
        [*GUARD, *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_in_use_is_told() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with running((*GUARD, "--http", str(taken.getsockname()[1]), "--", *ROBOT)) as guard:
            guard.wait_for("cannot be listened at")
