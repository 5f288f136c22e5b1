"""Messages over pipes, one a line: this process's own standard streams, and a robot server as a child."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import stat
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Sequence
from typing import IO, Any, cast

from heedful.errors import InputError

LONGEST_LINE = 64 * 1024 * 1024
"""The longest message over a pipe [bytes]."""
GRACE_S = 2.0
"""How long a child may take to end after its input is closed, and again after it was told to [s]."""


class PipeWriter(asyncio.BaseProtocol):
    """Writes lines; says when the other end is gone."""

    def __init__(self) -> None:
        self._can_write = asyncio.Event()
        self._can_write.set()
        self._transport: asyncio.WriteTransport | None = None
        self.is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.WriteTransport, transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """End: what is written from now on is dropped."""
        del exc
        self.is_lost = True
        self._can_write.set()

    def pause_writing(self) -> None:
        """Hold writers that wait."""
        self._can_write.clear()

    def resume_writing(self) -> None:
        """Let them go on."""
        self._can_write.set()

    def send(self, line: bytes) -> None:
        """Write a line without waiting."""
        if self._transport is not None and not self.is_lost:
            self._transport.write(line + b"\n")

    async def drained(self) -> None:
        """Wait until the pipe takes more."""
        await self._can_write.wait()

    async def close(self) -> None:
        """Write out what is left."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.close()
        await asyncio.sleep(0)


class StandardStreams:
    """This process's standard input and output as the client's end."""

    def __init__(self) -> None:
        self._reader = asyncio.StreamReader(limit=LONGEST_LINE)
        self._writer = PipeWriter()
        self._input: asyncio.BaseTransport | None = None

    async def open(self) -> None:
        """Take the streams over."""
        loop = asyncio.get_running_loop()
        if _is_pipe(sys.stdin.buffer):
            protocol = asyncio.StreamReaderProtocol(self._reader)
            self._input, _ = await loop.connect_read_pipe(lambda: protocol, sys.stdin.buffer)
        else:
            self._reader.feed_data(await asyncio.to_thread(sys.stdin.buffer.read))
            self._reader.feed_eof()
        out = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
        await loop.connect_write_pipe(lambda: self._writer, out)

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each message that the client writes, until it closes."""
        async for line in _lines(self._reader):
            yield line

    def send(self, line: bytes) -> None:
        """Write a message to the client."""
        self._writer.send(line)

    async def drained(self) -> None:
        """Wait until the client takes more."""
        await self._writer.drained()

    async def close(self) -> None:
        """Give the streams back."""
        if self._input is not None:
            self._input.close()
        await self._writer.close()


class ChildServer:
    """A robot's MCP server that runs as a child process."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = list(command)
        self._process: Process | None = None

    async def open(self) -> None:
        """Start the server; what it writes to its standard error goes to ours.

        Raises:
            InputError: If it cannot be started.
        """
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            shown = self._command[0] if self._command else ""
            raise InputError(f"The robot's server {shown!r} cannot be started: {error}.") from error

    @property
    def pid(self) -> int:
        """The child's process id."""
        return self._running.pid

    async def lines(self) -> AsyncIterator[bytes]:
        """Yield each message that the server writes, until it ends."""
        async for line in _lines(cast(asyncio.StreamReader, self._running.stdout)):
            yield line

    def send(self, line: bytes) -> None:
        """Write a message to the server; to one that is gone, nothing."""
        stream = self._running.stdin
        if stream is not None and not stream.is_closing():
            stream.write(line + b"\n")

    async def drained(self) -> None:
        """Wait until the server takes more."""
        stream = self._running.stdin
        if stream is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):
                await stream.drain()

    def describe_end(self) -> str:
        """Say how the server ended."""
        code = self._running.returncode
        if code is None:
            return "the robot's server closed its output"
        if code < 0:
            return f"the robot's server was ended by signal {-code}"
        return f"the robot's server ended with code {code}"

    async def wait(self) -> None:
        """Wait a moment for the exit code of a server whose output has ended."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._running.wait(), 0.5)

    async def close(self) -> None:
        """End the server: close its input, then tell it, then force it."""
        process = self._running
        if process.stdin is not None:
            process.stdin.close()
        for sign in (signal.SIGTERM, signal.SIGKILL):
            if await _has_ended(process):
                break
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, sign)
        else:
            await _has_ended(process)
        transport: Any = getattr(process, "_transport", None)
        if transport is not None:
            transport.close()  # else a grandchild that holds the pipe keeps it open

    @property
    def _running(self) -> Process:
        if self._process is None:
            raise RuntimeError("open() comes first")
        return self._process


async def _has_ended(process: Process) -> bool:
    try:
        await asyncio.wait_for(process.wait(), GRACE_S)
    except TimeoutError:
        return False
    return True


async def _lines(reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
    while True:
        try:
            line = await reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            line = end.partial
        except (asyncio.LimitOverrunError, ConnectionError):
            return  # a message over the limit: nothing after it can be trusted to begin where it seems to
        if not line:
            return
        if line := line.strip():
            yield line
            await asyncio.sleep(0)  # lines that are there already must not keep the guard from looking


def check_output() -> None:
    """Refuse a standard output that nobody reads from as it comes.

    Raises:
        InputError: If it is a file.
    """
    if stat.S_ISREG(os.fstat(sys.stdout.fileno()).st_mode):
        raise InputError("Standard output is a file; an MCP client reads from a pipe. Or use --http PORT.")


def _is_pipe(stream: IO[bytes]) -> bool:
    mode = os.fstat(stream.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stream.isatty()
