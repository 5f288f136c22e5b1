"""What changes between two samples: age, windows and growing margins, whoever calls first."""

from __future__ import annotations

import math

import pytest

from heedful.guards.guard import Command
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.load import load_spec
from heedful.state.series import INFINITE, Value
from heedful.trace.records import Reading

WALK = Command("walk_to", "locomotion", {"x": 0.5, "y": 0.5, "speed_percent": 100.0}, has_speed=True)
CALM: dict[str, Value] = {
    "camera.connected": True,
    "camera.frame_age": 0.03,
    "camera.frozen": False,
    "human.distance": 2.0,
    "battery.level": 80.0,
    "robot.x": 0.0,
    "robot.y": 0.0,
}


def readings(sampled_s: float, **changes: Value) -> dict[str, Reading]:
    values = {**CALM, **{name.replace("__", "."): value for name, value in changes.items()}}
    return {name: Reading(value, sampled_s) for name, value in values.items()}


def guard_at(now_s: float, margins: dict[str, Margin] | None = None, **changes: Value) -> SpecGuard:
    guard = SpecGuard(load_spec("iso10218-humanoid"), GuardSettings(margins or {}))
    guard.observe(readings(now_s, **changes), now_s)
    return guard


def test_guard_without_a_single_sample_lets_no_motion_through():
    guard = SpecGuard(load_spec("iso10218-humanoid"))
    assert guard.review(WALK, 5.0).kind == "deny"


def test_first_samples_count_as_a_new_scene_even_after_a_review():
    guard = SpecGuard(load_spec("iso10218-humanoid"))
    guard.review(WALK, 0.0)
    guard.observe(readings(0.1, human__distance=0.8), 0.1)
    assert guard.review(WALK, 0.1).rules == ("S2",)


def test_samples_that_grew_too_old_between_two_calls_count_from_then_on():
    guard = guard_at(0.0)
    assert guard.review(WALK, 5.0).rules == ("S1", "S2", "S3")


def test_window_runs_from_the_instant_a_sample_grew_too_old():
    guard = guard_at(0.0)
    assert guard.review(WALK, 1.29).kind == "allow"
    assert guard.review(WALK, 1.31).kind == "deny"


def test_new_sample_after_a_gap_does_not_restart_the_window():
    guard = guard_at(0.0)
    guard.observe({"human.distance": Reading(0.8, 5.0)}, 5.0)
    assert guard.review(WALK, 5.0).rules == ("S1", "S2")
    guard.observe(readings(5.1, human__distance=0.8), 5.1)
    assert guard.review(WALK, 5.1).rules == ("S2",)


def test_each_sample_runs_out_in_its_own_time():
    guard = guard_at(0.0)
    assert guard.state(2.0).active == ("S1", "S2", "S3")
    assert guard.state(61.0).active == ("S1", "S2", "S3", "S4")


def test_onset_between_two_reviews_is_not_lost():
    guard = guard_at(0.0)
    guard.observe(readings(0.1, human__distance=0.8), 0.1)
    guard.observe(readings(0.4, human__distance=0.7), 0.4)
    assert guard.review(WALK, 0.39 + 0.02).rules == ("S2",)


def test_short_low_battery_between_two_reviews_is_latched():
    guard = guard_at(0.0)
    guard.observe(readings(0.1, battery__level=14.0), 0.1)
    guard.observe(readings(0.2), 0.2)
    assert [due.onset_s for due in guard.state(0.3).obligations] == [0.1]


def test_samples_that_change_nothing_keep_the_rules_as_they_are_and_prolong_their_life():
    guard = guard_at(0.0)
    for k in range(1, 40):
        guard.observe(readings(k * 0.1, human__distance=2.0 + k * 0.01), k * 0.1)
        assert guard.review(WALK, k * 0.1).kind == "allow"
    assert guard.state(3.9).values["human.distance"] == pytest.approx(2.39)


def test_signal_that_comes_back_in_its_old_cell_is_known_again():
    guard = guard_at(0.0)
    assert guard.review(WALK, 1.5).kind == "deny"
    guard.observe(readings(1.6), 1.6)
    assert guard.review(WALK, 1.6).kind == "allow"


@pytest.mark.parametrize("value", [None, math.nan, -1.0, 11.0, "2.0", True])
def test_value_that_is_none_ends_calm_at_once(value: Value):
    guard = guard_at(0.0)
    for at in (0.1, 0.5):
        guard.observe(readings(at, human__distance=value), at)
    assert guard.review(WALK, 0.5).rules == ("S2", "S3")


@pytest.mark.parametrize("value", [2.0, INFINITE, math.inf, 5])
def test_far_values_of_any_kind_are_calm(value: Value):
    guard = guard_at(0.0)
    for at in (0.1, 0.5):
        guard.observe(readings(at, human__distance=value), at)
    assert guard.review(WALK, 0.5).kind == "allow"


@pytest.mark.parametrize("sampled_s", [1e9, math.inf, math.nan])
def test_sample_dated_in_the_future_is_no_sample(sampled_s: float):
    guard = guard_at(0.0)
    for at in (0.1, 0.5):
        guard.observe({"human.distance": Reading(2.0, sampled_s)}, at)
    assert guard.review(WALK, 0.5).kind == "deny"


@pytest.mark.parametrize("now_s", [math.nan, -1.0])
def test_clock_that_runs_backwards_or_is_no_number_is_refused(now_s: float):
    guard = guard_at(0.0)
    assert guard.review(WALK, now_s).kind == "deny"
    with pytest.raises(ValueError, match="clock"):
        guard.observe(readings(0.0), now_s)


def test_margin_grows_with_age_between_two_samples():
    guard = guard_at(0.0, {"human.distance": Margin(0.1, 1.6)}, human__distance=1.5)
    assert guard.state(0.24).active == ()
    assert guard.state(0.26).active == ("S2",)
    assert guard.state(0.57).active == ("S2", "S3")


def test_window_of_a_growing_margin_runs_from_where_it_reached_the_threshold():
    guard = guard_at(0.0, {"human.distance": Margin(0.1, 1.6)}, human__distance=1.5)
    assert guard.review(WALK, 0.25 + 0.31).rules == ("S2",)


def test_margin_that_grows_from_nothing_reaches_a_threshold_at_its_value():
    guard = guard_at(0.0, {"human.distance": Margin(0.0, 0.1)}, human__distance=1.0)
    assert guard.state(0.001).active == ("S2",)


@pytest.mark.parametrize("per_s", [1e-300, 1e-12, 1e300])
def test_margin_of_extreme_growth_comes_to_an_end(per_s: float):
    guard = guard_at(0.0, {"human.distance": Margin(0.0, per_s)}, human__distance=1.0)
    assert guard.state(0.9).active in ((), ("S2", "S3"))


def test_margin_widens_the_newest_samples_and_not_what_the_model_was_told():
    guard = guard_at(0.0, {"human.distance": Margin(0.1)})
    guard.told({"human.distance": Reading(1.05, 0.0)}, 0.0)
    assert guard.state(0.0).active == ()
    assert guard.review(WALK, 0.31).kind == "allow"
    guard.told({"human.distance": Reading(0.99, 0.4)}, 0.4)
    assert guard.state(0.4).active == ("S2",)
    assert guard.review(WALK, 0.71).rules == ("S2",)


def test_what_was_told_counts_since_the_newest_sample_said_the_same():
    guard = guard_at(0.0, {"human.distance": Margin(0.1)})
    guard.observe({"human.distance": Reading(0.99, 0.1)}, 0.1)
    guard.told({"human.distance": Reading(0.98, 0.2)}, 0.2)
    guard.observe({"human.distance": Reading(5.0, 0.3)}, 0.3)
    assert guard.review(WALK, 0.41).rules == ("S2",)


def test_obligation_released_while_its_trigger_holds_is_latched_again_at_once(
    monkeypatch: pytest.MonkeyPatch,
):
    guard = guard_at(0.0, battery__level=14.0)
    monkeypatch.setattr(guard.spec, "can_release", lambda *_: True)
    assert guard.reset(1.0) == ("S4",)
    assert [due.onset_s for due in guard.state(1.0).obligations] == [1.0]
