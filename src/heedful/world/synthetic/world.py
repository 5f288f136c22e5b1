"""The synthetic world: a scripted scene around a robot that moves exactly as commanded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from heedful.state.geometry import Pose, rounded
from heedful.state.motion import Motion, RobotLimits
from heedful.state.script import NoiseLaw, TurnScript
from heedful.state.series import Series, Value, constant
from heedful.trace.records import Achieved, Reading, RobotState
from heedful.world.played_world import PlayedWorld
from heedful.world.synthetic.sensors import TurnSensors
from heedful.world.world import Ran

POSE_SIGNALS = {"robot.x": "x", "robot.y": "y", "robot.yaw": "yaw"}
"""What the position sensor measures, with the pose's field."""


class SyntheticWorld(PlayedWorld):
    """True state by script and exact kinematics; sensed state by seeded sampling."""

    facts: Mapping[str, str] = MappingProxyType({})
    has_body = False

    def __init__(self, seed: int, limits: RobotLimits | None = None, noise: NoiseLaw | None = None) -> None:
        super().__init__(seed, limits or RobotLimits(), noise or NoiseLaw())
        self._pose = Pose(0.0, 0.0)
        self._posture = "standing"
        self._motion: Motion | None = None
        self._motion_started = 0.0
        self._halted: Motion | None = None
        """The motion that was stopped last, and when."""
        self._halted_s = 0.0
        self._sensors = TurnSensors(seed, 0, {}, self._noise)

    @property
    def pose(self) -> Pose:
        """Where the robot truly is."""
        return self._pose

    @property
    def posture(self) -> str:
        """How the robot holds itself: `standing` or `seated`."""
        return self._posture

    def begin_turn(self, index: int, script: TurnScript) -> bool:
        """Start a turn; return whether the robot was put back to its scripted pose and posture."""
        self._take_script(index, script)
        self._sensors = TurnSensors(
            self._seed, index, script.signals, self._noise, faults=script.sensor_faults
        )
        if script.continues:
            return False
        self._motion = None
        before = (self._pose, self._posture)
        self._pose = script.pose
        if not self._kept_seat:
            self._posture = script.posture
        return before != (self._pose, self._posture)

    def finish_turn(self, *, runs_on: bool) -> None:
        """Let the rest of the turn pass: motions that end with it, then its declared duration.

        Args:
            runs_on: Whether a motion under way goes on into the next turn instead of being waited for.
        """
        if self._motion is not None and not runs_on:
            self.advance(max(0.0, self._motion_started + self._motion.duration_s - self._now))
        self.advance(max(0.0, self._script.duration_s - self._now))

    def end_turn(self) -> float:
        """Move the clock's origin to this instant; return the turn's duration [s]."""
        duration = self._turn_clock_back()
        self._motion_started = rounded(self._motion_started - duration)
        return duration

    def _pass_until(self, end_s: float) -> None:
        self._now = max(self._now, end_s)
        motion = self._motion
        if motion is None:
            return
        elapsed = self._now - self._motion_started
        self._pose = motion.pose_at(elapsed)
        if elapsed >= motion.duration_s - 1e-9:
            self._motion = None

    def robot(self) -> RobotState:
        """Return the robot's true state now."""
        battery = self._script.signals.get("battery.level", constant(100.0)).at(self._now)
        level = battery if isinstance(battery, float) else 100.0
        started = self._motion_started if self._motion is not None else 0.0
        return RobotState(self._pose, self._posture, level, self._estopped, self._motion, started)

    def run_motion(self, motion: Motion) -> Ran:
        """Let a blocking motion run to its end, or until it is stopped; return what ran of it."""
        self.start_motion(motion)
        started, watch = self._now, self.watch
        if watch is not None:
            end = rounded(started + motion.duration_s)
            while self._motion is motion and (at := watch.next_s()) <= end:
                self._pass_until(at)
                watch.look()
            if self._halted is motion:
                return Ran(motion.cut(self._halted_s - started), "stopped")
        self.advance(motion.duration_s - (self._now - started))
        self._motion = None
        return Ran(motion)

    def start_motion(self, motion: Motion) -> Ran:
        """Start a motion that goes on while time passes, instead of any other."""
        self.stop_motion()
        self._motion, self._motion_started = motion, self._now
        return Ran(motion)

    def stop_motion(self) -> None:
        """End the motion under way."""
        if self._motion is not None:
            self._halted, self._halted_s, self._motion = self._motion, self._now, None

    def motion_left(self) -> Mapping[str, Any]:
        """Return the arguments that say what is left of the motion under way; none for a walk to a point."""
        motion = self._motion
        if motion is None or motion.tool == "walk_to":
            return {}
        left_s = rounded(max(0.0, motion.duration_s - (self._now - self._motion_started)))
        if motion.tool == "turn":
            return {"angle_deg": rounded(math.degrees(motion.w_z * left_s))}
        return {"duration": left_s}

    def set_posture(self, posture: str) -> Ran:
        """Change the robot's posture."""
        self._posture = posture
        return Ran()

    def gesture(self, tool: str, hand: str) -> Ran:
        """Make a gesture: the declared time of its tool has passed by now."""
        del tool, hand
        return Ran()

    def latch_emergency_stop(self) -> None:
        """Refuse motion until the scenario resets the robot."""
        self.stop_motion()
        self._estopped = True

    def true_values(self) -> dict[str, Value]:
        """Return every true signal now."""
        values = {name: series.at(self._now) for name, series in self._script.signals.items()}
        return values | self.true_position()

    def sample(self, signal: str) -> Reading:
        """Return the robot's current sample of a signal."""
        if signal.startswith("robot."):
            return self._sensors.add_noise(signal, self._position(signal), self._now)
        if signal not in self._script.signals:
            return Reading(None, self._now)
        return self._sensors.read(signal, self._now)

    def _position(self, signal: str) -> Value:
        field = POSE_SIGNALS.get(signal)
        return None if field is None else getattr(self._pose, field)

    def true_series(self) -> Mapping[str, Series]:
        """Return the true signals over the turn so far."""
        return self._script.signals

    def sensed_series(self) -> Mapping[str, Series]:
        """Return the samples over the turn so far."""
        return self._sensors.series(self._now)

    def achieved(self) -> tuple[Achieved, ...]:
        """Return nothing: every motion is exactly what was commanded."""
        return ()
