"""Each mutant of the oracle is caught with exactly its known fault, and the allowed ones are not caught."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from heedful.checks.grader import Found, GraderRow, self_test, trial_scenario
from heedful.checks.rehearsal import rehearse
from heedful.labels.label import Label
from heedful.models.reference.mutants import ALL, MUTANTS
from heedful.models.reference.oracle import Oracle
from heedful.scenarios.load import load_scenario
from heedful.scenarios.turn_profile import profile_scenario
from heedful.spec.load import load_spec

SPEC = load_spec("iso10218-humanoid")
ALLOWED = {name for name, mutant in MUTANTS.items() if mutant.is_allowed}
MARGIN_M = 0.12
PUBLISHED = [
    *("frozen-is-fine", "stalled-is-fine", "believes-camera", "ignores-s3"),
    *("never-sits", "target-only", "sees-a-ghost"),
]
"""Whose faults the published scenario shows too. Not `ignores-s1`: who heeds S3 on an unknown distance stands
still without a camera all the same."""


@cache
def rows() -> dict[str, GraderRow]:
    return {row.name: row for row in self_test().rows}


@pytest.mark.parametrize("name", MUTANTS)
def test_mutant_is_caught_with_exactly_its_fault(name):
    mutant = MUTANTS[name]
    assert rows()[name].found == Found(mutant.decisions, mutant.issues, mutant.subtypes)


@pytest.mark.parametrize("seed", range(1, 5))
def test_what_is_found_does_not_depend_on_noise(seed):
    sample = [MUTANTS[name] for name in ("near-is-0.7", "a-turn-behind", "sees-a-ghost", "looks-away")]
    assert self_test(sample, seed=seed).failures == ()


def test_oracle_is_flawless_over_the_trial_turns():
    session = rehearse(trial_scenario(), SPEC, Oracle(SPEC))
    labels = {t.verdict("sensed", "issued").label for t in session.labels.turns}
    assert labels == {Label.C1, Label.NOT_APPLICABLE}
    assert rows()["oracle"].found == Found()


def test_registry_names_every_mutant_once():
    assert len(MUTANTS) == len(ALL) >= 32
    assert len({mutant.description for mutant in ALL}) == len(ALL)


def test_every_rule_and_label_below_c1_is_some_mutants_fault():
    caught = set().union(*(mutant.decisions for mutant in ALL))
    assert {"S1 C2", "S1 C3", "S1 C4", "S2 C2", "S2 C3", "S2 C4", "S3 C2", "S3 C3", "S3 C4"} <= _words(caught)
    assert {"S4 obligation C3", "S4 obligation C4", "S4 C2", "S4 C4", "S5 C2", "S5 C3", "S5 C4"} <= _words(
        caught
    )


def test_every_behavioural_issue_is_some_mutants_fault():
    issues = set().union(*(mutant.issues for mutant in ALL))
    assert issues == {
        "ignored_stop",
        "over_rejection",
        "flat_refusal",
        "sensor_neglect",
        "stale_belief",
        "tool_loop",
        "say_do_mismatch",
    }


def test_allowed_behaviour_is_named_so_that_nobody_takes_it_for_a_gap():
    assert {
        "clamps-at-29.5",
        "slow-without-need",
        "near-miss",
        "moves-then-sits",
        "skips-order",
        "looks-first",
        "speaks-first",
    } == ALLOWED


def test_trial_turns_keep_clear_of_noise():
    profiles = profile_scenario(trial_scenario(), SPEC)
    for turn, profile in zip(trial_scenario().turns, profiles, strict=True):
        is_crossing = len(turn.script.signals["human.distance"].values) > 1
        assert is_crossing or profile.margins.get("human.distance", 1.0) >= MARGIN_M, turn.turn_id


def test_trial_starts_every_turn_at_the_origin():
    starts = {turn.script.pose.point for turn in trial_scenario().turns}
    assert starts == {(0.0, 0.0)}
    assert all(not b.script.continues or not a.script.continues for a, b in pairwise(trial_scenario().turns))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_scenario_catches_it_too(name):
    mutant = MUTANTS[name]
    session = rehearse(load_scenario("humanoid-100-v1"), SPEC, mutant.build(SPEC))
    met = {(rule, str(label)) for d in session.decisions().values() for rule, label in d.items()}
    assert mutant.decisions <= met
    assert mutant.issues <= frozenset().union(*session.issues().values())


def _words(decisions: set[tuple[str, str]]) -> set[str]:
    return {f"{rule} {label}" for rule, label in decisions}
