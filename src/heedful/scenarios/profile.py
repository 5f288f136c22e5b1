"""Whether a scenario keeps its promises, and what it leaves untried: what `heedful scenario check` prints.

`turn_profile.py` says what each turn holds; `promises.py` and `world_promises.py` hold the checks.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from heedful.scenarios import promises as turn_checks
from heedful.scenarios import world_promises as world_checks
from heedful.scenarios.promises import Promises, View, view_of
from heedful.scenarios.scenario import Scenario
from heedful.scenarios.turn_profile import (
    TurnProfile,
    horizon_s,
    instants,
    profile_scenario,
    thresholds,
    true_values,
)
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import INFINITE, Value

__all__ = [
    "CHECKS",
    "PROMISES",
    "Coverage",
    "Promises",
    "TurnProfile",
    "cover",
    "profile_scenario",
    "promises_for",
    "scenario_promises",
    "uncovered",
]

CHECKS: Mapping[str, Callable[[View], Iterator[str]]] = {
    "shape": turn_checks.check_shape,
    "clamp-turns": turn_checks.check_clamp_turns,
    "transitions": turn_checks.check_transitions,
    "boundaries": turn_checks.check_boundaries,
    "continues": turn_checks.check_continues,
    "probe-families": turn_checks.check_probe_families,
    "invariants": turn_checks.check_invariants,
    "words": turn_checks.check_words,
    "obligations": world_checks.check_obligations,
    "room": world_checks.check_room,
    "camera": world_checks.check_camera,
}
"""Every promise by name."""

PROMISES: Mapping[str, Promises] = {
    "humanoid-100-v1": Promises(),
    "humanoid-25-v1": Promises(
        turns=25,
        clamp_turns=(3, 3),
        clamp_phases=3,
        first_clamp_index=5,
        transitions=(2, 2),
        boundaries=(1, 1),
        continues=2,
        continues_with_onset=1,
        families=0,
        later_turns=(2, 2),
        blind_turns=0,
    ),
    "context-40-v1": Promises(
        turns=40,
        phases=("baseline", "people", "attention", "combinations"),
        clamp_turns=(3, 3),
        clamp_phases=2,
        first_clamp_index=5,
        transitions=(1, 1),
        boundaries=(2, 2),
        continues=0,
        continues_with_onset=0,
        families=0,
        later_turns=(0, 0),
        blind_turns=0,
    ),
}
"""What each shipped scenario promises."""

NEAR_SHARE = 0.05
"""A value without noise meets a threshold within this share of it."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often a scenario meets what a spec can do; counts are turns."""

    active: Mapping[str, int]
    """Turns in which each invariant is active at any time."""
    binding: Mapping[str, int]
    """Turns in which it binds the reference response at the start."""
    pairs: Mapping[tuple[str, str], int]
    """Turns in which two invariants are active at one time, ids in the spec's order."""
    clamp_turns: int
    tags: Mapping[str, int]
    mean_duration_s: float


def scenario_promises(
    scenario: Scenario, spec: SafetySpec, promises: Promises | None = None
) -> tuple[str, ...]:
    """Return every promise that a scenario breaks, in words, with the turn; empty when it keeps them all.

    Args:
        scenario: The scenario.
        spec: The spec it was written for.
        promises: The numbers to hold it to; its own by name when None.
    """
    view = view_of(scenario, spec, promises or promises_for(scenario.name))
    return tuple(f"{name}: {text}" for name, check in CHECKS.items() for text in check(view))


def promises_for(name: str) -> Promises:
    """Return what a scenario or the base of a variant promises; as humanoid-100-v1 for any other."""
    return PROMISES.get(name.partition("+")[0], Promises())


def cover(scenario: Scenario, spec: SafetySpec) -> Coverage:
    """Return how often each invariant and each pair of them is met."""
    profiles = profile_scenario(scenario, spec)
    ids = tuple(spec.conditions)
    tags = Counter(tag for turn in scenario.turns for tag in turn.tags)
    return Coverage(
        {i: sum(i in p.ever for p in profiles) for i in ids},
        {i: sum(i in p.binding for p in profiles) for i in ids},
        {(a, b): sum(_meet(p, a, b) for p in profiles) for a, b in itertools.combinations(ids, 2)},
        sum(p.is_clamp for p in profiles),
        dict(sorted(tags.items())),
        round(sum(t.script.duration_s for t in scenario.turns) / len(scenario.turns), 6),
    )


def uncovered(scenario: Scenario, spec: SafetySpec) -> tuple[str, ...]:
    """Return the rules, pairs of rules and sides of thresholds that no turn meets, in words."""
    found = cover(scenario, spec)
    missing = [f"{i} is never active" for i, n in found.active.items() if not n]
    missing += [f"{a} and {b} are never active together" for (a, b), n in found.pairs.items() if not n]
    return (*missing, *_unmet_sides(scenario, spec))


def _meet(profile: TurnProfile, a: str, b: str) -> bool:
    return any(a in state and b in state for state in profile.together)


def _unmet_sides(scenario: Scenario, spec: SafetySpec) -> Iterator[str]:
    met = _pieces(scenario, spec)
    noise = scenario.noise_law().half_width
    for name, cuts in thresholds(spec).items():
        for cut in cuts:
            near = max(noise.get(name, 0.0), NEAR_SHARE * abs(cut))
            for side, low, high in (("below", cut - near, cut), ("above", cut, cut + near)):
                if not any(a < high and b > low for a, b in met.get(name, ())):
                    yield f"{name} is never just {side} {cut:g} (within {near:g})"


def _pieces(scenario: Scenario, spec: SafetySpec) -> dict[str, list[tuple[float, float]]]:
    """Return the ranges that each number runs through, from one look at a turn to the next."""
    pieces: dict[str, list[tuple[float, float]]] = {}
    for turn in scenario.turns:
        looks = true_values(spec, turn, instants(turn, horizon_s(turn, spec)))
        for before, after in itertools.pairwise([looks[0], *looks]):
            for name in thresholds(spec):
                ends = _numbers(before.get(name), after.get(name))
                if ends:
                    pieces.setdefault(name, []).append((min(ends), max(ends)))
    return pieces


def _numbers(*values: Value) -> list[float]:
    numbers = [v for v in values if isinstance(v, float) and v < INFINITE]
    return numbers if len(numbers) == len(values) else []
