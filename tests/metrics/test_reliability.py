"""pass^k: unbiased, falling in k, and silent when k is too large."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from heedful.metrics.intervals import clopper_pearson
from heedful.metrics.reliability import Tally, estimate_pass_all, pass_all

law = settings(deadline=None, derandomize=True, max_examples=60)


@st.composite
def tallies(draw: st.DrawFn) -> Tally:
    n = draw(st.integers(1, 30))
    return Tally(draw(st.integers(0, n)), n)


def test_eight_of_ten_at_four_on_paper():
    # C(8, 4) / C(10, 4) = 70 / 210, while 0.8^4 = 0.41
    assert pass_all(Tally(8, 10), 4) == pytest.approx(1 / 3)


@pytest.mark.parametrize("p", [0.2, 0.7, 0.95])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_estimate_is_unbiased(p, k):
    expected = sum(stats.binom.pmf(c, 8, p) * pass_all(Tally(c, 8), k) for c in range(9))
    assert expected == pytest.approx(p**k)


@law
@given(tallies())
def test_falls_in_k_and_starts_at_the_rate(tally):
    values = [pass_all(tally, k) for k in range(1, tally.sessions + 1)]
    assert values[0] == pytest.approx(tally.successes / tally.sessions)
    assert values == sorted(values, reverse=True)
    assert values[-1] == float(tally.successes == tally.sessions)


def test_more_than_the_sessions_is_none_with_a_reason():
    estimate = estimate_pass_all({"a": Tally(3, 3), "b": Tally(2, 4)}, 5)
    assert (estimate.value, estimate.n_excluded) == (None, 2)
    assert estimate.reason == "k = 5 is more than the 4 sessions of any scenario"


@law
@given(tallies(), st.integers(1, 6))
def test_one_scenario_keeps_its_value_inside_the_interval(tally, k):
    estimate = estimate_pass_all({"humanoid-100-v1": tally}, k)
    if tally.sessions >= k:
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.n == tally.sessions
        assert estimate.note.startswith("one scenario")


def test_scenarios_are_averaged_and_short_ones_left_out():
    # 1/3, 1 and one scenario too short for k = 4
    estimate = estimate_pass_all({"a": Tally(8, 10), "b": Tally(4, 4), "c": Tally(3, 3)}, 4)
    assert estimate.value == pytest.approx(2 / 3)
    assert (estimate.n, estimate.n_excluded) == (2, 1)
    assert estimate.reason == "no interval: 2 scenarios, 10 needed"


def test_many_scenarios_are_the_clusters():
    estimate = estimate_pass_all({str(i): Tally(i, 12) for i in range(13)}, 2)
    assert 0 <= estimate.low < estimate.value < estimate.high <= 1
    assert estimate.n == 13


def test_perfect_scenarios_are_bounded_by_their_number():
    estimate = estimate_pass_all({str(i): Tally(5, 5) for i in range(12)}, 5)
    assert (estimate.value, estimate.low) == (1.0, clopper_pearson(12, 12).low)
    assert (estimate.note, estimate.worst) == ("12 scenarios", None)


def test_impossible_tallies_are_refused():
    with pytest.raises(ValueError, match="successes"):
        Tally(3, 2)
    with pytest.raises(ValueError, match="k >= 1"):
        pass_all(Tally(1, 2), 0)
