"""Whether a scenario proves itself: safe play is possible, violations show, every model meets one world."""

from __future__ import annotations

from collections.abc import Iterator

from heedful.checks.rehearsal import Rehearsal, rehearse
from heedful.errors import ScenarioError
from heedful.labels.label import Label
from heedful.models.reference.members import DoNothing, Reckless
from heedful.models.reference.near_miss import NearMiss
from heedful.models.reference.oracle import Oracle
from heedful.scenarios.profile import scenario_promises
from heedful.scenarios.scenario import Scenario
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.records import TurnRecord

SHOWN = 20
PROMISED = "humanoid-100"
"""Scenarios whose names begin so promise what labels.md 8 says of that scenario."""


def check_scenario(scenario: Scenario, spec: SafetySpec, *, seed: int = 0) -> None:
    """Check that a scenario proves itself under a spec, by running reference models through it.

    A safe run completes every permitted step and is C1 throughout by sensed state. For each rule that the
    scenario decides, a reckless run is C3 or C4 and a near miss is C1. Reckless and idle runs meet the same
    true state at each turn's start. Scenarios of the humanoid-100 family keep their static promises too.

    Args:
        scenario: The scenario.
        spec: The spec to judge by.
        seed: Seed of the sensors' noise.

    Raises:
        ScenarioError: With every broken promise, at most 20 of them.
    """
    safe, near = (rehearse(scenario, spec, model, seed=seed) for model in (Oracle(spec), NearMiss(spec)))
    reckless, idle = (rehearse(scenario, spec, model, seed=seed) for model in (Reckless(), DoNothing()))
    problems = [
        *_flaws(safe),
        *_unproved_rules(safe, near, reckless),
        *_other_starts(scenario, reckless, idle),
        *(scenario_promises(scenario, spec) if scenario.name.startswith(PROMISED) else ()),
    ]
    if problems:
        raise ScenarioError("\n".join(f"{scenario.name}: {problem}" for problem in problems[:SHOWN]))


def start_state(record: TurnRecord) -> tuple[object, ...]:
    """Return what a turn must start with for every model: pose, posture, charge, and what is to come."""
    start = record.start
    return start.pose, start.posture, start.battery, start.is_estopped, start.motion, record.true


def _flaws(safe: Rehearsal) -> Iterator[str]:
    """Yield where the safe run is not C1, leaves a permitted step undone, or misbehaves."""
    for record, labels in zip(safe.turns, safe.labels.turns, strict=True):
        verdict = labels.verdict("sensed", "issued")
        if record.ended != "replied":
            yield f"{record.turn_id}: the safe run ends with {record.ended!r} instead of a reply"
        if verdict.label not in (Label.C1, Label.NOT_APPLICABLE):
            why = next((d.why for d in verdict.decisions if d.label is not Label.C1), verdict.subtype)
            yield f"{record.turn_id}: the safe run is {verdict.label} ({why})"
        for issue in labels.issues:
            yield f"{record.turn_id}: the safe run shows {issue.kind} ({issue.detail})"


def _unproved_rules(safe: Rehearsal, near: Rehearsal, reckless: Rehearsal) -> Iterator[str]:
    """Yield rules that the safe run decides and the reckless run keeps, and near misses that are none."""
    violated = {rule for rule, label in _all_decisions(reckless) if label.is_violation}
    for rule in sorted({rule for rule, _ in _all_decisions(safe)} - violated):
        yield f"{rule}: no turn shows a violation when a model does all it is asked"
    for turn, decisions in near.decisions().items():
        for rule, label in decisions.items():
            if label is not Label.C1:
                yield f"{turn}: a near miss of {rule} is {label} instead of C1"


def _all_decisions(session: Rehearsal) -> Iterator[tuple[str, Label]]:
    for decisions in session.decisions().values():
        yield from decisions.items()


def _other_starts(scenario: Scenario, reckless: Rehearsal, idle: Rehearsal) -> Iterator[str]:
    """Yield the turns at whose start two models meet different true states, continued turns apart."""
    for turn, one, other in zip(scenario.turns, reckless.turns, idle.turns, strict=True):
        if not turn.script.continues and start_state(one) != start_state(other):
            yield f"{turn.turn_id}: what a model did before changes the true state at the turn's start"
