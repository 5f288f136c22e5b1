"""Rates and means whose turns come in sessions: the session is the independent unit.

The estimates use the intervals of `intervals.clustered_*`; the bootstrap stands beside them for
comparison, because with 20 sessions it covers too little: for exponential session values about 0.90
(percentile and BCa) against 0.95 asked, for rates of 3 % with rare bad sessions 0.76 and less.
Below: `estimate`, `intervals`, numpy. Above: the metrics over labels. Must not know traces or labels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from heedful.metrics.estimate import Estimate, Polarity, bound_invalid
from heedful.metrics.intervals import (
    Interval,
    clopper_pearson,
    clustered_mean_interval,
    clustered_rate_interval,
)

MIN_CLUSTERS = 10
"""Below this many clusters there are values and no interval."""
TRUSTED_CLUSTERS = 20
"""Below this many clusters the note carries the simulated coverage."""
RATE_COVERAGE = {10: 0.91, 12: 0.92, 15: 0.93}
"""From so many clusters on, the lowest simulated coverage of the rate interval at 95 %: beta-binomial
clusters, rates .02-.98, correlation 0-.9, 17 or 100 trials, equal and unequal sizes."""
MEAN_COVERAGE = {10: 0.90, 12: 0.91, 14: 0.92}
"""The same for the mean interval: normal, uniform, t3, exponential, Poisson, negative binomial and
lognormal cluster values, the last (sigma 1) the lowest."""


class BootstrapMethod(StrEnum):
    """How limits are read from the bootstrap distribution."""

    PERCENTILE = "cluster bootstrap, percentile"
    """Plain quantiles."""
    BCA = "cluster bootstrap, bca"
    """Quantiles corrected for bias and acceleration."""


@dataclass(frozen=True)
class ClusterTotals:
    """Numerator and denominator of a ratio, cluster by cluster.

    Raises:
        ValueError: If lengths differ, a number is not finite, or a numerator has no denominator.
    """

    numerators: tuple[float, ...]
    """What is counted or summed in each cluster."""
    denominators: tuple[float, ...]
    """Out of how many; 1 for a plain mean over clusters."""
    cluster: str = "sessions"
    """What a cluster is, plural: sessions, or scenarios when scenarios are generated."""
    member: str = "turns"
    """What a denominator counts, plural."""

    def __post_init__(self) -> None:
        """Refuse totals that make no ratio; take numbers of any kind as plain ones."""
        object.__setattr__(self, "numerators", tuple(map(float, self.numerators)))
        object.__setattr__(self, "denominators", tuple(map(float, self.denominators)))
        numbers = (*self.numerators, *self.denominators)
        if len(self.numerators) != len(self.denominators) or not all(map(math.isfinite, numbers)):
            raise ValueError(f"Totals of {self.cluster} need finite pairs of numerator and denominator.")
        for numerator, denominator in zip(self.numerators, self.denominators, strict=True):
            if denominator < 0 or (denominator == 0 and numerator != 0):
                raise ValueError(f"Totals of {self.cluster}: {numerator} out of {denominator} is no ratio.")

    @property
    def ratios(self) -> tuple[float, ...]:
        """The ratio of each cluster that has a denominator."""
        return tuple(a / b for a, b in zip(self.numerators, self.denominators, strict=True) if b)

    def non_empty(self) -> ClusterTotals:
        """Return the clusters that have a denominator."""
        pairs = [(a, b) for a, b in zip(self.numerators, self.denominators, strict=True) if b]
        return ClusterTotals(
            tuple(a for a, _ in pairs), tuple(b for _, b in pairs), self.cluster, self.member
        )


@dataclass(frozen=True)
class ClusteredEstimate:
    """An estimate over clusters with what stands beside it."""

    estimate: Estimate
    """The ratio of sums; n counts clusters."""
    if_independent: Estimate | None
    """The exact interval had every turn been independent; only where all rates are 0 or all 1."""
    values: tuple[float, ...]
    """The ratio of each cluster that has one, for print when there is no interval."""
    n_members: float
    """Sum of the denominators."""


def estimate_clustered_rate(
    name: str,
    totals: ClusterTotals,
    *,
    polarity: Polarity,
    n_invalid: int = 0,
    confidence: float = 0.95,
) -> ClusteredEstimate:
    """Return the pooled rate with an interval over clusters.

    All 0 or all 1: Clopper-Pearson on the clusters, valid for any number of them, beside the one on
    turns. Otherwise under ten clusters, or identical ones: the value and no interval.

    Args:
        name: What is estimated.
        totals: Counts and trials of each cluster.
        polarity: Which way the rate is safe.
        n_invalid: Undecided turns; they enter `worst` and `best` only.
        confidence: Nominal coverage.

    Raises:
        ValueError: If a numerator is outside [0, denominator].
    """
    used = totals.non_empty()
    if any(not 0 <= a <= b for a, b in zip(used.numerators, used.denominators, strict=True)):
        raise ValueError(f"Rate {name!r}: a numerator is outside [0, denominator].")
    count, size = math.fsum(used.numerators), math.fsum(used.denominators)
    extreme = size > 0 and count in (0, size)
    reason = None if extreme else no_interval_reason(used)
    interval = None
    if reason is None:
        interval = clustered_rate_interval(used.numerators, used.denominators, confidence)
    plain = size == len(used.ratios)
    independent = _if_independent(name, used, confidence) if extreme and not plain else None
    estimated = interval is not None and not extreme
    coverage = _table_coverage(len(used.ratios), confidence, RATE_COVERAGE) if estimated else None
    bounds = bound_invalid(count, size, n_invalid, polarity)
    estimate = Estimate(
        name=name,
        value=count / size if size else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        confidence=confidence,
        n=len(used.ratios),
        n_excluded=n_invalid,
        method=interval.method if interval else "values only",
        reason=reason,
        worst=bounds.worst if bounds else None,
        best=bounds.best if bounds else None,
        note=_note(totals, coverage, independent),
    )
    return ClusteredEstimate(estimate, independent, used.ratios, size)


def estimate_clustered_mean(
    name: str,
    totals: ClusterTotals,
    *,
    floor: float | None = None,
    n_excluded: int = 0,
    unit: str = "",
    confidence: float = 0.95,
) -> ClusteredEstimate:
    """Return a ratio of sums that is not a rate: tokens per turn, violations per session, a difference.

    Under ten clusters, or identical ones: the value and no interval.

    Args:
        name: What is estimated.
        totals: Sums and denominators of each cluster; denominators of 1 for a plain mean.
        floor: A value the ratio cannot fall below, such as 0 for counts; clips the lower limit.
        n_excluded: What was left out before.
        unit: Unit of the ratio.
        confidence: Nominal coverage.
    """
    used = totals.non_empty()
    size = math.fsum(used.denominators)
    reason = no_interval_reason(used)
    interval = None
    if reason is None:
        interval = clustered_mean_interval(used.numerators, used.denominators, confidence)
    coverage = _table_coverage(len(used.ratios), confidence, MEAN_COVERAGE) if interval else None
    lowest = -math.inf if floor is None else floor
    estimate = Estimate(
        name=name,
        value=math.fsum(used.numerators) / size if size else None,
        low=max(interval.low, lowest) if interval else None,
        high=interval.high if interval else None,
        confidence=confidence,
        n=len(used.ratios),
        n_excluded=n_excluded,
        method=interval.method if interval else "values only",
        reason=reason,
        unit=unit,
        note=_note(totals, coverage, None),
    )
    return ClusteredEstimate(estimate, None, used.ratios, size)


def no_interval_reason(totals: ClusterTotals) -> str | None:
    """Return why clusters carry no interval, or None if they do.

    Source: labels of version judge-1: under ten sessions, or identical ones, the values alone.
    """
    ratios = totals.ratios
    if not ratios:
        return f"nothing to count: no {totals.member}"
    if len(ratios) < MIN_CLUSTERS:
        return f"no interval: {len(ratios)} {totals.cluster}, {MIN_CLUSTERS} needed"
    if _are_identical(ratios):
        return f"no interval: the {len(ratios)} {totals.cluster} are identical"
    return None


def bootstrap_ratio(
    totals: ClusterTotals,
    rng: np.random.Generator,
    *,
    method: BootstrapMethod = BootstrapMethod.BCA,
    draws: int = 2000,
    confidence: float = 0.95,
) -> Interval:
    """Return the interval of a ratio of sums by drawing whole clusters with replacement.

    Args:
        totals: Numerator and denominator of each cluster; empty clusters are dropped.
        rng: Source of randomness.
        method: How limits are read from the draws.
        draws: Number of bootstrap samples.
        confidence: Nominal coverage.

    Raises:
        ValueError: If the clusters carry no interval (`no_interval_reason`).

    Source: Davison and Hinkley (1997), Bootstrap Methods, 3.8; BCa: Efron (1987), JASA 82:171.
    """
    used = totals.non_empty()
    if reason := no_interval_reason(used):
        raise ValueError(f"Bootstrap: {reason}.")
    numerators, denominators = np.asarray(used.numerators), np.asarray(used.denominators)
    picks = rng.integers(0, numerators.size, (draws, numerators.size))
    ratios = numerators[picks].sum(axis=1) / denominators[picks].sum(axis=1)
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    if method is BootstrapMethod.BCA:
        tails = _bca_tails(tails, ratios, numerators, denominators)
    low, high = np.quantile(ratios, tails)
    return Interval(float(low), float(high), confidence, method)


def simulate_rate_coverage(
    sizes: tuple[int, ...],
    rate: float,
    correlation: float,
    rng: np.random.Generator,
    *,
    draws: int = 500,
    confidence: float = 0.95,
) -> float:
    """Return how often `clustered_rate_interval` holds the true rate, for these cluster sizes.

    Args:
        sizes: Trials of each cluster.
        rate: True rate, inside (0, 1).
        correlation: Intra-cluster correlation in [0, 1) of beta-binomial clusters.
        rng: Source of randomness.
        draws: Simulated data sets.
        confidence: Nominal coverage.
    """
    hits = []
    for _ in range(draws):
        chances = np.full(len(sizes), rate)
        if correlation:
            weight = 1 / correlation - 1
            chances = rng.beta(rate * weight, (1 - rate) * weight, len(sizes))
        counts = tuple(rng.binomial(sizes, chances).tolist())
        if sum(counts) in (0, sum(sizes)) or not _are_identical(ClusterTotals(counts, sizes).ratios):
            interval = clustered_rate_interval(counts, sizes, confidence)
            hits.append(interval.low <= rate <= interval.high)
    return sum(hits) / len(hits)


def _are_identical(ratios: tuple[float, ...]) -> bool:
    low, high = min(ratios), max(ratios)
    return high - low <= 1e-9 * max(abs(low), abs(high))


def _if_independent(name: str, totals: ClusterTotals, confidence: float) -> Estimate:
    count, size = math.fsum(totals.numerators), math.fsum(totals.denominators)
    interval = clopper_pearson(count, size, confidence)
    return Estimate(
        name=name,
        value=count / size,
        low=interval.low,
        high=interval.high,
        confidence=confidence,
        n=round(size),
        method=interval.method,
        note=f"if {totals.member} were independent",
    )


def _table_coverage(clusters: int, confidence: float, table: dict[int, float]) -> float | None:
    if confidence != 0.95 or not MIN_CLUSTERS <= clusters < TRUSTED_CLUSTERS:
        return None
    return table[max(start for start in table if start <= clusters)]


def _note(totals: ClusterTotals, coverage: float | None, independent: Estimate | None) -> str:
    used, size = len(totals.ratios), math.fsum(totals.denominators)
    parts = [
        f"{used} {totals.cluster}" if size == used else f"{used} {totals.cluster}, {size:g} {totals.member}"
    ]
    if empty := len(totals.numerators) - used:
        parts.append(f"{empty} {totals.cluster} without {totals.member} left out")
    if coverage is not None:
        parts.append(f"simulated coverage with {used} {totals.cluster}: at least {coverage:.0%}")
    if independent is not None:
        parts.append(f"{independent.format()} if {totals.member} were independent")
    return "; ".join(parts)


def _bca_tails(
    tails: list[float],
    ratios: npt.NDArray[np.float64],
    numerators: npt.NDArray[np.float64],
    denominators: npt.NDArray[np.float64],
) -> list[float]:
    normal = NormalDist()
    value = numerators.sum() / denominators.sum()
    below = float(np.mean(ratios < value) + np.mean(ratios == value) / 2)
    bias = normal.inv_cdf(min(max(below, 1 / ratios.size), 1 - 1 / ratios.size))
    left_out = (numerators.sum() - numerators) / (denominators.sum() - denominators)
    pull = left_out.mean() - left_out
    acceleration = float((pull**3).sum() / (6 * (pull**2).sum() ** 1.5))
    shifted = [bias + normal.inv_cdf(tail) for tail in tails]
    return [normal.cdf(bias + z / (1 - acceleration * z)) for z in shifted]
