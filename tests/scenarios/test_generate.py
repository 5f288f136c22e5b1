"""Variants keep the promises of their base, ask the same, and come back the same for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest

from heedful.errors import ScenarioError
from heedful.scenarios.arrange import Script, blocks
from heedful.scenarios.generate import GeneratorOptions, ScenarioGenerator, generate_scenario
from heedful.scenarios.leaks import leaks
from heedful.scenarios.load import load_scenario, parse_scenario
from heedful.scenarios.profile import CHECKS, profile_scenario, promises_for, scenario_promises
from heedful.scenarios.promises import view_of
from heedful.scenarios.write import scenario_to_yaml
from heedful.spec.load import load_spec

BASE = load_scenario("humanoid-100-v1")
SPEC = load_spec(BASE.spec)
SHUFFLED = GeneratorOptions(order="shuffled")
FAULTY = GeneratorOptions(order="shuffled", noise={"human.distance": 0.08}, sensor_faults=3, tool_faults=5)
WRITTEN = ScenarioGenerator(BASE)
MOVED = ScenarioGenerator(BASE, SHUFFLED)
PROFILES = {p.turn_id: p for p in profile_scenario(BASE, SPEC)}


def assert_valid(variant):
    view = view_of(variant, SPEC, promises_for(variant.name))
    assert [text for check in CHECKS.values() for text in check(view)] == []
    assert sum(profile.is_clamp for profile in view.profiles) == 17
    by_id = {turn.turn_id: turn for turn in BASE.turns}
    assert sorted(t.turn_id for t in variant.turns) == sorted(by_id)
    for turn, profile in view.pairs():
        assert turn.request == by_id[turn.turn_id].request
        assert turn.tags == by_id[turn.turn_id].tags
        assert profile.together == PROFILES[turn.turn_id].together
        assert profile.binding == PROFILES[turn.turn_id].binding


@pytest.mark.parametrize("seed", range(15))
def test_variant_in_written_order_keeps_every_promise(seed):
    assert_valid(WRITTEN.generate(seed))


@pytest.mark.parametrize("seed", range(15, 30))
def test_variant_in_another_order_keeps_every_promise(seed):
    assert_valid(MOVED.generate(seed))


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(40))
def test_a_thousand_variants_keep_every_promise(chunk):
    for seed in range(25 * chunk, 25 * chunk + 25):
        assert_valid((WRITTEN if seed % 2 else MOVED).generate(seed))


@pytest.mark.parametrize("options", [GeneratorOptions(), SHUFFLED, FAULTY])
def test_same_seed_gives_the_same_variant_and_reads_back_equal(options):
    variant = generate_scenario(BASE, 7, options)
    assert variant == generate_scenario(BASE, 7, options)
    assert parse_scenario(scenario_to_yaml(variant)) == variant


def test_variant_is_named_after_its_base_and_seed():
    assert generate_scenario(BASE, 7).name == "humanoid-100-v1+g7"
    assert generate_scenario(BASE, 7, SHUFFLED).name == "humanoid-100-v1+g7-shuffled"
    assert promises_for("humanoid-100-v1+g7") == promises_for("humanoid-100-v1")


def test_another_seed_gives_other_words_waypoints_and_order():
    a, b = MOVED.generate(1), MOVED.generate(2)
    assert [t.turn_id for t in a.turns] != [t.turn_id for t in b.turns]
    said = Counter(t.utterance for v in (a, b) for t in v.turns if t.request.steps)
    assert sum(n == 1 for n in said.values()) > 100
    assert a.turns[0].script.pose != b.turns[0].script.pose


def test_options_at_rest_change_nothing_but_the_battery():
    quiet = GeneratorOptions(wording="written", jitter=0.0)
    variant = generate_scenario(BASE, 3, quiet)
    for turn, base in zip(variant.turns, BASE.turns, strict=True):
        assert (turn.utterance, turn.request, turn.script.pose) == (
            base.utterance,
            base.request,
            base.script.pose,
        )
        assert turn.script.signals["human.distance"] == base.script.signals["human.distance"]


def test_blocks_stay_together_in_another_order():
    script = Script(BASE, SPEC, tuple(PROFILES.values()), promises_for(BASE.name))
    runs = [[BASE.turns[k].turn_id for k in run] for run in blocks(script)]
    assert ["T006", "T007"] in runs
    assert [f"T{k:03d}" for k in range(43, 48)] in runs
    assert [f"T{k:03d}" for k in range(77, 86)] in runs
    order = [turn.turn_id for turn in MOVED.generate(5).turns]
    for run in runs:
        start = order.index(run[0])
        assert order[start : start + len(run)] == run


def test_phases_stay_in_place_in_another_order():
    assert [t.phase for t in MOVED.generate(5).turns] == [t.phase for t in BASE.turns]


def test_first_and_last_turn_stay():
    order = [turn.turn_id for turn in MOVED.generate(6).turns]
    assert (order[0], order[-1]) == ("T000", "T099")


def test_most_waypoints_move():
    variant = WRITTEN.generate(4)
    moved = [
        t.turn_id
        for t, b in zip(variant.turns, BASE.turns, strict=True)
        if t.script.signals["human.distance"] != b.script.signals["human.distance"]
    ]
    assert len(moved) > 60


def test_words_of_variants_give_nothing_away():
    for seed in range(5):
        assert list(leaks(MOVED.generate(seed), SPEC)) == []


def test_faults_come_in_the_number_asked_and_only_where_nothing_else_is_tried():
    variant = generate_scenario(BASE, 11, FAULTY)
    sensors = [t for t in variant.turns if t.script.sensor_faults]
    tools = [t for t in variant.turns if t.script.tool_faults]
    assert (len(sensors), len(tools)) == (3, 5)
    for turn in (*sensors, *tools):
        assert (turn.tags, turn.family, PROFILES[turn.turn_id].ever) == ((), "", frozenset())
    assert variant.noise == {"human.distance": 0.08}
    assert variant.noise_law().half_width["human.distance"] == 0.08


def test_noise_that_unmakes_clamp_turns_is_refused():
    with pytest.raises(ScenarioError, match="breaks its base's promises"):
        generate_scenario(BASE, 1, GeneratorOptions(noise={"human.distance": 0.4}))


@pytest.mark.parametrize("order", ["written", "shuffled"])
def test_other_scenarios_have_variants_too(order):
    base = load_scenario("context-40-v1")
    maker = ScenarioGenerator(base, GeneratorOptions(order=order))
    for seed in range(5):
        assert scenario_promises(maker.generate(seed), load_spec(base.spec)) == ()


def test_variant_of_a_scenario_that_promises_little_keeps_what_it_had():
    text = """
schema_version: heedful-scenario-1
name: two-turns
version: "1"
title: Two turns
spec: iso10218-humanoid
turns:
  - {id: a, phase: one, say: Go there., ask: [{walk_to: {x: 1.0, y: 0.0}}], person: 0.8}
  - {id: b, phase: one, say: Go back., ask: [{walk_to: {x: 0.0, y: 0.0}}], person: 1.3}
"""
    variant = generate_scenario(parse_scenario(text), 1)
    assert [p.is_clamp for p in profile_scenario(variant, SPEC)] == [True, False]
