"""The published walking policy at 50 Hz: what it senses, what it is told, which joint angles it wants.

Knows joints and velocities only; MuJoCo's data is read in `read_senses`, elsewhere plain arrays.

Source: `fastsac_g1_29dof` of holosoma (Apache-2.0). Its input is the terms of `_observation` in
alphabetical order of their names there, its metadata holds joint names, gains and command ranges.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from heedful.errors import InputError
from heedful.world.mujoco_g1.model import JOINT_NAMES, STANDING, Floats, G1Model, Gains
from heedful.world.mujoco_g1.velocity import Velocity

PERIOD_S = 0.02
"""Time between two decisions of the policy [s]."""
GAIT_PERIOD_S = 1.0
ACTION_SCALE = 0.25
ACTION_LIMIT = 100.0
STANDS_BELOW, STARTS_FROM = 0.03, 0.04
"""A walking robot stands below the first, a standing one walks from the second [m/s, rad/s]. The published
border is 0.01 for both; a command at the border then starts and stops the gait at every step."""
RATE_SCALE, JOINT_RATE_SCALE = 0.25, 0.05


@dataclass(frozen=True, slots=True)
class Senses:
    """What the policy measures at one instant."""

    gravity: Floats
    """Direction of gravity in the pelvis frame, shape (3,), length 1."""
    turning_rate: Floats
    """Angular velocity of the pelvis in its own frame, shape (3,) [rad/s]."""
    angles: Floats
    """Joint angles, shape (29,) [rad]."""
    rates: Floats
    """Joint rates, shape (29,) [rad/s]."""


@dataclass(frozen=True, slots=True)
class SenseNoise:
    """Half-widths of the uniform noise on each sense."""

    gravity: float = 0.0
    turning_rate_rad_s: float = 0.0
    angles_rad: float = 0.0
    rates_rad_s: float = 0.0

    def apply(self, senses: Senses, rng: np.random.Generator) -> Senses:
        """Return noisy senses."""
        return Senses(
            senses.gravity + rng.uniform(-self.gravity, self.gravity, 3),
            senses.turning_rate + rng.uniform(-self.turning_rate_rad_s, self.turning_rate_rad_s, 3),
            senses.angles + rng.uniform(-self.angles_rad, self.angles_rad, len(JOINT_NAMES)),
            senses.rates + rng.uniform(-self.rates_rad_s, self.rates_rad_s, len(JOINT_NAMES)),
        )


def read_senses(robot: G1Model, data: Any) -> Senses:
    """Return the true senses of the robot now."""
    rotation = robot.base_rotation(data)
    rate = robot.base_velocity + 3
    return Senses(
        gravity=-rotation[2],
        turning_rate=data.qvel[rate : rate + 3].copy(),
        angles=data.qpos[robot.positions],
        rates=data.qvel[robot.velocities],
    )


class PolicyRunner:
    """The policy with its memory: the last action and the phase of the gait."""

    def __init__(self, path: Path) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.use_deterministic_compute = True
        self._session = onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        )
        facts = self._session.get_modelmeta().custom_metadata_map
        if tuple(json.loads(facts["dof_names"])) != JOINT_NAMES:
            raise InputError(f"{path}: the policy's joints are not the G1's 29 in their order.")
        self.gains = Gains(np.array(json.loads(facts["kp"])), np.array(json.loads(facts["kd"])))
        self._input = self._session.get_inputs()[0].name
        self.reset()

    def reset(self) -> None:
        """Forget: as after standing still for long."""
        self._action = np.zeros(len(JOINT_NAMES))
        self._phase = np.full(2, math.pi)
        self._standing = True

    @property
    def memory(self) -> bytes:
        """The policy's memory as bytes, for comparing two runs."""
        return bytes(self._action.tobytes() + self._phase.tobytes())

    def targets(self, senses: Senses, command: Velocity) -> Floats:
        """Return the joint angles the policy wants for the next 20 ms, shape (29,) [rad]."""
        self._advance_phase(command)
        observation = self._observation(senses, command).astype(np.float32)[None]
        action = self._session.run(None, {self._input: observation})[0][0].astype(np.float64)
        self._action = np.clip(action, -ACTION_LIMIT, ACTION_LIMIT)
        return np.asarray(STANDING + ACTION_SCALE * self._action)

    def _advance_phase(self, command: Velocity) -> None:
        border = STARTS_FROM if self._standing else STANDS_BELOW
        if command.speed_m_s < border and abs(command.w_z) < border:
            self._phase = np.full(2, math.pi)
            self._standing = True
        elif self._standing:
            self._phase = np.array([0.0, math.pi])
            self._standing = False
        else:
            turned = self._phase + math.tau * PERIOD_S / GAIT_PERIOD_S
            self._phase = np.fmod(turned + math.pi, math.tau) - math.pi

    def _observation(self, senses: Senses, command: Velocity) -> Floats:
        return np.concatenate(
            (
                self._action,
                senses.turning_rate * RATE_SCALE,
                (command.w_z, command.v_x, command.v_y),
                np.cos(self._phase),
                senses.angles - STANDING,
                senses.rates * JOINT_RATE_SCALE,
                senses.gravity,
                np.sin(self._phase),
            )
        )
