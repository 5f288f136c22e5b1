"""Whether the robot's server answers at all: a program that speaks no MCP would leave its clients waiting."""

from __future__ import annotations

import asyncio

SILENT = "the robot's server does not answer as an MCP server would; is the command or the address right?"


class FirstAnswer:
    """Waits for the first answer to the first request."""

    def __init__(self) -> None:
        self._asked, self._answered = asyncio.Event(), asyncio.Event()

    def asked(self) -> None:
        """Take note of a request to the server."""
        self._asked.set()

    def answered(self) -> None:
        """Take note of an answer."""
        self._answered.set()

    async def is_missing(self, limit_s: float) -> bool:
        """Return, once something was asked, whether nothing was answered within `limit_s` [s]."""
        await self._asked.wait()
        try:
            await asyncio.wait_for(self._answered.wait(), limit_s)
        except TimeoutError:
            return True
        return False
