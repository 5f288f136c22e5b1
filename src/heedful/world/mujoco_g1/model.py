"""The robot as MuJoCo sees it: Unitree's model on a floor, with motor inertia and PD motors.

`robot_spec` gives the description, to which a world adds people, furniture and cameras before it is
compiled; `G1Model` finds the robot in whatever was compiled. SI units, z up, angles in radians.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.world.mujoco_g1.assets.store import G1Assets

Floats = NDArray[np.float64]

TIMESTEP_S = 0.002
"""Length of one physics step [s]."""

LEG = ("hip_pitch", "hip_roll", "hip_yaw", "knee", "ankle_pitch", "ankle_roll")
ARM = (
    "shoulder_pitch",
    "shoulder_roll",
    "shoulder_yaw",
    "elbow",
    "wrist_roll",
    "wrist_pitch",
    "wrist_yaw",
)
JOINT_NAMES: tuple[str, ...] = tuple(
    f"{name}_joint"
    for name in (
        *(f"{side}_{part}" for side in ("left", "right") for part in LEG),
        *(f"waist_{axis}" for axis in ("yaw", "roll", "pitch")),
        *(f"{side}_{part}" for side in ("left", "right") for part in ARM),
    )
)
"""The 29 motors in the policy's order."""

STANDING: Floats = np.array(
    [-0.312, 0.0, 0.0, 0.669, -0.363, 0.0] * 2
    + [0.0] * 3
    + [0.2, 0.2, 0.0, 0.6, 0.0, 0.0, 0.0]
    + [0.2, -0.2, 0.0, 0.6, 0.0, 0.0, 0.0]
)
"""Joint angles of the policy's standing pose, shape (29,) [rad]."""

ARMATURE_KG_M2 = {
    "hip_pitch": 0.01018,
    "hip_yaw": 0.01018,
    "waist_yaw": 0.01018,
    "hip_roll": 0.02510,
    "knee": 0.02510,
    "ankle": 0.00722,
    "waist_roll": 0.00722,
    "waist_pitch": 0.00722,
    "wrist_pitch": 0.00425,
    "wrist_yaw": 0.00425,
}
"""Inertia of a motor's rotor at its joint, by a part of the joint's name [kg m^2]."""
SMALL_MOTOR_KG_M2 = 0.00361
"""Rotor inertia of the joints not listed: shoulders, elbows, wrist roll [kg m^2]."""


def robot_spec(assets: G1Assets) -> Any:
    """Return the robot on a floor as an `mjSpec`, not yet compiled.

    The model's own actuators are replaced by one PD motor a joint, held to the joint's torque limit.
    """
    spec = mujoco.MjSpec.from_file(str(assets.model))
    for found in [*spec.actuators, *spec.keys]:
        spec.delete(found)
    spec.worldbody.add_geom(name="floor", type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 0.05])
    _touch_floor_alone(spec)
    for name in JOINT_NAMES:
        joint = spec.joint(name)
        joint.armature = _armature(name)
        joint.frictionloss = 0.0
        _add_motor(spec, joint)
    spec.option.timestep = TIMESTEP_S
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    return spec


@dataclass(frozen=True, slots=True)
class Gains:
    """Stiffness and damping of the 29 motors."""

    stiffness: Floats
    """Shape (29,) [Nm/rad]."""
    damping: Floats
    """Shape (29,) [Nm s/rad]."""


class G1Model:
    """The robot inside a compiled model: where its joints, motors and bodies are."""

    def __init__(self, model: Any) -> None:
        self.model = model
        joints = [model.joint(name) for name in JOINT_NAMES]
        base = model.joint("floating_base_joint")
        self.base_position = int(base.qposadr[0])
        self.base_velocity = int(base.dofadr[0])
        self.positions = np.array([int(joint.qposadr[0]) for joint in joints])
        """Index of each motor's angle in qpos, shape (29,)."""
        self.velocities = np.array([int(joint.dofadr[0]) for joint in joints])
        """Index of each motor's rate in qvel, shape (29,)."""
        self.motors = np.array([int(model.actuator(name).id) for name in JOINT_NAMES])
        """Index of each motor in ctrl, shape (29,)."""
        self.ranges = cast(Floats, model.jnt_range[[joint.id for joint in joints]])
        """Angle limits, shape (29, 2) [rad]."""
        self.pelvis = int(model.body("pelvis").id)
        self.torso = int(model.body("torso_link").id)
        self.feet = tuple(int(model.body(f"{side}_ankle_roll_link").id) for side in ("left", "right"))
        self.hands = {side: int(model.body(f"{side}_wrist_yaw_link").id) for side in ("left", "right")}
        self.mass_kg = float(model.body_subtreemass[self.pelvis])

    def base_rotation(self, data: Any) -> Floats:
        """Return the pelvis frame's axes in the map frame, as columns, shape (3, 3)."""
        flat = np.empty(9)
        mujoco.mju_quat2Mat(flat, data.qpos[self.base_position + 3 : self.base_position + 7])
        return flat.reshape(3, 3)

    def set_gains(self, gains: Gains) -> None:
        """Give every motor its stiffness and damping; a motor's input is its target angle."""
        self.model.actuator_gainprm[self.motors, 0] = gains.stiffness
        self.model.actuator_biasprm[self.motors, 1] = -gains.stiffness
        self.model.actuator_biasprm[self.motors, 2] = -gains.damping


def _touch_floor_alone(spec: Any) -> None:
    """Let the robot's parts touch the floor and not each other: a fifth less work, and no gait needs it."""
    for geom in spec.geoms:
        if geom.name == "floor":
            geom.contype, geom.conaffinity = 1, 2
        elif geom.contype or geom.conaffinity:
            geom.contype, geom.conaffinity = 2, 1


def _add_motor(spec: Any, joint: Any) -> None:
    spec.add_actuator(
        name=joint.name,
        target=joint.name,
        trntype=mujoco.mjtTrn.mjTRN_JOINT,
        gaintype=mujoco.mjtGain.mjGAIN_FIXED,
        biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        forcelimited=True,
        forcerange=list(joint.actfrcrange),
    )


def _armature(joint: str) -> float:
    return next((value for part, value in ARMATURE_KG_M2.items() if part in joint), SMALL_MOTOR_KG_M2)
