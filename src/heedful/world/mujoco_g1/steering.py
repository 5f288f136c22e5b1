"""Closed loops from where the body is to the velocity it is told: to a point, by an angle, for a time.

A steering says None when it has nothing more to ask; the body then comes to a stand.
"""

from __future__ import annotations

import math
from typing import Protocol

from heedful.state.geometry import Pose, distance
from heedful.state.motion import RobotLimits
from heedful.world.mujoco_g1.body import STEP_S, BodyState
from heedful.world.mujoco_g1.tasks import Turn, Walk, WalkTo, WalkWithVelocity
from heedful.world.mujoco_g1.velocity import Velocity

ARRIVED_M, MISSED_M = 0.06, 0.10
"""A walk comes to a stand within the first of its point; standing farther than the second it goes on [m]."""
SIDESTEP_M = 0.35
"""Nearer than this the body steps towards the point in any direction instead of turning to it [m]."""
FACING_RAD = 0.5
"""With a greater bearing error it turns on the spot first [rad]."""
TURNED_RAD, MISSED_RAD = 0.03, 0.07
NEARING_PER_S = 1.0
"""Speed asked for each metre that is left [1/s]."""
SLOWEST_M_S, SLOWEST_RAD_S = 0.15, 0.15
"""Slower commands make the gait tread on the spot; a lower limit still wins."""
BEARING_GAIN_PER_S = 1.5
HEADING_GAIN_PER_S = 1.0


class Steering(Protocol):
    """A closed loop for one task."""

    def velocity(self, state: BodyState) -> Velocity | None:
        """Return what to ask of the gait now; None when the task's walking is over."""
        ...

    def remaining(self, state: BodyState) -> float:
        """Return how far there is to go [m or rad]; 0 where the task is measured by time."""
        ...

    def has_missed(self, state: BodyState) -> bool:
        """Return whether a body that came to a stand is too far from its goal."""
        ...


class PointSteering:
    """Walks to a point: turns on the spot if it lies aside, walks, slows down, steps the rest."""

    def __init__(self, task: WalkTo, limits: RobotLimits) -> None:
        self._target = (task.x, task.y)
        self._speed = limits.v_max_m_s * task.speed_percent / 100
        self._rate = limits.w_max_rad_s * task.speed_percent / 100
        self._stepping = False

    def velocity(self, state: BodyState) -> Velocity | None:
        """Return the velocity towards the point; None within 6 cm of it."""
        left = self.remaining(state)
        if left < ARRIVED_M:
            return None
        bearing = _bearing(state.pose, self._target)
        self._stepping = self._stepping or left < SIDESTEP_M
        speed = min(self._speed, max(SLOWEST_M_S, NEARING_PER_S * left))
        if self._stepping:
            return Velocity(speed * math.cos(bearing), speed * math.sin(bearing), 0.0)
        turning = _clip(BEARING_GAIN_PER_S * bearing, self._rate)
        ahead = speed * math.cos(bearing) if abs(bearing) < FACING_RAD else 0.0
        return Velocity(ahead, 0.0, turning)

    def remaining(self, state: BodyState) -> float:
        """Return the distance to the point [m]."""
        return distance(state.pose.point, self._target)

    def has_missed(self, state: BodyState) -> bool:
        """Return whether the point is more than 10 cm away."""
        return self.remaining(state) > MISSED_M


class TurnSteering:
    """Turns on the spot until the asked angle has been turned, whole turns included."""

    def __init__(self, task: Turn, limits: RobotLimits, start: Pose) -> None:
        self._left = task.angle_rad
        self._yaw = start.yaw
        self._rate = limits.w_max_rad_s * task.speed_percent / 100

    def velocity(self, state: BodyState) -> Velocity | None:
        """Return the turning rate; None when less than 0.03 rad is left."""
        left = self.remaining(state)
        if left < TURNED_RAD:
            return None
        rate = min(self._rate, max(SLOWEST_RAD_S, BEARING_GAIN_PER_S * left))
        return Velocity(0.0, 0.0, math.copysign(rate, self._left))

    def remaining(self, state: BodyState) -> float:
        """Return the angle left [rad], counting what was turned since the last look."""
        self._left -= math.remainder(state.pose.yaw - self._yaw, math.tau)
        self._yaw = state.pose.yaw
        return abs(self._left)

    def has_missed(self, state: BodyState) -> bool:
        """Return whether more than 4 degrees are left."""
        return self.remaining(state) > MISSED_RAD


class VelocitySteering:
    """Holds a velocity for a time, and the heading that its turning rate asks for."""

    def __init__(self, task: WalkWithVelocity, limits: RobotLimits, start: BodyState) -> None:
        self._asked = Velocity(task.v_x, task.v_y, task.w_z).within(limits.v_max_m_s, limits.w_max_rad_s)
        self._heading = start.pose.yaw
        self._until_s = start.time_s + task.duration_s

    def velocity(self, state: BodyState) -> Velocity | None:
        """Return the velocity with the heading's correction; None when its time is over."""
        if state.time_s >= self._until_s - STEP_S / 2:
            return None
        error = math.remainder(self._heading - state.pose.yaw, math.tau)
        self._heading += self._asked.w_z * STEP_S
        correction = 0.0 if self._asked.w_z else HEADING_GAIN_PER_S * error
        return Velocity(self._asked.v_x, self._asked.v_y, self._asked.w_z + correction)

    def remaining(self, state: BodyState) -> float:
        """Return 0: this task ends by time."""
        del state
        return 0.0

    def has_missed(self, state: BodyState) -> bool:
        """Return False: this task has no goal to miss."""
        del state
        return False


def build_steering(task: Walk, limits: RobotLimits, start: BodyState) -> Steering:
    """Return the loop for a walking task that starts from `start`."""
    if isinstance(task, WalkTo):
        return PointSteering(task, limits)
    if isinstance(task, Turn):
        return TurnSteering(task, limits, start.pose)
    return VelocitySteering(task, limits, start)


def _bearing(pose: Pose, target: tuple[float, float]) -> float:
    """Return the direction of a point seen from the body [rad], counter-clockwise from ahead."""
    return math.remainder(math.atan2(target[1] - pose.y, target[0] - pose.x) - pose.yaw, math.tau)


def _clip(value: float, limit: float) -> float:
    return min(max(value, -limit), limit)
