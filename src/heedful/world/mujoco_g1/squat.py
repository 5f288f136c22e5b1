"""A squat that never tips: joint angles from standing to seated with the mass over the feet all the way.

Sitting is a deep squat: the robot holds itself, no chair. For each bend of the knees the hips are solved
so that the centre of mass stands over the middle of the foot and the feet lie flat; every point of the
path is a balanced pose at which the robot may stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from heedful.errors import HeedfulError
from heedful.world.mujoco_g1.model import JOINT_NAMES, STANDING, Floats, G1Model, Gains

POINTS = 16
KNEE_STANDING_RAD, KNEE_SEATED_RAD = 0.669, 2.2
LEAN_STANDING_RAD, LEAN_SEATED_RAD = 0.0, 0.40
"""How far the trunk leans forward at the ends of the path [rad]."""
FOOT_MIDDLE_M = 0.035
"""Middle of the sole before the ankle [m]."""
SOLE_M = 0.035
"""Ankle above the floor when the foot lies flat [m]."""
HIP_RANGE_RAD = (-2.4, 0.3)
SEARCH_STEPS = 40
LEG_STIFFNESS_NM_RAD = 400.0
LEG_DAMPING = 10.0
REST_STIFFNESS_FACTOR = 4.0
REST_DAMPING = 3.0
"""[Nm s/rad]"""
HIPS, KNEES, ANKLES = (0, 6), (3, 9), (4, 10)
LEGS = 12


@dataclass(frozen=True, slots=True)
class SquatPath:
    """Balanced poses from standing (0) to seated (1)."""

    angles: Floats
    """Joint angles, shape (n, 29) [rad]."""
    torques: Floats
    """Motor torques that hold each pose, shape (n, 29) [Nm]."""
    heights: Floats
    """Height of the pelvis above the floor, shape (n,) [m]."""
    leans: Floats
    """Forward lean of the trunk, shape (n,) [rad]."""

    def at(self, depth: float) -> tuple[Floats, Floats]:
        """Return angles [rad] and holding torques [Nm] at a depth in [0, 1]."""
        return _between(self.angles, depth), _between(self.torques, depth)

    def height(self, depth: float) -> float:
        """Return the height of the pelvis [m] at a depth in [0, 1]."""
        return float(_between(self.heights, depth))

    def lean(self, depth: float) -> float:
        """Return the forward lean of the trunk [rad] at a depth in [0, 1]."""
        return float(_between(self.leans, depth))


def squat_gains(walking: Gains) -> Gains:
    """Return gains stiff enough to hold the mass over the ankles, from the walking ones."""
    stiffness = walking.stiffness * REST_STIFFNESS_FACTOR
    stiffness[:LEGS] = LEG_STIFFNESS_NM_RAD
    damping = np.full(len(JOINT_NAMES), REST_DAMPING)
    damping[:LEGS] = LEG_DAMPING
    return Gains(stiffness, damping)


def plan_squat(robot: G1Model) -> SquatPath:
    """Return the path for this robot.

    Raises:
        HeedfulError: If some pose of the path cannot be balanced: another robot than the G1.
    """
    data = mujoco.MjData(robot.model)
    bends = np.linspace(KNEE_STANDING_RAD, KNEE_SEATED_RAD, POINTS)
    leans = np.linspace(LEAN_STANDING_RAD, LEAN_SEATED_RAD, POINTS)
    poses = [_balance(robot, data, bend, lean) for bend, lean in zip(bends, leans, strict=True)]
    holding = []
    heights = []
    for pose, lean in zip(poses, leans, strict=True):
        _place(robot, data, pose, lean)
        holding.append(_holding_torques(robot, data))
        heights.append(data.xpos[robot.pelvis][2] - data.xpos[robot.feet[0]][2] + SOLE_M)
    return SquatPath(np.array(poses), np.array(holding), np.array(heights), leans)


def _between(rows: Floats, depth: float) -> Floats:
    """Return the row at a depth in [0, 1], between its neighbours."""
    place = min(max(depth, 0.0), 1.0) * (len(rows) - 1)
    low = min(int(place), len(rows) - 2)
    part = place - low
    return np.asarray(rows[low] * (1 - part) + rows[low + 1] * part)


def _balance(robot: G1Model, data: Any, bend: float, lean: float) -> Floats:
    """Return the pose at a knee bend and a trunk lean whose mass stands over the middle of the feet."""
    low, high = HIP_RANGE_RAD
    ahead_low, ahead_high = (_mass_ahead(robot, data, _pose(hip, bend, lean), lean) for hip in (low, high))
    if ahead_low * ahead_high > 0:
        raise HeedfulError(f"No balanced squat at a knee bend of {bend:.2f} rad.")
    for _ in range(SEARCH_STEPS):
        middle = (low + high) / 2
        ahead = _mass_ahead(robot, data, _pose(middle, bend, lean), lean)
        low, high = (middle, high) if ahead * ahead_low > 0 else (low, middle)
    return _pose((low + high) / 2, bend, lean)


def _pose(hip: float, bend: float, lean: float) -> Floats:
    """Return the joint angles whose feet are flat when the trunk leans by `lean`."""
    angles = STANDING.copy()
    angles[list(HIPS)] = hip
    angles[list(KNEES)] = bend
    angles[list(ANKLES)] = -(hip + bend) - lean
    return angles


def _place(robot: G1Model, data: Any, angles: Floats, lean: float) -> None:
    mujoco.mj_resetData(robot.model, data)
    start = robot.base_position
    data.qpos[start : start + 7] = (0.0, 0.0, 1.0, np.cos(lean / 2), 0.0, np.sin(lean / 2), 0.0)
    data.qpos[robot.positions] = angles
    mujoco.mj_forward(robot.model, data)


def _mass_ahead(robot: G1Model, data: Any, angles: Floats, lean: float) -> float:
    """Return how far the centre of mass is before the middle of the feet [m]."""
    _place(robot, data, angles, lean)
    foot = data.xpos[robot.feet[0]]
    return float(data.subtree_com[robot.pelvis][0] - foot[0] - FOOT_MIDDLE_M)


def _holding_torques(robot: G1Model, data: Any) -> Floats:
    """Return the motor torques that hold the placed pose on both feet, shape (29,) [Nm]."""
    torques = data.qfrc_bias.copy()
    half_weight = robot.mass_kg * 9.81 / 2
    jacobian = np.zeros((3, robot.model.nv))
    for foot in robot.feet:
        point = data.xpos[foot].copy()
        point[0] = data.subtree_com[robot.pelvis][0]
        mujoco.mj_jac(robot.model, data, jacobian, None, point, foot)
        torques -= jacobian[2] * half_weight
    return np.asarray(torques[robot.velocities])
