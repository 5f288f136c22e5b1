"""The context rules, each with a positive, a negative and a near miss, and the forty turns that try them."""

from __future__ import annotations

import itertools

import pytest

from heedful.scenarios.load import load_scenario
from heedful.scenarios.profile import PROMISES, cover, profile_scenario, scenario_promises
from heedful.scenarios.turn_profile import true_values
from heedful.spec.load import load_spec

SPEC = load_spec("humanoid-context")
BASE_SPEC = load_spec("iso10218-humanoid")
SCENARIO = load_scenario("context-40-v1")
PROFILES = profile_scenario(SCENARIO, SPEC)
CONTEXT_RULES = [rule.id for rule in SPEC.document.invariants if rule.id.startswith("H")]

QUIET = {
    "camera.connected": True,
    "camera.frame_age": 0.033,
    "camera.frozen": False,
    "human.distance": 3.0,
    "human.posture": "standing",
    "human.facing": "robot",
    "human.is_child": False,
    "human.carrying": "none",
    "human.handover": False,
    "battery.level": 80.0,
}
RULES = {
    # id: (what makes it active, the distance at which it ends)
    "H1": ({"human.posture": "seated"}, 1.5),
    "H2": ({"human.is_child": True}, 2.0),
    "H3": ({"human.is_child": True}, 1.0),
    "H4": ({"human.carrying": "hot"}, 1.5),
    "H5": ({"human.facing": "away"}, 1.5),
    "H7": ({"human.posture": "lying"}, 2.0),
}


@pytest.mark.parametrize("rule", RULES)
def test_context_rule_is_active_within_its_distance_only(rule):
    who, limit = RULES[rule]
    assert rule in SPEC.active({**QUIET, **who, "human.distance": limit - 0.01})
    assert rule not in SPEC.active({**QUIET, **who, "human.distance": limit})
    assert rule not in SPEC.active({**QUIET, "human.distance": limit - 0.01})


@pytest.mark.parametrize("load", ["hot", "sharp"])
def test_only_hot_and_sharp_loads_count(load):
    near = {**QUIET, "human.distance": 1.2}
    assert "H4" in SPEC.active({**near, "human.carrying": load})
    assert "H4" not in SPEC.active({**near, "human.carrying": "heavy"})


def test_handover_stands_in_for_the_stop_distance():
    reach = {**QUIET, "human.distance": 0.3}
    assert {"S2", "S3"} <= SPEC.active(reach)
    assert SPEC.active({**reach, "human.handover": True}) == {"S2", "H6"}
    rule = SPEC.by_key["H6"]
    assert rule.admits("shake_hands", "gesture", 0.0, leaves_region=False)
    assert not rule.admits("wave_hand", "gesture", 0.0, leaves_region=False)
    assert not rule.admits("walk_to", "locomotion", 10.0, leaves_region=False)


@pytest.mark.parametrize("name", [n for n in QUIET if n.startswith("human.")])
def test_unknown_person_makes_every_rule_that_reads_it_active(name):
    reading = {rule for rule, condition in SPEC.conditions.items() if name in condition.signals}
    assert reading <= SPEC.active({**QUIET, name: None})


def test_the_five_invariants_are_the_same_but_for_the_handover():
    for rule in BASE_SPEC.document.invariants:
        same = next(r for r in SPEC.document.invariants if r.id == rule.id)
        assert same.response == rule.response
        assert same.window_s == rule.window_s
        assert (same.when == rule.when) is (rule.id != "S3")


def test_every_source_is_marked_to_be_checked():
    assert all(not r.source.checked and "to be checked" in r.source.note for r in SPEC.document.invariants)


def test_scenario_keeps_its_promises():
    assert scenario_promises(SCENARIO, SPEC) == ()


def test_scenario_tries_every_rule_twice_and_lets_it_bind_twice():
    found = cover(SCENARIO, SPEC)
    for rule in CONTEXT_RULES:
        assert found.active[rule] >= 2, rule
        assert found.binding[rule] >= 2, rule


@pytest.mark.parametrize("rule", CONTEXT_RULES)
def test_scenario_holds_a_near_miss_of_every_rule(rule):
    """A turn that asks for something, where one other value of one signal would make the rule active."""
    misses = [
        turn.turn_id
        for turn, profile in zip(SCENARIO.turns, PROFILES, strict=True)
        if turn.request.steps and rule not in profile.ever and _is_one_value_away(rule, turn)
    ]
    assert len(misses) >= 2, rule


def test_some_turns_hold_two_context_rules_at_once():
    pairs = {
        pair
        for profile in PROFILES
        for state in profile.together
        for pair in itertools.combinations(sorted(state & set(CONTEXT_RULES)), 2)
    }
    assert {("H1", "H2"), ("H1", "H4"), ("H4", "H5"), ("H5", "H7"), ("H3", "H6")} <= pairs


def test_limits_that_meet_leave_the_lowest():
    by_id = {p.turn_id: p for p in PROFILES}
    assert by_id["C33"].reference.answers[0].speed_percent == 15
    assert by_id["C08"].reference.answers[0].speed_percent == 20


def test_its_promises_are_on_record():
    assert PROMISES["context-40-v1"].turns == len(SCENARIO.turns) == 40


def _is_one_value_away(rule, turn):
    values = true_values(SPEC, turn, (0.0,))[0]
    for name in SPEC.conditions[rule].signals:
        signal = SPEC.document.signals[name]
        near = (0.9, 1.25, 1.75) if signal.type == "number" else (True, False)
        for other in signal.values or near:
            if other != values[name] and rule in SPEC.active({**values, name: other}):
                return True
    return False
