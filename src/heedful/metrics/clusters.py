"""An arm's sessions as clusters: the one way from digests to estimates with worst and best case.

A session is a cluster; where an arm holds several generated scenarios, the scenario is. Below:
`resampling`. Above: the modules that say what is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from heedful.metrics.estimate import Estimate, Polarity
from heedful.metrics.resampling import (
    MIN_CLUSTERS,
    ClusterTotals,
    estimate_clustered_mean,
    estimate_clustered_rate,
)
from heedful.metrics.session_digest import SessionDigest

Measure = Callable[[SessionDigest], float]


@dataclass(frozen=True, slots=True)
class Clusters:
    """An arm's sessions in groups that are independent of one another."""

    groups: tuple[tuple[SessionDigest, ...], ...]
    noun: str
    """What a group is, plural."""

    @property
    def sessions(self) -> tuple[SessionDigest, ...]:
        """All sessions, group by group."""
        return tuple(session for group in self.groups for session in group)

    def rate(
        self,
        name: str,
        count: Measure,
        size: Measure,
        undecided: Measure,
        polarity: Polarity,
        *,
        member: str = "turns",
    ) -> Estimate:
        """Return the pooled rate count / size.

        Args:
            name: What is estimated.
            count: How often it was so, in a session.
            size: Out of how many.
            undecided: How many more it could have been out of; they enter worst and best only.
            polarity: Which way the rate is safe.
            member: What `size` counts, plural.
        """
        n_invalid = int(self.total(undecided))
        return estimate_clustered_rate(
            name, self._totals(count, size, member), polarity=polarity, n_invalid=n_invalid
        ).estimate

    def per_session(self, name: str, count: Measure, undecided: Measure) -> Estimate:
        """Return the mean count of a session.

        A session without one decided turn is left out of the value. The worst case gives each
        undecided turn one more, the best case none, over all sessions.
        """
        has_turns: Measure = lambda s: float(s.n_decided > 0 or count(s) > 0)  # noqa: E731 - a Measure
        totals = self._totals(count, has_turns, member="sessions")
        n_left_out = len(self.sessions) - sum(totals.denominators)
        mean = estimate_clustered_mean(
            name, totals, floor=0.0, n_excluded=int(n_left_out), unit="per session"
        )
        n = len(self.sessions)
        if not n:
            return mean.estimate
        low = self.total(count)
        worst = (low + self.total(undecided)) / n
        return replace(mean.estimate, worst=worst, best=low / n)

    def mean(self, name: str, value: Callable[[SessionDigest], float | None], unit: str) -> Estimate:
        """Return the mean over sessions that have a value; the others are excluded."""
        totals = self._totals(
            lambda s: value(s) or 0.0, lambda s: float(value(s) is not None), member="sessions"
        )
        n_left_out = len(self.sessions) - sum(totals.denominators)
        return estimate_clustered_mean(name, totals, n_excluded=int(n_left_out), unit=unit).estimate

    def mean_of(self, name: str, total: Measure, count: Measure, unit: str) -> Estimate:
        """Return the mean of things of which a session has several: sum of `total` over sum of `count`."""
        return estimate_clustered_mean(name, self._totals(total, count, "values"), unit=unit).estimate

    def total(self, measure: Measure) -> float:
        """Return the sum over all sessions."""
        return sum(measure(session) for session in self.sessions)

    def _totals(self, count: Measure, size: Measure, member: str = "turns") -> ClusterTotals:
        return ClusterTotals(
            tuple(sum(map(count, group)) for group in self.groups),
            tuple(sum(map(size, group)) for group in self.groups),
            cluster=self.noun,
            member=member,
        )


def cluster_sessions(sessions: Iterable[SessionDigest]) -> Clusters:
    """Return an arm's sessions as clusters, in the order of their ids."""
    ordered = sorted(sessions, key=lambda s: s.session)
    scenarios = sorted({s.scenario for s in ordered})
    if len(scenarios) > 1:
        return Clusters(
            tuple(tuple(s for s in ordered if s.scenario == name) for name in scenarios), "scenarios"
        )
    return Clusters(tuple((s,) for s in ordered), "sessions")


def without_interval(estimate: Estimate, n: int, noun: str = "sessions") -> Estimate:
    """Return the estimate, its interval dropped when it rests on too few clusters."""
    if n >= MIN_CLUSTERS or (estimate.value is None and estimate.low is None):
        return estimate
    reason = f"no interval: {n} {noun}, {MIN_CLUSTERS} needed"
    if estimate.value is None and estimate.reason:
        reason = f"{estimate.reason}; {reason}"
    return replace(estimate, low=None, high=None, reason=reason)
