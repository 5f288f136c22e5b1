"""The suction tip and the spatula's blade: bodies that go where they are put, and what is drawn of them.

The origin of each is in the middle of its lower edge. Source: VIMA-Bench's end effectors (sizes).
"""

from __future__ import annotations

from typing import Any

import mujoco

from heedful.state.tabletop.scene import EndEffector

TIP_RADIUS_M, TIP_LENGTH_M = 0.001, 0.028
BLADE_M = (0.05, 0.005, 0.11)
BLADE_FRICTION = 0.5
HOME_M = {"suction": (0.487, 0.109, 0.32), "spatula": (0.487, 0.109, 0.31)}
"""Where the tool is between actions [m]: below the wrist of a UR5 in the original's home posture."""
AWAY_M = (0.0, -2.0, -40.0)
BODIES: dict[EndEffector, str] = {"suction": "suction_tip", "spatula": "spatula"}
TOOL_GROUP = 1
"""Group of geoms: the tool's, which a picture shows or hides."""
METAL, RUBBER = [0.62, 0.63, 0.66, 1.0], [0.12, 0.12, 0.13, 1.0]
TOOL_ID, TIP_ID = 3, 4
"""Ids in segmentation: the tool, and the suction cup's last part."""


def add_tools(spec: Any, solid_bit: int, tip_bit: int) -> None:
    """Put both tools and the grip into a description that is not yet compiled."""
    cylinder, box = mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_BOX
    tip = spec.worldbody.add_body(name=BODIES["suction"], mocap=True, pos=HOME_M["suction"])
    tip.add_geom(
        name="tip",
        type=cylinder,
        size=[TIP_RADIUS_M, TIP_LENGTH_M / 2, 0.0],
        pos=[0.0, 0.0, TIP_LENGTH_M / 2],
        contype=tip_bit,
        conaffinity=0,
        group=TOOL_GROUP,
        rgba=RUBBER,
    )
    _draw(tip, "cup", cylinder, [0.011, 0.010, 0.0], 0.034, RUBBER)
    _draw(tip, "neck", cylinder, [0.016, 0.028, 0.0], 0.072, METAL)
    blade = spec.worldbody.add_body(name=BODIES["spatula"], mocap=True, pos=HOME_M["spatula"])
    width, thickness, height = BLADE_M
    blade.add_geom(
        name="blade",
        type=box,
        size=[width / 2, thickness / 2, height / 2],
        pos=[0.0, 0.0, height / 2],
        contype=solid_bit,
        conaffinity=solid_bit,
        friction=[BLADE_FRICTION, 0.005, 0.0001],
        group=TOOL_GROUP,
        rgba=METAL,
    )
    spec.add_equality(
        name="grip",
        type=mujoco.mjtEq.mjEQ_WELD,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1=BODIES["suction"],
        name2="movable 0",
        active=False,
    )


def choose(model: Any, data: Any, end_effector: EndEffector) -> None:
    """Bring one tool to its place between actions and put the other away; the grip lets go."""
    for kind, name in BODIES.items():
        place = HOME_M[kind] if kind == end_effector else AWAY_M
        mocap = int(model.body_mocapid[model.body(name).id])
        data.mocap_pos[mocap], data.mocap_quat[mocap] = place, (1.0, 0.0, 0.0, 0.0)
    data.eq_active[model.eq("grip").id] = 0


def numbers(model: Any, end_effector: EndEffector) -> dict[int, int]:
    """Return the segmentation id of each geom of the tool in use."""
    if end_effector == "spatula":
        return {int(model.geom("blade").id): TOOL_ID}
    return {
        int(model.geom("neck").id): TOOL_ID,
        int(model.geom("cup").id): TIP_ID,
        int(model.geom("tip").id): TIP_ID,
    }


def _draw(body: Any, name: str, kind: Any, size: list[float], z: float, colour: list[float]) -> None:
    body.add_geom(
        name=name,
        type=kind,
        size=size,
        pos=[0.0, 0.0, z],
        contype=0,
        conaffinity=0,
        group=TOOL_GROUP,
        rgba=colour,
    )
