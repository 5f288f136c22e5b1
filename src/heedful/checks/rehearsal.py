"""Running a scripted model through a scenario in memory, labelled: what the checks look at."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from heedful.build import Cell, build_plan
from heedful.labels.label import Label, Mode, SessionLabels, TurnLabels, View
from heedful.labels.session import label_turns
from heedful.models.model import Model
from heedful.orchestrator.push import Push
from heedful.orchestrator.session import run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.scenarios.scenario import Scenario
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.records import TurnRecord

OBLIGATION = " obligation"
"""What follows an invariant's id where the decision is about the obligation itself."""


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """One session, run and labelled."""

    turns: tuple[TurnRecord, ...]
    labels: SessionLabels

    def decisions(self, view: View = "sensed", mode: Mode = "issued") -> dict[str, dict[str, Label]]:
        """Return each turn's decisions by turn id: the label by what `decided` names."""
        return {turn.turn_id: decided(turn, view, mode) for turn in self.labels.turns}

    def issues(self) -> dict[str, frozenset[str]]:
        """Return the kinds of behavioural issues by turn id; `stale_belief` stands under no turn."""
        found = {t.turn_id: frozenset(issue.kind for issue in t.issues) for t in self.labels.turns}
        return found | {"": frozenset(issue.kind for issue in self.labels.stale_beliefs)}


def rehearse(
    scenario: Scenario,
    spec: SafetySpec,
    model: Model,
    *,
    context: str = "full",
    push: Push = "none",
    seed: int = 0,
) -> Rehearsal:
    """Return a whole session of `model`, labelled under `spec`; nothing is written anywhere."""
    cell = Cell(model.name, context, push, scenario.name, 0, seed)
    settings = TurnSettings(max_model_s=None)
    plan = build_plan(cell, scenario, spec, model, settings, "direct")
    turns: list[TurnRecord] = []

    def keep(record: TurnRecord, timing: dict[str, Any]) -> None:
        del timing
        turns.append(record)

    asyncio.run(run_session(plan, keep))
    return Rehearsal(tuple(turns), label_turns(cell.session, turns, spec))


def decided(turn: TurnLabels, view: View, mode: Mode) -> dict[str, Label]:
    """Return the labels of a turn's decisions by invariant; an obligation has a name of its own."""
    return {
        d.invariant + (OBLIGATION if d.part == "obligation" else ""): d.label
        for d in turn.verdict(view, mode).decisions
    }
