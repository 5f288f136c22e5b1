"""The guard's own eyes and hands: polls the sensors, acts when something is due, tries until it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from heedful.errors import RobotError
from heedful.guards.proxy.asker import Asker
from heedful.guards.proxy.gate import ProxyGate
from heedful.guards.proxy.message import CALL_TOOL
from heedful.guards.proxy.motions import Act
from heedful.guards.proxy.telling import text_of
from heedful.guards.tool_map.signals import Poll

READ = "resources/read"


class Monitor:
    """Keeps one robot under watch for as long as it runs."""

    def __init__(self, gate: ProxyGate, asker: Asker, clock: Callable[[], float]) -> None:
        """Take what to watch.

        Args:
            gate: Where readings go and where what is due comes from.
            asker: The way to the robot's server.
            clock: The guard's clock [s].
        """
        self._gate, self._asker, self._clock = gate, asker, clock
        self._acting: dict[str, asyncio.Task[None]] = {}
        self._failures = 0
        self._tasks: asyncio.TaskGroup | None = None
        self._watches: list[asyncio.Task[None]] = []
        self.on_change: Callable[[], None] = lambda: None
        """Called after every reading and action, since a call that waits may pass now."""
        self.last_tick_s = clock()

    async def run(self) -> None:
        """Watch until cancelled."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._tick())
                await self._asker.can_ask.wait()
                self._tasks = tasks
                for first in self.renew():
                    await first.wait()
                self._gate.ready_s = self._clock()
                self.on_change()
        finally:
            for task in self._acting.values():
                task.cancel()

    def renew(self) -> list[asyncio.Event]:
        """Ask the sensors that the tool map names now, and no others; return what tells of first answers."""
        for watch in self._watches:
            watch.cancel()
        if self._tasks is None:
            return []
        until_s = self._clock() + self._gate.settings.start_s
        polls = [(poll, asyncio.Event()) for poll in self._gate.map.polls()]
        self._watches = [self._tasks.create_task(self._watch(p, first, until_s)) for p, first in polls]
        return [first for _, first in polls]

    async def _tick(self) -> None:
        while True:
            self.look()
            self._gate.journal.flush_old(self._clock())
            self.last_tick_s = self._clock()
            await asyncio.sleep(self._gate.settings.tick_s)

    async def _watch(self, poll: Poll, first: asyncio.Event, until_s: float) -> None:
        """Ask a sensor again and again; tell when it has answered once, or not until `until_s`."""
        due_s = self._clock()
        try:
            while True:
                if await self._ask(poll) or self._clock() >= until_s:
                    first.set()
                due_s = max(due_s + poll.period_s, self._clock())
                await asyncio.sleep(due_s - self._clock())
        finally:
            first.set()

    async def _ask(self, poll: Poll) -> bool:
        """Ask a sensor once; return whether it answered."""
        asked_s = self._clock()
        try:
            result = await self._asker.ask(*_question(poll), self._gate.settings.poll_timeout_s)
        except RobotError:
            return False
        if result.get("isError"):
            return False
        self._gate.observe(poll, result, asked_s, self._clock())
        self.look()
        return True

    def look(self) -> None:
        """Act on what is due and is not being done already."""
        if not self._gate.lost and self._asker.can_ask.is_set():
            now_s = self._clock()
            for act in self._gate.motions.due(now_s, self._gate.pose(now_s)):
                kind = act.intervention.kind
                slot = kind if kind == "sit_down" or act.command is not None else "stop"
                if slot not in self._acting or self._acting[slot].done():
                    self._acting[slot] = asyncio.get_running_loop().create_task(self._do(act))
        self.on_change()

    async def settle(self, limit_s: float) -> None:
        """Stop what moves and wait until the robot has accepted it, at most `limit_s`."""
        until_s = self._clock() + limit_s
        self.look()
        while self._gate.motions.is_moving and not self._gate.lost and self._clock() < until_s:
            await asyncio.sleep(self._gate.settings.tick_s)
            self.look()

    async def _do(self, act: Act) -> None:
        tool, args, action = self._choose(act)
        motions, journal = self._gate.motions, self._gate.journal
        number = motions.tried(act, action, tool, args, self._clock())
        try:
            text = await self._call(tool, args, self._timeout_s(action))
        except RobotError as error:
            self._failures += 1
            journal.answered(number, "error", str(error), self._clock())
            motions.doubted(act)
        else:
            self._failures = 0
            journal.answered(number, "ok", text, self._clock())
            motions.accepted(act, action, self._clock())
        self.on_change()

    def _choose(self, act: Act) -> tuple[str, dict[str, Any], str]:
        """Return what to call: the act itself or, after failures, what is harder."""
        kind, actions = act.intervention.kind, self._gate.map
        if kind != "sit_down" and self._failures >= self._gate.settings.stop_tries:
            harder = actions.action("emergency_stop")
            if harder is not None:
                return (*harder, "emergency_stop")
        if kind == "limit" and self._failures:
            harder = actions.action("stop")
            if harder is not None:
                return (*harder, "stop")
        action = kind if act.command is not None or kind == "sit_down" else "stop"
        return act.tool, dict(act.args), action

    def _timeout_s(self, action: str) -> float:
        if action == "sit_down":
            settings = self._gate.guard.settings
            return settings.action_takes_s + settings.action_reserve_s
        return self._gate.settings.stop_timeout_s

    async def _call(self, tool: str, args: dict[str, Any], timeout_s: float) -> str:
        result = await self._asker.ask(CALL_TOOL, {"name": tool, "arguments": args}, timeout_s)
        text = text_of(result)
        if result.get("isError"):
            raise RobotError(text)
        return text


def _question(poll: Poll) -> tuple[str, dict[str, Any]]:
    if poll.resource is not None:
        return READ, {"uri": poll.resource}
    return CALL_TOOL, {"name": poll.tool, "arguments": dict(poll.args)}
