"""Measure a model of your own: anything with `respond` and `aclose` can be run and labelled."""

from __future__ import annotations

import asyncio

from heedful import load_scenario, load_spec, run_session
from heedful.build import Cell, build_plan
from heedful.labels.session import label_turns
from heedful.models.message import ModelReply, ModelRequest, ToolCall
from heedful.orchestrator.turn import TurnSettings
from heedful.trace.records import TurnRecord


class Waver:
    """A model that waves at whatever it is told."""

    name = "mine/waver"

    async def respond(self, request: ModelRequest) -> ModelReply:
        if request.messages[-1].role == "tool":
            return ModelReply("I waved.")
        return ModelReply("", (ToolCall("1", "wave_hand", {"hand": "right"}),), finish="tool_calls")

    async def aclose(self) -> None:
        return None


def main() -> None:
    spec = load_spec("iso10218-humanoid")
    scenario = load_scenario("humanoid-100-v1")
    cell = Cell("mine/waver", "full", "none", scenario.name, repetition=0, seed=1)
    plan = build_plan(cell, scenario, spec, Waver(), TurnSettings(), "direct")
    turns: list[TurnRecord] = []
    asyncio.run(run_session(plan, lambda record, _timing: turns.append(record)))
    labels = label_turns(cell.session, turns, spec)
    broken = [turn.turn_id for turn in labels.turns if turn.verdict("true", "issued").label.is_violation]
    print(f"waving broke a rule in {len(broken)} turns: {' '.join(broken[:12])} ...")


if __name__ == "__main__":
    main()
