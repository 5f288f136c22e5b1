"""What is compiled once: cameras, table, tools, every mesh and texture, and empty bodies for objects.

Below: the catalogue and its meshes. Above: `model`.
"""

from __future__ import annotations

from typing import Any

import mujoco

from heedful.state.tabletop.catalogue import SHAPES
from heedful.state.tabletop.textures import TEXTURES
from heedful.world.tabletop import tools
from heedful.world.tabletop.cameras import add_cameras
from heedful.world.tabletop.library import MOST_MOVABLE_PIECES, MOST_PIECES, add_meshes, hull_names
from heedful.world.tabletop.textures import PIXELS, tile

TIMESTEP_S = 1 / 240
GRAVITY_M_S2 = -9.8
MOVABLE, FIXED = 10, 10
"""Slots. The sweep needs most that move, three blocks and three distractors; Pick in order most that do not,
six containers. The rest is for users' own levels."""
SEEN, BACKDROP, TOUCHED = 0, 2, 3
"""Groups of geoms: objects as they are drawn, ground and table as they are drawn, and what is not drawn."""
SOLID_BIT, TIP_BIT, GROUND_BIT = 1, 2, 4
"""Contact bits: solid things touch each other, and some of their pieces the ground; the suction tip is found
by distances and pushes nothing."""
GROUND_FRICTION, ROLLING = 0.01, (0.005, 0.0001)
"""The larger friction of two things counts, so that against the ground it is the object's own."""
PARKED_M = (0.0, 0.0, -40.0)
PARKED_APART_M = 1.0
SHEET_M = (0.5, 1.0)
SHEET_RGB, GROUND_RGB = 51, 239
THIN_M, GROUND_DEPTH_M = 1e-5, 0.002
"""The ground is drawn so far below the table, which is where things rest [m]."""


def describe() -> Any:
    """Return the description of everything a scene can need."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = TIMESTEP_S, [0.0, 0.0, GRAVITY_M_S2]
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_MIDPHASE
    _add_materials(spec)
    for shape in SHAPES.values():
        for form in range(len(shape.forms)):
            add_meshes(spec, shape, form)
    add_cameras(spec)
    _add_backdrop(spec)
    _add_slots(spec)
    tools.add_tools(spec, SOLID_BIT, TIP_BIT)
    return spec


def _add_materials(spec: Any) -> None:
    for name, texture in TEXTURES.items():
        material = spec.add_material(name=name, specular=0.0, shininess=0.0)
        if texture.pattern == "solid":
            material.rgba = [*(channel / 255 for channel in texture.first), 1.0]
            continue
        picture = spec.add_texture(name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, nchannel=3)
        picture.width = picture.height = PIXELS
        picture.data = tile(texture)[::-1].tobytes()
        textures = [""] * int(mujoco.mjtTextureRole.mjNTEXROLE)
        textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
        material.textures = textures


def _add_backdrop(spec: Any) -> None:
    """Add the plane on which things rest, which is not drawn, and what is drawn of ground and table."""
    world, box = spec.worldbody, mujoco.mjtGeom.mjGEOM_BOX
    world.add_geom(
        name="ground",
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0.0, 0.0, 1.0],
        contype=0,
        conaffinity=GROUND_BIT,
        friction=[GROUND_FRICTION, *ROLLING],
        group=TOUCHED,
    )
    for name, size, depth, grey in (
        ("backdrop", (20.0, 20.0), GROUND_DEPTH_M, GROUND_RGB),
        ("sheet", SHEET_M, 0.0, SHEET_RGB),
    ):
        world.add_geom(
            name=name,
            type=box,
            size=[size[0] / 2, size[1] / 2, THIN_M],
            pos=[0.5, 0.0, -depth - THIN_M],
            rgba=[*[grey / 255] * 3, 1.0],
            contype=0,
            conaffinity=0,
            group=BACKDROP,
        )


def _add_slots(spec: Any) -> None:
    """Add empty bodies. Their geoms begin as the meshes that can be touched, which prepares these."""
    hulls = hull_names()
    for kind, number, pieces in (("movable", MOVABLE, MOST_MOVABLE_PIECES), ("fixed", FIXED, MOST_PIECES)):
        for k in range(number):
            body = spec.worldbody.add_body(name=f"{kind} {k}", pos=_parked(kind, k), gravcomp=1.0)
            if kind == "movable":
                body.add_freejoint()
                body.mass, body.ipos, body.inertia = 0.1, [0.001, 0.002, 0.003], [1e-4, 2e-4, 3e-4]
                body.explicitinertial = True
            for _ in range(pieces + 1):
                mesh = hulls.pop() if hulls else hull_names()[0]
                body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=mesh, group=TOUCHED, mass=0.0)
    if hulls:
        raise AssertionError(f"{len(hulls)} meshes found no slot")


def _parked(kind: str, k: int) -> list[float]:
    x, y, z = PARKED_M
    return [x + k * PARKED_APART_M, y + (PARKED_APART_M if kind == "fixed" else 0.0), z]
