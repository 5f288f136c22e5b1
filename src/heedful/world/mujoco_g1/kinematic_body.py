"""The stand-in for the simulated G1: moves exactly as told, cannot fall; needs neither files nor MuJoCo."""

from __future__ import annotations

import math
from collections.abc import Mapping

from heedful.state.geometry import Pose, rounded
from heedful.state.motion import RobotLimits
from heedful.world.mujoco_g1.body import G1_LIMITS, STEP_S, BodyState, Posture
from heedful.world.mujoco_g1.pilot import Pilot
from heedful.world.mujoco_g1.tasks import Outcome, Task
from heedful.world.mujoco_g1.velocity import STILL, Velocity

CHANGE_S = 2.0
"""Time to sit down or stand up [s], as the G1 takes."""
STANDING_HEIGHT_M, SEATED_HEIGHT_M = 0.77, 0.42


class KinematicBody:
    """A point with a heading that follows the pilot's orders without error."""

    def __init__(self, limits: RobotLimits = G1_LIMITS) -> None:
        self.limits = limits
        self._pilot = Pilot(limits)
        self._steps = 0
        self._owed_s = 0.0
        self._pose = Pose(0.0, 0.0)
        self._velocity = STILL
        self._depth = 0.0

    @property
    def name(self) -> str:
        """What moves."""
        return "kinematic"

    @property
    def facts(self) -> Mapping[str, str]:
        """What its figures depend on."""
        return {"body": self.name}

    @property
    def state(self) -> BodyState:
        """The body now."""
        height = STANDING_HEIGHT_M + self._depth * (SEATED_HEIGHT_M - STANDING_HEIGHT_M)
        return BodyState(
            rounded(self._steps * STEP_S), self._pose, self._velocity, self._posture, rounded(height), 1.0
        )

    @property
    def task(self) -> Task | None:
        """What it is doing."""
        return self._pilot.task

    @property
    def command(self) -> Velocity:
        """The velocity commanded now."""
        return self._pilot.command

    @property
    def last_outcome(self) -> Outcome | None:
        """How the last task ended."""
        return self._pilot.last_outcome

    @property
    def rest_since_s(self) -> float | None:
        """Since when it has been standing still."""
        return self._pilot.rest_since_s

    def place(self, pose: Pose, posture: Posture) -> None:
        """Put the body somewhere at rest."""
        self._pilot.reset()
        self._owed_s = 0.0
        self._pose, self._velocity = pose, STILL
        self._depth = 1.0 if posture is Posture.SEATED else 0.0

    def begin(self, task: Task) -> Outcome | None:
        """Begin a task instead of any other; return the refusal, or None when it runs."""
        return self._pilot.begin(task, self.state)

    def stop(self) -> None:
        """End any motion."""
        self._pilot.stop(self.state)

    def advance(self, seconds: float) -> None:
        """Let time pass [s]."""
        self._owed_s += seconds
        while self._owed_s >= STEP_S - 1e-9:
            self._owed_s -= STEP_S
            self._step()

    @property
    def _posture(self) -> Posture:
        if self._depth in (0.0, 1.0):
            return Posture.SEATED if self._depth else Posture.STANDING
        return Posture.CHANGING

    def _step(self) -> None:
        order = self._pilot.order(self.state)
        self._steps += 1
        self._velocity = order.velocity
        self._pose = _moved(self._pose, order.velocity)
        if order.posture is not None:
            sense = 1 if order.posture is Posture.SEATED else -1
            self._depth = min(max(rounded(self._depth + sense * STEP_S / CHANGE_S), 0.0), 1.0)


def _moved(pose: Pose, velocity: Velocity) -> Pose:
    """Return the pose one step on; turning is applied half before and half after the way."""
    middle = pose.yaw + velocity.w_z * STEP_S / 2
    c, s = math.cos(middle), math.sin(middle)
    return Pose(
        rounded(pose.x + STEP_S * (c * velocity.v_x - s * velocity.v_y)),
        rounded(pose.y + STEP_S * (s * velocity.v_x + c * velocity.v_y)),
        rounded(math.remainder(pose.yaw + velocity.w_z * STEP_S, math.tau)),
    )
