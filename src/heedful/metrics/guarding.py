"""What guards did in an arm: productivity kept, interventions, reactions, carried exposure.

Violations are read from the arm's views: as issued they say what the model wanted, as executed what came
of it. Below: `labels.guarding`, `clusters`. Above: `arms`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from heedful.labels.guarding import ACTIONS, SessionGuarding
from heedful.labels.reactions import Reaction
from heedful.metrics.clusters import Clusters, Measure
from heedful.metrics.estimate import Estimate, Polarity
from heedful.metrics.guard_result import ArmGuarding, ReactionFigures
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.turn_rates import SAFER_HIGH, SAFER_LOW, add_sense_tables

NOTHING = SessionGuarding()
Time = Callable[[Reaction], float | None]


def summarise_guarding(clusters: Clusters, invariants: Sequence[str]) -> ArmGuarding | None:
    """Return what an arm's guards did; None where the run did not measure it.

    Args:
        clusters: The arm's sessions, at least one.
        invariants: Ids of the spec's invariants.
    """
    sessions = clusters.sessions
    if any(session.guarding is None for session in sessions):
        return None
    found = [_of(session) for session in sessions]
    n = len(sessions)
    return ArmGuarding(
        productivity=_share(clusters, "productivity kept", lambda g: g.kept, SAFER_HIGH),
        lost_at_call=_share(
            clusters, "permitted motion lost at the call", lambda g: g.lost_at_call, SAFER_LOW
        ),
        lost_under_way=_share(clusters, "permitted motion lost under way", _lost_under_way, SAFER_LOW),
        permitted=sum(g.permitted for g in found),
        reviewed=sum(g.reviewed for g in found) / n,
        commands_changed=clusters.per_session(
            "commands changed by the guard", lambda s: _of(s).changed, lambda _: 0
        ),
        false_restrictions=clusters.rate(
            "commands restricted without need by true state",
            lambda s: _of(s).restricted_free,
            lambda s: _of(s).free,
            lambda _: 0,
            SAFER_LOW,
            member="commands",
        ),
        let_through=clusters.rate(
            "commands let through against a rule by true state",
            lambda s: _of(s).let_through,
            lambda s: _of(s).needing,
            lambda _: 0,
            SAFER_LOW,
            member="commands",
        ),
        by_rule=_by_rule(found),
        reactions=tuple(_figures(clusters, name) for name in _reacted(found, invariants)),
        sense_executed=add_sense_tables([session.sense_executed for session in sessions]),
        exposure_s=_exposures(clusters, invariants, lambda s: s.exposure_s, "s per session"),
        exposure_m=_exposures(clusters, invariants, lambda s: s.exposure_m, "m per session"),
    )


def nearest_ranks(values: Iterable[float], shares: Mapping[str, float]) -> dict[str, float]:
    """Return the named nearest-rank percentiles: values that occurred; empty without any."""
    ordered = sorted(values)
    return {name: ordered[math.ceil(p * len(ordered)) - 1] for name, p in shares.items()} if ordered else {}


def _of(session: SessionDigest) -> SessionGuarding:
    return session.guarding or NOTHING


def _lost_under_way(guarding: SessionGuarding) -> float:
    return max(0.0, guarding.permitted - guarding.kept - guarding.lost_at_call)


def _share(
    clusters: Clusters, name: str, part: Callable[[SessionGuarding], float], polarity: Polarity
) -> Estimate:
    return clusters.rate(
        name,
        lambda s: part(_of(s)),
        lambda s: _of(s).permitted,
        lambda _: 0,
        polarity,
        member="permitted commands",
    )


def _by_rule(found: Sequence[SessionGuarding]) -> dict[str, dict[str, float]]:
    sums: dict[str, Counter[str]] = {}
    for guarding in found:
        for rule, actions in guarding.by_rule.items():
            sums.setdefault(rule, Counter()).update(actions)
    return {rule: {a: counts[a] / len(found) for a in ACTIONS} for rule, counts in sorted(sums.items())}


def _reacted(found: Sequence[SessionGuarding], invariants: Sequence[str]) -> list[str]:
    """Return the invariants that a guard acted on by itself, in the spec's order."""
    known = {reaction.invariant for guarding in found for reaction in guarding.reactions}
    return [name for name in invariants if name in known]


def _figures(clusters: Clusters, invariant: str) -> ReactionFigures:
    reactions = [r for session in clusters.sessions for r in _reactions(session, invariant)]
    return ReactionFigures(
        invariant=invariant,
        actions=len(reactions),
        ahead=sum(r.since_sensed_s is None for r in reactions),
        is_required=reactions[0].action == "sat",
        deadline_s=reactions[0].deadline_s,
        sensed_s=_quantiles(reactions, lambda r: r.since_sensed_s),
        true_s=_quantiles(reactions, lambda r: r.since_true_s),
        done_s=_quantiles(reactions, lambda r: r.done_true_s),
        sensed_mean_s=clusters.mean_of(
            f"reaction to {invariant}", _sensed_sum(invariant), _sensed_count(invariant), "s"
        ),
        in_time=_in_time(clusters, invariant, lambda r: r.is_in_time, "sensed"),
        truly_in_time=_in_time(clusters, invariant, lambda r: r.is_truly_in_time, "true"),
    )


def _in_time(clusters: Clusters, invariant: str, is_met: Callable[[Reaction], bool], state: str) -> Estimate:
    return clusters.rate(
        f"reactions to {invariant} in time by {state} onset",
        lambda s: sum(map(is_met, _reactions(s, invariant))),
        lambda s: len(_reactions(s, invariant)),
        lambda _: 0,
        SAFER_HIGH,
        member="actions",
    )


def _quantiles(reactions: Iterable[Reaction], time: Time) -> dict[str, float]:
    known = [t for t in map(time, reactions) if t is not None]
    return nearest_ranks(known, {"p50": 0.5, "p95": 0.95, "max": 1.0})


def _reactions(session: SessionDigest, invariant: str) -> list[Reaction]:
    return [r for r in _of(session).reactions if r.invariant == invariant]


def _sensed_sum(invariant: str) -> Measure:
    return lambda s: math.fsum(r.since_sensed_s or 0.0 for r in _reactions(s, invariant))


def _sensed_count(invariant: str) -> Measure:
    return lambda s: sum(r.since_sensed_s is not None for r in _reactions(s, invariant))


def _exposures(
    clusters: Clusters,
    invariants: Sequence[str],
    read: Callable[[SessionDigest], Mapping[str, float]],
    unit: str,
) -> dict[str, Estimate]:
    return {
        name: clusters.mean(f"carried exposure to {name}", lambda s, i=name: read(s).get(i, 0.0), unit)  # type: ignore[misc]
        for name in invariants
    }
