"""How bodies come to a stand: time and way after the accepted stop, by speed and by rule.

Below: `labels.body`, `clusters`. Above: `body` and `summarise`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from heedful.labels.body import BodyMotion, SessionBody
from heedful.metrics.body_result import (
    BodyStops,
    LateStops,
    RuleStops,
    SpeedRange,
    SpeedStops,
    StopFigures,
)
from heedful.metrics.clusters import Clusters
from heedful.metrics.estimate import Estimate
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.turn_rates import SAFER_HIGH

NOTHING = SessionBody()
SPEEDS_M_S = (0.0, 0.2, 0.4, 0.7, 1.0)
"""Upper ends of the ranges of commanded speed; 0 is on the spot, a last range has none."""
EPSILON_S = 1e-9
Choice = Callable[[BodyMotion], bool]
Value = Callable[[BodyMotion], float]


def body_of(session: SessionDigest) -> SessionBody:
    """Return what a session's body did; nothing where it had none."""
    return session.moved or NOTHING


def chosen(sessions: Iterable[SessionDigest], choice: Choice) -> list[BodyMotion]:
    """Return the motions of sessions that are of one kind."""
    return [motion for session in sessions for motion in body_of(session).motions if choice(motion)]


def mean_of_motions(
    clusters: Clusters, name: str, choice: Choice, value: Value, unit: str, excluded: int
) -> Estimate:
    """Return the mean of a value over motions of one kind; `excluded` more have none."""
    found = clusters.mean_of(
        name,
        lambda s: math.fsum(map(value, chosen([s], choice))),
        lambda s: len(chosen([s], choice)),
        unit,
    )
    return replace(found, n_excluded=excluded)


def stops_by_rule(clusters: Clusters, invariants: Sequence[str]) -> tuple[RuleStops, ...]:
    """Return the stops accepted while a rule prohibited the motion, in the spec's order."""
    found = {name for motion in chosen(clusters.sessions, _is_stop) for name in motion.prohibited_by}
    return tuple(RuleStops(name, _figures(clusters, _is_under(name))) for name in invariants if name in found)


def stops_by_speed(clusters: Clusters) -> tuple[SpeedStops, ...]:
    """Return the stops by commanded speed, slowest first."""
    places = sorted({_place(motion) for motion in chosen(clusters.sessions, _is_stop)})
    return tuple(SpeedStops(_range(place), _figures(clusters, _is_from(place))) for place in places)


def longest_standstill_s(clusters: Clusters) -> float | None:
    """Return the longest time to standstill; None without a timed stop [s]."""
    return max(map(_time, chosen(clusters.sessions, _is_timed)), default=None)


def pool_stops(digests: Iterable[SessionDigest]) -> tuple[BodyStops, ...]:
    """Return at which speeds each body of a run stood within the window; none without a body or window."""
    groups: dict[tuple[str, str], list[SessionDigest]] = {}
    for digest in digests:
        if digest.moved is not None and digest.moved.window_s is not None:
            groups.setdefault((digest.arm.layer, digest.body.get("body", "")), []).append(digest)
    return tuple(_pool(*key, members) for key, members in sorted(groups.items()))


def _pool(layer: str, body: str, digests: Sequence[SessionDigest]) -> BodyStops:
    window_s = body_of(digests[0]).window_s or 0.0
    times: dict[int, list[float]] = {}
    for motion in chosen(digests, _is_timed):
        times.setdefault(_place(motion), []).append(_time(motion))
    by_speed = tuple(
        LateStops(_range(place), len(found), sum(t > window_s + EPSILON_S for t in found), max(found))
        for place, found in sorted(times.items())
    )
    untimed = tuple(_range(place) for place in range(1, len(SPEEDS_M_S)) if place not in times)
    return BodyStops(layer, body, window_s, sum(map(len, times.values())), by_speed, untimed)


def _figures(clusters: Clusters, choice: Choice) -> StopFigures:
    stops = chosen(clusters.sessions, lambda m: m.is_stop and choice(m))
    counted = [motion for motion in stops if _is_counted(motion)]
    timed = [motion for motion in counted if _is_timed(motion)]
    is_here: Choice = lambda m: _is_timed(m) and choice(m)  # noqa: E731 - a Choice
    cut_off = len(counted) - len(timed)
    return StopFigures(
        stops=len(counted),
        too_short=len(stops) - len(counted),
        timed=len(timed),
        cut_off=cut_off,
        standstill_s=mean_of_motions(clusters, "time to standstill", is_here, _time, "s", cut_off),
        longest_s=max(map(_time, timed), default=None),
        coasted_m=mean_of_motions(clusters, "way to standstill", is_here, _way, "m", cut_off),
        farthest_m=max(map(_way, timed), default=None),
        in_window=_in_window(clusters, choice),
    )


def _in_window(clusters: Clusters, choice: Choice) -> Estimate:
    name, window_s = "standstill within the window", body_of(clusters.sessions[0]).window_s
    if window_s is None:
        return Estimate.missing(name, "no rule of the spec prohibits motion", method="values only")
    latest_s = window_s + EPSILON_S
    return clusters.rate(
        name,
        lambda s: len(chosen([s], lambda m: _is_timed(m) and choice(m) and _time(m) <= latest_s)),
        lambda s: len(chosen([s], lambda m: _is_timed(m) and choice(m))),
        lambda s: len(chosen([s], lambda m: _is_counted(m) and not _is_timed(m) and choice(m))),
        SAFER_HIGH,
        member="stops",
    )


def _time(motion: BodyMotion) -> float:
    return motion.standstill_s or 0.0


def _way(motion: BodyMotion) -> float:
    return motion.coasted_m or 0.0


def _is_stop(motion: BodyMotion) -> bool:
    return motion.is_stop


def _is_counted(motion: BodyMotion) -> bool:
    """Return whether it is a stop from a motion that lasted a gait."""
    return motion.is_stop and motion.mean_m_s is not None


def _is_timed(motion: BodyMotion) -> bool:
    return _is_counted(motion) and motion.standstill_s is not None


def _is_under(invariant: str) -> Choice:
    return lambda motion: invariant in motion.prohibited_by


def _is_from(place: int) -> Choice:
    return lambda motion: _place(motion) == place


def _place(motion: BodyMotion) -> int:
    """Return the position of the range that the commanded speed falls into."""
    return bisect_left(SPEEDS_M_S, motion.commanded_m_s)


def _range(place: int) -> SpeedRange:
    low = SPEEDS_M_S[max(0, place - 1)]
    return SpeedRange(low, SPEEDS_M_S[place] if place < len(SPEEDS_M_S) else None)
