"""Walks under noise and pushes: the protocol behind the figures of falls in the guide."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from heedful.state.geometry import Pose
from heedful.world.mujoco_g1.body import Posture
from heedful.world.mujoco_g1.g1_body import G1Body, Push
from heedful.world.mujoco_g1.policy import SenseNoise
from heedful.world.mujoco_g1.tasks import SitDown, WalkWithVelocity
from heedful.world.mujoco_g1.velocity import STILL, Velocity

NOISE = SenseNoise(gravity=0.025, turning_rate_rad_s=0.1, angles_rad=0.005, rates_rad_s=0.25)
"""New at every decision of the policy; 1.4 degrees of tilt, 0.3 degrees of each joint."""
PUSH_N, PUSH_S, PUSH_EVERY_S = 60.0, 0.2, 2.0
WALK_S, LOOK_S = 8.0, 0.1
SEEDS = (1, 2, 3, 4)
COMMANDS = {
    "stand": STILL,
    "slow": Velocity(0.3, 0.0, 0.0),
    "medium": Velocity(0.6, 0.0, 0.0),
    "fast": Velocity(1.0, 0.0, 0.0),
    "back": Velocity(-0.4, 0.0, 0.0),
    "side": Velocity(0.0, 0.4, 0.0),
    "turn": Velocity(0.0, 0.0, 0.6),
    "arc": Velocity(0.5, 0.0, 0.5),
}
SQUAT_SIDES = {"ahead": 0.0, "left": math.pi / 2, "back": math.pi, "right": -math.pi / 2}


@dataclass(frozen=True, slots=True)
class Walked:
    """How a disturbed walk went."""

    posture: Posture
    pushes: int


def scaled_noise(factor: float) -> SenseNoise:
    """Return the noise at a multiple of its strength."""
    return SenseNoise(
        NOISE.gravity * factor,
        NOISE.turning_rate_rad_s * factor,
        NOISE.angles_rad * factor,
        NOISE.rates_rad_s * factor,
    )


def walk_disturbed(body: G1Body, command: Velocity, seed: int) -> Walked:
    """Walk at a command for 8 s with a push from a seeded side about every 2 s."""
    rng = np.random.default_rng(seed)
    body.place(Pose(0.0, 0.0), Posture.STANDING)
    body.advance(1.0)
    body.begin(WalkWithVelocity(command.v_x, command.v_y, command.w_z, WALK_S))
    pushes, next_s = 0, rng.uniform(0.5, PUSH_EVERY_S)
    for look in range(round(WALK_S / LOOK_S)):
        if look * LOOK_S >= next_s:
            body.push(push_towards(rng.uniform(0.0, math.tau), PUSH_N))
            pushes += 1
            next_s += rng.uniform(0.75, 1.25) * PUSH_EVERY_S
        body.advance(LOOK_S)
    return Walked(body.state.posture, pushes)


def push_towards(direction_rad: float, force_n: float) -> Push:
    """Return a push of 0.2 s in a direction of the map frame."""
    return Push(force_n * math.cos(direction_rad), force_n * math.sin(direction_rad), PUSH_S)


def stands_push_in_squat(body: G1Body, direction_rad: float, force_n: float) -> bool:
    """Return whether the robot stays seated when it is pushed half-way down and again when it sits."""
    body.place(Pose(0.0, 0.0), Posture.STANDING)
    body.advance(1.0)
    body.begin(SitDown())
    body.advance(1.2)
    body.push(push_towards(direction_rad, force_n))
    while body.task is not None:
        body.advance(LOOK_S)
    body.advance(1.0)
    body.push(push_towards(direction_rad, force_n))
    body.advance(2.0)
    return body.state.posture is Posture.SEATED
