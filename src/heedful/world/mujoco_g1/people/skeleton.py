"""A person's joints: from posture, gait and load to points in the person's frame."""

from __future__ import annotations

import math
from dataclasses import dataclass

from heedful.world.mujoco_g1.people.arms import Arm, arm_of
from heedful.world.mujoco_g1.people.build import Build, build_of
from heedful.world.mujoco_g1.people.gait import Foot, Gait, gait_at
from heedful.world.mujoco_g1.people.person import Appearance
from heedful.world.mujoco_g1.people.reach import STRAIGHT, Vec, add, joint

SEAT = 0.5
"""Height of a stool's seat, in heights of the hips."""
SEAT_TO_HIP_M = 0.09
"""Thickness of the flesh under the hips [m] of an adult."""
KNEE_M = 0.076
"""A knee on the floor is this high [m] for an adult."""
KNEEL_BACK_M = 0.06
"""A kneeling person's hips are this far behind the knees [m] for an adult."""
SPINE_M = 0.114
"""How high the spine of a lying person is [m] for an adult; it rests on the back of its head."""
HEEL_M, TOES_M, SOLE_M = -0.05, 0.15, 0.042
"""Ends of a shoe's axis ahead of the ankle, and its height above the floor [m], of an adult."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg and its shoe."""

    hip: Vec
    knee: Vec
    ankle: Vec
    heel: Vec
    toes: Vec


@dataclass(frozen=True, slots=True)
class Skeleton:
    """All joints, person's frame [m]; of a lying person before it is laid down."""

    pelvis: Vec
    """Between the hips."""
    left_arm: Arm
    right_arm: Arm
    left_leg: Leg
    right_leg: Leg


def skeleton_of(appearance: Appearance, stride_m: float, speed_m_s: float) -> Skeleton:
    """Return the joints of a person; only a standing one walks."""
    build = build_of(appearance)
    gait = gait_at(build, stride_m, speed_m_s if appearance.posture == "standing" else 0.0)
    height = _pelvis_height(appearance, build, gait)
    pelvis = (0.0, 0.0, height)
    return Skeleton(
        pelvis,
        arm_of(appearance, build, pelvis, 1, gait.arms_rad),
        arm_of(appearance, build, pelvis, -1, -gait.arms_rad),
        _leg(appearance, build, pelvis, 1, gait.left),
        _leg(appearance, build, pelvis, -1, gait.right),
    )


def seat_height(build: Build) -> float:
    """Return how high a stool for this build is [m]."""
    return SEAT * build.hip


def _pelvis_height(appearance: Appearance, build: Build, gait: Gait) -> float:
    if appearance.posture == "seated":
        return seat_height(build) + SEAT_TO_HIP_M * build.girth
    if appearance.posture == "kneeling":
        back = KNEEL_BACK_M * build.girth
        return KNEE_M * build.girth + math.sqrt(build.thigh**2 - back**2)
    return min(_height_over(build, foot) for foot in (gait.left, gait.right))


def _height_over(build: Build, foot: Foot) -> float:
    """Return how high the pelvis is over a foot when that leg is straight [m]."""
    length = STRAIGHT * (build.thigh + build.shin)
    return build.ankle + foot.up + math.sqrt(length**2 - foot.ahead**2)


def _leg(appearance: Appearance, build: Build, pelvis: Vec, side: int, foot: Foot) -> Leg:
    hip = add(pelvis, (0.0, side * build.hip_half, 0.0))
    if appearance.posture == "kneeling":
        return _kneeling_leg(build, hip)
    ahead = build.thigh - 0.03 * build.girth if appearance.posture == "seated" else foot.ahead
    ankle = (ahead, hip[1], build.ankle + foot.up)
    knee = joint(hip, ankle, build.thigh, build.shin, (1.0, 0.0, 0.0))
    return Leg(hip, knee, ankle, *_shoe(build, ankle, foot.pitch))


def _kneeling_leg(build: Build, hip: Vec) -> Leg:
    """Return a leg that kneels, the shoe's tip on the floor behind."""
    girth = build.girth
    knee = (KNEEL_BACK_M * girth, hip[1], KNEE_M * girth)
    ankle = (knee[0] - build.shin, hip[1], 0.065 * girth)
    heel = add(ankle, (-0.01 * girth, 0.0, 0.06 * girth))
    drop = heel[2] - SOLE_M * girth
    length = (TOES_M - HEEL_M) * girth
    toes = add(heel, (-math.sqrt(length**2 - drop**2), 0.0, -drop))
    return Leg(hip, knee, ankle, heel, toes)


def _shoe(build: Build, ankle: Vec, pitch: float) -> tuple[Vec, Vec]:
    """Return heel and toes of a shoe whose toes are down by `pitch` [rad]."""
    c, s = math.cos(pitch), math.sin(pitch)
    down = build.ankle - SOLE_M * build.girth

    def at(ahead: float) -> Vec:
        return add(ankle, (c * ahead - s * down, 0.0, -s * ahead - c * down))

    return at(HEEL_M * build.girth), at(TOES_M * build.girth)
