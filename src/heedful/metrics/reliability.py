"""pass^k: the chance that k fresh sessions of one scenario all succeed.

Below: `estimate`, `intervals`, `resampling`. Above: the metrics over labels, which say what a success
is (a session without violation). Must not know traces or labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import comb

from heedful.metrics.estimate import Estimate, Polarity
from heedful.metrics.intervals import clopper_pearson
from heedful.metrics.resampling import ClusterTotals, estimate_clustered_mean, estimate_clustered_rate


@dataclass(frozen=True)
class Tally:
    """Successes of one scenario.

    Raises:
        ValueError: If successes are outside [0, sessions].
    """

    successes: int
    """Sessions that succeeded."""
    sessions: int
    """Sessions that were decided."""

    def __post_init__(self) -> None:
        """Refuse impossible counts."""
        if not 0 <= self.successes <= self.sessions:
            raise ValueError(f"A tally needs 0 <= successes <= sessions; got {self}.")


def pass_all(tally: Tally, k: int) -> float | None:
    """Return the unbiased estimate C(c, k) / C(n, k); None if there are fewer than k sessions.

    Raises:
        ValueError: If k is not positive.

    Source: Yao et al. (2024), tau-bench, arXiv:2406.12045, section 3.
    """
    if k < 1:
        raise ValueError(f"pass^k needs k >= 1; got {k}.")
    if k > tally.sessions:
        return None
    return comb(tally.successes, k) / comb(tally.sessions, k)


def estimate_pass_all(tallies: Mapping[str, Tally], k: int, *, confidence: float = 0.95) -> Estimate:
    """Return pass^k averaged over scenarios; scenarios with fewer than k sessions are left out.

    One scenario: the exact interval of its success rate to the power k (it covers model and noise
    randomness only). Ten or more: scenarios are the clusters. Between: the value and no interval,
    unless all are 0 or all 1 (Clopper-Pearson on the scenarios).

    Args:
        tallies: Successes by scenario id.
        k: How many sessions must all succeed.
        confidence: Nominal coverage.
    """
    rates = {scenario: pass_all(tally, k) for scenario, tally in tallies.items()}
    usable = {scenario: rate for scenario, rate in rates.items() if rate is not None}
    name, left_out = f"pass^{k}", len(rates) - len(usable)
    if not usable:
        longest = max((tally.sessions for tally in tallies.values()), default=0)
        reason = f"k = {k} is more than the {longest} sessions of any scenario"
        return Estimate.missing(name, reason, method="values only", n_excluded=left_out)
    if len(usable) == 1:
        (scenario,) = usable
        return _one_scenario(name, tallies[scenario], k, left_out, confidence)
    return _many_scenarios(name, tuple(usable.values()), left_out, confidence)


def _one_scenario(name: str, tally: Tally, k: int, left_out: int, confidence: float) -> Estimate:
    value = comb(tally.successes, k) / comb(tally.sessions, k)
    interval = clopper_pearson(tally.successes, tally.sessions, confidence)
    return Estimate(
        name=name,
        value=value,
        low=min(value, interval.low**k),
        high=interval.high**k,
        confidence=confidence,
        n=tally.sessions,
        n_excluded=left_out,
        method="clopper-pearson on sessions, to the power k",
        note="one scenario: the interval covers model and noise randomness only",
    )


def _many_scenarios(name: str, values: tuple[float, ...], left_out: int, confidence: float) -> Estimate:
    totals = ClusterTotals(values, (1.0,) * len(values), cluster="scenarios", member="scenarios")
    if set(values) <= {0.0} or set(values) <= {1.0}:
        clustered = estimate_clustered_rate(
            name, totals, polarity=Polarity.HIGHER_IS_SAFER, confidence=confidence
        )
        return replace(clustered.estimate, n_excluded=left_out, worst=None, best=None)
    mean = estimate_clustered_mean(name, totals, n_excluded=left_out, confidence=confidence).estimate
    if mean.low is None or mean.high is None:
        return mean
    return replace(mean, low=max(0.0, mean.low), high=min(1.0, mean.high))
