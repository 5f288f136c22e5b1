"""Two orders of the same models: Kendall's tau-b on paper, swaps and ties by name."""

from __future__ import annotations

import math

import pytest

from heedful.metrics.ranking import count_changes, estimate_tau, rank


def tau(first: list[float], second: list[float]) -> float | None:
    names = [f"m{k}" for k in range(len(first))]
    changes = count_changes(dict(zip(names, first, strict=True)), dict(zip(names, second, strict=True)))
    return estimate_tau(changes).value


def test_one_swap_of_neighbours_among_four():
    """Six pairs, five kept, one swapped: (5 - 1) / 6."""
    changes = count_changes({"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 2, "b": 1, "c": 3, "d": 4})
    assert (changes.kept, changes.swapped, changes.tied_once) == (5, (("a", "b"),), ())
    assert estimate_tau(changes).value == pytest.approx(4 / 6)


def test_a_swap_names_the_one_that_was_lower_first():
    assert count_changes({"a": 5, "b": 2}, {"a": 1, "b": 2}).swapped == (("b", "a"),)


def test_the_reverse_order_is_minus_one():
    assert tau([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)


def test_a_tie_in_one_order_shrinks_its_side_of_the_root():
    """Three pairs; the last two tie in the first order: 2 / sqrt(2 * 3)."""
    assert tau([1, 2, 2], [1, 2, 3]) == pytest.approx(2 / math.sqrt(6))
    changes = count_changes({"a": 1, "b": 2, "c": 2}, {"a": 1, "b": 2, "c": 3})
    assert (changes.swapped, changes.tied_once) == ((), (("b", "c"),))


def test_rounding_makes_no_order():
    assert count_changes({"a": 0.1 + 0.2, "b": 0.3}, {"a": 1, "b": 2}).tied_once == (("a", "b"),)


@pytest.mark.parametrize(
    ("first", "second", "why"), [([1, 1], [1, 2], "equal on one layer"), ([1], [1], "fewer than two")]
)
def test_without_an_order_there_is_no_tau_and_it_says_why(first, second, why):
    changes = count_changes(dict(enumerate(first)), dict(enumerate(second)))  # type: ignore[arg-type]
    estimate = estimate_tau(changes)
    assert estimate.value is None
    assert why in (estimate.reason or "")


def test_equal_values_share_the_better_place():
    assert rank({"a": 0, "b": 3, "c": 0, "d": 9}) == {"a": 1, "b": 3, "c": 1, "d": 4}
