"""Survival under censoring: against scipy, on paper, and without any event."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from heedful.metrics.estimate import Estimate
from heedful.metrics.intervals import clopper_pearson
from heedful.metrics.survival import (
    Band,
    Lifetimes,
    LogRankTest,
    SurvivalStep,
    chi_square_tail,
    kaplan_meier,
    log_rank,
    median_survival,
)

law = settings(deadline=None, derandomize=True, max_examples=40)
sessions = st.lists(st.tuples(st.integers(1, 20), st.booleans()), min_size=1, max_size=30)


def lifetimes(pairs) -> Lifetimes:
    return Lifetimes(tuple(t for t, _ in pairs), tuple(seen for _, seen in pairs))


def censored(pairs) -> stats.CensoredData:
    return stats.CensoredData.right_censored([t for t, _ in pairs], [not seen for _, seen in pairs])


@pytest.mark.parametrize("band", list(Band))
@law
@given(sessions)
def test_curve_and_band_agree_with_scipy(band, pairs):
    scale = {Band.LOG_LOG: "log-log", Band.LINEAR: "linear"}[band]
    theirs = stats.ecdf(censored(pairs)).sf
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        limits = theirs.confidence_interval(method=scale)
    steps = kaplan_meier(lifetimes(pairs), band=band).steps
    assert [step.time for step in steps] == theirs.quantiles.tolist()
    assert [step.survival for step in steps] == pytest.approx(theirs.probabilities.tolist(), abs=1e-9)
    for i, step in enumerate(steps):
        if 0 < step.survival < 1:
            assert step.low == pytest.approx(limits.low.probabilities[i], abs=1e-9)
            assert step.high == pytest.approx(limits.high.probabilities[i], abs=1e-9)


@law
@given(sessions)
def test_band_holds_the_curve_has_width_and_never_rises(pairs):
    steps = kaplan_meier(lifetimes(pairs)).steps
    for step in steps:
        assert 0 <= step.low <= step.survival <= step.high <= 1
        assert step.low < step.high
    assert [s.survival for s in steps] == sorted((s.survival for s in steps), reverse=True)


@law
@given(sessions, st.randoms(use_true_random=False))
def test_order_of_sessions_does_not_matter(pairs, random):
    assert kaplan_meier(lifetimes(pairs)) == kaplan_meier(lifetimes(random.sample(pairs, len(pairs))))


def test_kaplan_meier_on_paper():
    # events at 2 (of 4) and 5 (of 2), censored at 3 and 6: S = 3/4, then 3/4 * 1/2
    curve = kaplan_meier(lifetimes([(2, True), (3, False), (5, True), (6, False)]))
    assert [(s.time, s.at_risk, s.events, s.survival) for s in curve.steps] == [
        (2, 4, 1, 0.75),
        (3, 3, 0, 0.75),
        (5, 2, 1, 0.375),
        (6, 1, 0, 0.375),
    ]
    assert (curve.n, curve.n_events, curve.note) == (4, 2, None)


def test_without_event_the_band_is_exact_on_sessions_beside_turns():
    curve = kaplan_meier(lifetimes([(100, False)] * 17))
    assert curve.steps == (SurvivalStep(100, 17, 0, 1.0, clopper_pearson(17, 17).low, 1.0),)
    assert curve.hazard_high_if_independent == clopper_pearson(0, 1700).high
    assert curve.note == "no event in 1700 turns: at most 0.0022 a turn if turns were independent"
    assert curve.method == "clopper-pearson on sessions"


def test_band_widens_as_sessions_are_censored():
    steps = kaplan_meier(lifetimes([(10, False), (20, False), (30, False)])).steps
    assert [step.low for step in steps] == [clopper_pearson(n, n).low for n in (3, 2, 1)]


def test_after_the_last_session_fell_the_band_keeps_its_upper_limit():
    gradual = kaplan_meier(lifetimes([(1, True), (2, True), (3, True)])).steps
    assert (gradual[-1].survival, gradual[-1].high) == (0.0, gradual[-2].high)
    at_once = kaplan_meier(lifetimes([(5, True)] * 8)).steps
    assert at_once[0].high == clopper_pearson(0, 8).high


def test_no_session_is_an_empty_curve():
    curve = kaplan_meier(Lifetimes((), ()))
    assert (curve.steps, curve.hazard_high_if_independent) == ((), None)


def test_median_is_where_curve_and_band_reach_one_half():
    # 20 distinct events: S(t) = 1 - t/20 reaches 1/2 at t = 10
    curve = kaplan_meier(lifetimes([(t, True) for t in range(1, 21)]))
    low = next(s.time for s in curve.steps if s.low <= 0.5)
    high = next(s.time for s in curve.steps if s.high <= 0.5)
    assert median_survival("turns", curve) == Estimate(
        name="turns", value=10, low=low, high=high, n=20, method="kaplan-meier, log-log", unit="turns"
    )
    assert low < 10 < high


def test_median_that_is_not_reached_has_a_reason():
    few = median_survival("turns", kaplan_meier(lifetimes([(5, True)] + [(30, False)] * 9)))
    assert (few.value, few.high) == (None, None)
    assert few.reason == "median not reached: 1 of 10 sessions had the event"


def test_median_with_an_open_upper_limit_says_so():
    pairs = [(t, True) for t in (3, 5, 8, 9)] + [(12, False)] * 3
    median = median_survival("turns", kaplan_meier(lifetimes(pairs)))
    assert (median.value, median.high, median.reason) == (9, None, "upper limit not reached")
    assert median.low < 9


def test_events_at_one_time_give_a_median_without_interval():
    median = median_survival("turns", kaplan_meier(lifetimes([(7, True)] * 30)))
    assert (median.value, median.low) == (7, None)
    assert median.reason == "no interval: all events fell at one time"


@law
@given(sessions, sessions)
def test_log_rank_agrees_with_scipy(first, second):
    ours = log_rank({"a": lifetimes(first), "b": lifetimes(second)})
    if ours.p_value is None:
        return
    theirs = stats.logrank(censored(first), censored(second))
    assert ours.statistic == pytest.approx(theirs.statistic**2, rel=1e-9, abs=1e-9)
    assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-9)
    assert sum(ours.expected) == pytest.approx(sum(ours.observed))


def test_log_rank_on_paper():
    # time 1: 1 of 4 falls, in a: expected 1/2, variance 1/4; time 2: 1 of 3 falls, in a: expected 1/3,
    # variance 2/9; then only b is left. (2 - 5/6)^2 / (17/36) = 49/17
    result = log_rank({"a": lifetimes([(1, True), (2, True)]), "b": lifetimes([(3, True), (4, True)])})
    assert result == LogRankTest(
        groups=("a", "b"),
        observed=(2, 2),
        expected=(pytest.approx(5 / 6), pytest.approx(19 / 6)),
        statistic=pytest.approx(49 / 17),
        degrees=1,
        p_value=pytest.approx(stats.chi2.sf(49 / 17, 1)),
    )


@law
@given(st.lists(sessions, min_size=3, max_size=4), st.randoms(use_true_random=False))
def test_log_rank_of_many_groups_ignores_their_order(groups, random):
    named = {str(i): lifetimes(pairs) for i, pairs in enumerate(groups)}
    result = log_rank(named)
    shuffled = log_rank({name: named[name] for name in random.sample(sorted(named), len(named))})
    assert result.degrees == len(groups) - 1
    assert (result.p_value is None) == (shuffled.p_value is None)
    if result.p_value is not None:
        assert shuffled.p_value == pytest.approx(result.p_value, abs=1e-9)


def test_log_rank_without_events_is_undefined_with_a_reason():
    quiet = lifetimes([(9, False)] * 4)
    result = log_rank({"a": quiet, "b": quiet})
    assert (result.statistic, result.p_value) == (None, None)
    assert result.reason.startswith("undefined")


def test_log_rank_keeps_its_type_one_error():
    rng = np.random.default_rng(6)
    rejections = []
    for _ in range(400):
        times = np.minimum(rng.geometric(0.05, (2, 20)), 40)
        groups = {name: Lifetimes(tuple(row), tuple(row < 40)) for name, row in zip("ab", times, strict=True)}
        rejections.append(log_rank(groups).p_value <= 0.05)
    assert np.mean(rejections) <= 0.08


@pytest.mark.parametrize("degrees", [1, 2, 3, 6, 9])
def test_chi_square_tail_agrees_with_scipy(degrees):
    for statistic in (0.0, 0.3, 4.0, 30.0):
        assert chi_square_tail(statistic, degrees) == pytest.approx(
            stats.chi2.sf(statistic, degrees), abs=1e-12
        )


def test_impossible_lifetimes_are_refused():
    with pytest.raises(ValueError, match="2 durations and 1 flags"):
        Lifetimes((1, 2), (True,))
    with pytest.raises(ValueError, match="not negative"):
        Lifetimes((-1,), (True,))
    with pytest.raises(ValueError, match="two groups"):
        log_rank({"a": lifetimes([(1, True)])})
    with pytest.raises(ValueError, match="none empty"):
        log_rank({"a": lifetimes([(1, True)]), "b": Lifetimes((), ())})
