"""What a policy does in one step: pick here and place there, or push from here to there."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.state.tabletop.scene import Quaternion

UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class TableAction:
    """Two poses on the table; world frame, metres, quaternions (x, y, z, w)."""

    pose0_position: tuple[float, float]
    pose1_position: tuple[float, float]
    pose0_rotation: Quaternion = UPRIGHT
    pose1_rotation: Quaternion = UPRIGHT
