"""Tokens, cost, latency, distance."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from heedful.metrics.usage import CallTotals, add_calls, cost_usd, latency_figures, mean_tokens

from .labelled_sessions import digest, make_call, one_arm


@dataclass(frozen=True)
class Prices:
    input: float = 2.0
    output: float = 10.0
    cached: float | None = 0.5
    cache_write: float | None = 2.5
    up_to_input_tokens: int | None = None


def test_tokens_are_means_over_calls():
    totals = add_calls([make_call(100, 1000, 20, 600), make_call(300, 3000, 40, 0)])
    assert mean_tokens(totals) == {
        "input_estimated": 200,
        "input_reported": 2000,
        "output": 30,
        "cached": 300,
    }


def test_what_was_not_reported_is_absent():
    assert mean_tokens(add_calls([make_call(100)])) == {"input_estimated": 100}
    assert mean_tokens(CallTotals()) == {}


def test_cost_charges_cached_input_at_its_own_price():
    """400 fresh at 2, 600 cached at 0.5, 20 out at 10 USD a million."""
    totals = add_calls([make_call(0, 1000, 20, 600)])
    assert cost_usd(totals, Prices()) == pytest.approx((400 * 2 + 600 * 0.5 + 20 * 10) / 1e6)
    assert cost_usd(totals, Prices(cached=None)) == pytest.approx((1000 * 2 + 20 * 10) / 1e6)


def test_cost_charges_what_was_written_to_the_cache_at_its_own_price():
    """100 fresh at 2, 600 cached at 0.5, 300 written at 2.5, or at 2 as other input."""
    totals = add_calls([make_call(0, 1000, 0, 600, cache_write_tokens=300)])
    assert cost_usd(totals, Prices()) == pytest.approx((100 * 2 + 600 * 0.5 + 300 * 2.5) / 1e6)
    assert cost_usd(totals, Prices(cache_write=None)) == pytest.approx((400 * 2 + 600 * 0.5) / 1e6)


def test_a_call_that_wrote_a_summary_counts_in_tokens_and_cost():
    """Two calls reported 1000 + 200 in, 20 + 30 out, 50 cached; 1150 fresh at 2, 50 at 0.5, 50 out at 10."""
    summed = {"summary_input_tokens": 200, "summary_output_tokens": 30, "summary_cached_tokens": 50}
    totals = add_calls([make_call(100, 1000, 20, 0, **summed)])
    assert mean_tokens(totals) == {
        "input_estimated": 100,
        "input_reported": 600,
        "output": 25,
        "cached": 25,
    }
    assert cost_usd(totals, Prices()) == pytest.approx((1150 * 2 + 50 * 0.5 + 50 * 10) / 1e6)


def test_a_summary_call_without_reported_tokens_leaves_the_cost_unknown():
    call = make_call(100, 1000, 20, summary_input_tokens=0)
    cost = one_arm([digest("1", calls=[call])], prices={"m": Prices()}).cost
    assert cost.reason == "1 of 2 calls reported no tokens"


def test_tokens_per_turn_are_over_all_turns():
    """Two turns of two calls each, and in each a third that wrote a summary."""
    calls = [make_call(100, 1000, 20), make_call(300, 3000, 40, summary_input_tokens=500)]
    assert one_arm([digest("11", calls=calls)]).tokens_per_turn == {
        "calls": 3,
        "input_estimated": 400,
        "input_reported": 4500,
        "output": 60,
    }


def test_reported_tokens_per_turn_need_every_call_reported():
    assert one_arm([digest("1", calls=[make_call(100, 1000), make_call(100)])]).tokens_per_turn == {
        "calls": 2,
        "input_estimated": 200,
    }
    assert one_arm([digest("1")]).tokens_per_turn == {}


def test_cost_is_per_session():
    arm = one_arm([digest("11", calls=[make_call(0, 1000)])], prices={"m": Prices()})
    assert arm.cost.value == pytest.approx(2 * 1000 * 2 / 1e6)


@pytest.mark.parametrize(
    ("prices", "reason"),
    [
        ({}, "no price is known for m"),
        ({"m": None}, "no price is known for m"),
        ({"m": Prices()}, "1 of 2 calls reported no tokens"),
        ({"m": Prices(input=0, output=0)}, "no interval: 1 sessions, 10 needed"),
    ],
)
def test_an_unknown_cost_says_why(prices, reason):
    cost = one_arm([digest("1", calls=[make_call(0, 1000), make_call(100)])], prices=prices).cost
    assert cost.reason == reason


def test_a_prompt_beyond_the_listed_tier_has_no_price():
    calls = [make_call(0, 300_000)]
    cost = one_arm([digest("1", calls=calls)], prices={"m": Prices(up_to_input_tokens=200_000)}).cost
    assert cost.value is None
    assert "300000 tokens" in cost.reason


def test_latency_percentiles_are_latencies_that_occurred():
    figures = latency_figures([0.1 * k for k in range(1, 21)])
    assert figures == pytest.approx({"p50": 1.0, "p95": 1.9, "max": 2.0, "calls": 20})
    assert latency_figures([]) == {}


def test_a_model_that_takes_no_time_was_not_timed():
    assert latency_figures([0.0, 0.0]) == {}
    assert latency_figures([0.0, 0.5])["calls"] == 2


def test_reaction_distance_is_walking_speed_times_latency():
    """ISO 13855: a person walks 0.8 m towards the robot in 0.5 s."""
    arm = one_arm([digest("1", latencies_s=(0.5,))])
    assert arm.reaction_distance_m == pytest.approx({"p50": 0.8, "p95": 0.8, "max": 0.8})
    assert one_arm([digest("1")]).reaction_distance_m == {}


def test_token_curve_follows_the_turns():
    assert one_arm([digest("11", calls=[make_call(100), make_call(200)])]).token_curve == ((0, 150), (1, 150))
