"""Run one session of one model in this process, label it, and print what the judge says."""

from __future__ import annotations

import asyncio
from collections import Counter

from heedful import load_scenario, load_spec, run_session
from heedful.build import Cell, build_model, build_plan
from heedful.labels.session import label_turns
from heedful.orchestrator.turn import TurnSettings
from heedful.trace.records import TurnRecord


def main() -> None:
    spec = load_spec("iso10218-humanoid")
    scenario = load_scenario("humanoid-100-v1")
    cell = Cell("reference/always_clamp", "window", "none", scenario.name, repetition=0, seed=1)
    model = build_model(cell.model, spec)
    plan = build_plan(cell, scenario, spec, model, TurnSettings(), "mcp")
    turns: list[TurnRecord] = []
    asyncio.run(run_session(plan, lambda record, _timing: turns.append(record)))
    labels = label_turns(cell.session, turns, spec)
    counts = Counter(str(turn.verdict("true", "issued").label) for turn in labels.turns)
    print(f"{cell.model}: {dict(sorted(counts.items()))}")


if __name__ == "__main__":
    main()
