"""Bringing the feet side by side before a squat: the gait stops in mid-step, one foot ahead of the other.

A squat from such a stance drags the feet and turns the robot. So it treads on the spot until the feet are
level, then stands until it is at rest.
"""

from __future__ import annotations

import math
from typing import Any

from heedful.world.mujoco_g1.body import STEP_S, BodyState
from heedful.world.mujoco_g1.model import G1Model
from heedful.world.mujoco_g1.velocity import STILL, Velocity

TREAD = Velocity(0.05, 0.0, 0.0)
"""Slow enough to stay, fast enough for the gait to run."""
LEVEL_M, UNEVEN_M = 0.04, 0.06
"""Treading ends when one foot is less ahead than the first; it begins again above the second [m]."""
GROUNDED_M = 0.042
"""Height of an ankle whose foot is on the floor [m]."""
BRAKED_M_S, REST_M_S = 0.25, 0.06
REST_S = 0.2
LONGEST_TREAD_S = 1.4


class Stance:
    """Prepares one squat."""

    def __init__(self, robot: G1Model) -> None:
        self._robot = robot
        self._treading = True
        self._trod_s = 0.0
        self._rested_s = 0.0

    def velocity(self, data: Any, state: BodyState) -> Velocity | None:
        """Return what to ask of the gait to get the feet level; None when the squat may begin."""
        ahead = self._ahead(data, state)
        if self._treading and self._may_stand(data, state, ahead):
            self._treading = False
        if self._treading:
            self._trod_s += STEP_S
            return TREAD
        self._rested_s = self._rested_s + STEP_S if state.velocity.speed_m_s < REST_M_S else 0.0
        if self._rested_s < REST_S:
            return STILL
        if ahead > UNEVEN_M and self._trod_s < LONGEST_TREAD_S:
            self._treading, self._rested_s = True, 0.0
            return TREAD
        return None

    def _may_stand(self, data: Any, state: BodyState, ahead: float) -> bool:
        if self._trod_s >= LONGEST_TREAD_S:
            return True
        grounded = all(data.xpos[foot][2] < GROUNDED_M for foot in self._robot.feet)
        return grounded and ahead < LEVEL_M and state.velocity.speed_m_s < BRAKED_M_S

    def _ahead(self, data: Any, state: BodyState) -> float:
        """Return how far one foot is ahead of the other along the heading [m]."""
        left, right = (data.xpos[foot] for foot in self._robot.feet)
        c, s = math.cos(state.pose.yaw), math.sin(state.pose.yaw)
        return abs(float(c * (left[0] - right[0]) + s * (left[1] - right[1])))
