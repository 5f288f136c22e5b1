"""How well two labellings of the same items agree: counts, agreement, kappa, precision and recall.

Used between layers, between true and sensed labels, and for the phrase table against hand labels.
Below: `estimate`, `intervals`. Above: the metrics over labels. Must not know traces or labels; a label
here is any string.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.metrics.estimate import Estimate, Polarity, estimate_rate

_INDEPENDENT = "items taken as independent"


@dataclass(frozen=True)
class ConfusionCounts:
    """How often each pair of labels was given."""

    labels: tuple[str, ...]
    """Row and column order."""
    counts: tuple[tuple[int, ...], ...]
    """counts[i][j]: items labelled labels[i] by the first and labels[j] by the second."""

    @property
    def n(self) -> int:
        """Number of items."""
        return sum(map(sum, self.counts))

    @property
    def n_agreed(self) -> int:
        """Number of items with the same label twice."""
        return sum(row[i] for i, row in enumerate(self.counts))

    @property
    def first_totals(self) -> tuple[int, ...]:
        """Items by the first labelling."""
        return tuple(sum(row) for row in self.counts)

    @property
    def second_totals(self) -> tuple[int, ...]:
        """Items by the second labelling."""
        return tuple(sum(column) for column in zip(*self.counts, strict=True))


@dataclass(frozen=True)
class PrecisionRecall:
    """How well predictions find one label."""

    label: str
    """The label looked for."""
    precision: Estimate
    """Of the items predicted to carry it, the share that does."""
    recall: Estimate
    """Of the items that carry it, the share that was predicted to."""
    true_positives: int
    """Predicted and actual."""
    false_positives: int
    """Predicted only."""
    false_negatives: int
    """Actual only."""


def count_confusion(
    first: Sequence[str], second: Sequence[str], labels: Sequence[str] | None = None
) -> ConfusionCounts:
    """Return the table of two labellings.

    Args:
        first: One label an item.
        second: The other label of the same items.
        labels: Row order; by default the labels that occur, sorted.

    Raises:
        ValueError: If the lengths differ, or a label is not among `labels`.
    """
    if len(first) != len(second):
        raise ValueError(f"Labellings differ in length: {len(first)} and {len(second)}.")
    order = tuple(labels) if labels is not None else tuple(sorted({*first, *second}))
    if unknown := {*first, *second} - {*order}:
        raise ValueError(f"Labels {sorted(unknown)} are not among {list(order)}.")
    pairs = Counter(zip(first, second, strict=True))
    return ConfusionCounts(order, tuple(tuple(pairs[row, column] for column in order) for row in order))


def estimate_agreement(confusion: ConfusionCounts, *, confidence: float = 0.95) -> Estimate:
    """Return the share of items with the same label twice, with a Wilson interval."""
    return estimate_rate(
        "agreement",
        confusion.n_agreed,
        confusion.n,
        polarity=Polarity.HIGHER_IS_SAFER,
        confidence=confidence,
        note=_INDEPENDENT,
    )


def estimate_kappa(confusion: ConfusionCounts, *, confidence: float = 0.95) -> Estimate:
    """Return Cohen's kappa: agreement beyond chance, 1 when perfect, 0 when it is chance.

    The interval maps Wilson's limits of the observed agreement, with chance agreement held fixed
    (Cohen's 1960 variance with score limits), so that perfect agreement keeps a lower limit below 1.

    Source: Cohen (1960), Educ. Psychol. Meas. 20:37, equations 1 and 7.
    """
    return kappa_from(confusion, estimate_agreement(confusion, confidence=confidence))


def kappa_from(confusion: ConfusionCounts, agreement: Estimate) -> Estimate:
    """Return Cohen's kappa with the interval, or the reason for none, of an estimate of the agreement.

    Args:
        confusion: The items' labels.
        agreement: Share of these items with the same label twice, over whatever is independent.
    """
    chance = _chance_agreement(confusion)
    if chance is None or agreement.value is None:
        return Estimate.missing("kappa", "nothing to count: n = 0", method="cohen")
    if chance == 1:
        reason = "kappa is undefined: both labellings use one and the same label"
        return Estimate.missing("kappa", reason, method="cohen", n=agreement.n)
    low, value, high = (
        None if share is None else max(-1.0, (share - chance) / (1 - chance))
        for share in (agreement.low, agreement.value, agreement.high)
    )
    return replace(
        agreement,
        name="kappa",
        value=value,
        low=low,
        high=high,
        method=f"cohen, {agreement.method} limits" if agreement.has_interval else "cohen, values only",
        n_excluded=0,
        worst=None,
        best=None,
    )


def precision_recall(
    predicted: Sequence[str], actual: Sequence[str], label: str, *, confidence: float = 0.95
) -> PrecisionRecall:
    """Return precision and recall of one label, each with a Wilson interval.

    Nothing predicted leaves the precision without a value, nothing actual the recall.

    Raises:
        ValueError: If the lengths differ.
    """
    pairs = [(p == label, a == label) for p, a in zip(predicted, actual, strict=True)]
    hits, n_predicted, n_actual = (
        sum(p and a for p, a in pairs),
        sum(p for p, _ in pairs),
        sum(a for _, a in pairs),
    )
    rates = {
        name: estimate_rate(
            f"{name} of {label}",
            hits,
            n,
            polarity=Polarity.HIGHER_IS_SAFER,
            confidence=confidence,
            note=_INDEPENDENT,
        )
        for name, n in (("precision", n_predicted), ("recall", n_actual))
    }
    return PrecisionRecall(
        label=label,
        precision=rates["precision"],
        recall=rates["recall"],
        true_positives=hits,
        false_positives=n_predicted - hits,
        false_negatives=n_actual - hits,
    )


def _chance_agreement(confusion: ConfusionCounts) -> float | None:
    n = confusion.n
    if n == 0:
        return None
    totals = zip(confusion.first_totals, confusion.second_totals, strict=True)
    return math.fsum(a * b for a, b in totals) / (n * n)
