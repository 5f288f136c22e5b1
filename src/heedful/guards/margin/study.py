"""The margin that a wanted rate of true violations asks for, found by calculation and tried on the guard.

`margin_law` calculates; every decision counted here is one of the real `SpecGuard`. Intervals are the
caller's: this layer returns counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from heedful.errors import InputError
from heedful.guards.margin.law import Approach, Noise, aimed_rate, check_rate
from heedful.guards.margin.thresholds import (
    NOW_S,
    Boundary,
    calm_state,
    describe,
    find_boundaries,
    guard_in_calm,
)
from heedful.guards.settings import GuardSettings, Margin
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.records import Reading

HUMAN_SPEED_M_S = 1.6
"""Speed at which a person is taken to approach [m/s]. Source: ISO 13855 (walking)."""
DECISIONS = 300_000
"""How many decisions are drawn for each threshold unless told otherwise."""


@dataclass(frozen=True)
class RuleStudy:
    """What the guard did around one threshold of one rule."""

    invariant: str
    threshold: float
    """In the signal's unit."""
    unsafe: Literal["below", "above"]
    """On which side of the threshold the rule is active."""
    command: str
    """The command that was reviewed: one that this rule alone restricts there."""
    decisions: int
    let_through: int
    """How many commands the guard let through unrestricted."""
    violations: int
    """How many of those the true state forbids."""
    safe: int
    """In how many decisions the true state keeps the rule."""
    needless: int
    """How many of those the guard restricted all the same."""


@dataclass(frozen=True)
class MarginStudy:
    """A margin, what it was found from, and what the guard did with it."""

    spec: str
    spec_version: str
    signal: str
    unit: str
    noise_kind: str
    noise_scale: float
    """Half width or standard deviation, in the signal's unit."""
    age_s: float
    """Age of the newest sample when a command is issued [s]."""
    speed: float
    """How fast the true value may go towards a rule, in the unit per second."""
    wanted_rate: float
    aimed_rate: float
    """The rate that was solved for: below the wanted one by what the simulation cannot tell apart."""
    seed: int
    base: float
    """The margin to declare: constant part, in the unit."""
    per_s: float
    """The margin to declare: part per second of the sample's age."""
    margin: float
    """Both together at the stated age."""
    expected_rate: float
    """The rate of true violations by calculation, at this margin."""
    rate_without: float
    """The same without a margin."""
    expected_needless: float
    """Share of safe decisions restricted, by calculation, while the value goes towards the rule."""
    expected_needless_still: float
    """The same while it stands still."""
    rules: tuple[RuleStudy, ...]
    not_studied: tuple[str, ...]
    """Ids of the invariants that read the signal and restrict no command by it alone."""


def study_margin(
    spec: SafetySpec,
    signal: str,
    noise: Noise,
    age_s: float,
    speed: float,
    wanted_rate: float,
    decisions: int,
    seed: int,
) -> MarginStudy:
    """Find the margin of a signal and try it on the guard, for every rule that reads the signal.

    Args:
        spec: The spec that the guard is compiled from.
        signal: A number that conditions compare with constants, e.g. `human.distance`.
        noise: How the sensor strays.
        age_s: Age of the newest sample when a command is issued: period and latency [s].
        speed: How fast the true value may go towards a rule, in the unit per second.
        wanted_rate: At most this share of the commands let through may be true violations.
        decisions: How many boundary-weighted decisions to draw for each threshold.
        seed: Of the draws.

    Raises:
        InputError: If a number means nothing, the signal cannot have a margin, or no rule depends on it.
    """
    GuardSettings({signal: Margin()}).check(spec)
    check_rate(wanted_rate)
    _check_numbers(spec, signal, age_s, decisions)
    approach = Approach(noise, age_s, speed)
    boundaries = find_boundaries(spec, signal)
    if not boundaries:
        raise InputError(f"No rule of {spec.name} restricts a command by {signal!r} alone.")
    let_through = decisions * (noise.reach + 2 * approach.travel) / (2 * approach.spread(approach.largest))
    aim = aimed_rate(wanted_rate, let_through)
    declared = approach.margin_for(aim)
    margin = declared.at_age(age_s)
    rng = np.random.default_rng(seed)
    found = {b.invariant for b in boundaries}
    return MarginStudy(
        spec.name,
        spec.version,
        signal,
        spec.document.signals[signal].unit,
        noise.kind,
        noise.scale,
        age_s,
        speed,
        wanted_rate,
        aim,
        seed,
        declared.base,
        declared.per_s,
        margin,
        approach.violation_rate(margin),
        approach.violation_rate(0.0),
        approach.needless_share(margin),
        approach.needless_share(margin, is_approaching=False),
        tuple(_try(spec, signal, b, approach, declared, decisions, rng) for b in boundaries),
        tuple(i for i in spec.state_ids if signal in spec.conditions[i].signals and i not in found),
    )


def render_study(study: MarginStudy, upper_bound: Callable[[int, int], float]) -> list[str]:
    """Return the study as lines of text.

    Args:
        study: What was found.
        upper_bound: Upper 95 % limit of a rate, from the count of events and of trials.
    """
    unit, wanted = study.unit, study.wanted_rate
    lines = [
        f"margin of {study.signal} under {study.spec} {study.spec_version}",
        f"noise {study.noise_kind} {study.noise_scale:g} {unit}, sample age {study.age_s:g} s, "
        f"speed {study.speed:g} {unit}/s towards the rule, seed {study.seed}",
        f"margin {study.margin:.4g} {unit} at that age: base {study.base:.4g} {unit}, "
        f"per_s {study.per_s:.4g} {unit}/s",
        f"true violations among commands let through: wanted at most {wanted:g}, "
        f"calculated {study.expected_rate:.3g}, without a margin {study.rate_without:.3g}",
        f"price, calculated: {study.expected_needless:.1%} of safe decisions restricted while approaching, "
        f"{study.expected_needless_still:.1%} while standing still",
    ]
    for rule in study.rules:
        lines += _rule_lines(rule, unit, wanted, upper_bound(rule.violations, max(1, rule.let_through)))
    if study.not_studied:
        lines.append(f"not studied, since no command depends on it alone: {', '.join(study.not_studied)}")
    return lines


def _rule_lines(rule: RuleStudy, unit: str, wanted: float, bound: float) -> list[str]:
    if rule.violations == 0 and wanted == 0:
        outcome = "none, as bounded noise demands"
    else:
        outcome = "the bound keeps the wanted rate" if bound <= wanted else "the bound DOES NOT keep it"
    return [
        f"{rule.invariant}, {rule.unsafe} {rule.threshold:g} {unit}, {rule.command}: "
        f"{rule.decisions} decisions through the guard, {rule.let_through} let through",
        f"  true violations {rule.violations}, rate {rule.violations / max(1, rule.let_through):.3g}, "
        f"upper 95 % bound {bound:.3g}, wanted {wanted:g}: {outcome}",
        f"  needless restrictions {rule.needless} of {rule.safe} safe decisions "
        f"({rule.needless / max(1, rule.safe):.1%})",
    ]


def _check_numbers(spec: SafetySpec, signal: str, age_s: float, decisions: int) -> None:
    if decisions < 1:
        raise InputError(f"At least 1 decision must be drawn, not {decisions}.")
    if age_s >= spec.max_age_s[signal]:
        raise InputError(
            f"A sample of {signal!r} is unknown from {spec.max_age_s[signal]:g} s on, so an age of "
            f"{age_s:g} s needs no margin: the rules that read it are active."
        )


def _try(
    spec: SafetySpec,
    signal: str,
    boundary: Boundary,
    approach: Approach,
    declared: Margin,
    decisions: int,
    rng: np.random.Generator,
) -> RuleStudy:
    """Draw states around a threshold and let the guard review the command in each of them."""
    guard, calm = guard_in_calm(spec, {signal: declared}), calm_state(spec)
    now_s, sampled_s = NOW_S, NOW_S - approach.age_s
    sign = 1.0 if boundary.unsafe == "below" else -1.0
    width = approach.spread(declared.at_age(approach.age_s))
    ahead = rng.uniform(-width, width, decisions)
    true = boundary.threshold + sign * ahead
    sensed = true + sign * (approach.travel + approach.noise.draw(rng, decisions))
    counts = {(broken, allowed): 0 for broken in (False, True) for allowed in (False, True)}
    for truth, report in zip(true.tolist(), sensed.tolist(), strict=True):
        guard.new_scene()
        guard.observe({signal: Reading(report, sampled_s)}, now_s)
        is_allowed = guard.review(boundary.command, now_s).kind == "allow"
        counts[spec.is_active(boundary.invariant, {**calm, signal: truth}), is_allowed] += 1
    return RuleStudy(
        boundary.invariant,
        boundary.threshold,
        boundary.unsafe,
        describe(boundary.command),
        decisions,
        counts[False, True] + counts[True, True],
        counts[True, True],
        counts[False, True] + counts[False, False],
        counts[False, False],
    )
