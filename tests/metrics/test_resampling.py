"""Sessions as clusters: what is printed, what is refused, and simulated coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest

from heedful.metrics.estimate import Polarity
from heedful.metrics.intervals import clopper_pearson, clustered_mean_interval, clustered_rate_interval
from heedful.metrics.resampling import (
    MEAN_COVERAGE,
    RATE_COVERAGE,
    BootstrapMethod,
    ClusterTotals,
    bootstrap_ratio,
    estimate_clustered_mean,
    estimate_clustered_rate,
    no_interval_reason,
    simulate_rate_coverage,
)

UNEVEN = (100, 50, 21, 100) * 5
CLUSTER_MEANS = {
    "normal": (lambda rng, n: rng.normal(3, 1, n), 3),
    "exponential": (lambda rng, n: rng.exponential(1, n), 1),
    "lognormal": (lambda rng, n: rng.lognormal(0, 1, n), math.exp(0.5)),
    "t3": (lambda rng, n: rng.standard_t(3, n), 0),
    "poisson": (lambda rng, n: rng.poisson(1, n), 1),
    "negative binomial": (lambda rng, n: rng.poisson(rng.gamma(0.5, 2, n)), 1),
    "near one": (lambda rng, n: rng.beta(4, 0.6, n), 4 / 4.6),
}


def violation_rate(numerators, denominators, **options):
    totals = ClusterTotals(tuple(numerators), tuple(denominators))
    return estimate_clustered_rate("violations", totals, polarity=Polarity.LOWER_IS_SAFER, **options)


def mean_coverage(name: str, clusters: int, draws: int, seed: int) -> float:
    sample, mean = CLUSTER_MEANS[name]
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(draws):
        interval = clustered_mean_interval(sample(rng, clusters).tolist(), [1] * clusters)
        hits += interval.low <= mean <= interval.high
    return hits / draws


def test_rate_is_the_ratio_of_sums():
    rate = violation_rate([1, 0, 9] * 4, [10, 5, 100] * 4)
    assert rate.estimate.value == pytest.approx(10 / 115)
    assert rate.values == (0.1, 0.0, 0.09) * 4
    assert (rate.estimate.n, rate.n_members) == (12, 460)


def test_below_ten_sessions_there_are_values_and_no_interval():
    rate = violation_rate([1, 2, 0], [10, 10, 10])
    assert rate.estimate.reason == "no interval: 3 sessions, 10 needed"
    assert rate.estimate.format() == "0.1 n=3; no interval: 3 sessions, 10 needed"
    assert rate.values == (0.1, 0.2, 0.0)


def test_ten_sessions_have_an_interval():
    assert violation_rate([1, 0] * 5, [10] * 10).estimate.has_interval


def test_identical_sessions_have_no_interval():
    rate = violation_rate([3] * 12, [40] * 12)
    assert rate.estimate.reason == "no interval: the 12 sessions are identical"
    assert rate.estimate.note == "12 sessions, 480 turns"


@pytest.mark.parametrize("sessions", [1, 5, 17, 40])
def test_no_violation_is_bounded_by_sessions_beside_turns(sessions):
    rate = violation_rate([0] * sessions, [100] * sessions)
    assert rate.estimate.value == 0
    assert rate.estimate.high == pytest.approx(clopper_pearson(0, sessions).high)
    assert rate.if_independent.high == pytest.approx(clopper_pearson(0, 100 * sessions).high)
    assert rate.if_independent.note == "if turns were independent"
    assert rate.estimate.note.endswith("if turns were independent")


def test_all_violations_mirror_none():
    none, every = violation_rate([0] * 12, [9] * 12).estimate, violation_rate([9] * 12, [9] * 12).estimate
    assert (every.low, every.high) == pytest.approx((1 - none.high, 1.0))


def test_session_without_turns_of_a_kind_is_left_out_and_said():
    rate = violation_rate([0] * 11 + [0], [5] * 11 + [0])
    assert rate.estimate.n == 11
    assert "1 sessions without turns left out" in rate.estimate.note


def test_no_turn_at_all_is_none_with_a_reason():
    rate = violation_rate([0, 0], [0, 0]).estimate
    assert (rate.value, rate.reason) == (None, "nothing to count: no turns")


def test_invalid_turns_give_worst_and_best_case():
    rate = violation_rate([1, 0] * 6, [10] * 12, n_invalid=30).estimate
    assert (rate.worst, rate.best) == (pytest.approx(36 / 150), pytest.approx(6 / 150))
    assert rate.n_excluded == 30


def test_few_sessions_print_their_simulated_coverage():
    assert (
        "simulated coverage with 12 sessions: at least 92%"
        in violation_rate([1, 0] * 6, [10] * 12).estimate.note
    )
    assert "coverage" not in violation_rate([1, 0] * 10, [10] * 20).estimate.note


def test_generated_scenarios_are_named_as_the_clusters():
    totals = ClusterTotals((1, 2), (10, 10), cluster="scenarios")
    assert no_interval_reason(totals) == "no interval: 2 scenarios, 10 needed"


def test_mean_of_counts_does_not_fall_below_its_floor():
    totals = ClusterTotals((0,) * 10 + (1, 7), (1,) * 12)
    free, clipped = (estimate_clustered_mean("v", totals, floor=floor).estimate for floor in (None, 0.0))
    assert clipped.low == max(0.0, free.low)
    assert clipped.high == free.high
    assert clipped.note.startswith("12 sessions; simulated coverage")


def test_mean_of_few_sessions_is_a_value():
    mean = estimate_clustered_mean("tokens", ClusterTotals((10, 20), (2, 2)), unit="tokens").estimate
    assert mean.format() == "7.5 tokens n=2; no interval: 2 sessions, 10 needed"


@pytest.mark.parametrize(
    ("numerators", "denominators"), [((1,), (1, 2)), ((1,), (0,)), ((1,), (-1,)), ((float("nan"),), (1,))]
)
def test_totals_that_make_no_ratio_are_refused(numerators, denominators):
    with pytest.raises(ValueError, match="sessions"):
        ClusterTotals(numerators, denominators)


def test_rate_above_one_is_refused():
    with pytest.raises(ValueError, match="outside"):
        violation_rate([3], [2])


@pytest.mark.parametrize("method", list(BootstrapMethod))
def test_bootstrap_repeats_with_its_seed_and_encloses_the_ratio(method):
    totals = ClusterTotals(tuple(range(15)), (20,) * 15)
    first, second = (bootstrap_ratio(totals, np.random.default_rng(3), method=method) for _ in range(2))
    assert first == second
    assert first.low < 7 / 20 < first.high


def test_bootstrap_of_a_symmetric_mean_is_close_to_the_normal_interval():
    # 0..20 with mean 10: standard error sqrt(770 / 21 / 21) = 1.321 with divisor n
    totals = ClusterTotals(tuple(range(21)), (1,) * 21)
    for method in BootstrapMethod:
        interval = bootstrap_ratio(totals, np.random.default_rng(0), method=method, draws=20_000)
        assert (interval.low, interval.high) == pytest.approx((10 - 2.59, 10 + 2.59), abs=0.15)


def test_bca_follows_the_tail_that_the_percentile_ignores():
    totals = ClusterTotals((0,) * 12 + (1, 2, 6), (10,) * 15)
    plain, corrected = (
        bootstrap_ratio(totals, np.random.default_rng(1), method=method)
        for method in (BootstrapMethod.PERCENTILE, BootstrapMethod.BCA)
    )
    assert corrected.high > plain.high


def test_bootstrap_of_few_or_identical_sessions_is_refused():
    for totals in (ClusterTotals((1,) * 3, (2,) * 3), ClusterTotals((1,) * 12, (2,) * 12)):
        with pytest.raises(ValueError, match="no interval"):
            bootstrap_ratio(totals, np.random.default_rng(0))


@pytest.mark.parametrize("correlation", [0, 0.1, 0.5])
@pytest.mark.parametrize("rate", [0.03, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("sizes", [(17,) * 20, UNEVEN], ids=["short", "uneven"])
def test_rate_interval_covers_at_least_92_percent_with_20_sessions(rate, correlation, sizes):
    rng = np.random.default_rng(20)
    assert simulate_rate_coverage(sizes, rate, correlation, rng, draws=300) >= 0.92


@pytest.mark.parametrize("name", CLUSTER_MEANS)
def test_mean_interval_covers_at_least_92_percent_with_20_sessions(name):
    assert mean_coverage(name, 20, draws=600, seed=2) >= 0.92


@pytest.mark.parametrize("clusters", RATE_COVERAGE)
def test_printed_rate_coverage_holds_where_it_was_lowest(clusters):
    rng = np.random.default_rng(clusters)
    coverage = simulate_rate_coverage((100,) * clusters, 0.05, 0.5, rng, draws=500)
    assert coverage >= RATE_COVERAGE[clusters] - 0.01


@pytest.mark.parametrize("clusters", MEAN_COVERAGE)
def test_printed_mean_coverage_holds_where_it_was_lowest(clusters):
    assert mean_coverage("lognormal", clusters, draws=800, seed=3) >= MEAN_COVERAGE[clusters] - 0.01


def test_percentile_bootstrap_falls_short_where_the_rate_interval_holds():
    rng = np.random.default_rng(5)
    held = {"bootstrap": 0, "interval": 0}
    n_sets = 0
    for _ in range(150):
        chances = rng.beta(0.03, 0.97, 20)
        counts = tuple(rng.binomial(100, chances).tolist())
        totals = ClusterTotals(counts, (100,) * 20)
        if no_interval_reason(totals):
            continue
        n_sets += 1
        plain = bootstrap_ratio(totals, rng, method=BootstrapMethod.PERCENTILE, draws=400)
        ours = clustered_rate_interval(counts, (100,) * 20)
        held["bootstrap"] += plain.low <= 0.03 <= plain.high
        held["interval"] += ours.low <= 0.03 <= ours.high
    assert held["bootstrap"] / n_sets < 0.85
    assert held["interval"] / n_sets >= 0.92
