"""A model that plays given answers, a world that senses what it is told to, and one call that runs both."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heedful.models.message import ModelReply, ModelRequest, ToolCall
from heedful.orchestrator.context import build_context
from heedful.orchestrator.session import SessionPlan, run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.robots.client import DirectClient
from heedful.robots.robot import Robot
from heedful.scenarios.document import ScenarioDocument
from heedful.scenarios.scenario import Scenario, compile_scenario
from heedful.spec.load import load_spec
from heedful.spec.safety_spec import SafetySpec
from heedful.state.script import TurnScript
from heedful.state.series import Series, constant
from heedful.trace.records import TurnRecord
from heedful.world.synthetic.sensors import TurnSensors
from heedful.world.synthetic.world import SyntheticWorld

SEED = 7
SPEC = load_spec("iso10218-humanoid")
NO_NOISE = {"human.distance": 0.0, "robot.x": 0.0, "robot.y": 0.0}


@dataclass(frozen=True)
class Call:
    """One tool call; `problem` makes it one that could not be read."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None


Answer = Call | tuple[Call, ...] | str | ModelReply | Exception
"""One answer of the model: a call, calls together, the final words, or a failure to answer."""

LOOK = tuple(Call(t) for t in ("get_camera_status", "get_proximity", "get_battery", "get_position"))
"""All sensors, 0.2 s."""


def walk(x: float, y: float, speed: Any = 100.0) -> Call:
    return Call("walk_to", {"x": x, "y": y, "speed_percent": speed})


def turn_by(angle: float, speed: float = 100.0) -> Call:
    return Call("turn", {"angle_deg": angle, "speed_percent": speed})


def drive(v: float, duration: float, speed: float = 100.0, w: float = 0.0) -> Call:
    args = {"linear_x": v, "linear_y": 0.0, "angular_z": w, "duration": duration, "speed_percent": speed}
    return Call("walk_with_velocity", args)


def wave(hand: str = "left") -> Call:
    return Call("wave_hand", {"hand": hand})


def speak(text: str) -> Call:
    return Call("speak", {"text": text})


STOP, SIT, ESTOP = Call("stop"), Call("sit_down"), Call("emergency_stop")


class Player:
    """Plays one list of answers a turn; says nothing when they have run out."""

    name = "test/player"

    def __init__(self, turns: Sequence[Sequence[Answer]]) -> None:
        self._turns = turns

    async def respond(self, request: ModelRequest) -> ModelReply:
        messages = request.messages
        start = max(k for k, m in enumerate(messages) if m.role == "user")
        position = sum(m.role == "assistant" for m in messages[start:])
        answers = self._turns[request.hint.turn]
        answer = answers[position] if position < len(answers) else ""
        return _reply(answer, f"t{request.hint.turn}a{position}")

    async def aclose(self) -> None:
        pass


def _reply(answer: Answer, stem: str) -> ModelReply:
    if isinstance(answer, Exception):
        raise answer
    if isinstance(answer, ModelReply):
        return answer
    if isinstance(answer, str):
        return ModelReply(answer)
    calls = (answer,) if isinstance(answer, Call) else answer
    asked = [ToolCall(f"{stem}c{k}", c.tool, c.args, c.problem) for k, c in enumerate(calls)]
    return ModelReply("", tuple(asked), finish="tool_calls")


class ToldWorld(SyntheticWorld):
    """Senses constant values other than the true ones, turn by turn."""

    def __init__(self, sensed: Sequence[Mapping[str, Any]], scenario: Scenario) -> None:
        super().__init__(SEED, noise=scenario.noise_law())
        self._told = sensed

    def begin_turn(self, index: int, script: TurnScript) -> bool:
        moved = super().begin_turn(index, script)
        told: dict[str, Series] = {name: constant(v) for name, v in self._told[index].items()}
        if told:
            seen = {**script.signals, **told}
            self._sensors = TurnSensors(SEED, index, seen, self._noise, script.sensor_faults)
        return moved


def scenario_of(turns: Sequence[Mapping[str, Any]], noise: Mapping[str, float] = NO_NOISE) -> Scenario:
    """Return a scenario without noise from turns written as in a scenario file."""
    filled = [
        {"id": f"T{k}", "phase": "test", "say": "Please.", **{n: v for n, v in t.items() if n != "sensed"}}
        for k, t in enumerate(turns)
    ]
    data = {
        "schema_version": "heedful-scenario-1",
        "name": "worked",
        "version": "1.0",
        "title": "Worked",
        "spec": "iso10218-humanoid",
        "noise": dict(noise),
        "turns": filled,
    }
    return compile_scenario(ScenarioDocument.model_validate(data))


def play(
    turns: Sequence[Mapping[str, Any]],
    answers: Sequence[Sequence[Answer]],
    spec: SafetySpec = SPEC,
    noise: Mapping[str, float] = NO_NOISE,
) -> list[TurnRecord]:
    """Run the turns with a model that gives `answers` and return the records.

    Args:
        turns: Fields of a scenario file's turns, and `sensed` for what sensors report instead.
        answers: The model's answers, one list a turn.
        spec: The safety spec.
        noise: Half widths of sensor noise.
    """
    scenario = scenario_of(turns, noise)
    robot = Robot(ToldWorld([t.get("sensed", {}) for t in turns], scenario))
    plan = SessionPlan(
        scenario,
        spec,
        Player(answers),
        robot,
        DirectClient(robot),
        build_context("full"),
        "SYSTEM",
        settings=TurnSettings(max_model_s=None),
    )
    records: list[TurnRecord] = []
    asyncio.run(run_session(plan, lambda record, _: records.append(record)))
    return records
