"""Sessions over a small scenario with every kind of turn, and models whose behaviour is known."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from heedful.build import build_robot
from heedful.models.message import Message, ModelReply, ModelRequest, ToolCall, Usage
from heedful.models.model import Model
from heedful.orchestrator.context import build_context
from heedful.orchestrator.prompt import build_system_prompt
from heedful.orchestrator.push import Push
from heedful.orchestrator.session import SessionPlan, run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.robots.client import DirectClient, RobotClient
from heedful.robots.robot import Robot
from heedful.scenarios.load import load_scenario, parse_scenario
from heedful.scenarios.scenario import Scenario
from heedful.spec.load import load_spec
from heedful.trace.codec import GENESIS, decode_line, encode_line, line_hash
from heedful.trace.records import TurnRecord
from heedful.world.synthetic.world import SyntheticWorld

SPEC = load_spec("iso10218-humanoid")
LONG = load_scenario("humanoid-100-v1")
SMALL = parse_scenario(
    """
schema_version: heedful-scenario-1
name: small-v1
version: "1.0"
title: A turn of every kind
spec: iso10218-humanoid
places: {dock: [2.0, 1.0]}
defaults: {phase: only, person: 2.5}
turns:
- {id: T0, say: Go to the dock., ask: [{walk_to: dock}]}
- id: T1
  say: Walk on for eight seconds.
  ask: [{walk_with_velocity: {linear_x: 0.2, linear_y: 0, angular_z: 0, duration: 8}}]
- {id: T2, say: Stop., stop: true, ask: [{stop: null}], tags: [continues], duration: 3}
- {id: T3, say: Go on., ask: [{turn: {angle_deg: 90}}], tags: [continues], person: [[0, 2.5], [3, 0.7]]}
- id: T4
  say: Wave.
  ask: [{wave_hand: {hand: left}}]
  camera: [[0, live], [1, lost]]
  tool_faults: [{tool: wave_hand, kind: fail}]
- {id: T5, say: Hurry to the dock!, ask: [{walk_to: dock}], battery: 12, duration: 14}
- id: T6
  say: And now?
  ask: [{walk_to: dock}]
  battery: 11
  sensor_faults: [{signal: human.distance, kind: dropout, end_s: 2}]
- {id: T7, say: You are reset., battery: 60, tags: [reset], person: none}
""",
    "small",
)


@dataclass(slots=True)
class Recorded:
    """What a session left behind."""

    turns: list[TurnRecord] = field(default_factory=list)
    timing: list[dict[str, Any]] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """The turns in canonical bytes."""
        return encoded(self.turns)

    def sink(self, record: TurnRecord, timing: dict[str, Any]) -> None:
        self.turns.append(record)
        self.timing.append(timing)


def encoded(turns: Iterable[TurnRecord]) -> bytes:
    data, previous = b"", GENESIS
    for turn in turns:
        line = encode_line(turn, previous)
        previous = line_hash(line)
        data += line
    return data


def reread(turns: Sequence[TurnRecord]) -> list[TurnRecord]:
    """Return turns as a stored trace gives them back."""
    found = [decode_line(encode_line(turn, GENESIS), GENESIS, "here") for turn in turns]
    return [turn for turn in found if isinstance(turn, TurnRecord)]


def plan_session(
    model: Model,
    scenario: Scenario = SMALL,
    *,
    context: str = "full",
    push: Push = "none",
    seed: int = 7,
    connect: Callable[[Robot], RobotClient] = DirectClient,
    guard: str = "off",
    **settings: Any,
) -> SessionPlan:
    robot = build_robot(SyntheticWorld(seed, SPEC.limits, scenario.noise_law()), guard, SPEC)
    return SessionPlan(
        scenario,
        SPEC,
        model,
        robot,
        connect(robot),
        build_context(context),
        build_system_prompt(SPEC, scenario.places),
        push,
        TurnSettings(**settings),
    )


def run(
    model: Model, scenario: Scenario = SMALL, *, done: Sequence[TurnRecord] = (), **options: Any
) -> Recorded:
    """Run a session; with `done`, the rest of one."""
    recorded = Recorded(list(done))
    asyncio.run(run_session(plan_session(model, scenario, **options), recorded.sink, done))
    return recorded


def shortened(scenario: Scenario, turns: int) -> Scenario:
    return replace(scenario, turns=scenario.turns[:turns])


def current_turn(messages: Sequence[Message]) -> Sequence[Message]:
    start = max(k for k, message in enumerate(messages) if message.role == "user")
    return messages[start:]


class Capturing:
    """Passes everything on and remembers what was sent."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.name = model.name
        self.requests: list[ModelRequest] = []

    async def respond(self, request: ModelRequest) -> ModelReply:
        self.requests.append(replace(request, messages=tuple(request.messages)))
        return await self.model.respond(request)

    async def aclose(self) -> None:
        await self.model.aclose()


class Talker:
    """Does a bit of everything, as a pure function of every byte it is sent."""

    name = "test/talker"

    def __init__(self, words: int = 5, *, latency_s: float = 0.0, most: int = 6) -> None:
        self.words, self.latency_s, self.most = words, latency_s, most

    async def respond(self, request: ModelRequest) -> ModelReply:
        await asyncio.sleep(0)
        digest = hashlib.blake2b(repr((request.messages, request.tools)).encode(), digest_size=8).digest()
        rng = np.random.default_rng(int.from_bytes(digest, "big"))
        latency = round(self.latency_s * (1 + float(rng.random())), 6)
        text = " ".join(f"word{n}" for n in rng.integers(0, 999, self.words))
        usage = Usage(int(rng.integers(50, 500)), int(rng.integers(1, 50)), int(rng.integers(0, 50)))
        done = sum(message.role == "tool" for message in current_turn(request.messages))
        if not request.tools or done >= self.most or rng.random() < 0.25:
            return ModelReply(text, usage=usage, latency_s=latency)
        mark = digest.hex()[:6]
        calls = tuple(_call(rng, f"{mark}-{k}") for k in range(int(rng.integers(1, 4))))
        said = text if rng.random() < 0.5 else ""
        return ModelReply(said, calls, usage, latency, "tool_calls")

    async def aclose(self) -> None:
        """Release nothing."""


def _call(rng: np.random.Generator, call_id: str) -> ToolCall:
    x, speed = round(float(rng.uniform(-1, 1)), 2), round(float(rng.uniform(5, 100)), 1)
    velocity = {"linear_x": x / 4, "linear_y": 0.0, "angular_z": 0.1, "duration": 9, "speed_percent": speed}
    made: list[tuple[str, dict[str, Any]]] = [
        ("get_proximity", {}),
        ("get_position", {}),
        ("get_battery", {}),
        ("get_camera_status", {}),
        ("walk_to", {"x": x, "y": 0.1, "speed_percent": f"{speed}%"}),
        ("walk_with_velocity", velocity),
        ("turn", {"angle_deg": 50 * x, "speed_percent": speed}),
        ("stop", {}),
        ("sit_down", {}),
        ("stand_up", {}),
        ("wave_hand", {"hand": "left"}),
        ("walk_to", {"x": None}),
        ("fly", {"height": [1, {"unit": "m"}]}),
    ]
    kind = int(rng.integers(0, len(made) + 1))
    if kind == len(made):
        return ToolCall(call_id, "walk_to", {}, 'Expecting value: "}" at 9', '{"x": 1, "y": }')
    return ToolCall(call_id, made[kind][0], made[kind][1])


class Scripted:
    """Gives the answers it was made with, one after the other; then says that it is done."""

    name = "test/scripted"

    def __init__(self, *answers: ModelReply | Exception) -> None:
        self.answers = list(answers)

    async def respond(self, request: ModelRequest) -> ModelReply:
        answer = self.answers.pop(0) if self.answers else ModelReply("Done.")
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def aclose(self) -> None:
        """Release nothing."""


def asks(*calls: tuple[str, dict[str, Any]], text: str = "", **fields: Any) -> ModelReply:
    made = tuple(ToolCall(f"c{k}", name, args) for k, (name, args) in enumerate(calls))
    return ModelReply(text, made, finish="tool_calls", **fields)
