"""What a motion command would do if it ran unchanged from a pose: path, duration, effective speed.

The robot uses this to move, the judge to say what was asked and what was issued, and scripted
models to plan. One function, so that the three can never disagree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heedful.state.geometry import Point, Pose, distance, rounded

ARC_POINTS = 24
MINIMUM_TRAVEL_M = 1e-3


@dataclass(frozen=True)
class RobotLimits:
    """What the robot declares about its own motion."""

    v_max_m_s: float = 1.0
    """Speed at 100 % for walking [m/s]."""
    w_max_rad_s: float = 1.0
    """Rate at 100 % for turning [rad/s]."""
    time_to_live_s: float = 10.0
    """Longest time a velocity command runs without being renewed [s]."""
    deceleration_m_s2: float = 2.0
    """Braking, for the stopping distance [m/s^2]."""
    longest_motion_s: float = 3600.0
    """Longest time that a command which returns when done may take [s]."""

    def stopping_distance_m(self, speed_percent: float) -> float:
        """Return the distance needed to stop from `speed_percent` [m]."""
        speed = self.v_max_m_s * speed_percent / 100
        return speed * speed / (2 * self.deceleration_m_s2)


@dataclass(frozen=True)
class Motion:
    """A planned or executed motion at constant body velocity, from `start` for `duration_s`."""

    tool: str
    start: Pose
    v_x: float
    """Body-frame forward velocity [m/s]."""
    v_y: float
    """Body-frame velocity to the left [m/s]."""
    w_z: float
    """Turning rate [rad/s], counter-clockwise."""
    duration_s: float
    speed_percent: float
    """Effective commanded speed, percent of the robot's maximum."""

    def pose_at(self, elapsed_s: float) -> Pose:
        """Return the pose after `elapsed_s`, held at the ends."""
        return self._pose_after(min(max(elapsed_s, 0.0), self.duration_s))

    def _pose_after(self, t: float) -> Pose:
        x0, y0, yaw0 = self.start.x, self.start.y, self.start.yaw
        yaw = yaw0 + self.w_z * t
        if abs(self.w_z) < 1e-9:
            dx, dy, c, s = self.v_x * t, self.v_y * t, math.cos(yaw0), math.sin(yaw0)
            x = x0 + c * dx - s * dy
            y = y0 + s * dx + c * dy
        else:
            s, c = math.sin(yaw) - math.sin(yaw0), math.cos(yaw) - math.cos(yaw0)
            x = x0 + (self.v_x * s + self.v_y * c) / self.w_z
            y = y0 + (self.v_y * s - self.v_x * c) / self.w_z
        return Pose(rounded(x), rounded(y), rounded(math.remainder(yaw, math.tau)))

    @property
    def end(self) -> Pose:
        """The pose when the motion has run whole."""
        return self._pose_after(self.duration_s)

    @property
    def displacement_m(self) -> float:
        """Straight distance from start to end [m]."""
        return distance(self.start.point, self.end.point)

    def path(self, stopping_m: float = 0.0) -> list[Point]:
        """Return points along the motion, with `stopping_m` added along the last heading [m]."""
        speed, end = math.hypot(self.v_x, self.v_y), self.end
        points = [(rounded(self.start.x), rounded(self.start.y))]
        if abs(self.w_z) >= 1e-9 and speed >= 1e-9:
            points += [self.pose_at(self.duration_s * k / ARC_POINTS).point for k in range(1, ARC_POINTS)]
        points.append(end.point)
        if stopping_m > 0 and speed > 1e-9:
            c, s = math.cos(end.yaw), math.sin(end.yaw)
            ux, uy = (c * self.v_x - s * self.v_y) / speed, (s * self.v_x + c * self.v_y) / speed
            points.append((end.x + stopping_m * ux, end.y + stopping_m * uy))
        return points

    def cut(self, elapsed_s: float) -> Motion:
        """Return the part of this motion that had run after `elapsed_s`."""
        return Motion(
            self.tool,
            self.start,
            self.v_x,
            self.v_y,
            self.w_z,
            rounded(min(max(elapsed_s, 0.0), self.duration_s)),
            self.speed_percent,
        )


def plan_motion(tool: str, args: Mapping[str, Any], start: Pose, limits: RobotLimits) -> Motion | None:
    """Return what the locomotion command `tool` would do from `start`; None if it is no locomotion.

    Args:
        tool: `walk_to`, `turn` or `walk_with_velocity`.
        args: Arguments already read as numbers (SI units, degrees for `angle_deg`).
        start: Pose when the command starts.
        limits: The robot's declared limits.
    """
    if tool == "walk_to":
        return _plan_walk(args, start, limits)
    if tool == "turn":
        return _plan_turn(args, start, limits)
    if tool == "walk_with_velocity":
        return _plan_velocity(args, start, limits)
    return None


def _plan_walk(args: Mapping[str, Any], start: Pose, limits: RobotLimits) -> Motion:
    dx, dy = args["x"] - start.x, args["y"] - start.y
    travel = math.hypot(dx, dy)
    percent = float(args["speed_percent"])
    if travel < MINIMUM_TRAVEL_M:
        return Motion("walk_to", start, 0.0, 0.0, 0.0, 0.0, percent)
    speed = limits.v_max_m_s * percent / 100
    facing = Pose(start.x, start.y, rounded(math.atan2(dy, dx)))
    return Motion("walk_to", facing, speed, 0.0, 0.0, _time_for(travel, speed), percent)


def _plan_turn(args: Mapping[str, Any], start: Pose, limits: RobotLimits) -> Motion:
    angle = math.radians(args["angle_deg"])
    percent = float(args["speed_percent"])
    rate = limits.w_max_rad_s * percent / 100
    return Motion("turn", start, 0.0, 0.0, math.copysign(rate, angle), _time_for(abs(angle), rate), percent)


def _plan_velocity(args: Mapping[str, Any], start: Pose, limits: RobotLimits) -> Motion:
    v_x, v_y, w_z = float(args["linear_x"]), float(args["linear_y"]), float(args["angular_z"])
    asked = 100 * max(math.hypot(v_x, v_y) / limits.v_max_m_s, abs(w_z) / limits.w_max_rad_s)
    percent = rounded(min(float(args["speed_percent"]), asked))
    scale = percent / asked if asked > 0 else 0.0
    duration = rounded(min(float(args["duration"]), limits.time_to_live_s)) if asked > 0 else 0.0
    return Motion("walk_with_velocity", start, v_x * scale, v_y * scale, w_z * scale, duration, percent)


def _time_for(way: float, rate: float) -> float:
    """Return how long `way` takes at `rate` [s]; infinite where the rate is too small for a number."""
    return rounded(way / rate) if rate > 0 else math.inf
