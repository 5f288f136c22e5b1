"""The proxy: every message between clients and the robot's server goes through here.

Only tool calls, and the list of tools, are looked into; everything else passes as it came.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

from heedful.guards.audit.records import UNKNOWN, ServerFacts
from heedful.guards.proxy import message as m
from heedful.guards.proxy.asker import Asker
from heedful.guards.proxy.call import Ask, Deny, Hold
from heedful.guards.proxy.first_answer import SILENT, FirstAnswer
from heedful.guards.proxy.gate import ProxyGate
from heedful.guards.proxy.link import Link
from heedful.guards.proxy.message import Message, MessageError
from heedful.guards.proxy.monitor import Monitor
from heedful.guards.proxy.routes import Held, Port, Route, Routes
from heedful.guards.proxy.telling import add_notes, refusal
from heedful.guards.proxy.tool_list import ToolList
from heedful.trace.decision import Decision

MOST_HELD = 256
"""How many tool calls may wait."""
ANSWER_S = 20.0
"""How long the robot's server may take for its first answer [s]."""
STALL_S = 0.5
"""A gap in the guard's own ticks after which what is read may have queued up since the last one [s]."""
SETTLE_S = 5.0
"""How long the end of the proxy waits for what moves to be stopped [s]."""


class Proxy:
    """Any number of clients on one side, one robot's server on the other, the gate between."""

    def __init__(
        self, link: Link, gate: ProxyGate, clock: Callable[[], float], *, is_shared: bool = False
    ) -> None:
        """Take the parts.

        Args:
            link: The way to the robot's server, not opened.
            gate: What becomes of tool calls.
            clock: The guard's clock [s].
            is_shared: Whether several clients may come, so that ids must be kept apart.
        """
        self._link, self.gate, self._clock, self._is_shared = link, gate, clock, is_shared
        self._asker = Asker(link.send)
        self.monitor = Monitor(gate, self._asker, clock)
        self.monitor.on_change = self._release
        self._routes = Routes(is_shared=is_shared)
        self._ports: list[Port] = []
        self._held: deque[Held] = deque()
        self._is_releasing = False
        self._handshake: dict[str, Any] | None = None
        self._first, self._silence = FirstAnswer(), ""
        self.tools = ToolList(gate.map.tools)
        """What the robot's server offers."""

    async def run(self) -> str:
        """Pass messages on, over a link that is open, until the robot's server ends; return why it did."""
        try:
            watching = asyncio.create_task(self._watch())
            watching.add_done_callback(self._watching_ended)
            try:
                async for message in self._link.messages():
                    self.from_server(message)
                why = self._silence or await self._link.describe_end()
                self.lose(why)
                return why
            finally:
                watching.cancel()
                await asyncio.gather(watching, return_exceptions=True)
        finally:
            await self._link.close()

    def _watching_ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            self._stop_unseen()
            self.lose("the guard's own monitor failed")

    def _stop_unseen(self) -> None:
        """Send a stop whose answer nobody waits for."""
        action = self.gate.map.action("stop") or self.gate.map.action("emergency_stop")
        if action is not None and self.gate.motions.is_moving:
            tool, args = action
            self._link.send(self._asker.question(m.CALL_TOOL, {"name": tool, "arguments": args}))

    async def _watch(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.monitor.run())
            tasks.create_task(self._look_at_tools())
            tasks.create_task(self._expect_answer())

    async def _expect_answer(self) -> None:
        """Give up a server that does not answer its first request."""
        if await self._first.is_missing(ANSWER_S):
            self._silence = SILENT
            await self._link.close()

    async def _look_at_tools(self) -> None:
        """Learn which tools the server has, and say which declared ones it lacks."""
        await self._asker.can_ask.wait()
        try:
            await self.tools.learn(self._asker)
        except Exception as error:
            self.gate.journal.noted("failure", f"{type(error).__name__}: {error}", self._clock())
        self.gate.journal.server(self._server_facts(), self._clock())

    def _server_facts(self) -> ServerFacts:
        shaken = None if self._handshake is None else self._handshake.get("serverInfo")
        told = self.tools.server if isinstance(self.tools.server, dict) else shaken
        told = told if isinstance(told, dict) else {}
        name, version = (str(told.get(key) or UNKNOWN) for key in ("name", "version"))
        return ServerFacts(name, version, self.tools.hash)

    def renew(self) -> None:
        """Look at the tools and sensors of the gate's tool map, if it is another one."""
        if self.tools.declared is not self.gate.map.tools:
            self.tools.declared = self.gate.map.tools
            self.monitor.renew()

    async def settle(self) -> None:
        """Stop what moves before the proxy ends."""
        for port in list(self._ports):
            self.detach(port)
        await self.monitor.settle(SETTLE_S)

    async def drained(self) -> None:
        """Wait until the robot's server takes more."""
        await self._link.drained()

    def attach(self, port: Port) -> None:
        """Let a client in."""
        self._ports.append(port)

    def detach(self, port: Port) -> None:
        """See a client off: what it had under way is stopped and its requests are dropped."""
        if port in self._ports:
            self._ports.remove(port)
        self._held = deque(held for held in self._held if held.route.port is not port)
        for route in self._routes.of(port):
            self._give_up(route, "its client is gone")
        for request_id in self._routes.forget(port):
            self._link.send(m.failure(request_id, m.METHOD_NOT_FOUND, "the client is gone"))
        self.gate.leave(port.key, self._clock())
        self.monitor.look()

    def lose(self, why: str) -> None:
        """Refuse everything from now on and answer whoever waits."""
        self.gate.lose(why, self._clock())
        self._asker.lose(why)
        self._release()
        for route in self._routes.all():
            self._routes.drop(route)
            route.port.send(m.failure(route.id, m.CONNECTION_CLOSED, f"[guard] {self.gate.lost}"), route.id)

    # from clients

    def from_client(self, port: Port, message: Message) -> None:
        """Take a client's message."""
        try:
            if message.is_request:
                self._request(port, message)
            elif message.is_answer:
                self._answer(port, message)
            else:
                self._notify(port, message)
        except MessageError as error:
            self.refuse(port, error)
        except Exception as error:
            self.gate.journal.noted("failure", f"{type(error).__name__}: {error}", self._clock())
            request_id = message.id if message.is_request else None
            self.refuse(port, MessageError("the guard failed on this message", request_id, m.INTERNAL_ERROR))

    def refuse(self, port: Port, error: MessageError) -> None:
        """Answer a message that cannot be read."""
        port.send(m.failure(error.request_id, error.code, f"[guard] {error.reason}"), error.request_id)

    def _request(self, port: Port, message: Message) -> None:
        if self._asker.is_own(message.id):
            raise MessageError("this id is not a client's", message.id)
        if message.method == m.CALL_TOOL:
            self._learn_revision(message)
            self._call(port, message)
        elif self.gate.lost:
            raise MessageError(self.gate.lost, message.id, m.CONNECTION_CLOSED)
        elif message.method == m.INITIALIZE and self._handshake is not None:
            port.send(m.answer(message.id, self._handshake), message.id)
        else:
            self._learn_revision(message)
            self._link.send(self._routes.open(self._routes.name(port, message), message))
            self._first.asked()

    def _answer(self, port: Port, message: Message) -> None:
        if self._routes.is_asked(port, message):
            self._link.send(message)

    def _notify(self, port: Port, message: Message) -> None:
        if message.method == m.CALL_TOOL:
            return  # nobody could be told what became of it
        if message.method == m.CANCELLED:
            self._cancel(port, message)
        elif message.method == m.INITIALIZED:
            if not self._asker.can_ask.is_set():
                self._link.send(message)
                self._asker.speak_legacy()
        else:
            self._link.send(message)

    def _cancel(self, port: Port, message: Message) -> None:
        wanted = m.key_of(message.params.get("requestId"))
        for held in self._held:
            if held.route.port is port and m.key_of(held.route.id) == wanted:
                self._held.remove(held)
                return
        route = self._routes.find(port, message.params.get("requestId"))
        if route is not None:
            params = {**message.params, "requestId": route.upstream_id}
            self._link.send(message if not self._is_shared else m.notification(m.CANCELLED, params))
            self.gate.motions.abandon(m.key_of(route.upstream_id), "its client cancelled it", self._clock())
            self.monitor.look()

    def _give_up(self, route: Route, why: str) -> None:
        self._routes.drop(route)
        self._link.send(m.notification(m.CANCELLED, {"requestId": route.upstream_id, "reason": why}))
        self.gate.motions.abandon(m.key_of(route.upstream_id), why, self._clock())

    def cancel(self, port: Port, request_id: Any, why: str) -> None:
        """Give up a client's request that it does not wait for any more."""
        self._held = deque(h for h in self._held if h.route.port is not port or h.route.id != request_id)
        route = self._routes.find(port, request_id)
        if route is not None:
            self._give_up(route, why)
            self.monitor.look()

    def _learn_revision(self, message: Message) -> None:
        meta = message.meta
        is_modern = PROTOCOL_VERSION_META_KEY in meta and CLIENT_CAPABILITIES_META_KEY in meta
        if is_modern and message.method != "server/discover":
            self._asker.speak_modern(meta)

    # tool calls

    def _call(self, port: Port, message: Message) -> None:
        now_s = self._clock()
        params = message.body.get("params")
        if not isinstance(params, dict) or not isinstance(params.get("name"), str):
            raise MessageError("a tool call needs the tool's name", message.id, -32602)
        arguments = params.get("arguments")
        args = {} if arguments is None else arguments
        if not isinstance(args, dict):
            raise MessageError("the arguments of a tool call must be an object", message.id, -32602)
        route = self._routes.name(port, message)
        if any(h.route.port is port and m.key_of(h.route.id) == m.key_of(route.id) for h in self._held):
            raise MessageError("a request with this id has not been answered yet", message.id)
        received_s = now_s if now_s - self.monitor.last_tick_s < STALL_S else self.monitor.last_tick_s
        is_task = params.get("task") is not None
        ask = Ask(m.key_of(route.upstream_id), port.key, params["name"], args, received_s, is_task)
        self._decide(Held(route, message, ask))

    def _decide(self, held: Held) -> None:
        if (
            self._held
            and self.gate.moves(held.ask, self._clock())
            and not self.gate.is_expired(held.ask, self._clock())
        ):
            self._hold(held)  # no motion overtakes another
            return
        verdict = self.gate.review(held.ask, self._clock())
        if isinstance(verdict, Hold):
            self._hold(held)
        elif isinstance(verdict, Deny):
            self._tell(held, verdict.decision)
        else:
            message = held.message
            if verdict.is_changed:
                params = {**message.params, "arguments": dict(verdict.call.args)}
                message = m.write({**message.body, "params": params})
            self._link.send(self._routes.open(held.route, message))
            if verdict.call.stops:
                self._drop_held()

    def _hold(self, held: Held) -> None:
        if len(self._held) < MOST_HELD:
            self._held.append(held)
        else:
            self._tell(held, self.gate.drop(held.ask, self._clock(), "too many calls wait"))

    def _tell(self, held: Held, decision: Decision) -> None:
        result = refusal(decision, is_modern=PROTOCOL_VERSION_META_KEY in held.message.meta)
        held.route.port.send(m.answer(held.route.id, result), held.route.id)

    def _release(self) -> None:
        """Look again at the calls that wait, in their order."""
        if self._is_releasing:
            return
        self._is_releasing = True
        try:
            waiting, self._held = self._held, deque()
            for held in waiting:
                self._decide_again(held)
        finally:
            self._is_releasing = False

    def _decide_again(self, held: Held) -> None:
        try:
            self._decide(held)
        except Exception as error:
            self.gate.journal.noted("failure", f"{type(error).__name__}: {error}", self._clock())

    def _drop_held(self) -> None:
        """Refuse the motion that waits: a stop has been called after it."""
        waiting, self._held = self._held, deque()
        for held in waiting:
            self._tell(held, self.gate.drop(held.ask, self._clock()))

    # from the robot's server

    def from_server(self, message: Message) -> None:
        """Take a message of the robot's server; one that cannot be handled is noted and dropped."""
        try:
            self._take(message)
        except Exception as error:
            self.gate.journal.noted("failure", f"{type(error).__name__}: {error}", self._clock())

    def _take(self, message: Message) -> None:
        if message.is_request:
            self._ask_client(message)
        elif message.is_answer:
            self._answered(message)
        else:
            self._announce(message)

    def _answered(self, message: Message) -> None:
        self._first.answered()
        if self._asker.take(message):
            self.monitor.on_change()
            return
        route = self._routes.close(message)
        if route is None:
            late = self.gate.finish(m.key_of(message.id), message.body.get("result"), self._clock())
            if late.is_late:
                self.monitor.look()
            elif not self._is_shared and message.id is None:
                self._broadcast(message)
            return
        answer = message
        if route.method == m.CALL_TOOL:
            answer = self._finished(route, message)
        elif route.method == m.LIST_TOOLS:
            answer = self.tools.keep_declared(message)
        elif route.method == m.INITIALIZE and isinstance(message.body.get("result"), dict):
            self._handshake = message.body["result"]
        route.port.send(self._routes.back(route, answer), route.id)
        self._release()

    def _finished(self, route: Route, message: Message) -> Message:
        result = message.body.get("result")
        told = self.gate.finish(
            m.key_of(route.upstream_id), result if isinstance(result, dict) else None, self._clock()
        )
        if told.is_late:
            self.monitor.look()
        if not told.notes or not isinstance(result, dict):
            return message
        body = m.editable(message)
        add_notes(body["result"], told.notes, told.decision)
        return m.write(body)

    def _ask_client(self, message: Message) -> None:
        port = self._routes.ask(self._ports, message)
        if port is None:
            reason = "no client offers this"
            self._link.send(m.failure(message.id, m.METHOD_NOT_FOUND, reason))
        else:
            port.send(message)

    def _announce(self, message: Message) -> None:
        found = self._routes.of_notification(message)
        if found is not None:
            route, renamed = found
            route.port.send(renamed, route.id)
        elif not (self._is_shared and message.method == m.PROGRESS):
            self._broadcast(message)

    def _broadcast(self, message: Message) -> None:
        for port in self._ports:
            port.send(message)
