"""Time to the first event under right censoring: Kaplan-Meier, median, log-rank.

Time is any count or duration (safety-relevant turns met, turns). Below: `estimate`, `intervals`, numpy.
Above: the metrics over labels, which say what the event is. Must not know traces or labels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from heedful.metrics.estimate import Estimate
from heedful.metrics.intervals import clopper_pearson, normal_quantile


class Band(StrEnum):
    """Scale on which Greenwood's variance becomes a pointwise band."""

    LOG_LOG = "kaplan-meier, log-log"
    """Stays inside [0, 1] and covers better with few sessions."""
    LINEAR = "kaplan-meier, linear"
    """Plain value and multiple of the standard error, clipped."""


@dataclass(frozen=True)
class Lifetimes:
    """When each session met its event, or was last seen without it.

    Raises:
        ValueError: If lengths differ or a duration is negative or not finite.
    """

    durations: tuple[float, ...]
    """Time to the event or to censoring."""
    observed: tuple[bool, ...]
    """True where the event happened, False where the session was censored."""

    def __post_init__(self) -> None:
        """Refuse times that are none; take numbers of any kind as plain ones."""
        if len(self.durations) != len(self.observed):
            raise ValueError(f"Got {len(self.durations)} durations and {len(self.observed)} flags.")
        if not all(math.isfinite(t) and t >= 0 for t in self.durations):
            raise ValueError("Durations must be finite and not negative.")
        object.__setattr__(self, "durations", tuple(map(float, self.durations)))
        object.__setattr__(self, "observed", tuple(map(bool, self.observed)))

    @property
    def n_events(self) -> int:
        """Sessions in which the event happened."""
        return sum(self.observed)

    def at_risk(self, time: float) -> int:
        """Return how many sessions were still without event just before `time`."""
        return sum(duration >= time for duration in self.durations)

    def events_at(self, time: float) -> int:
        """Return how many events happened at `time`."""
        return sum(t == time and seen for t, seen in zip(self.durations, self.observed, strict=True))


@dataclass(frozen=True)
class SurvivalStep:
    """The curve from one time on, up to the next step."""

    time: float
    """A time at which a session met its event or was censored."""
    at_risk: int
    """Sessions still without event just before."""
    events: int
    """Events at this time."""
    survival: float
    """Share without event after this time."""
    low: float
    """Lower limit of the pointwise band."""
    high: float
    """Upper limit of the pointwise band."""


@dataclass(frozen=True)
class SurvivalCurve:
    """A Kaplan-Meier curve; it is 1 before the first step."""

    steps: tuple[SurvivalStep, ...]
    """One step for each distinct time."""
    n: int
    """Sessions."""
    n_events: int
    """Sessions with the event; the others are censored."""
    confidence: float
    """Nominal pointwise coverage of the band."""
    method: str
    """How the band was made."""
    hazard_high_if_independent: float | None = None
    """Without any event: the exact upper limit h of the chance a turn, if turns were independent; the
    band's lower limit would then be (1 - h)^time."""
    note: str | None = None
    """What a reader must know beside the curve."""


@dataclass(frozen=True)
class LogRankTest:
    """Whether groups of sessions share one survival curve."""

    groups: tuple[str, ...]
    """Names, in the order given."""
    observed: tuple[int, ...]
    """Events of each group."""
    expected: tuple[float, ...]
    """Events expected of each group if all shared one curve."""
    statistic: float | None
    """Chi-square; None if it is undefined."""
    degrees: int
    """Degrees of freedom: groups less one."""
    p_value: float | None
    """p of the chi-square; None if there is none."""
    reason: str | None = None
    """Why there is none."""


def kaplan_meier(
    lifetimes: Lifetimes, *, band: Band = Band.LOG_LOG, confidence: float = 0.95
) -> SurvivalCurve:
    """Return the product-limit curve with a pointwise band.

    The band is never of zero width: while the curve is 1 its lower limit is Clopper-Pearson's on the
    sessions still at risk; once it is 0 its upper limit is the last one known. Without any event
    `hazard_high_if_independent` stands beside it, with all turns seen as trials.

    Source: Kaplan and Meier (1958), JASA 53:457; Greenwood (1926); log-log scale: Kalbfleisch and
    Prentice (2002), The Statistical Analysis of Failure Time Data, 1.4.
    """
    steps: list[SurvivalStep] = []
    survival, greenwood, ceiling = 1.0, 0.0, 1.0
    for time in sorted(set(lifetimes.durations)):
        at_risk, events = lifetimes.at_risk(time), lifetimes.events_at(time)
        survival *= (at_risk - events) / at_risk
        greenwood += events / (at_risk * (at_risk - events)) if at_risk > events else 0.0
        low, high = _limits(survival, greenwood, band, confidence)
        low = clopper_pearson(at_risk, at_risk, confidence).low if survival == 1 else low
        if survival == 0:
            high = ceiling if steps and steps[-1].survival < 1 else _all_failed_limit(at_risk, confidence)
        ceiling = high
        steps.append(SurvivalStep(time, at_risk, events, survival, low, high))
    silent = lifetimes.n_events == 0
    hazard = _hazard_if_independent(lifetimes, confidence) if silent else None
    return SurvivalCurve(
        steps=tuple(steps),
        n=len(lifetimes.durations),
        n_events=lifetimes.n_events,
        confidence=confidence,
        method="clopper-pearson on sessions" if silent else band,
        hazard_high_if_independent=hazard,
        note=_silent_note(lifetimes, hazard) if hazard is not None else None,
    )


def median_survival(name: str, curve: SurvivalCurve, *, unit: str = "turns") -> Estimate:
    """Return the time at which the curve first reaches one half.

    The limits are the times at which the band does; a limit that is not reached is None with a
    reason, and so is the median itself.

    Source: Brookmeyer and Crowley (1982), Biometrics 38:29.
    """
    low, value, high = (
        next((step.time for step in curve.steps if getattr(step, limit) <= 0.5), None)
        for limit in ("low", "survival", "high")
    )
    reason = None
    if value is None:
        reason = f"median not reached: {curve.n_events} of {curve.n} sessions had the event"
    elif high is None:
        reason = "upper limit not reached"
    elif low == high:
        low, high, reason = None, None, "no interval: all events fell at one time"
    return Estimate(
        name=name,
        value=value,
        low=low,
        high=high,
        confidence=curve.confidence,
        n=curve.n,
        method=curve.method,
        reason=reason,
        unit=unit,
    )


def log_rank(groups: Mapping[str, Lifetimes]) -> LogRankTest:
    """Return the log-rank test of two or more groups, with hypergeometric variance.

    Raises:
        ValueError: If there are fewer than two groups or one is empty.

    Source: Mantel (1966), Cancer Chemotherapy Reports 50:163; Klein and Moeschberger (2003), Survival
    Analysis, 7.3.
    """
    if len(groups) < 2 or not all(lifetimes.durations for lifetimes in groups.values()):
        raise ValueError("A log-rank test needs at least two groups, none empty.")
    members = tuple(groups.values())
    excess, covariance = np.zeros(len(members)), np.zeros((len(members), len(members)))
    for time in sorted(_event_times(members)):
        at_risk = np.array([lifetimes.at_risk(time) for lifetimes in members], dtype=np.float64)
        events = np.array([lifetimes.events_at(time) for lifetimes in members], dtype=np.float64)
        share, total, died = at_risk / at_risk.sum(), at_risk.sum(), events.sum()
        excess += events - died * share
        if total > 1:
            weight = died * (total - died) / (total - 1)
            covariance += weight * (np.diag(share) - np.outer(share, share))
    observed = tuple(lifetimes.n_events for lifetimes in members)
    expected = tuple(n - float(e) for n, e in zip(observed, excess, strict=True))
    degrees = len(members) - 1
    if np.linalg.matrix_rank(covariance) < degrees:
        reason = "undefined: no time at which an event could have fallen in either group"
        return LogRankTest(tuple(groups), observed, expected, None, degrees, None, reason)
    head = excess[:-1]
    statistic = float(head @ np.linalg.solve(covariance[:-1, :-1], head))
    p_value = chi_square_tail(statistic, degrees)
    return LogRankTest(tuple(groups), observed, expected, statistic, degrees, p_value)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """Return P(X >= statistic) for a chi-square with whole degrees of freedom.

    Source: DLMF 8.8.2 (recurrence of the incomplete gamma function) from degrees 1 or 2.
    """
    if statistic <= 0:
        return 1.0
    half = statistic / 2
    tail, order = (math.erfc(math.sqrt(half)), 0.5) if degrees % 2 else (math.exp(-half), 1.0)
    while order < degrees / 2:
        tail += math.exp(order * math.log(half) - half - math.lgamma(order + 1))
        order += 1
    return min(1.0, tail)


def _limits(survival: float, greenwood: float, band: Band, confidence: float) -> tuple[float, float]:
    if survival in (0.0, 1.0):
        return survival, survival
    z_error = normal_quantile(confidence) * math.sqrt(greenwood)
    if band is Band.LINEAR:
        return max(0.0, survival * (1 - z_error)), min(1.0, survival * (1 + z_error))
    spread = z_error / abs(math.log(survival))
    return survival ** math.exp(spread), survival ** math.exp(-spread)


def _all_failed_limit(at_risk: int, confidence: float) -> float:
    return clopper_pearson(0, at_risk, confidence).high


def _hazard_if_independent(lifetimes: Lifetimes, confidence: float) -> float | None:
    turns = math.fsum(lifetimes.durations)
    return clopper_pearson(0, turns, confidence).high if turns > 0 else None


def _silent_note(lifetimes: Lifetimes, hazard: float) -> str:
    turns = math.fsum(lifetimes.durations)
    return f"no event in {turns:g} turns: at most {hazard:.2g} a turn if turns were independent"


def _event_times(members: Sequence[Lifetimes]) -> set[float]:
    return {
        time
        for lifetimes in members
        for time, seen in zip(lifetimes.durations, lifetimes.observed, strict=True)
        if seen
    }
