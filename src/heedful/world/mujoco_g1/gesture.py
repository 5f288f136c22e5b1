"""Gestures: joint angles of one arm over time, as a share of the way from where the arm hangs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from heedful.world.mujoco_g1.tasks import Gesture, WaveHand

RAISE_S, SWING_S = 1.0, 0.8
PITCHING = ("shoulder_pitch", "elbow")
"""Joints that turn the same way on both sides."""


@dataclass(frozen=True, slots=True)
class _Form:
    """Where an arm is raised to and which joint swings there."""

    raised: Mapping[str, float]
    """Angles of the raised left arm [rad]; rolls and yaws are mirrored for the right one."""
    swung: str
    swing_rad: float


WAVE = _Form(
    {"shoulder_pitch": -1.0, "shoulder_roll": 0.9, "shoulder_yaw": 0.0, "elbow": -0.6}, "shoulder_yaw", 0.5
)
HANDSHAKE = _Form(
    {"shoulder_pitch": -0.5, "shoulder_roll": 0.05, "shoulder_yaw": 0.0, "elbow": 0.5}, "elbow", 0.15
)


def gesture_duration_s(task: Gesture) -> float:
    """Return how long the whole gesture takes [s]."""
    return 2 * RAISE_S + task.times * SWING_S


def raised_share(task: Gesture, elapsed_s: float) -> float:
    """Return how far the arm is raised: 0 hangs, 1 is up."""
    return min(smooth(elapsed_s / RAISE_S), smooth((gesture_duration_s(task) - elapsed_s) / RAISE_S))


def gesture_angles(task: Gesture, elapsed_s: float) -> dict[str, float]:
    """Return the raised arm's joint angles [rad] at a time, by joint name."""
    form = WAVE if isinstance(task, WaveHand) else HANDSHAKE
    side = 1.0 if task.hand == "left" else -1.0
    swing = form.swing_rad * math.sin(math.tau * max(0.0, elapsed_s - RAISE_S) / SWING_S)
    angles = {
        f"{task.hand}_{part}_joint": angle if part in PITCHING else side * angle
        for part, angle in form.raised.items()
    }
    angles[f"{task.hand}_{form.swung}_joint"] += swing
    return angles


def smooth(share: float) -> float:
    """Return a share of 0 to 1 that starts and ends gently."""
    x = min(max(share, 0.0), 1.0)
    return x * x * (3 - 2 * x)
