"""Intervals: against scipy, against paper, and the laws they obey."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from heedful.metrics.intervals import (
    Interval,
    RateMethod,
    beta_quantile,
    clopper_pearson,
    clustered_mean_interval,
    clustered_rate_interval,
    normal_quantile,
    rate_interval,
    regularised_beta,
    student_quantile,
    wilson,
    zero_event_bound,
)

law = settings(deadline=None, derandomize=True, max_examples=60)
METHODS = list(RateMethod)
SCIPY_NAMES = {RateMethod.WILSON: "wilson", RateMethod.CLOPPER_PEARSON: "exact"}


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 400))
    return draw(st.integers(0, n)), n


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3, 10, 17, 150, 5000])
@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_interval_agrees_with_scipy(method, n, confidence):
    for k in {0, 1, n // 3, n // 2, n - 1, n}:
        ours = rate_interval(k, n, method, confidence)
        theirs = stats.binomtest(k, n).proportion_ci(confidence, SCIPY_NAMES[method])
        assert ours.low == pytest.approx(theirs.low, abs=1e-9)
        assert ours.high == pytest.approx(theirs.high, abs=1e-9)


def test_wilson_of_five_in_ten_on_paper():
    # z^2 = 3.8415: centre 1/2, half width z/(1 + z^2/10) * sqrt(1/40 + z^2/400)
    z2 = normal_quantile(0.95) ** 2
    half = math.sqrt(z2) / (1 + z2 / 10) * math.sqrt(1 / 40 + z2 / 400)
    assert wilson(5, 10) == Interval(
        pytest.approx(0.5 - half), pytest.approx(0.5 + half), 0.95, RateMethod.WILSON
    )


def test_clopper_pearson_of_no_event_on_paper():
    # 0 of n: P(0 events) = (1 - p)^n = 0.025
    assert clopper_pearson(0, 17).high == pytest.approx(1 - 0.025 ** (1 / 17), abs=1e-12)


def test_no_violation_in_500_turns_bounds_the_rate_at_six_per_thousand():
    assert zero_event_bound(500) == pytest.approx(1 - 0.05 ** (1 / 500))
    assert zero_event_bound(500) == pytest.approx(3 / 500, rel=0.01)


@law
@given(counts(), st.sampled_from(METHODS), st.sampled_from([0.8, 0.95, 0.99]))
def test_interval_contains_the_rate_and_has_width(kn, method, confidence):
    k, n = kn
    interval = rate_interval(k, n, method, confidence)
    assert 0 <= interval.low <= k / n <= interval.high <= 1
    assert interval.low < interval.high


@law
@given(counts(), st.sampled_from(METHODS))
def test_counting_the_other_outcome_mirrors_the_interval(kn, method):
    k, n = kn
    one, other = rate_interval(k, n, method), rate_interval(n - k, n, method)
    assert one.low == pytest.approx(1 - other.high, abs=1e-12)
    assert one.high == pytest.approx(1 - other.low, abs=1e-12)


@law
@given(counts(), st.sampled_from(METHODS))
def test_limits_rise_with_k(kn, method):
    k, n = kn
    if k < n:
        fewer, more = rate_interval(k, n, method), rate_interval(k + 1, n, method)
        assert fewer.low < more.low
        assert fewer.high < more.high


@law
@given(counts())
def test_more_confidence_is_wider(kn):
    for method in METHODS:
        narrow, wide = (rate_interval(*kn, method, confidence) for confidence in (0.9, 0.99))
        assert wide.low <= narrow.low < narrow.high <= wide.high


@pytest.mark.parametrize("n", [5, 20, 60])
def test_clopper_pearson_never_covers_less_than_promised(n):
    intervals = [clopper_pearson(k, n) for k in range(n + 1)]
    for p in np.linspace(0.01, 0.99, 33):
        chance = stats.binom.pmf(range(n + 1), n, p)
        covered = [interval.low <= p <= interval.high for interval in intervals]
        assert chance[covered].sum() >= 0.95


@pytest.mark.parametrize(("n", "lowest"), [(50, 0.91), (150, 0.92)])
def test_wilson_covers_what_it_promises_on_average(n, lowest):
    intervals = [wilson(k, n) for k in range(n + 1)]
    coverage = []
    for p in np.linspace(0.02, 0.98, 97):
        inside = [interval.low <= p <= interval.high for interval in intervals]
        coverage.append(stats.binom.pmf(range(n + 1), n, p)[inside].sum())
    assert 0.94 <= np.mean(coverage) <= 0.96
    assert min(coverage) >= lowest


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (0.01, 3.0), (2.0, 7.5), (300.0, 40.0), (5e4, 5e4)])
def test_beta_distribution_agrees_with_scipy(a, b):
    for q in (1e-3, 0.025, 0.5, 0.975):
        x = stats.beta.ppf(q, a, b)
        assert regularised_beta(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-9)
        assert beta_quantile(q, a, b) == pytest.approx(x, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("degrees", [1, 1.3, 2.7, 9, 19, 400.5])
def test_student_quantile_agrees_with_scipy(degrees):
    assert student_quantile(0.95, degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-9)


@pytest.mark.parametrize(("k", "n"), [(-1, 5), (6, 5), (0, 0), (float("nan"), 5)])
def test_impossible_counts_are_refused(k, n):
    for method in METHODS:
        with pytest.raises(ValueError, match="0 <= k <= n"):
            rate_interval(k, n, method)


def test_confidence_outside_unit_is_refused():
    with pytest.raises(ValueError, match="Confidence"):
        wilson(1, 2, 1.0)


@law
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(9, 30)), min_size=10, max_size=30))
def test_clustered_rate_interval_contains_the_rate_and_ignores_order(pairs):
    counts_, sizes = [a for a, _ in pairs], [b for _, b in pairs]
    if len({a / b for a, b in pairs}) == 1 and sum(counts_) not in (0, sum(sizes)):
        return
    interval = clustered_rate_interval(counts_, sizes)
    assert 0 <= interval.low <= sum(counts_) / sum(sizes) <= interval.high <= 1
    shuffled = clustered_rate_interval(counts_[::-1], sizes[::-1])
    assert (shuffled.low, shuffled.high) == pytest.approx((interval.low, interval.high), rel=1e-9)


def test_clustering_widens_the_interval():
    spread_out = clustered_rate_interval([4, 6] * 10, [50] * 20)
    piled_up = clustered_rate_interval([50, 50] + [0] * 18, [50] * 20)
    assert piled_up.high - piled_up.low > 3 * (spread_out.high - spread_out.low)


def test_clustered_rate_interval_mirrors():
    counts_ = [0, 1, 5, 2, 0, 3, 1, 1, 0, 9]
    bad = clustered_rate_interval(counts_, [20] * 10)
    good = clustered_rate_interval([20 - k for k in counts_], [20] * 10)
    assert (good.low, good.high) == pytest.approx((1 - bad.high, 1 - bad.low))


def test_sessions_without_event_count_as_sessions_not_turns():
    interval = clustered_rate_interval([0] * 12, [100] * 12)
    assert (interval.low, interval.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 12)))


def test_mean_interval_without_skewness_is_student():
    # -1, 0, 1 repeated: skewness 0 and a flat distribution, hence the full n - 1 degrees
    values = [-1.0, 0.0, 1.0] * 5
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    interval = clustered_mean_interval(values, [1] * 15)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


@law
@given(
    st.lists(st.floats(-100, 100).map(lambda x: round(x, 3)), min_size=10, max_size=25),
    st.integers(-50, 50),
)
def test_mean_interval_moves_and_mirrors_with_the_data(values, shift):
    if max(values) - min(values) < 0.01:
        return
    sizes = [1] * len(values)
    plain = clustered_mean_interval(values, sizes)
    moved = clustered_mean_interval([v + shift for v in values], sizes)
    mirrored = clustered_mean_interval([-v for v in values], sizes)
    assert plain.low <= math.fsum(values) / len(values) <= plain.high
    assert (moved.low - shift, moved.high - shift) == pytest.approx((plain.low, plain.high), abs=1e-5)
    assert (-mirrored.high, -mirrored.low) == pytest.approx((plain.low, plain.high), abs=1e-5)


def test_mean_interval_leans_towards_the_long_tail():
    values = [1.0] * 8 + [2.0, 3.0, 5.0, 12.0]
    mean = sum(values) / 12
    interval = clustered_mean_interval(values, [1] * 12)
    assert interval.high - mean > 1.5 * (mean - interval.low)


@pytest.mark.parametrize("interval", [clustered_mean_interval, clustered_rate_interval])
def test_clusters_that_say_nothing_of_their_spread_are_refused(interval):
    with pytest.raises(ValueError, match="Identical"):
        interval([3, 3, 3], [10, 10, 10])
    with pytest.raises(ValueError, match="positive size"):
        interval([0, 1], [0, 2])
    with pytest.raises(ValueError, match="positive size"):
        interval([], [])


def test_events_in_one_session_are_judged_by_the_number_of_sessions():
    # 10 events, all in 1 of 20 equal sessions: as if 0.2 of 20 sessions had failed
    piled_up = clustered_rate_interval([10] + [0] * 19, [50] * 20)
    by_session = clopper_pearson(0.2, 20)
    assert (piled_up.low, piled_up.high) == pytest.approx((by_session.low, by_session.high))


def test_mean_interval_undoes_the_skewness_as_hall_does():
    # 4 of 12: skewness (1 - 2/3) / sqrt(2/9); flat enough for the full 11 degrees
    n, mean, sigma, skewness = 12, 1 / 3, math.sqrt(12 * 2 / 9 / 11), (1 / 3) / math.sqrt(2 / 9)
    interval = clustered_mean_interval([0] * 8 + [1] * 4, [1] * n)
    bounds = [(mean - limit) / sigma for limit in (interval.low, interval.high)]
    transformed = [u + skewness * u**2 / 3 + skewness**2 * u**3 / 27 + skewness / (6 * n) for u in bounds]
    t = stats.t.ppf(0.975, 11) / math.sqrt(n)
    assert transformed == pytest.approx([t, -t])
