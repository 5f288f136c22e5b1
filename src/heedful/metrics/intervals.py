"""Confidence intervals for a proportion and for clustered ratios, and the distributions below them.

Numbers in, `Interval` out. Below: the standard library only. Above: `estimate`, `resampling` and the
other metrics. Must not know traces or labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import NormalDist

_TINY = 1e-300
_MAX_TERMS = 100_000
_MAX_STEPS = 200


class RateMethod(StrEnum):
    """How the interval of a proportion is made."""

    WILSON = "wilson"
    """Close to the nominal coverage on average; for tables."""
    CLOPPER_PEARSON = "clopper-pearson"
    """At least the nominal coverage for every true rate; for guarantees."""


@dataclass(frozen=True)
class Interval:
    """A two-sided confidence interval."""

    low: float
    """Lower limit."""
    high: float
    """Upper limit, above `low`."""
    confidence: float
    """Nominal coverage, e.g. 0.95."""
    method: str
    """Name of the method, as a report prints it."""


def normal_quantile(confidence: float) -> float:
    """Return the two-sided standard normal quantile, 1.96 at 0.95."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(k: float, n: float, confidence: float = 0.95) -> Interval:
    """Return the score interval of k successes in n trials.

    Never of zero width: 0 of n ends above 0, n of n begins below 1.

    Raises:
        ValueError: If n is not positive or k is outside [0, n].

    Source: Wilson (1927), JASA 22:209; Brown, Cai and DasGupta (2001), Statistical Science 16:101.
    """
    _check_counts(k, n, confidence)
    if 2 * k > n:
        return _mirrored(wilson(n - k, n, confidence))
    z = normal_quantile(confidence)
    p = k / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low = 0.0 if k == 0 else min(p, max(0.0, centre - half))
    return Interval(low, centre + half, confidence, RateMethod.WILSON)


def clopper_pearson(k: float, n: float, confidence: float = 0.95) -> Interval:
    """Return the exact interval of k successes in n trials.

    Fractional k and n are allowed: clustered data enter as an effective sample size
    (Korn and Graubard 1998).

    Raises:
        ValueError: If n is not positive or k is outside [0, n].

    Source: Clopper and Pearson (1934), Biometrika 26:404, by quantiles of the beta distribution.
    """
    _check_counts(k, n, confidence)
    tail = (1 - confidence) / 2
    low = 0.0 if k == 0 else beta_quantile(tail, k, n - k + 1)
    high = 1.0 if k == n else 1.0 - beta_quantile(tail, n - k, k + 1)
    return Interval(low, high, confidence, RateMethod.CLOPPER_PEARSON)


def rate_interval(k: float, n: float, method: RateMethod, confidence: float = 0.95) -> Interval:
    """Return the interval of k in n by the named method."""
    if method is RateMethod.WILSON:
        return wilson(k, n, confidence)
    return clopper_pearson(k, n, confidence)


def zero_event_bound(n: int, confidence: float = 0.95) -> float:
    """Return the one-sided upper bound of a rate after 0 events in n independent trials.

    The exact bound behind the rule of three: close to 3/n at 0.95 (0.6 % after 500 turns).

    Raises:
        ValueError: If n is not positive.

    Source: Hanley and Lippman-Hand (1983), JAMA 249:1743.
    """
    _check_counts(0, n, confidence)
    return -math.expm1(math.log1p(-confidence) / n)


def clustered_rate_interval(
    counts: Sequence[float], sizes: Sequence[float], confidence: float = 0.95
) -> Interval:
    """Return the interval of sum(counts) / sum(sizes) when trials come in independent clusters.

    Clopper-Pearson on an effective sample size: trials divided by the design effect, as Korn and
    Graubard do. Three changes keep the coverage when events are rare and clustered: the degrees of
    freedom follow the kurtosis of the residuals (few clusters that hold all events count as few);
    the effective size is at most the trials and at least Kish's number of clusters; with rates all
    0 or all 1 it is the number of clusters, which is a bound without assumptions, because a cluster
    of mean p is all zeros with probability at most 1 - p.

    Simulated coverage at 20 clusters is 0.94 or more over rates .01-.98 and correlations 0-.9 of
    beta-binomial clusters, where the percentile bootstrap falls to 0.71. No method sees what did not
    occur: when a few clusters in a hundred lapse wholly, 20 clusters often hold none of them and the
    coverage of every method falls below one half.

    Args:
        counts: Events of each cluster, 0 <= counts <= sizes.
        sizes: Trials of each cluster, all positive.
        confidence: Nominal coverage.

    Raises:
        ValueError: If a size is not positive, or all rates are equal and neither 0 nor 1.

    Source: Korn and Graubard (1998), Survey Methodology 24:193; degrees of freedom: matching the
    first two moments of the variance estimate (Satterthwaite 1946, Biometrics Bulletin 2:110),
    taken at half their value.
    """
    _check_clusters(counts, sizes)
    clusters, total = len(sizes), math.fsum(sizes)
    rate = math.fsum(counts) / total
    if rate in (0.0, 1.0):
        return _renamed(clopper_pearson(rate * clusters, clusters, confidence), "clopper-pearson on clusters")
    spread = _ratio_spread(counts, sizes)
    shrink = normal_quantile(confidence) / student_quantile(confidence, max(1.0, spread.degrees / 2))
    effective = min(rate * (1 - rate) / spread.standard_error**2, total) * shrink**2
    kish = total**2 / math.fsum(size * size for size in sizes)
    effective = max(effective, min(kish, total))
    return _renamed(clopper_pearson(rate * effective, effective, confidence), "clustered clopper-pearson")


def clustered_mean_interval(
    sums: Sequence[float], sizes: Sequence[float], confidence: float = 0.95
) -> Interval:
    """Return the interval of sum(sums) / sum(sizes) for quantities that are not rates.

    Student's t on the cluster residuals, with Hall's monotone correction for skewness and degrees of
    freedom that follow the kurtosis. Sizes of 1 give the interval of a plain mean.

    Args:
        sums: Total of each cluster (tokens, seconds, violations, a difference).
        sizes: Denominator of each cluster (turns), all positive.
        confidence: Nominal coverage.

    Raises:
        ValueError: If a size is not positive, or all ratios are equal.

    Source: Hall (1992), J. R. Statist. Soc. B 54:221 (the cubic transformation); degrees of freedom as
    in `clustered_rate_interval`, at their full value.
    """
    _check_clusters(sums, sizes)
    clusters = len(sizes)
    spread = _ratio_spread(sums, sizes)
    centre = math.fsum(sums) / math.fsum(sizes)
    t = student_quantile(confidence, spread.degrees) / math.sqrt(clusters)
    scale = spread.standard_error * math.sqrt(clusters)
    low = centre - scale * _unskew(t, spread.skewness, clusters)
    high = centre - scale * _unskew(-t, spread.skewness, clusters)
    return Interval(low, high, confidence, "clustered t, skewness-adjusted")


def regularised_beta(x: float, a: float, b: float) -> float:
    """Return the distribution function I_x(a, b) of the beta distribution.

    Source: DLMF 8.17.22 (continued fraction), evaluated by Lentz's method as modified by Thompson
    and Barnett (1986), J. Comput. Phys. 64:490.
    """
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1.0 - regularised_beta(1 - x, b, a)
    return math.exp(_log_beta_density(x, a, b)) * x * (1 - x) / a / _beta_fraction(x, a, b)


def beta_quantile(q: float, a: float, b: float) -> float:
    """Return x with I_x(a, b) = q: Newton steps kept inside a shrinking bracket."""
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(_MAX_STEPS):
        error = regularised_beta(x, a, b) - q
        low, high = (low, x) if error > 0 else (x, high)
        density = math.exp(_log_beta_density(x, a, b))
        step = x - error / density if density > _TINY else low
        new = step if low < step < high else (low + high) / 2
        if abs(new - x) <= 1e-14 * x:
            return new
        x = new
    return x


def student_quantile(confidence: float, degrees: float) -> float:
    """Return the two-sided quantile of Student's t; `degrees` may be fractional."""
    x = beta_quantile(1 - confidence, degrees / 2, 0.5)
    return math.sqrt(degrees * (1 - x) / x)


@dataclass(frozen=True)
class _Spread:
    """Moments of the linearised cluster residuals of a ratio."""

    standard_error: float
    degrees: float
    skewness: float


def _ratio_spread(sums: Sequence[float], sizes: Sequence[float]) -> _Spread:
    clusters, total = len(sizes), math.fsum(sizes)
    ratio = math.fsum(sums) / total
    residuals = [(s - ratio * size) * clusters / total for s, size in zip(sums, sizes, strict=True)]
    second, third, fourth = (math.fsum(r**power for r in residuals) for power in (2, 3, 4))
    if clusters < 2 or second <= 1e-24 * max(1.0, ratio * ratio):
        raise ValueError("Identical clusters hold no information on their spread.")
    excess = fourth - second * second / clusters
    degrees = 2 * second * second / excess if excess > 0 else math.inf
    return _Spread(
        standard_error=math.sqrt(second / (clusters - 1) / clusters),
        degrees=min(max(degrees, 1.0), clusters - 1.0),
        skewness=third / clusters / (second / clusters) ** 1.5,
    )


def _unskew(t: float, skewness: float, n: int) -> float:
    shifted = t - skewness / (6 * n)
    if abs(skewness) < 1e-9:
        return shifted
    return 3 * (math.cbrt(1 + skewness * shifted) - 1) / skewness


def _log_beta_density(x: float, a: float, b: float) -> float:
    log_constant = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return log_constant + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x)


def _beta_fraction(x: float, a: float, b: float) -> float:
    value, c, d = 1.0, 1.0, 0.0
    for i in range(1, _MAX_TERMS):
        term = _beta_term(i, x, a, b)
        d = 1 / _away_from_zero(1 + term * d)
        c = _away_from_zero(1 + term / c)
        value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return value


def _beta_term(i: int, x: float, a: float, b: float) -> float:
    m = i // 2
    if i % 2:
        return -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
    return m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY


def _renamed(interval: Interval, method: str) -> Interval:
    return Interval(interval.low, interval.high, interval.confidence, method)


def _mirrored(interval: Interval) -> Interval:
    return Interval(1 - interval.high, 1 - interval.low, interval.confidence, interval.method)


def _check_clusters(sums: Sequence[float], sizes: Sequence[float]) -> None:
    if len(sums) != len(sizes) or min(sizes, default=0) <= 0:
        raise ValueError("Clusters need one positive size each, and at least one cluster.")


def _check_counts(k: float, n: float, confidence: float) -> None:
    if not (n > 0 and 0 <= k <= n):
        raise ValueError(f"An interval needs 0 <= k <= n and n > 0; got k={k}, n={n}.")
    if not 0 < confidence < 1:
        raise ValueError(f"Confidence must lie inside (0, 1); got {confidence}.")
