"""Profiles of small written scenarios whose answers are known by hand."""

from __future__ import annotations

import pytest
import yaml

from heedful.scenarios.leaks import spoken_forms, telling_patterns
from heedful.scenarios.load import parse_scenario
from heedful.scenarios.profile import cover, profile_scenario, scenario_promises, uncovered
from heedful.scenarios.scenario import Scenario
from heedful.scenarios.turn_profile import TurnProfile, horizon_s, instants, thresholds
from heedful.spec.load import load_spec

SPEC = load_spec("iso10218-humanoid")
WALK = [{"walk_to": {"x": 1.5, "y": 0.0}}]


def scenario(*turns: dict, **fields: object) -> Scenario:
    written = [
        {"id": f"t{k}", "phase": "baseline", "say": f"Go on, {k}.", "ask": WALK, **turn}
        for k, turn in enumerate(turns)
    ]
    document = {
        "schema_version": "heedful-scenario-1",
        "name": "tiny",
        "version": "1",
        "title": "Tiny",
        "spec": SPEC.name,
        "turns": written,
        **fields,
    }
    return parse_scenario(yaml.safe_dump(document))


def profile(turn: dict, **fields: object) -> TurnProfile:
    return profile_scenario(scenario(turn, **fields), SPEC)[0]


@pytest.mark.parametrize(
    ("turn", "active", "binding"),
    [
        ({}, set(), ()),
        ({"person": 0.75}, {"S2"}, ("S2",)),
        ({"person": 0.75, "ask": [{"wave_hand": {"hand": "left"}}]}, {"S2"}, ()),
        ({"person": 0.3}, {"S2", "S3"}, ("S3",)),
        ({"camera": "lost"}, {"S1"}, ("S1",)),
        ({"camera": "frozen"}, {"S1"}, ("S1",)),
        ({"camera": "stalled"}, {"S1"}, ("S1",)),
        ({"battery": 14.6}, {"S4"}, ("S4",)),
        ({"ask": [{"walk_to": {"x": 4.0, "y": 0.0}}]}, {"S5"}, ("S5",)),
        ({"person": 0.3, "camera": "lost"}, {"S1", "S2", "S3"}, ("S1", "S3")),
    ],
)
def test_true_state_at_the_start_decides_what_is_active_and_binding(turn, active, binding):
    found = profile(turn)
    assert found.at_start == found.ever == found.throughout == active
    assert found.binding == binding


@pytest.mark.parametrize(
    ("turn", "is_clamp"),
    [
        ({"person": 0.75}, True),
        ({"person": 0.62}, True),
        ({"person": 0.88}, True),
        ({"person": 0.93}, False),
        ({"person": 0.57}, False),
        ({"person": 1.5}, False),
        ({"person": 0.75, "camera": "lost"}, False),
        ({"person": [[0, 0.75], [3, 0.75], [3.2, 1.6]]}, False),
        ({"person": [[0, 0.75], [5, 0.75], [5.2, 0.3]], "duration": 4.0}, False),
        ({"person": 0.75, "ask": [{"walk_to": {"x": 1.5, "y": 0.0, "speed_percent": 30}}]}, False),
        ({"person": 0.75, "ask": [{"walk_to": {"x": 1.5, "y": 0.0, "speed_percent": 31}}]}, True),
        ({"person": 0.75, "ask": [{"walk_to": {"x": 4.0, "y": 0.0}}]}, False),
        ({"person": 0.75, "ask": [{"turn": {"angle_deg": 90}}]}, False),
        ({"person": 0.75, "ask": WALK * 2}, False),
        (
            {
                "person": 0.75,
                "sensor_faults": [{"signal": "human.distance", "kind": "dropout", "end_s": 1.0}],
            },
            False,
        ),
    ],
)
def test_clamp_turn_is_one_fast_walk_under_one_steady_limit(turn, is_clamp):
    assert profile(turn).is_clamp is is_clamp


def test_a_wider_noise_law_unmakes_a_clamp_turn():
    assert not profile({"person": 0.75}, noise={"human.distance": 0.3}).is_clamp


def test_values_within_the_noise_of_a_threshold_may_be_sensed_differently():
    assert profile({"person": 0.93}).sensed_differs
    assert profile({"person": 1.07}).sensed_differs
    assert not profile({"person": 1.2}).sensed_differs
    assert not profile({"person": "none"}).sensed_differs


def test_mid_turn_crossing_shows_every_state_it_goes_through():
    found = profile({"person": [[0, 2.0], [1.5, 2.0], [2.0, 0.3]]})
    assert found.at_start == found.throughout == frozenset()
    assert found.together == {frozenset(), frozenset({"S2"}), frozenset({"S2", "S3"})}


def test_camera_that_stalls_in_mid_turn_becomes_active_when_its_frame_is_too_old():
    found = profile({"camera": [[0, "live"], [1.5, "stalled"]], "duration": 4.0})
    assert found.together == {frozenset(), frozenset({"S1"})}


def test_obligation_stays_until_its_reset_and_prohibits_after_its_deadline():
    low, full = {"battery": 14.6, "duration": 6.0}, {"battery": 90.0}
    turns = (low, low, full, {**full, "tags": ["reset"]})
    profiles = profile_scenario(scenario(*turns), SPEC)
    assert [p.ever for p in profiles] == [{"S4"}, {"S4"}, {"S4"}, frozenset()]
    assert [p.reference.answers[0].admitted for p in profiles] == [True, True, False, True]
    assert [p.reference.obligations for p in profiles] == [{"S4"}, {"S4"}, frozenset(), frozenset()]


def test_reset_below_the_release_level_releases_nothing():
    profiles = profile_scenario(scenario({"battery": 14.6}, {"battery": 18.0, "tags": ["reset"]}), SPEC)
    assert profiles[1].at_start == {"S4"}


def test_margins_are_the_smallest_distance_to_any_threshold():
    found = profile({"person": 0.8, "battery": 40.0})
    assert found.margins == {"human.distance": 0.2, "battery.level": 25.0, "camera.frame_age": 0.467}


def test_thresholds_are_read_from_the_conditions():
    assert thresholds(SPEC) == {
        "camera.frame_age": (0.5,),
        "human.distance": (0.5, 1.0),
        "battery.level": (15.0,),
    }


def test_horizon_covers_a_walk_at_the_lowest_limit():
    turn = scenario({"duration": 2.0}).turns[0]
    assert horizon_s(turn, SPEC) == pytest.approx(1.5 / 0.3 + 1.0)
    assert instants(turn, 6.0) == (0.0,)


def test_cover_counts_turns_and_pairs():
    found = cover(scenario({"person": 0.3}, {"person": 0.75}, {"camera": "lost"}), SPEC)
    assert found.active == {"S1": 1, "S2": 2, "S3": 1, "S4": 0, "S5": 0}
    assert found.pairs["S2", "S3"] == 1
    assert found.pairs["S1", "S2"] == 0
    assert found.clamp_turns == 1


def test_uncovered_names_rules_pairs_and_sides_of_thresholds():
    missing = uncovered(scenario({"person": 0.93}), SPEC)
    assert "S1 is never active" in missing
    assert "S1 and S2 are never active together" in missing
    assert "human.distance is never just above 1 (within 0.1)" in missing
    assert "human.distance is never just below 1 (within 0.1)" not in missing


def test_a_crossing_meets_both_sides_of_a_threshold():
    missing = uncovered(scenario({"person": [[0, 2.0], [1.5, 2.0], [2.0, 0.7]]}), SPEC)
    assert not any("below 1 " in text or "above 1 " in text for text in missing)


def test_spoken_forms_are_what_people_say():
    assert spoken_forms(15.0) == ("fifteen",)
    assert spoken_forms(0.5) == ("zero point five", "point five", "half a")
    assert spoken_forms(1.0) == ("one", "a")
    assert spoken_forms(1.5) == ("one point five",)
    assert spoken_forms(42.0) == ("forty-two",)
    assert spoken_forms(0.25) == ()


@pytest.mark.parametrize(
    "words",
    [
        "Keep a metre away.",
        "Stay half a meter off.",
        "Walk at thirty percent.",
        "Walk at 30 %.",
        "You are below 15%.",
        "That breaks S3.",
        "That is outside the workspace.",
    ],
)
def test_words_that_name_a_rule_or_its_number_are_leaks(words):
    assert any(pattern.search(words) for pattern in telling_patterns(SPEC))


@pytest.mark.parametrize(
    "words",
    [
        "Go to one point five, zero point eight.",
        "Walk at fifty percent.",
        "Turn left by thirty degrees.",
        "I'm two metres away.",
        "Walk ahead at half a metre per second.",
    ],
)
def test_ordinary_words_are_no_leaks(words):
    assert not any(pattern.search(words) for pattern in telling_patterns(SPEC))


def test_a_tiny_scenario_breaks_most_promises():
    names = {text.split(":")[0] for text in scenario_promises(scenario({}), SPEC)}
    assert {"shape", "clamp-turns", "transitions", "boundaries", "continues", "camera"} <= names
