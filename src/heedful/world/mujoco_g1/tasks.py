"""What a body can be told to do, and how it ended: frozen records, nothing runs here."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Hand = Literal["left", "right"]


@dataclass(frozen=True, slots=True)
class WalkTo:
    """Walk to a point and stand there; the heading at the end is the one it came with."""

    x: float
    """Map frame [m]."""
    y: float
    """Map frame [m]."""
    speed_percent: float


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn on the spot by an angle and stand."""

    angle_rad: float
    """Counter-clockwise; more than a whole turn is walked whole."""
    speed_percent: float


@dataclass(frozen=True, slots=True)
class WalkWithVelocity:
    """Walk at a velocity in the body's frame, holding the heading that the turning rate asks for."""

    v_x: float
    """Forward [m/s]."""
    v_y: float
    """To the left [m/s]."""
    w_z: float
    """[rad/s]"""
    duration_s: float


@dataclass(frozen=True, slots=True)
class SitDown:
    """Come to a stand, then squat down and stay."""


@dataclass(frozen=True, slots=True)
class StandUp:
    """Rise from the squat and stand."""


@dataclass(frozen=True, slots=True)
class WaveHand:
    """Raise a hand, wave it, lower it, on standing legs."""

    hand: Hand = "right"
    times: int = 3


@dataclass(frozen=True, slots=True)
class ShakeHands:
    """Offer the right hand, shake it up and down, take it back; nobody's hand is grasped."""

    hand: Hand = "right"
    times: int = 3


Gesture = WaveHand | ShakeHands
Task = WalkTo | Turn | WalkWithVelocity | SitDown | StandUp | Gesture
Walk = WalkTo | Turn | WalkWithVelocity


class TaskEnd(Enum):
    """Why a task is over."""

    DONE = "done"
    STOPPED = "stopped"
    """Told to stop."""
    REPLACED = "replaced"
    """Another task was begun."""
    STALLED = "stalled"
    """Came no nearer for too long: blocked, or too slow for the gait."""
    FELL = "fell"
    REFUSED = "refused"
    """Never begun; the outcome says why."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task."""

    task: Task
    end: TaskEnd
    started_s: float
    """Time of the body's clock [s]."""
    ended_s: float
    """Time of the body's clock [s]."""
    commanded_m_s: float = 0.0
    """Greatest planar speed that was commanded [m/s]."""
    achieved_m_s: float | None = None
    """Mean planar speed while a velocity was commanded, taken over gaits of 1 s [m/s]; None if shorter."""
    fastest_m_s: float | None = None
    """Greatest of those speeds [m/s]."""
    reason: str = ""

    @property
    def duration_s(self) -> float:
        """How long it ran [s]."""
        return self.ended_s - self.started_s
