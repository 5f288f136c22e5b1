"""What every world that plays a scenario's turns shares: clock, script, watch, draws."""

from __future__ import annotations

from abc import ABC, abstractmethod

from heedful.state.geometry import Pose, rounded
from heedful.state.motion import RobotLimits
from heedful.state.script import NoiseLaw, TurnScript
from heedful.state.series import Value
from heedful.trace.records import Reading
from heedful.world.synthetic.noise import draw
from heedful.world.world import Watch


class PlayedWorld(ABC):
    """One session's clock and script; a member says what moves and what is sensed."""

    def __init__(self, seed: int, limits: RobotLimits, noise: NoiseLaw) -> None:
        """Begin before the first turn.

        Args:
            seed: The session's seed.
            limits: What the robot declares.
            noise: How far samples stray.
        """
        self.limits = limits
        self.watch: Watch | None = None
        self._seed, self._noise = seed, noise
        self._now = self._session = 0.0
        self._script, self._turn = TurnScript(0.0, {}), 0
        self._estopped = self._kept_seat = False

    @property
    def now_s(self) -> float:
        """Time since the turn's start [s]."""
        return self._now

    @property
    def session_s(self) -> float:
        """Session time of the turn's start [s]."""
        return self._session

    @property
    def script(self) -> TurnScript:
        """The turn's script."""
        return self._script

    @property
    @abstractmethod
    def pose(self) -> Pose:
        """Where the robot truly is."""

    @abstractmethod
    def sample(self, signal: str) -> Reading:
        """Return the robot's current sample of a signal."""

    @abstractmethod
    def _pass_until(self, end_s: float) -> None:
        """Let time pass until `end_s` of the turn [s]; nothing if it has passed."""

    def keep_seat(self) -> None:
        """Do not stand the robot up between turns any more, until the operator resets it."""
        self._kept_seat = True

    def draw(self, name: str, index: int) -> float:
        """Return a number in [0, 1), the same for the same seed, turn, name and index."""
        return draw(self._seed, name, self._turn, index)

    def advance(self, seconds: float) -> None:
        """Let time pass [s]; a motion under way goes on, and the watch looks when it is due."""
        end = rounded(self._now + seconds)
        watch = self.watch
        while watch is not None and (at := watch.next_s()) <= end:
            self._pass_until(at)
            watch.look()
        self._pass_until(end)

    def true_position(self) -> dict[str, Value]:
        """Return where the robot truly is [m]."""
        return {"robot.x": self.pose.x, "robot.y": self.pose.y}

    def sensed_position(self) -> dict[str, Value]:
        """Return where the robot's newest samples say it is [m]."""
        return {name: self.sample(name).value for name in ("robot.x", "robot.y")}

    def _take_script(self, index: int, script: TurnScript) -> None:
        """Take a turn's script; an operator's reset ends what was latched."""
        self._script, self._turn = script, index
        if script.resets:
            self._estopped = self._kept_seat = False

    def _turn_clock_back(self) -> float:
        """Move the clock's origin to this instant; return the turn's duration [s]."""
        duration = rounded(self._now)
        self._session = rounded(self._session + duration)
        self._now = 0.0
        return duration
