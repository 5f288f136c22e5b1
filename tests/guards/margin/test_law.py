from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InputError
from heedful.guards.margin.law import Approach, Noise, aimed_rate
from heedful.guards.settings import Margin

UNIFORM = Noise("uniform", 0.1)
GAUSSIAN = Noise("gaussian", 0.05)
NOISES = st.builds(Noise, st.sampled_from(["uniform", "gaussian"]), st.floats(0.01, 1.0))
APPROACHES = st.builds(Approach, NOISES, st.floats(0.0, 1.0), st.floats(0.0, 3.0))
RATES = st.floats(1e-6, 0.5)


def simulated(approach: Approach, margin: float) -> tuple[float, float, float]:
    """Return the rate of violations and the needless share of walkers and of people who stand still."""
    rng, count = np.random.default_rng(3), 400_000
    width = approach.spread(margin)
    ahead = rng.uniform(-width, width, count)
    noise = approach.noise.draw(rng, count)
    walks = ahead + approach.travel + noise >= margin
    stands = ahead + noise >= margin
    safe = ahead >= 0
    return float((walks & ~safe).sum() / walks.sum()), *(
        float((safe & ~allowed).sum() / safe.sum()) for allowed in (walks, stands)
    )


def test_bounded_noise_and_rate_zero_ask_for_half_width_and_travel_exactly():
    approach = Approach(UNIFORM, 0.15, 1.6)
    margin = approach.margin_for(0.0)
    assert margin == Margin(0.1, 1.6)
    assert margin.at_age(0.15) == 0.1 + 0.15 * 1.6
    assert approach.violation_rate(margin.at_age(0.15)) == 0.0


def test_closed_form_of_uniform_noise():
    approach = Approach(UNIFORM, 0.15, 1.6)
    excess = 0.1 - 2 * math.sqrt(0.01 * 0.1 * (0.1 + 2 * 0.24))
    assert approach.margin_for(0.01) == Margin(pytest.approx(excess), 1.6)


@given(APPROACHES, RATES)
def test_margin_has_the_wanted_rate_or_none_is_needed(approach: Approach, rate: float):
    margin = approach.margin_for(rate)
    at_age = margin.at_age(approach.age_s)
    if margin == Margin():
        assert approach.violation_rate(0.0) <= rate
    else:
        assert approach.violation_rate(at_age) == pytest.approx(rate, rel=1e-3, abs=1e-9)
    assert margin.base >= 0
    assert 0 <= margin.per_s <= approach.speed * (1 + 1e-9)


@given(APPROACHES, RATES, RATES)
def test_smaller_rate_asks_for_no_smaller_margin(approach: Approach, one: float, other: float):
    small, large = sorted((one, other))
    assert approach.margin_for(small).at_age(approach.age_s) >= (
        approach.margin_for(large).at_age(approach.age_s) - 1e-9
    )


@pytest.mark.parametrize("noise", [UNIFORM, GAUSSIAN, Noise("uniform", 0.0)])
@pytest.mark.parametrize(("age_s", "speed"), [(0.15, 1.6), (0.02, 0.5)])
@pytest.mark.parametrize("rate", [0.01, 0.1])
def test_calculation_agrees_with_draws(noise: Noise, age_s: float, speed: float, rate: float):
    approach = Approach(noise, age_s, speed)
    margin = approach.margin_for(rate).at_age(age_s)
    calculated = (
        approach.violation_rate(margin),
        approach.needless_share(margin),
        approach.needless_share(margin, is_approaching=False),
    )
    assert simulated(approach, margin) == pytest.approx(calculated, abs=4e-3)


def test_gaussian_noise_has_no_margin_for_rate_zero():
    with pytest.raises(InputError, match="No margin gives a rate of 0"):
        Approach(GAUSSIAN, 0.1, 1.6).margin_for(0.0)


@pytest.mark.parametrize("rate", [-0.1, 1.0, math.nan, math.inf])
def test_rate_that_is_no_share_is_refused(rate: float):
    with pytest.raises(InputError, match="share"):
        Approach(UNIFORM, 0.1, 1.6).margin_for(rate)


@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_numbers_that_mean_nothing_are_refused(value: float):
    with pytest.raises(InputError, match="scale"):
        Noise("uniform", value)
    with pytest.raises(InputError, match="age of the sample"):
        Approach(UNIFORM, value, 1.6)
    with pytest.raises(InputError, match="speed"):
        Approach(UNIFORM, 0.1, value)


def test_unknown_kind_of_noise_is_refused():
    with pytest.raises(InputError, match="uniform or gaussian"):
        Noise("cauchy", 0.1)  # type: ignore[arg-type]


def test_perfect_sensor_needs_no_study():
    with pytest.raises(InputError, match="no margin is needed"):
        Approach(Noise("uniform", 0.0), 0.0, 1.6)


@given(st.floats(1e-6, 0.5), st.floats(1, 1e7))
def test_aim_is_below_the_wanted_rate(rate: float, expected: float):
    assert 0 < aimed_rate(rate, expected) < rate


def test_aim_for_rate_zero_is_zero():
    assert aimed_rate(0.0, 1000.0) == 0.0
