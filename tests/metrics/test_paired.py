"""Paired comparisons: exact where it can be counted, honest about few pairs, type I error kept."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from heedful.metrics.paired import (
    MONTE_CARLO_DRAWS,
    HolmFamily,
    HolmMember,
    McNemarTest,
    adjust_holm,
    compare_paired,
    mcnemar,
    sign_flip_p,
)

law = settings(deadline=None, derandomize=True, max_examples=60)
p_values = st.dictionaries(st.text("abcdefgh", min_size=1, max_size=3), st.floats(0, 1), max_size=8)
NULLS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(1.5, n),
    "ternary": lambda rng, n: rng.integers(-1, 2, n),
    "mostly zero": lambda rng, n: rng.integers(-1, 2, n) * (rng.random(n) < 0.3),
    "unequal scales": lambda rng, n: rng.normal(size=n) * np.geomspace(0.01, 10, n),
}


def rng():
    return np.random.default_rng(0)


def by_seed(values):
    return {("humanoid-100-v1", seed): value for seed, value in enumerate(values)}


def compare(baseline, treatment):
    return compare_paired("violations", by_seed(baseline), by_seed(treatment), rng())


def test_all_pairs_in_one_direction_give_the_smallest_p():
    # 6 pairs, all up: 2 of the 64 patterns are as extreme
    assert sign_flip_p([1, 2, 3, 4, 5, 6], rng()) == 2 / 64


def test_sign_flip_of_three_pairs_on_paper():
    # 3, 2, -1: sums are +-6, +-4, +-2, 0, 0 ...; observed 4; |sum| >= 4 in 4 of 8 patterns
    assert sign_flip_p([3, 2, -1], rng()) == 4 / 8


@law
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=9))
def test_sums_that_differ_by_rounding_are_ties(differences):
    assert sign_flip_p([d / 10 for d in differences], rng()) == sign_flip_p(differences, rng())


def test_exact_test_agrees_with_enumeration_and_scipy():
    values = np.random.default_rng(4).normal(0.4, 1, 11)
    signs = itertools.product((-1, 1), repeat=11)
    counted = np.mean([abs(np.dot(s, values)) >= abs(values.sum()) - 1e-12 for s in signs])
    scipy_p = stats.permutation_test((values,), np.sum, permutation_type="samples", n_resamples=np.inf).pvalue
    assert sign_flip_p(values.tolist(), rng()) == pytest.approx(counted)
    assert sign_flip_p(values.tolist(), rng()) == pytest.approx(scipy_p)


def test_many_pairs_are_drawn_with_the_plus_one_correction():
    p = sign_flip_p([1.0] * 40, rng())
    assert p == 1 / (MONTE_CARLO_DRAWS + 1)


def test_drawn_p_is_close_to_the_exact_one():
    # 16 pairs of equal size: the sum is binomial; 12 up of 16
    exact = 2 * stats.binom.sf(11, 16, 0.5)
    assert sign_flip_p([1] * 12 + [-1] * 4, rng()) == pytest.approx(exact, abs=0.003)


@law
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_order_and_arm_names_do_not_move_p(differences, random):
    shuffled = random.sample(differences, len(differences))
    p = sign_flip_p(differences, rng())
    assert sign_flip_p(shuffled, rng()) == p
    assert sign_flip_p([-d for d in differences], rng()) == p
    assert 2 / 2 ** len(differences) <= p <= 1


def test_order_does_not_move_a_drawn_p():
    differences = np.random.default_rng(1).normal(0.3, 1, 25).tolist()
    assert sign_flip_p(differences, rng(), draws=2000) == sign_flip_p(differences[::-1], rng(), draws=2000)


@pytest.mark.parametrize("pairs", [1, 5])
def test_under_six_pairs_cannot_be_significant(pairs):
    result = compare([0] * pairs, [1] * pairs)
    assert result.note == f"cannot be significant at {pairs} pairs"
    assert result.smallest_p == 2 / 2**pairs == result.p_value


def test_six_pairs_can_be_significant_but_have_no_interval():
    result = compare([0] * 6, [1, 2, 3, 1, 2, 3])
    assert (result.note, result.p_value, result.smallest_p) == (None, 2 / 64, 2 / 64)
    assert result.difference.reason == "no interval: 6 pairs, 10 needed"


def test_difference_is_treatment_minus_baseline_over_common_pairs():
    result = compare_paired("sps", {1: 0.5, 2: 0.7, 3: None, 4: 0.1}, {1: 0.6, 2: 0.9, 3: 0.2, 5: 1.0}, rng())
    assert result.difference.value == pytest.approx(0.15)
    assert (result.difference.n, result.difference.n_excluded) == (2, 3)


def test_equal_arms_differ_by_nothing():
    result = compare([0.5] * 12, [0.5] * 12)
    assert (result.difference.value, result.p_value) == (0.0, 1.0)
    assert result.difference.reason == "no interval: the 12 pairs are identical"


def test_no_common_pair_is_none_with_a_reason():
    result = compare_paired("sps", {1: 0.5}, {2: 0.5}, rng())
    assert (result.p_value, result.difference.value) == (None, None)
    assert result.difference.reason == "nothing to count: no pairs"


def test_clear_difference_has_an_interval_off_zero():
    noise = np.random.default_rng(2).normal(0, 0.1, 20)
    result = compare([0.9] * 20, (0.6 + noise).tolist())
    assert result.difference.high < 0
    assert result.p_value < 0.001
    assert result.method == "sign-flip, 100000 draws"


@pytest.mark.parametrize("null", NULLS)
def test_type_one_error_is_at_most_5_5_percent(null):
    # 7500 data sets: a test of exactly 5 % passes by two standard errors
    source = np.random.default_rng(15)
    rejections = [
        sign_flip_p(NULLS[null](source, pairs).tolist(), source, draws=999) <= 0.05
        for pairs in (10, 13, 20)
        for _ in range(2500)
    ]
    assert np.mean(rejections) <= 0.055


@pytest.mark.parametrize("sizes", [(1, 2, 3, 4, 5, 6, 7, 8), (1, 1, 1, 1, 1, 1), (0, 0, 1, 1, 2, 9, 9)])
def test_exact_test_keeps_every_level_over_all_signs_of_its_pairs(sizes):
    signs = itertools.product((-1, 1), repeat=len(sizes))
    p_of_signs = [
        sign_flip_p([s * size for s, size in zip(sign, sizes, strict=True)], rng()) for sign in signs
    ]
    for level in set(p_of_signs):
        assert np.mean([p <= level for p in p_of_signs]) <= level + 1e-12


def test_mcnemar_counts_discordant_pairs_only():
    baseline = by_seed([True] * 9 + [False] * 2 + [True] * 5 + [None])
    treatment = by_seed([False] * 9 + [True] * 2 + [True] * 5 + [True])
    assert mcnemar("violated", baseline, treatment) == McNemarTest(
        name="violated",
        n_pairs=16,
        n_excluded=1,
        only_baseline=9,
        only_treatment=2,
        p_value=pytest.approx(stats.binomtest(9, 11).pvalue),
    )


def test_mcnemar_says_when_it_could_not_have_been_significant():
    assert mcnemar("v", by_seed([True] * 4), by_seed([False] * 4)).note == "cannot be significant at 4 pairs"
    few = mcnemar("v", by_seed([True] * 20), by_seed([False] * 5 + [True] * 15))
    assert few.note == "cannot be significant at 5 discordant pairs"
    assert few.p_value == 2 / 32
    assert mcnemar("v", {}, {}).p_value is None


@pytest.mark.parametrize("discordant", [6, 15, 40])
def test_mcnemar_keeps_its_type_one_error(discordant):
    chance = 0.0
    for k in range(discordant + 1):
        first = by_seed([True] * k + [False] * (discordant - k))
        second = {key: not value for key, value in first.items()}
        if mcnemar("violated", first, second).p_value <= 0.05:
            chance += stats.binom.pmf(k, discordant, 0.5)
    assert 0 < chance <= 0.05


def test_holm_on_paper():
    # sorted .01 .02 .03 .04 -> x4 .04, x3 .06, x2 .06 (kept up), x1 .06 (kept up)
    family = adjust_holm("guards", {"d": 0.04, "a": 0.01, "c": 0.03, "b": 0.02})
    assert family == HolmFamily(
        "guards",
        (
            HolmMember("d", 0.04, pytest.approx(0.06)),
            HolmMember("a", 0.01, pytest.approx(0.04)),
            HolmMember("c", 0.03, pytest.approx(0.06)),
            HolmMember("b", 0.02, pytest.approx(0.06)),
        ),
    )


def test_untested_hypothesis_still_counts_in_its_family():
    members = adjust_holm("guards", {"a": 0.02, "b": None}).members
    assert members == (HolmMember("a", 0.02, 0.04), HolmMember("b", None, None))


@law
@given(p_values)
def test_holm_is_at_least_the_raw_p_at_most_bonferroni_and_monotone(raw):
    members = adjust_holm("f", raw).members
    assert [member.name for member in members] == list(raw)
    for member in members:
        assert member.p_value <= member.p_adjusted <= min(1.0, len(raw) * member.p_value) + 1e-12
    by_p = sorted(members, key=lambda member: member.p_value)
    assert [m.p_adjusted for m in by_p] == sorted(m.p_adjusted for m in members)


@law
@given(p_values)
def test_holm_does_not_depend_on_the_order_of_the_family(raw):
    backwards = adjust_holm("f", dict(reversed(raw.items())))
    assert set(backwards.members) == set(adjust_holm("f", raw).members)


def test_impossible_inputs_are_refused():
    with pytest.raises(ValueError, match="outside"):
        adjust_holm("f", {"a": 1.5})
    with pytest.raises(ValueError, match="outside"):
        adjust_holm("f", {"a": math.nan})
    with pytest.raises(ValueError, match="at least one pair"):
        sign_flip_p([], rng())
