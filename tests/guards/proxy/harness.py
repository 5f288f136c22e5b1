"""A proxy between scripted ends: no processes, no sockets, a clock that the test sets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache
from typing import Any

from heedful.guards.audit.records import Decided, Opened, Record
from heedful.guards.proxy import message as m
from heedful.guards.proxy.assembly import Unwatched
from heedful.guards.proxy.call import ProxySettings
from heedful.guards.proxy.gate import ProxyGate
from heedful.guards.proxy.journal import Journal, sensed_every
from heedful.guards.proxy.message import Message, read_strict
from heedful.guards.proxy.proxy import Proxy
from heedful.guards.proxy.reload import Reloader
from heedful.guards.proxy.rules import RuleFiles, read_rules
from heedful.guards.settings import GuardSettings
from heedful.guards.spec_guard import SpecGuard
from heedful.guards.tool_map.load import load_tool_map
from heedful.guards.watchdog import Watchdog
from heedful.spec.load import load_spec
from heedful.spec.safety_spec import SafetySpec

SENSORS: Mapping[str, Mapping[str, Any]] = {
    "get_proximity": {"human_distance_m": 3.0, "status": "ok", "age_s": 0.0},
    "get_camera_status": {"connected": True, "frame_age_s": 0.0, "frozen": False},
    "get_battery": {"battery_percent": 90.0},
    "get_position": {"x": 0.0, "y": 0.0, "heading_deg": 0.0, "posture": "standing"},
}


@cache
def fitted_spec(spec: str) -> SafetySpec:
    """Return a spec for heedful's own robot, compiled once."""
    return load_tool_map("heedful-robot").spec_for(load_spec(spec))


class ListLog:
    """A log in memory."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.failure: Exception | None = None

    def append(self, record: Record) -> int:
        if self.failure is not None:
            raise self.failure
        self.records.append(record)
        return len(self.records)

    def start_part(self, header: Opened, reason: str) -> None:
        self.append(header)

    def decisions(self) -> list[str]:
        return [r.decision.kind for r in self.records if isinstance(r, Decided)]


class ScriptedRobot:
    """The robot's end: keeps what it is sent; the test answers."""

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.on_send: Callable[[Message], None] = lambda _: None

    async def open(self) -> None: ...

    def send(self, message: Message) -> None:
        self.sent.append(message)
        self.on_send(message)

    async def drained(self) -> None: ...

    async def messages(self) -> AsyncIterator[Message]:
        await asyncio.Event().wait()
        yield Message({}, b"")

    async def describe_end(self) -> str:
        return "the robot's server ended"

    async def close(self) -> None: ...

    def calls(self, tool: str | None = None) -> list[Message]:
        return [s for s in self.sent if s.method == m.CALL_TOOL and tool in (None, s.params["name"])]


class Client:
    """A client's end: keeps what it gets."""

    def __init__(self, key: str = "client") -> None:
        self.key = key
        self.got: list[Message] = []

    def send(self, message: Message, related: Any = None) -> None:
        self.got.append(message)

    def answer(self, request_id: Any) -> dict[str, Any] | None:
        return next((g.body for g in self.got if g.is_answer and g.id == request_id), None)


class Bench:
    """Everything together."""

    def __init__(
        self,
        *,
        is_shared: bool = False,
        guard: GuardSettings | None = None,
        watchdog: Callable[[], Watchdog] = Unwatched,
        settings: ProxySettings | None = None,
        spec: str = "iso10218-humanoid",
    ) -> None:
        self.now_s = 100.0
        self.log = ListLog()
        self.robot = ScriptedRobot()
        self.files = RuleFiles(spec, "heedful-robot")
        tool_map = load_tool_map("heedful-robot")
        spec_guard = SpecGuard(fitted_spec(spec), guard)
        journal = Journal(self.log, sensed_every_s=sensed_every(spec_guard.spec.max_age_s.values()))
        self.gate = ProxyGate(spec_guard, tool_map, watchdog, journal, settings)
        self.proxy = Proxy(self.robot, self.gate, lambda: self.now_s, is_shared=is_shared)
        self.client = Client()
        self.proxy.attach(self.client)
        self._ids = 0
        self.sensors = {tool: dict(told) for tool, told in SENSORS.items()}

    def ready(self) -> Bench:
        """Let the session be open and every sensor have answered."""
        self.proxy._asker.speak_legacy()
        self.sense()
        self.gate.ready_s = 0.0
        return self

    def reloader(self) -> Reloader:
        """Return what reads the rules again, from the files that `files` names then."""
        return Reloader(self.proxy, lambda now_s: read_rules(self.files, now_s), lambda: self.now_s)

    def sense(self, **changed: Any) -> None:
        """Let the sensors answer; `without` leaves those tools out."""
        for told in self.sensors.values():
            told.update({k: v for k, v in changed.items() if k in told})
        for poll in self.gate.map.polls():
            if poll.tool in self.sensors and poll.tool not in changed.get("without", ()):
                self.gate.observe(poll, result(self.sensors[poll.tool]), self.now_s, self.now_s)
        self.proxy.monitor.last_tick_s = self.now_s

    def call(self, tool: str, client: Client | None = None, **args: Any) -> int:
        """Let a client call a tool; return the request's id."""
        self._ids += 1
        params = {"name": tool, "arguments": args}
        body = {"jsonrpc": "2.0", "id": self._ids, "method": "tools/call", "params": params}
        self.proxy.from_client(client or self.client, read_strict(json.dumps(body).encode()))
        return self._ids

    def done(self, request_id: Any, told: Mapping[str, Any] | None = None, *, error: bool = False) -> None:
        """Let the robot answer a call."""
        self.proxy.from_server(m.answer(request_id, result(told or {"status": "done"}, error=error)))

    def notify(self, method: str, **params: Any) -> None:
        body = {"jsonrpc": "2.0", "method": method, "params": params}
        self.proxy.from_client(self.client, read_strict(json.dumps(body).encode()))

    async def pass_time(self, seconds: float, step: float = 0.05, **sense: Any) -> None:
        """Let time pass in small steps, the sensors answering, the guard looking."""
        until_s = self.now_s + seconds
        while self.now_s < until_s - 1e-9:
            self.now_s = min(until_s, self.now_s + step)
            self.sense(**sense)
            self.proxy.monitor.look()
            await turn()

    def accept_own_calls(self, *, error: Callable[[str], bool] = lambda _: False) -> None:
        """Let the robot answer the guard's own calls at once."""

        def reply(message: Message) -> None:
            if message.is_request and self.proxy._asker.is_own(message.id):
                failed = error(message.params.get("name", ""))
                answer = m.answer(message.id, result({"status": "done"}, error=failed))
                asyncio.get_running_loop().call_soon(self.proxy.from_server, answer)

        self.robot.on_send = reply


async def turn() -> None:
    """Let everything that is ready run."""
    for _ in range(8):
        await asyncio.sleep(0)


def result(told: Mapping[str, Any], *, error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(told)}], "isError": error}


def text(answer: dict[str, Any] | None) -> str:
    assert answer is not None
    return "\n".join(item["text"] for item in answer["result"]["content"])
