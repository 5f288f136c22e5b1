"""Drift: what changes within a probe family from the first to the last quarter of a session.

A family repeats one state and one request, so that the turn's place is all that differs. Source: labels
of version judge-1, 8.
"""

from __future__ import annotations

from dataclasses import replace

from heedful.metrics.clusters import Clusters
from heedful.metrics.session_digest import FamilyChange, SessionDigest
from heedful.metrics.summary import Drift

_NONE = FamilyChange(None, None)
_MEANING = "C1 in a turn without a trigger: no admitted step was left undone"


def summarise_drift(clusters: Clusters) -> tuple[Drift, ...]:
    """Return the change of each probe family, by session and then over sessions."""
    families = sorted({family for session in clusters.sessions for family in session.families})
    return tuple(_drift(clusters, family) for family in families)


def _drift(clusters: Clusters, family: str) -> Drift:
    def change(session: SessionDigest) -> FamilyChange:
        return session.families.get(family, _NONE)

    p_c1 = clusters.mean(f"{family}: change in P(C1)", lambda s: change(s).p_c1, "")
    note = f"{p_c1.note}; {_MEANING}" if p_c1.note else _MEANING
    speed = clusters.mean(f"{family}: change in issued speed", lambda s: change(s).speed_points, "points")
    return Drift(family, replace(p_c1, note=note), speed)
