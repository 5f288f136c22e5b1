"""The role of a world under a robot: one clock, one robot body, true signals and their samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from heedful.state.geometry import Pose
from heedful.state.motion import Motion, RobotLimits
from heedful.state.script import TurnScript
from heedful.state.series import Series, Value
from heedful.trace.records import Achieved, MotionEnd, Reading, RobotState

ProximitySource = Literal["geometry", "depth"]
"""Where a simulated robot's distance to the nearest person comes from."""
PoseSource = Literal["scripted", "geometry", "keypoints"]
"""Where its idea of the nearest person's posture, facing, age and handover comes from."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a command that a world was told to carry out."""

    motion: Motion | None = None
    """What ran of it; None for postures and gestures."""
    end: MotionEnd = "done"
    why: str = ""
    """Why it was refused, or empty."""


class Watch(Protocol):
    """Somebody who looks at the sensors while time passes, and may act."""

    def next_s(self) -> float:
        """Return the next instant at which it looks, in the turn's time [s]."""
        ...

    def look(self) -> None:
        """Look now; what it does may stop the motion under way and take time itself."""
        ...


class World(Protocol):
    """A world that runs one session, turn after turn."""

    limits: RobotLimits
    watch: Watch | None

    @property
    def facts(self) -> Mapping[str, str]:
        """What moves and senses here and in which versions; empty for an ideal robot in a scripted scene."""
        ...

    @property
    def has_body(self) -> bool:
        """Whether postures and gestures take a body's own time, instead of the time the tool declares."""
        ...

    @property
    def script(self) -> TurnScript:
        """The turn's script."""
        ...

    @property
    def now_s(self) -> float:
        """Time since the turn's start [s]."""
        ...

    @property
    def session_s(self) -> float:
        """Session time of the turn's start [s]."""
        ...

    @property
    def pose(self) -> Pose:
        """Where the robot truly is."""
        ...

    @property
    def posture(self) -> str:
        """How the robot holds itself: `standing`, `seated`, or `fallen`."""
        ...

    def begin_turn(self, index: int, script: TurnScript) -> bool:
        """Start a turn; return whether the robot was put back to its scripted pose."""
        ...

    def finish_turn(self, *, runs_on: bool) -> None:
        """Let the rest of the turn pass; `runs_on` keeps a motion alive into the next turn."""
        ...

    def end_turn(self) -> float:
        """Move the clock's origin to this instant; return the turn's duration [s]."""
        ...

    def keep_seat(self) -> None:
        """Do not stand the robot up between turns, until the operator resets it."""
        ...

    def draw(self, name: str, index: int) -> float:
        """Return a number in [0, 1), the same for the same seed, turn, name and index."""
        ...

    def advance(self, seconds: float) -> None:
        """Let time pass [s]."""
        ...

    def robot(self) -> RobotState:
        """Return the robot's true state now."""
        ...

    def run_motion(self, motion: Motion) -> Ran:
        """Let a blocking motion run to its end, or until it is stopped; return what ran of it."""
        ...

    def start_motion(self, motion: Motion) -> Ran:
        """Start a motion that goes on while time passes, instead of any other."""
        ...

    def stop_motion(self) -> None:
        """End the motion under way."""
        ...

    def motion_left(self) -> Mapping[str, Any]:
        """Return the arguments that say what is left of the motion under way; none for a walk to a point."""
        ...

    def set_posture(self, posture: str) -> Ran:
        """Change the robot's posture: `standing` or `seated`."""
        ...

    def gesture(self, tool: str, hand: str) -> Ran:
        """Make a gesture: `wave_hand` or `shake_hands`."""
        ...

    def latch_emergency_stop(self) -> None:
        """Refuse motion until the scenario resets the robot."""
        ...

    def true_position(self) -> dict[str, Value]:
        """Return where the robot truly is [m]."""
        ...

    def sensed_position(self) -> dict[str, Value]:
        """Return where the robot's newest samples say it is [m]."""
        ...

    def true_values(self) -> dict[str, Value]:
        """Return every true signal now."""
        ...

    def sample(self, signal: str) -> Reading:
        """Return the robot's current sample of a signal."""
        ...

    def true_series(self) -> Mapping[str, Series]:
        """Return the true signals over the turn so far."""
        ...

    def sensed_series(self) -> Mapping[str, Series]:
        """Return the samples over the turn so far."""
        ...

    def achieved(self) -> Sequence[Achieved]:
        """Return what the body made of each motion that ended in the turn so far; ideal robots have none."""
        ...
