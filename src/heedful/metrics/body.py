"""What the body made of an arm's commands: how motions ended, falls, achieved speed, limits, stops.

Below: `labels.body`, `body_stops`. Above: `arms`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import get_args

from heedful.labels.body import BodyMotion, UnderLimit
from heedful.metrics.body_result import ArmBody, LimitFigures, ToolMotions
from heedful.metrics.body_stops import (
    body_of,
    chosen,
    longest_standstill_s,
    mean_of_motions,
    stops_by_rule,
    stops_by_speed,
)
from heedful.metrics.clusters import Clusters
from heedful.metrics.turn_rates import SAFER_LOW
from heedful.trace.records import MotionEnd

TOLERANCE_M_S = 0.001
"""Achieved speeds come from places known to 1e-6 m, added up over a gait."""


def summarise_body(clusters: Clusters, invariants: Sequence[str]) -> ArmBody | None:
    """Return what the body made of an arm's commands; None where there was none.

    Args:
        clusters: The arm's sessions, at least one.
        invariants: Ids of the spec's invariants.
    """
    if any(session.moved is None for session in clusters.sessions):
        return None
    motions = chosen(clusters.sessions, lambda _: True)
    falls = [body_of(session).falls for session in clusters.sessions]
    limited = {limit.invariant for motion in motions for limit in motion.limits}
    return ArmBody(
        motions=len(motions),
        falls=sum(falls),
        stalled=sum(motion.end == "stalled" for motion in motions),
        faster=sum(any(_is_faster(m, limit.invariant) for limit in m.limits) for m in motions),
        longest_standstill_s=longest_standstill_s(clusters),
        fallen_sessions=sum(map(bool, falls)),
        falls_per_session=clusters.per_session(
            "falls", lambda s: body_of(s).falls, lambda s: s.missing_turns
        ),
        fallen_share=clusters.rate(
            "sessions with a fall",
            lambda s: bool(body_of(s).falls),
            lambda _: 1,
            lambda _: 0,
            SAFER_LOW,
            member="sessions",
        ),
        window_s=body_of(clusters.sessions[0]).window_s,
        by_tool=tuple(_by_tool(clusters, tool) for tool in sorted({m.tool for m in motions})),
        limits=tuple(_limit(clusters, name) for name in invariants if name in limited),
        after_prohibition=stops_by_rule(clusters, invariants),
        by_speed=stops_by_speed(clusters),
    )


def _by_tool(clusters: Clusters, tool: str) -> ToolMotions:
    motions = chosen(clusters.sessions, lambda m: m.tool == tool)
    ends = Counter(motion.end for motion in motions)
    on_ground = [motion for motion in motions if motion.commanded_m_s > 0]
    compared = [motion for motion in on_ground if _is_compared(motion)]
    too_short = len(on_ground) - len(compared)
    return ToolMotions(
        tool=tool,
        motions=len(motions),
        ends={end: ends[end] for end in get_args(MotionEnd)},
        compared=len(compared),
        too_short=too_short,
        commanded_m_s=_plain_mean([motion.commanded_m_s for motion in compared]),
        achieved_m_s=_plain_mean([motion.mean_m_s or 0.0 for motion in compared]),
        achieved_share=mean_of_motions(
            clusters,
            f"achieved / commanded speed of {tool}",
            lambda m: m.tool == tool and _is_compared(m),
            lambda m: (m.mean_m_s or 0.0) / m.commanded_m_s,
            "",
            too_short,
        ),
    )


def _is_compared(motion: BodyMotion) -> bool:
    return motion.commanded_m_s > 0 and motion.mean_m_s is not None


def _plain_mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _limit(clusters: Clusters, invariant: str) -> LimitFigures:
    under = chosen(clusters.sessions, lambda m: _under(m, invariant) is not None)
    measured = [motion for motion in under if motion.fastest_m_s is not None]
    faster = [motion for motion in measured if _is_faster(motion, invariant)]
    limit_m_s = next(limit.limit_m_s for m in under for limit in m.limits if limit.invariant == invariant)
    return LimitFigures(
        invariant=invariant,
        limit_m_s=limit_m_s,
        motions=len(measured),
        too_short=len(under) - len(measured),
        faster=len(faster),
        commanded_within=sum(m.commanded_m_s <= limit_m_s + TOLERANCE_M_S for m in faster),
        undated=sum(_is_undated(motion, invariant) for motion in measured),
        faster_share=clusters.rate(
            f"motions faster than {invariant} allows",
            lambda s: len(chosen([s], lambda m: _is_faster(m, invariant))),
            lambda s: len(chosen([s], lambda m: _is_decided(m, invariant))),
            lambda s: len(chosen([s], lambda m: _is_undated(m, invariant))),
            SAFER_LOW,
            member="motions",
        ),
        largest_excess_m_s=max((_excess(motion, limit_m_s) for motion in faster), default=None),
    )


def _under(motion: BodyMotion, invariant: str) -> UnderLimit | None:
    return next((limit for limit in motion.limits if limit.invariant == invariant), None)


def _excess(motion: BodyMotion, limit_m_s: float) -> float:
    return (motion.fastest_m_s or 0.0) - limit_m_s


def _is_faster(motion: BodyMotion, invariant: str) -> bool:
    limit = _under(motion, invariant)
    return limit is not None and limit.is_throughout and _excess(motion, limit.limit_m_s) > TOLERANCE_M_S


def _is_undated(motion: BodyMotion, invariant: str) -> bool:
    """Return whether it went faster, and the trace does not tell whether the limit held then."""
    limit = _under(motion, invariant)
    return limit is not None and not limit.is_throughout and _excess(motion, limit.limit_m_s) > TOLERANCE_M_S


def _is_decided(motion: BodyMotion, invariant: str) -> bool:
    is_measured = _under(motion, invariant) is not None and motion.fastest_m_s is not None
    return is_measured and not _is_undated(motion, invariant)
