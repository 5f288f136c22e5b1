"""Waving: joint angles of one arm over time, as a share of the way from where the arm hangs."""

from __future__ import annotations

import math

from heedful.world.mujoco_g1.tasks import WaveHand

RAISE_S, SWING_S = 1.0, 0.8
RAISED = {"shoulder_pitch": -1.0, "shoulder_roll": 0.9, "shoulder_yaw": 0.0, "elbow": -0.6}
"""Angles of the raised left arm [rad]; rolls and yaws are mirrored for the right one."""
PITCHING = ("shoulder_pitch", "elbow")
"""Joints that turn the same way on both sides."""
SWING_RAD = 0.5
SWUNG = "shoulder_yaw"


def wave_duration_s(task: WaveHand) -> float:
    """Return how long the whole wave takes [s]."""
    return 2 * RAISE_S + task.times * SWING_S


def wave_share(task: WaveHand, elapsed_s: float) -> float:
    """Return how far the arm is raised: 0 hangs, 1 is up."""
    return min(smooth(elapsed_s / RAISE_S), smooth((wave_duration_s(task) - elapsed_s) / RAISE_S))


def wave_angles(task: WaveHand, elapsed_s: float) -> dict[str, float]:
    """Return the raised arm's joint angles [rad] at a time, by joint name."""
    side = 1.0 if task.hand == "left" else -1.0
    swing = SWING_RAD * math.sin(math.tau * max(0.0, elapsed_s - RAISE_S) / SWING_S)
    angles = {f"{task.hand}_{part}_joint": _mirrored(part, side) for part in RAISED}
    angles[f"{task.hand}_{SWUNG}_joint"] += swing
    return angles


def smooth(share: float) -> float:
    """Return a share of 0 to 1 that starts and ends gently."""
    x = min(max(share, 0.0), 1.0)
    return x * x * (3 - 2 * x)


def _mirrored(part: str, side: float) -> float:
    return RAISED[part] if part in PITCHING else side * RAISED[part]
