"""The Unitree G1 in MuJoCo: walks under the policy, squats on stiff legs, waves, and can fall.

The physics runs at 2 ms, everything else at 20 ms. A world may add people and furniture to the same model;
this class moves the robot's joints only, and steps the physics.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import onnxruntime

from heedful.state.geometry import Pose, rounded
from heedful.state.motion import RobotLimits
from heedful.world.mujoco_g1.assets.store import G1Assets
from heedful.world.mujoco_g1.body import G1_LIMITS, STEP_S, BodyState, Posture
from heedful.world.mujoco_g1.gesture import gesture_angles, raised_share
from heedful.world.mujoco_g1.model import (
    ARM,
    JOINT_NAMES,
    STANDING,
    TIMESTEP_S,
    Floats,
    G1Model,
    Gains,
    robot_spec,
)
from heedful.world.mujoco_g1.pilot import Order, Pilot
from heedful.world.mujoco_g1.policy import PolicyRunner, SenseNoise, Senses, read_senses
from heedful.world.mujoco_g1.squat import plan_squat, squat_gains
from heedful.world.mujoco_g1.squat_motion import SquatMotion
from heedful.world.mujoco_g1.stance import Stance
from heedful.world.mujoco_g1.tasks import Gesture, Outcome, Task
from heedful.world.mujoco_g1.velocity import STILL, Velocity

PHYSICS_STEPS = round(STEP_S / TIMESTEP_S)
FALLEN_UPRIGHT = 0.6
"""Cosine of the tilt below which the robot counts as fallen."""
FALLEN_STANDING_M, FALLEN_SEATED_M = 0.5, 0.28
"""Height of the pelvis below which it counts as fallen [m]."""
SLEEP_AFTER_S = 1.0
"""A body that has stood still for so long with nothing to do is held as it is until told or pushed [s]."""
LIMP_DAMPING = 3.0
"""Damping of every motor after a fall [Nm s/rad]."""


@dataclass(frozen=True, slots=True)
class Push:
    """A force on the trunk for a while."""

    x_n: float
    """Map frame [N]."""
    y_n: float
    """Map frame [N]."""
    duration_s: float


class G1Body:
    """The simulated robot."""

    def __init__(
        self,
        assets: G1Assets,
        model: Any = None,
        limits: RobotLimits = G1_LIMITS,
        noise: SenseNoise | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """Load the robot and stand it at the origin.

        Args:
            assets: The checked files.
            model: A compiled `mjModel` made from `robot_spec`; the robot alone on a floor by default. It
                serves this body alone, which changes its gains.
            limits: What the robot declares.
            noise: Noise on what the policy senses; none by default.
            rng: Where the noise comes from; seed 0 by default.
        """
        self.limits = limits
        self._assets = assets
        self.model = robot_spec(assets).compile() if model is None else model
        self.data = mujoco.MjData(self.model)
        self.robot = G1Model(self.model)
        self._pilot = Pilot(limits)
        self._policy = PolicyRunner(assets.policy)
        self._path = plan_squat(self.robot)
        self._squat_gains = squat_gains(self._policy.gains)
        self.set_noise(noise, rng)
        self._steps = 0
        self._owed_s = 0.0
        self._push: Push | None = None
        self._push_until_s = 0.0
        self._squat: SquatMotion | None = None
        self._stance: Stance | None = None
        self._fallen = False
        self._state: BodyState | None = None
        """The body now, until it moves."""
        self.place(Pose(0.0, 0.0), Posture.STANDING)

    @property
    def name(self) -> str:
        """What moves."""
        return "mujoco_g1"

    @property
    def facts(self) -> Mapping[str, str]:
        """What its figures depend on."""
        return {
            "body": self.name,
            "mujoco": str(mujoco.__version__),
            "onnxruntime": str(onnxruntime.__version__),
            "assets": self._assets.fingerprint,
        }

    @property
    def state(self) -> BodyState:
        """The body now."""
        if self._state is None:
            self._state = self._read_state()
        return self._state

    def _read_state(self) -> BodyState:
        start, speed = self.robot.base_position, self.robot.base_velocity
        x, y, z = self.data.qpos[start : start + 3].tolist()
        rotation = self.robot.base_rotation(self.data)
        yaw = math.atan2(rotation[1, 0], rotation[0, 0])
        v_x, v_y, _, *rates = self.data.qvel[speed : speed + 6].tolist()
        c, s = math.cos(yaw), math.sin(yaw)
        turning = sum(part * rate for part, rate in zip(rotation[2].tolist(), rates, strict=True))
        return BodyState(
            rounded(self._steps * STEP_S),
            Pose(rounded(x), rounded(y), rounded(yaw)),
            Velocity(rounded(c * v_x + s * v_y), rounded(c * v_y - s * v_x), rounded(turning)),
            self._posture,
            rounded(z),
            rounded(float(rotation[2, 2])),
        )

    @property
    def task(self) -> Task | None:
        """What it is doing."""
        return self._pilot.task

    @property
    def command(self) -> Velocity:
        """The velocity commanded now."""
        return self._pilot.command

    @property
    def last_outcome(self) -> Outcome | None:
        """How the last task ended."""
        return self._pilot.last_outcome

    @property
    def rest_since_s(self) -> float | None:
        """Since when it has been standing still."""
        return self._pilot.rest_since_s

    def place(self, pose: Pose, posture: Posture) -> None:
        """Put the body somewhere at rest, standing or seated."""
        depth = 1.0 if posture is Posture.SEATED else 0.0
        angles, _ = self._path.at(depth)
        self._pilot.reset()
        self._policy.reset()
        self._fallen = False
        self._push = None
        self._stance = None
        self._owed_s = 0.0
        self._set_joints(pose, angles, lean=self._path.lean(depth), height=self._path.height(depth))
        self._squat = SquatMotion(self._path, self._squat_gains, angles, progress=1.0) if depth else None
        self.robot.set_gains(self._squat_gains if depth else self._policy.gains)
        self.data.ctrl[self.robot.motors] = angles
        mujoco.mj_forward(self.model, self.data)
        self._state = None

    def begin(self, task: Task) -> Outcome | None:
        """Begin a task instead of any other; return the refusal, or None when it runs."""
        return self._pilot.begin(task, self.state)

    def stop(self) -> None:
        """End any motion and stand."""
        self._pilot.stop(self.state)

    def set_noise(self, noise: SenseNoise | None, rng: np.random.Generator | None = None) -> None:
        """Let the policy sense with other noise from now on; None senses truly."""
        self._noise = noise
        self._rng = rng or np.random.default_rng(0)

    def push(self, push: Push) -> None:
        """Push the trunk from now on."""
        self._push = push
        self._push_until_s = self._steps * STEP_S + push.duration_s

    def advance(self, seconds: float) -> None:
        """Let time pass [s]; the physics of everything in the model goes on."""
        self._owed_s += seconds
        while self._owed_s >= STEP_S - 1e-9:
            self._owed_s -= STEP_S
            self._step()

    def state_hash(self) -> str:
        """Return one hash over the physics' state and the policy's memory, to compare two runs."""
        parts = (self.data.qpos.tobytes(), self.data.qvel.tobytes(), self._policy.memory)
        return hashlib.sha256(b"".join(parts)).hexdigest()

    @property
    def _posture(self) -> Posture:
        if self._fallen:
            return Posture.FALLEN
        if self._squat is None:
            return Posture.STANDING
        return self._squat.posture

    def _step(self) -> None:
        state = self.state
        if not self._fallen and self._has_fallen(state):
            self._go_limp()
            state = self.state
            self._pilot.fall(state)
        order = self._pilot.order(state)
        if self._is_asleep(state):
            self._steps += 1
            self._state = None
            return
        if not self._fallen:
            self.data.ctrl[self.robot.motors] = self._targets(order, state)
        self._apply_push()
        mujoco.mj_step(self.model, self.data, nstep=PHYSICS_STEPS)
        self._steps += 1
        self._state = None

    def _is_asleep(self, state: BodyState) -> bool:
        """Return whether it has stood still for a while with nothing to do, sensed noise or push apart."""
        rest_since_s = self._pilot.rest_since_s
        is_left_alone = self._pilot.task is None and self._noise is None and not self._is_pushed
        return is_left_alone and rest_since_s is not None and state.time_s - rest_since_s > SLEEP_AFTER_S

    @property
    def _is_pushed(self) -> bool:
        return self._push is not None and self._steps * STEP_S < self._push_until_s - 1e-9

    def _targets(self, order: Order, state: BodyState) -> Floats:
        """Return every motor's target angle for the next step, shape (29,) [rad]."""
        velocity = order.velocity
        if order.posture is Posture.SEATED and self._squat is None:
            velocity = self._take_stance(state)
        elif order.posture is not Posture.SEATED:
            self._stance = None
            if self._squat is not None and self._squat.progress == 0.0:
                self._end_squat()
        if self._squat is not None:
            return self._squat.targets(order.posture)
        senses = read_senses(self.robot, self.data)
        if self._noise is not None:
            senses = self._noise.apply(senses, self._rng)
        if order.gesture is None:
            return self._policy.targets(senses, velocity)
        targets = self._policy.targets(_with_arm_hidden(senses, order.gesture), velocity)
        return _with_gesture(targets, order.gesture, order.gesture_s)

    def _take_stance(self, state: BodyState) -> Velocity:
        """Return what to ask of the gait before a squat; begin the squat when the feet are level."""
        self._stance = self._stance or Stance(self.robot)
        asked = self._stance.velocity(self.data, state)
        if asked is None:
            self._begin_squat()
        return asked or STILL

    def _begin_squat(self) -> None:
        """Change to stiff legs without a jump of any motor's torque."""
        gains = self._squat_gains
        held = self.data.actuator_force[self.robot.motors] / gains.stiffness
        now = np.asarray(self.data.qpos[self.robot.positions] + held)
        self._squat = SquatMotion(self._path, gains, now)
        self._state = None
        self.robot.set_gains(gains)

    def _end_squat(self) -> None:
        """Hand the legs back to the policy, which starts from standing."""
        self._squat = None
        self._state = None
        self._policy.reset()
        self.robot.set_gains(self._policy.gains)

    def _has_fallen(self, state: BodyState) -> bool:
        low = FALLEN_STANDING_M if self._squat is None else FALLEN_SEATED_M
        return state.height_m < low or state.upright < FALLEN_UPRIGHT

    def _go_limp(self) -> None:
        self._fallen = True
        self._squat = None
        self._state = None
        zero = np.zeros(len(JOINT_NAMES))
        self.robot.set_gains(Gains(zero, zero + LIMP_DAMPING))

    def _apply_push(self) -> None:
        force = self.data.xfrc_applied[self.robot.torso]
        force[:] = 0.0
        if self._push is not None and self._is_pushed:
            force[:2] = (self._push.x_n, self._push.y_n)

    def _set_joints(self, pose: Pose, angles: Floats, lean: float, height: float) -> None:
        data, base, speed = self.data, self.robot.base_position, self.robot.base_velocity
        turn, tilt = pose.yaw / 2, lean / 2
        data.qpos[base : base + 3] = (pose.x, pose.y, height)
        data.qpos[base + 3 : base + 7] = (
            math.cos(turn) * math.cos(tilt),
            -math.sin(turn) * math.sin(tilt),
            math.cos(turn) * math.sin(tilt),
            math.sin(turn) * math.cos(tilt),
        )
        data.qpos[self.robot.positions] = angles
        data.qvel[speed : speed + 6] = 0.0
        data.qvel[self.robot.velocities] = 0.0
        data.qacc_warmstart[:] = 0.0
        data.xfrc_applied[self.robot.torso] = 0.0


def _with_gesture(angles: Floats, gesture: Gesture, elapsed_s: float) -> Floats:
    """Return the target angles with one arm on its way through the gesture."""
    share = raised_share(gesture, elapsed_s)
    moved = angles.copy()
    for name, angle in gesture_angles(gesture, elapsed_s).items():
        joint = JOINT_NAMES.index(name)
        moved[joint] = moved[joint] * (1 - share) + angle * share
    return moved


def _with_arm_hidden(senses: Senses, gesture: Gesture) -> Senses:
    """Return senses in which the raised arm hangs; feeling it, the policy would walk backwards."""
    arm = [JOINT_NAMES.index(f"{gesture.hand}_{part}_joint") for part in ARM]
    angles, rates = senses.angles.copy(), senses.rates.copy()
    angles[arm], rates[arm] = STANDING[arm], 0.0
    return Senses(senses.gravity, senses.turning_rate, angles, rates)
