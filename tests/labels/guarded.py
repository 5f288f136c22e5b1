"""One call that runs a model that plays given answers on a robot behind a guard."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from heedful.guards.settings import GuardSettings
from heedful.guards.spec_guard import SpecGuard
from heedful.orchestrator.context import build_context
from heedful.orchestrator.guarded import GuardedRobot
from heedful.orchestrator.session import SessionPlan, run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.robots.client import DirectClient
from heedful.trace.records import GUARD, ToolEvent, TurnRecord

from .scripted import SPEC, Answer, Player, ToldWorld, scenario_of


def play_guarded(
    turns: Sequence[Mapping[str, Any]],
    answers: Sequence[Sequence[Answer]],
    settings: GuardSettings | None = None,
) -> list[TurnRecord]:
    """Run the turns, without noise, with a model that gives `answers` and a guard before the robot."""
    scenario = scenario_of(turns)
    world = ToldWorld([t.get("sensed", {}) for t in turns], scenario)
    robot = GuardedRobot(world, SpecGuard(SPEC, settings))
    plan = SessionPlan(
        scenario,
        SPEC,
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


def own_actions(turn: TurnRecord) -> list[tuple[str, float]]:
    """Return what the guard did by itself, and when."""
    return [(e.tool, e.issued_s) for e in turn.events if e.model_call == GUARD]


def call_of(turn: TurnRecord, tool: str) -> ToolEvent:
    """Return the model's first call of a tool."""
    return next(e for e in turn.events if e.tool == tool and e.model_call != GUARD)
