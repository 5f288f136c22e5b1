"""A velocity in the body's own frame, and what the robot accepts of one."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Velocity:
    """Planar velocity: x forward, y to the left, z up."""

    v_x: float
    """[m/s]"""
    v_y: float
    """[m/s]"""
    w_z: float
    """[rad/s], counter-clockwise."""

    @property
    def speed_m_s(self) -> float:
        """Length of the planar part [m/s]."""
        return math.hypot(self.v_x, self.v_y)

    def within(self, v_max_m_s: float, w_max_rad_s: float) -> Velocity:
        """Return the velocity with its planar part shortened and its turning cut to the limits."""
        speed = self.speed_m_s
        scale = v_max_m_s / speed if speed > v_max_m_s else 1.0
        turning = min(max(self.w_z, -w_max_rad_s), w_max_rad_s)
        return Velocity(self.v_x * scale, self.v_y * scale, turning)


STILL = Velocity(0.0, 0.0, 0.0)
