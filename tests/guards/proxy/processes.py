"""Real processes for the tests: ports, guards, servers, and their end."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp.client.stdio import StdioServerParameters

GUARD = (sys.executable, "-m", "heedful", "guard")
ROBOT = (sys.executable, "-m", "heedful", "serve")
EVERYTHING = (sys.executable, str(Path(__file__).with_name("everything_server.py")))


def stdio(command: Sequence[str]) -> StdioServerParameters:
    return StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(os.environ))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Running:
    """A process whose standard error is read along."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._news = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line)
                self._news.notify_all()
        with self._news:
            self.lines.append("")
            self._news.notify_all()
        self.process.stderr.close()

    def end(self) -> None:
        """End the process and what reads it."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(timeout=20)

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the first match in what it says."""

        def found() -> re.Match[str] | None:
            return next((hit for line in self.lines if (hit := re.search(pattern, line))), None)

        with self._news:
            self._news.wait_for(lambda: found() is not None or "" in self.lines, timeout=60)
        match = found()
        assert match is not None, "".join(self.lines)
        return match


@contextmanager
def running(command: Sequence[str]) -> Iterator[Running]:
    started = Running(command)
    try:
        yield started
    finally:
        started.end()


@contextmanager
def serving(command: Sequence[str], port: int) -> Iterator[str]:
    """Run an HTTP server until it listens; give its address."""
    with running(command) as started:
        while started.process.poll() is None:
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", port)) == 0:
                    break
        yield f"http://127.0.0.1:{port}/mcp"


def talk(process: subprocess.Popen[bytes], body: dict[str, Any]) -> dict[str, Any]:
    """Send a message; return the answer if it is a request."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **body}).encode() + b"\n")
    process.stdin.flush()
    if "id" not in body:
        return {}
    while True:
        told: dict[str, Any] = json.loads(process.stdout.readline())
        if told.get("id") == body["id"]:
            return told


def guard_over_pipes(
    *options: str, robot: tuple[str, ...] = ROBOT, stderr: int = subprocess.DEVNULL
) -> subprocess.Popen[bytes]:
    """Start a guard and open a session as a client."""
    process = subprocess.Popen(
        [*GUARD, *options, "--", *robot],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )
    params = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    }
    assert "result" in talk(process, {"id": 0, "method": "initialize", "params": params})
    talk(process, {"method": "notifications/initialized"})
    return process
