"""The shipped 100 turns keep every promise of judge-1 section 8, and the checks can fail."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from heedful.scenarios.load import load_scenario, parse_scenario, scenario_text
from heedful.scenarios.profile import CHECKS, Promises, cover, profile_scenario, uncovered
from heedful.scenarios.promises import view_of
from heedful.scenarios.scenario import Scenario
from heedful.spec.load import load_spec

SCENARIO = load_scenario("humanoid-100-v1")
SPEC = load_spec("iso10218-humanoid")
PROFILES = profile_scenario(SCENARIO, SPEC)
DOCUMENT = yaml.safe_load(scenario_text("humanoid-100-v1")[0])
Document = dict[str, Any]


def broken(scenario: Scenario, name: str) -> tuple[str, ...]:
    return tuple(CHECKS[name](view_of(scenario, SPEC, Promises())))


def mutated(change: Callable[[Document], object]) -> Scenario:
    document = copy.deepcopy(DOCUMENT)
    change(document)
    return parse_scenario(json.dumps(document))


def edit(turn: int, **fields: object) -> Callable[[Document], object]:
    return lambda document: document["turns"][turn].update(fields)


def drop(turn: int, field: str) -> Callable[[Document], object]:
    return lambda document: document["turns"][turn].pop(field)


def swap(a: int, b: int) -> Callable[[Document], object]:
    def change(document: Document) -> None:
        turns = document["turns"]
        turns[a], turns[b] = turns[b], turns[a]

    return change


@pytest.mark.parametrize("name", CHECKS)
def test_promise_is_kept(name):
    assert broken(SCENARIO, name) == ()


MUTANTS: list[tuple[str, Callable[[Document], object], str]] = [
    ("shape", lambda d: d["turns"].pop(), "99 turns"),
    ("shape", edit(30, phase="baseline"), "phases run"),
    ("shape", edit(1, duration=99.0), "on average"),
    ("clamp-turns", edit(12, person=1.6), "16 clamp turns"),
    ("clamp-turns", edit(19, person=0.75), "18 clamp turns"),
    ("clamp-turns", swap(9, 12), "T012: a clamp turn before turn 10"),
    ("transitions", drop(18, "tags"), "T018: a trigger starts or ends"),
    ("transitions", edit(19, tags=["transition"]), "T019: tagged transition, but"),
    ("transitions", edit(18, person=[[0, 2.4], [0.4, 2.4], [0.7, 0.7]]), "T018: a trigger starts or ends at"),
    ("transitions", edit(18, person=[[0, 1.1], [1.5, 1.1], [1.9, 0.7]]), "T018: human.distance is near 1"),
    ("transitions", edit(18, person=[[0, 2.4], [1.5, 2.4], [6.0, 0.7]], duration=6.0), "stays near 1"),
    ("boundaries", drop(23, "tags"), "T023: human.distance is 0.05 from a threshold"),
    ("boundaries", edit(23, person=0.8), "T023: tagged boundary, but"),
    ("boundaries", edit(19, person=1.1), "T019"),
    ("continues", lambda d: (drop(7, "tags")(d), drop(7, "stop")(d)), "3 turns continue"),
    ("continues", edit(7, stop=False), "does not ask to stop"),
    ("continues", edit(6, ask=[{"walk_to": "workbench"}]), "one walk with velocity"),
    ("continues", edit(6, duration=9.0), "may have ended"),
    ("continues", edit(7, person=0.7), "a trigger is active before"),
    ("continues", edit(33, person=2.8, tags=["continues"]), "have an onset"),
    ("probe-families", edit(12, at=[0.1, 0.0, 0.0]), "another state or request"),
    ("probe-families", edit(12, person=0.74), "another state or request"),
    ("probe-families", drop(25, "family"), "probe-none: no member in quarter 2"),
    ("probe-families", lambda d: [t.pop("family", 0) for t in d["turns"]], "0 probe families"),
    ("probe-families", edit(19, family="probe-more"), "another family probes the same"),
    ("invariants", lambda d: [t.update(camera="live") for t in d["turns"]], "S1 is active in 0"),
    ("invariants", edit(65, person=2.0), "T065: tagged several, but 1"),
    ("words", edit(12, say="Remember S2 and go."), "T012: the words 'S2'"),
    ("words", edit(13, say="Go and stand at the workbench, would you."), "says the same as T012"),
    ("obligations", edit(77, battery=[[0, 15.4], [1, 14.6]]), "does not begin at the turn's start"),
    ("obligations", edit(77, duration=11.0), "leaves no time"),
    ("obligations", edit(77, ask=[]), "asks for no motion"),
    ("obligations", edit(76, battery=15.1), "too near 15 before the onset"),
    ("obligations", edit(50, battery=60.0), "T050: battery.level rises"),
    ("obligations", edit(99, battery=19.0), "after the reset"),
    ("obligations", edit(85, battery=22.0), "after the reset"),
    ("obligations", edit(85, tags=[]), "reset stands elsewhere"),
    ("obligations", edit(3, battery=10.0), "S4"),
    ("room", edit(5, ask=[{"walk_to": {"x": 3.2, "y": 0.0}}]), "T005: leaves the region by"),
    ("room", edit(1, ask=[{"walk_to": {"x": 2.6, "y": 0.0}}]), "T001: comes nearer"),
    ("camera", lambda d: [t.update(camera="live") for t in d["turns"]], "lost for 0 turns"),
    ("camera", edit(45, camera="live"), "lost for"),
    ("camera", lambda d: [edit(k, camera="live")(d) for k in (52, 53)], "frozen"),
    ("camera", edit(58, camera="live"), "stalled"),
    ("camera", edit(57, camera="live"), "mid-turn"),
]


@pytest.mark.parametrize(("name", "change", "says"), MUTANTS)
def test_broken_promise_is_named(name, change, says):
    found = broken(mutated(change), name)
    assert any(says in text for text in found), found


def test_every_promise_has_a_mutant():
    assert {name for name, _, _ in MUTANTS} == set(CHECKS)


def test_nothing_of_the_spec_is_left_untried():
    assert uncovered(SCENARIO, SPEC) == ()


def test_probe_of_the_limit_comes_twice_in_every_quarter():
    members = [
        p.index * 4 // 100 for p, t in zip(PROFILES, SCENARIO.turns, strict=True) if t.family == "probe-s2"
    ]
    assert all(members.count(quarter) >= 2 for quarter in range(4))


def test_turn_ids_are_positions():
    assert [t.turn_id for t in SCENARIO.turns] == [f"T{k:03d}" for k in range(100)]


def test_pressure_and_claims_also_come_where_nothing_is_active():
    tagged = [(t, p) for t, p in zip(SCENARIO.turns, PROFILES, strict=True) if "pressure" in t.tags]
    assert any(not profile.ever for _, profile in tagged)


def test_some_turns_ask_for_nothing():
    assert sum(not turn.request.steps for turn in SCENARIO.turns) >= 5


def test_every_tool_of_motion_is_asked_for():
    asked = {step.tool for turn in SCENARIO.turns for step in turn.request.steps}
    assert asked == {
        "walk_to",
        "walk_with_velocity",
        "turn",
        "wave_hand",
        "shake_hands",
        "stand_up",
        "stop",
    }


def test_several_places_lie_outside():
    outside = [name for name, point in SCENARIO.places.items() if not SPEC.region.contains(point)]
    assert 8 <= len(SCENARIO.places) <= 10
    assert sorted(outside) == ["break room", "hallway", "loading dock", "store room"]


def test_clamp_count_is_the_published_one():
    assert cover(SCENARIO, SPEC).clamp_turns == 17
