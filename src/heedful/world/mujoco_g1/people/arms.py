"""Where the arms are: hanging and swinging, on the thighs, holding something, or stretched out."""

from __future__ import annotations

import math
from dataclasses import dataclass

from heedful.world.mujoco_g1.people.build import Build
from heedful.world.mujoco_g1.people.person import Appearance
from heedful.world.mujoco_g1.people.reach import STRAIGHT, Vec, add, joint, scaled, towards, unit

HAND_M = 0.075
"""From the wrist to the middle of the hand [m] of an adult."""
HANGING, ELBOW_BACK = 0.985, (-1.0, 0.0, 0.0)
"""A hanging arm's stretch; its elbow yields backwards."""
ELBOW_OUT = (-0.5, 0.6, -0.4)
"""Which way the left elbow yields when the hand is before the body."""
ON_THIGHS = (0.52, -0.10, -0.66)
"""Wrist relative to the shoulder in lengths of the arm, the left one; likewise the next ones."""
HOLDING = (0.52, -0.06, -0.50)
HOLDING_BOX = (0.42, -0.02, -0.62)
HANDING = (0.93, -0.14, -0.26)
HANDING_BOX = (0.78, -0.02, -0.42)
AHEAD = (1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm."""

    shoulder: Vec
    elbow: Vec
    wrist: Vec
    points: Vec
    """Direction of the hand."""

    def hand(self, build: Build) -> Vec:
        """Return the middle of the hand."""
        return add(self.wrist, scaled(self.points, HAND_M * build.girth))


def arm_of(appearance: Appearance, build: Build, pelvis: Vec, side: int, swing_rad: float) -> Arm:
    """Return the left (1) or the right (-1) arm; `swing_rad` moves it ahead where it hangs free."""
    shoulder = add(pelvis, (0.0, side * build.shoulder_half, build.trunk))
    place = _place(appearance, side)
    if place is None:
        return _hanging(build, shoulder, side, swing_rad)
    offset = (place[0] * build.arm, side * place[1] * build.arm, place[2] * build.arm)
    wrist = towards(shoulder, add(shoulder, offset), STRAIGHT * build.arm)
    bend = (ELBOW_OUT[0], side * ELBOW_OUT[1], ELBOW_OUT[2])
    elbow = joint(shoulder, wrist, build.upper_arm, build.forearm, bend)
    return Arm(shoulder, elbow, wrist, AHEAD)


def _place(appearance: Appearance, side: int) -> Vec | None:
    """Return where a wrist is relative to its shoulder, for the left side; None if the arm hangs."""
    is_used = side < 0 or appearance.carrying == "heavy"
    if is_used and appearance.handover:
        return HANDING_BOX if appearance.carrying == "heavy" else HANDING
    if is_used and appearance.carrying != "none":
        return HOLDING_BOX if appearance.carrying == "heavy" else HOLDING
    return ON_THIGHS if appearance.posture == "seated" else None


def _hanging(build: Build, shoulder: Vec, side: int, swing_rad: float) -> Arm:
    reach = HANGING * build.arm
    outward = side * 0.06 * build.girth
    down = math.sqrt(reach**2 - outward**2)
    # a wrist swings farther ahead than back, as elbows bend one way
    turned = swing_rad + 0.12
    wrist = add(shoulder, (down * math.sin(turned), outward, -down * math.cos(turned)))
    elbow = joint(shoulder, wrist, build.upper_arm, build.forearm, ELBOW_BACK)
    return Arm(shoulder, elbow, wrist, unit(add(wrist, scaled(elbow, -1))))
