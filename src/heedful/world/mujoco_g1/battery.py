"""The battery: the scripted level less what the robot has used since the turn began."""

from __future__ import annotations

from heedful.world.mujoco_g1.body import BodyState, Posture

CAPACITY_J = 9.0 * 46.8 * 3600
"""9 Ah at 46.8 V (the maker's 9000 mAh, 13 cells of 3.6 V)."""
STANDING_W, SEATED_W = 150.0, 60.0
WALKING_W_PER_M_S = 150.0
"""Chosen so that standing and walking in turns lasts about the two hours that the maker states."""


class Drain:
    """What was taken out of the battery."""

    def __init__(self) -> None:
        self.used_percent = 0.0

    def pass_time(self, seconds: float, state: BodyState) -> None:
        """Use the battery for a while [s] as the body is now."""
        resting = SEATED_W if state.posture is Posture.SEATED else STANDING_W
        power = resting + WALKING_W_PER_M_S * state.velocity.speed_m_s
        self.used_percent += 100.0 * power * seconds / CAPACITY_J
