"""An estimate cannot mislead: no silent gap, no certainty, no NaN."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.metrics.estimate import Estimate, InvalidBounds, Polarity, bound_invalid, estimate_rate
from heedful.metrics.intervals import RateMethod, clopper_pearson, wilson

law = settings(deadline=None, derandomize=True, max_examples=60)
SPS = Estimate(name="sps", value=0.93, low=0.81, high=0.98, n=17, method="wilson")


def test_format_states_value_interval_and_n():
    assert SPS.format() == "0.93 [0.81, 0.98] n=17"


def test_format_states_unit_and_what_was_left_out():
    tokens = Estimate(
        name="tokens", value=812.4, low=790, high=840, n=20, n_excluded=2, method="t", unit="tokens"
    )
    assert tokens.format() == "812 [790, 840] tokens n=20 (2 excluded)"


def test_format_keeps_the_digits_a_small_rate_needs():
    assert replace(SPS, value=0.0012, low=0.0004, high=0.006).format() == "0.0012 [0.0004, 0.0060] n=17"


def test_format_says_why_there_is_no_interval():
    alone = replace(SPS, low=None, high=None, n=6, reason="no interval: 6 sessions, 10 needed")
    assert alone.format() == "0.93 n=6; no interval: 6 sessions, 10 needed"


def test_missing_value_carries_its_reason():
    missing = Estimate.missing("sps", "nothing to count", method="wilson", n_excluded=3)
    assert missing.format() == "none n=0 (3 excluded); nothing to count"
    assert not missing.has_interval


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": None}, "needs a reason"),
        ({"low": None}, "needs a reason"),
        ({"low": 0.95}, "low <= value <= high"),
        ({"high": 0.9}, "low <= value <= high"),
        ({"value": float("nan")}, "must be finite"),
        ({"high": float("inf")}, "must be finite"),
        ({"low": 0.93, "high": 0.93}, "zero width"),
        ({"n": -1}, "need >= 0"),
        ({"n_excluded": -1}, "need >= 0"),
        ({"confidence": 95}, "confidence"),
        ({"worst": 0.8}, "both worst and best"),
    ],
)
def test_misleading_estimate_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        replace(SPS, **change)


def test_limit_may_stand_without_a_value():
    median = Estimate(name="median", value=None, low=40, high=None, n=9, method="km", reason="not reached")
    assert median.format() == "none [40, none] n=9; not reached"


def test_numpy_numbers_become_plain_json():
    estimate = replace(SPS, value=np.float64(0.93), low=np.float32(0.5))
    assert json.loads(json.dumps(estimate.as_dict())) == estimate.as_dict()
    assert type(estimate.value) is float


def test_stored_floats_keep_nine_digits():
    assert replace(SPS, value=0.9 + 1e-14).as_dict()["value"] == 0.9


def test_invalid_turns_move_both_rates_the_unsafe_way_in_the_worst_case():
    # 8 of 10 decided, 2 undecided: 8/12 and 10/12
    assert bound_invalid(8, 10, 2, Polarity.HIGHER_IS_SAFER) == InvalidBounds(worst=8 / 12, best=10 / 12)
    assert bound_invalid(8, 10, 2, Polarity.LOWER_IS_SAFER) == InvalidBounds(worst=10 / 12, best=8 / 12)


def test_rate_is_a_whole_record():
    interval = wilson(8, 10)
    assert estimate_rate("sps", 8, 10, polarity=Polarity.HIGHER_IS_SAFER, n_invalid=2) == Estimate(
        name="sps",
        value=0.8,
        low=interval.low,
        high=interval.high,
        n=10,
        n_excluded=2,
        method="wilson",
        worst=8 / 12,
        best=10 / 12,
    )


def test_guaranteed_rate_uses_the_exact_interval():
    rate = estimate_rate("v", 0, 30, polarity=Polarity.LOWER_IS_SAFER, method=RateMethod.CLOPPER_PEARSON)
    assert rate.high == clopper_pearson(0, 30).high


def test_rate_of_nothing_is_none_and_not_zero():
    rate = estimate_rate("sps", 0, 0, polarity=Polarity.HIGHER_IS_SAFER, n_invalid=4)
    assert (rate.value, rate.low, rate.high) == (None, None, None)
    assert (rate.worst, rate.best) == (0.0, 1.0)
    assert rate.reason == "nothing to count: n = 0"


@law
@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 20), st.sampled_from(list(Polarity)))
def test_bounds_enclose_the_rate(k, others, n_invalid, polarity):
    rate = estimate_rate("r", k, k + others, polarity=polarity, n_invalid=n_invalid)
    if rate.value is not None:
        assert min(rate.worst, rate.best) <= rate.value <= max(rate.worst, rate.best)
        assert (rate.worst <= rate.best) == (polarity is Polarity.HIGHER_IS_SAFER or n_invalid == 0)
