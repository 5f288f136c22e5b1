"""Hand-made sessions with a body for tests of `metrics` and `reports`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from heedful.labels.body import BodyMotion, SessionBody, UnderLimit
from heedful.metrics.session_digest import SessionDigest

from .labelled_sessions import digest

FACTS = {"body": "made_up"}
SOMETIMES, ALWAYS = (UnderLimit("S2", 0.3, False),), (UnderLimit("S2", 0.3, True),)


def moved(
    rep: int, *motions: BodyMotion, falls: int = 0, window_s: float | None = 0.5, **fields: Any
) -> SessionDigest:
    """Return a session on the simulated layer with these motions."""
    session = digest("12N", rep=rep, **fields)
    arm = replace(session.arm, layer="sim")
    name, body = f"{session.session}--sim", SessionBody(motions, falls, window_s)
    return replace(session, session=name, arm=arm, body=FACTS, moved=body)


def walk(
    commanded: float = 1.0, mean: float | None = 0.8, fastest: float | None = None, **rest: Any
) -> BodyMotion:
    """Return a walk that arrived; the fastest gait is the mean one unless told."""
    told = mean if fastest is None else fastest
    return BodyMotion("walk_to", rest.pop("end", "done"), commanded, mean, told, **rest)


def stop(
    commanded: float, standstill: float | None, way: float | None = 0.1, mean: float | None = 0.4, **rest: Any
) -> BodyMotion:
    """Return velocity motion that was stopped."""
    return BodyMotion("walk_with_velocity", "stopped", commanded, mean, mean, True, standstill, way, **rest)
