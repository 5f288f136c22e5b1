"""Walking as a function of the way walked: where the feet are under the pelvis, how the arms swing.

A foot on the floor stays where it is while the body passes over it; the pelvis is as high as the straighter
leg allows. The phase is the way, so a person that is shown at the same place again looks the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from heedful.world.mujoco_g1.gesture import smooth
from heedful.world.mujoco_g1.people.build import Build

FULL_M_S = 0.5
"""From this speed on the steps are whole; slower they are shorter, and the feet slide a little [m/s]."""
LIFT = 0.13
"""Height of the swinging ankle in lengths of the leg."""
PITCH_RAD = 0.3
"""Tip of the swinging foot: down when it leaves, up when it comes."""
ARM_RAD = 0.42
"""Swing of the arms to either side."""


@dataclass(frozen=True, slots=True)
class Foot:
    """A foot relative to where it stands at rest."""

    ahead: float
    """[m]"""
    up: float
    """[m]"""
    pitch: float
    """Toes down [rad]."""


@dataclass(frozen=True, slots=True)
class Gait:
    """The limbs at one instant of a walk."""

    left: Foot
    right: Foot
    arms_rad: float
    """The left arm ahead, the right arm back by as much."""


def gait_at(build: Build, stride_m: float, speed_m_s: float) -> Gait:
    """Return the gait after a way of `stride_m` [m] at a speed [m/s]."""
    size = smooth(abs(speed_m_s) / FULL_M_S)
    phase = stride_m / build.stride % 1.0
    arms = -size * ARM_RAD * math.cos(math.tau * phase)
    return Gait(_foot(build, phase, size), _foot(build, (phase + 0.5) % 1.0, size), arms)


def _foot(build: Build, phase: float, size: float) -> Foot:
    """Return a foot that stands in the first half of its phase and swings in the second."""
    step = size * build.stride / 2
    if phase < 0.5:
        return Foot(step * (0.5 - 2 * phase), 0.0, 0.0)
    swing = 2 * phase - 1
    lift = size * LIFT * (build.thigh + build.shin) * math.sin(math.pi * swing)
    ahead = -step * math.cos(math.pi * swing) / 2
    return Foot(ahead, lift, size * PITCH_RAD * math.sin(math.tau * swing))
