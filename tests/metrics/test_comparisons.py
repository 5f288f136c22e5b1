"""The declared family: which arms are compared, on what, and what a test may say."""

from __future__ import annotations

import pytest

from heedful.metrics.comparisons import IDENTICAL, METRICS, declare_family, stream
from heedful.metrics.guard_result import GUARD_METRICS
from heedful.metrics.summary import ArmKey

from .labelled_sessions import digest, summarise_digests


def two_arms(full, window, **fields):
    return [digest(codes, rep=rep, **fields) for rep, codes in enumerate(full)] + [
        digest(codes, rep=rep, context="window", **fields) for rep, codes in enumerate(window)
    ]


def compare(*sessions):
    return {c.metric: c for c in summarise_digests(sessions).comparisons}


def test_family_holds_each_factor_against_its_baseline():
    keys = [
        ArmKey("m", context, push, guard)
        for context in ("full", "window")
        for push in ("none", "turn")
        for guard in ("off", "on")
    ]
    pairs = [(p.a.title, p.b.title) for p in declare_family(keys)]
    assert len(pairs) == 3 * 4
    assert ("m, full", "m, window") in pairs
    assert ("m, full", "m, full, guard on") in pairs
    assert ("m, window, push turn", "m, window, push turn, guard on") in pairs


def test_models_are_not_compared_with_each_other():
    assert declare_family([ArmKey("a", "full"), ArmKey("b", "window")]) == ()


def test_difference_is_b_minus_a_per_session():
    """Six pairs; the window adds one violation in each, and costs one C1 of four."""
    found = compare(*two_arms(["1112", "1122"] * 3, ["1142", "4122"] * 3))
    assert tuple(found) == METRICS
    assert (found["violations"].a, found["violations"].b) == ("m, full", "m, window")
    assert found["violations"].difference.value == 1
    assert found["sps"].difference.value == pytest.approx(-0.25)
    assert found["violations"].p_value == pytest.approx(2 / 2**6)
    assert found["violations"].pairs == 6


def test_holm_runs_over_the_whole_family():
    """p is 2/64 for violations and SPS, 1 for issues: three members, so 3 * 2/64 twice."""
    found = compare(*two_arms(["1112", "1122"] * 3, ["1142", "4122"] * 3))
    assert found["violations"].p_holm == pytest.approx(6 / 64)
    assert found["issues"].p_holm == 1


def test_under_six_pairs_nothing_can_be_significant_and_it_says_so():
    found = compare(*two_arms(["1112", "1122"], ["4444", "4442"]))
    assert "cannot be significant at 2 pairs" in found["violations"].note


def test_repeats_of_one_deterministic_run_carry_no_p_value():
    found = compare(*two_arms(["1111"] * 12, ["4444"] * 12))
    assert (found["violations"].difference.value, found["violations"].p_value) == (4, None)
    assert IDENTICAL in found["violations"].note
    assert "identical" in found["violations"].difference.reason


def test_equal_arms_do_not_differ():
    found = compare(*two_arms(["1111"] * 12, ["1111"] * 12))
    assert (found["violations"].difference.value, found["violations"].p_value) == (0, 1)


def test_a_turn_that_one_arm_left_undecided_is_left_out_of_both():
    found = compare(*two_arms(["4112"], ["I112"]))
    assert found["violations"].difference.value == 0
    assert "1 undecided turns left out of both arms" in found["violations"].note


def test_a_session_that_did_not_end_leaves_its_pair_out():
    found = compare(digest("11"), digest("4", turns=2, context="window"))
    assert (found["violations"].pairs, found["violations"].difference.n_excluded) == (0, 1)
    assert found["violations"].p_value is None


def test_arms_pair_by_seed_not_by_position():
    found = compare(
        digest("1", seed=5), digest("4", rep=1, seed=6), digest("4", rep=1, seed=6, context="window")
    )
    assert (found["violations"].pairs, found["violations"].difference.value) == (1, 0)
    assert found["violations"].difference.n_excluded == 1


def test_two_repetitions_of_one_seed_stay_two_pairs():
    found = compare(*two_arms(["1", "1"], ["4", "4"], seed=3))
    assert found["violations"].pairs == 2


def test_issues_compare_with_stale_beliefs_among_them():
    found = compare(digest("1", issues={0: ["tool_loop"]}), digest("1", context="window", stale=3))
    assert found["issues"].difference.value == 2


def test_each_generated_scenario_is_one_pair():
    sessions = [
        digest("14" if context == "window" and rep else "11", context=context, scenario=f"s+g{k}", rep=rep)
        for context in ("full", "window")
        for k in range(6)
        for rep in range(2)
    ]
    found = compare(*sessions)
    assert (found["violations"].pairs, found["violations"].difference.value) == (6, 0.5)


def test_scenarios_of_their_own_are_compared_apart():
    sessions = [digest("1", context=c, scenario=s) for c in ("full", "window") for s in ("a", "b")]
    comparisons = summarise_digests(sessions).comparisons
    assert [c.scenario for c in comparisons] == ["a"] * 3 + ["b"] * 3


def test_guard_off_is_compared_with_on():
    found = summarise_digests([digest("4"), digest("1", guard="on")]).comparisons
    assert [(c.a, c.b) for c in found] == [("m, full", "m, full, guard on")] * len(GUARD_METRICS)
    assert [c.metric for c in found] == list(GUARD_METRICS)


def test_random_streams_depend_on_seed_and_name_alone():
    draws = {
        (seed, name): stream(seed, name).integers(0, 2**32) for seed in (0, 1, -1) for name in ("a", "b")
    }
    assert len(set(draws.values())) == 6
    assert draws[0, "a"] == stream(0, "a").integers(0, 2**32)
