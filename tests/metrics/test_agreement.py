"""Agreement of labellings: counts, kappa on paper, precision and recall that may be absent."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.metrics.agreement import (
    ConfusionCounts,
    count_confusion,
    estimate_agreement,
    estimate_kappa,
    precision_recall,
)
from heedful.metrics.intervals import wilson

law = settings(deadline=None, derandomize=True, max_examples=60)
labels = st.sampled_from(["C1", "C2", "C3", "C4"])
labellings = st.lists(st.tuples(labels, labels), min_size=1, max_size=40)
YES_NO = ConfusionCounts(("yes", "no"), ((20, 5), (10, 15)))


def test_confusion_counts_rows_by_the_first_labelling():
    confusion = count_confusion(["a", "a", "b"], ["a", "b", "b"])
    assert confusion == ConfusionCounts(("a", "b"), ((1, 1), (0, 1)))
    assert (confusion.n, confusion.n_agreed) == (3, 2)
    assert (confusion.first_totals, confusion.second_totals) == ((2, 1), (1, 2))


def test_declared_labels_keep_their_order_and_empty_rows():
    confusion = count_confusion(["C4"], ["C4"], ["C4", "C1"])
    assert confusion == ConfusionCounts(("C4", "C1"), ((1, 0), (0, 0)))


def test_kappa_on_paper():
    # agreement 35/50 = 0.7, chance (25*30 + 25*20)/2500 = 0.5: kappa 0.4
    kappa = estimate_kappa(YES_NO)
    limits = wilson(35, 50)
    assert kappa.value == pytest.approx(0.4)
    assert (kappa.low, kappa.high) == pytest.approx(((limits.low - 0.5) / 0.5, (limits.high - 0.5) / 0.5))


def test_agreement_is_a_wilson_rate():
    agreement = estimate_agreement(YES_NO)
    assert (agreement.value, agreement.low) == (0.7, wilson(35, 50).low)


def test_perfect_agreement_is_one_with_a_lower_limit():
    kappa = estimate_kappa(count_confusion(["a", "b"] * 10, ["a", "b"] * 10))
    assert (kappa.value, kappa.high) == (1.0, 1.0)
    assert 0.5 < kappa.low < 1


def test_kappa_of_one_label_is_undefined_with_a_reason():
    kappa = estimate_kappa(count_confusion(["C1"] * 5, ["C1"] * 5))
    assert (kappa.value, kappa.n) == (None, 5)
    assert kappa.reason.startswith("kappa is undefined")
    assert estimate_kappa(ConfusionCounts((), ())).reason == "nothing to count: n = 0"


@law
@given(labellings)
def test_swapping_or_shuffling_labellings_changes_no_agreement(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    one = estimate_kappa(count_confusion(first, second))
    assert estimate_kappa(count_confusion(second, first)) == one
    assert estimate_kappa(count_confusion(first[::-1], second[::-1])) == one
    if one.value is not None:
        assert -1 <= one.low <= one.value <= one.high <= 1


@pytest.mark.parametrize("flip", [0.02, 0.3])
@pytest.mark.parametrize("common", [0.5, 0.9])
def test_kappa_interval_covers_at_least_92_percent_of_300_replies(flip, common):
    share = np.array([common, 1 - common])
    cells = (1 - flip) * np.diag(share) + flip * np.outer(share, share)
    rng = np.random.default_rng(8)
    hits = 0
    for _ in range(400):
        table = rng.multinomial(300, cells.ravel()).reshape(2, 2).tolist()
        kappa = estimate_kappa(ConfusionCounts(("a", "b"), tuple(map(tuple, table))))
        hits += kappa.low <= 1 - flip <= kappa.high
    assert hits / 400 >= 0.92


def test_precision_and_recall_on_paper():
    # predicted refused: 3, of which 2 right; actually refused: 4
    predicted = ["refused", "refused", "refused", "none", "none", "none"]
    actual = ["refused", "refused", "none", "refused", "refused", "none"]
    result = precision_recall(predicted, actual, "refused")
    assert (result.true_positives, result.false_positives, result.false_negatives) == (2, 1, 2)
    assert (result.precision.value, result.precision.n) == (2 / 3, 3)
    assert (result.recall.value, result.recall.n) == (2 / 4, 4)
    assert result.recall.low == wilson(2, 4).low


def test_label_never_predicted_has_no_precision():
    result = precision_recall(["none"], ["refused"], "refused")
    assert (result.precision.value, result.precision.reason) == (None, "nothing to count: n = 0")
    assert result.recall.value == 0.0


@law
@given(labellings)
def test_precision_and_recall_swap_with_the_labellings(pairs):
    first, second = [a for a, _ in pairs], [b for _, b in pairs]
    one, other = precision_recall(first, second, "C4"), precision_recall(second, first, "C4")
    assert one.precision.value == other.recall.value
    assert one.false_positives == other.false_negatives


def test_labellings_that_do_not_match_are_refused():
    with pytest.raises(ValueError, match="length"):
        count_confusion(["a"], [])
    with pytest.raises(ValueError, match="not among"):
        count_confusion(["a"], ["b"], ["a"])
    with pytest.raises(ValueError, match="zip"):
        precision_recall(["a"], [], "a")
