"""The way to the robot's server, whatever carries it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Protocol

from heedful.guards.proxy.message import Message, read_lenient
from heedful.guards.proxy.stdio import ChildServer


class Link(Protocol):
    """One connection to the robot's server."""

    async def open(self) -> None:
        """Connect.

        Raises:
            HeedfulError: If that cannot be done.
        """
        ...

    def send(self, message: Message) -> None:
        """Send a message; to a server that is gone, nothing."""
        ...

    async def drained(self) -> None:
        """Wait until the server takes more."""
        ...

    def messages(self) -> AsyncIterator[Message]:
        """Yield what the server sends, until it ends."""
        ...

    async def describe_end(self) -> str:
        """Say how the connection ended."""
        ...

    async def close(self) -> None:
        """End the connection, and the server with it when it was started here."""
        ...


class PipeLink:
    """A robot's server that is a child process on pipes."""

    def __init__(self, server: ChildServer) -> None:
        self._server = server

    async def open(self) -> None:
        """Start the server."""
        await self._server.open()

    def send(self, message: Message) -> None:
        """Write a message."""
        self._server.send(message.raw)

    async def drained(self) -> None:
        """Wait until the server takes more."""
        await self._server.drained()

    async def messages(self) -> AsyncIterator[Message]:
        """Yield each message; a line that is no message is passed on as it came, without a meaning."""
        async for line in self._server.lines():
            found = read_lenient(line)
            for message in found:
                yield message
            if not found:
                yield Message({}, line)

    async def describe_end(self) -> str:
        """Say how the server ended."""
        await self._server.wait()
        return self._server.describe_end()

    async def close(self) -> None:
        """End the server."""
        await self._server.close()
