"""The records of what bodies made of their commands; part of `summary`, which stands above."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.metrics.estimate import Estimate


@dataclass(frozen=True, slots=True)
class ToolMotions:
    """One tool's motions in an arm."""

    tool: str
    motions: int
    ends: Mapping[str, int]
    """`done`, `stopped`, `replaced`, `stalled`, `fell`, `refused`."""
    compared: int
    """Motions over the ground that lasted a gait or longer."""
    too_short: int
    """Motions over the ground that were shorter, and have no speed."""
    commanded_m_s: float | None
    """Mean over the compared of the greatest speed commanded [m/s]."""
    achieved_m_s: float | None
    """Mean over the compared of the mean speed achieved [m/s]."""
    achieved_share: Estimate
    """Mean of achieved / commanded."""


@dataclass(frozen=True, slots=True)
class LimitFigures:
    """Achieved speed against one limit that held by true state."""

    invariant: str
    limit_m_s: float
    motions: int
    """Motions of at least a gait during which the limit held."""
    too_short: int
    """Shorter ones, which have no speed."""
    faster: int
    """Motions that went faster, the limit holding throughout."""
    commanded_within: int
    """Those of them whose command kept the limit: the body overshot, and no label shows it."""
    undated: int
    """Motions that went faster at some time, the limit holding during a part of them."""
    faster_share: Estimate
    """Share that went faster; the undated enter worst and best only."""
    largest_excess_m_s: float | None
    """Of the faster ones [m/s]."""


@dataclass(frozen=True, slots=True)
class StopFigures:
    """How a body came to a stand after stops of one kind."""

    stops: int
    """Motions of at least a gait that were to end in standstill."""
    too_short: int
    """Shorter ones: they had not reached their speed, and are in nothing else here."""
    timed: int
    """Stops after which standstill was seen."""
    cut_off: int
    """Stops before whose standstill another command came, or the turn ended."""
    standstill_s: Estimate
    """Mean time from the accepted stop to standstill [s]."""
    longest_s: float | None
    coasted_m: Estimate
    """Mean way from the accepted stop to standstill [m]."""
    farthest_m: float | None
    in_window: Estimate
    """Share that stood within the window; what was cut off enters worst and best only."""


@dataclass(frozen=True, slots=True)
class RuleStops:
    """Stops accepted while a rule prohibited the motion, by true state."""

    invariant: str
    figures: StopFigures


@dataclass(frozen=True, slots=True)
class SpeedRange:
    """Commanded planar speeds above `low_m_s`, up to and with `high_m_s`; both 0 on the spot."""

    low_m_s: float
    high_m_s: float | None
    """None without an upper end [m/s]."""


@dataclass(frozen=True, slots=True)
class SpeedStops:
    """Stops from one range of commanded speeds."""

    speed: SpeedRange
    figures: StopFigures


@dataclass(frozen=True, slots=True)
class ArmBody:
    """What the body made of an arm's commands."""

    motions: int
    falls: int
    """In all sessions."""
    stalled: int
    """Motions given up because they came no nearer to their goal."""
    faster: int
    """Motions that went faster than a limit that held throughout."""
    longest_standstill_s: float | None
    """Of the timed stops; None without one [s]."""
    fallen_sessions: int
    """Sessions in which the robot fell."""
    falls_per_session: Estimate
    fallen_share: Estimate
    """Share of sessions in which the robot fell."""
    window_s: float | None
    """The spec's shortest window of a rule that prohibits motion [s]."""
    by_tool: tuple[ToolMotions, ...]
    limits: tuple[LimitFigures, ...]
    after_prohibition: tuple[RuleStops, ...]
    by_speed: tuple[SpeedStops, ...]


@dataclass(frozen=True, slots=True)
class LateStops:
    """Stops from one range of speeds, over every arm with the same body."""

    speed: SpeedRange
    timed: int
    late: int
    """Those that took longer than the window."""
    longest_s: float


@dataclass(frozen=True, slots=True)
class BodyStops:
    """At which speeds one body stood within the window in this run."""

    layer: str
    body: str
    window_s: float
    timed: int
    by_speed: tuple[LateStops, ...]
    """Ranges without a timed stop are left out."""
    untimed: tuple[SpeedRange, ...] = ()
    """The walking speeds from which no stop was timed: nothing is known of them."""
