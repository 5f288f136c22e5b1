"""The room that the simulated robot and people are seen in: floor, light, sky, and a camera that follows.

Everything added here is only seen: nothing touches, nothing weighs, the physics is that of the bare robot.
"""

from __future__ import annotations

from typing import Any

import mujoco

from heedful.world.mujoco_g1.assets.store import G1Assets
from heedful.world.mujoco_g1.model import robot_spec
from heedful.world.mujoco_g1.people.cast import add_people
from heedful.world.mujoco_g1.sensors.head_camera import add_head_camera

OVERVIEW = "overview"
"""Name of the camera that follows the robot from the side."""
OVERVIEW_AT = (0.9, -3.9, 0.55)
"""Where it is relative to the pelvis, axes of the map [m]."""
OVERVIEW_AXES = (1.0, 0.0, 0.0, 0.0, 0.16, 1.0)
"""Its right and its upward direction: it looks to the left of the map and a little down."""
TILE_M = 1.0
"""Side of a tile of the floor [m]."""
EXTENT_M = 2.0
"""Size of the scene that MuJoCo reckons with: nothing nearer to a camera than a hundredth is drawn [m]."""
IMAGE_PX = (1280, 960)
"""Largest picture that can be drawn, width and height."""


def room_spec(assets: G1Assets, people: int) -> Any:
    """Return the robot and so many hidden people in a light room, as an `mjSpec` not yet compiled."""
    spec = robot_spec(assets)
    _add_floor(spec)
    _add_light(spec)
    _set_extent(spec)
    _add_overview(spec)
    add_head_camera(spec)
    _give_hulls(spec)
    add_people(spec, people)
    return spec


def _add_floor(spec: Any) -> None:
    spec.add_texture(
        name="tiles",
        type=mujoco.mjtTexture.mjTEXTURE_2D,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_CHECKER,
        mark=mujoco.mjtMark.mjMARK_EDGE,
        rgb1=[0.80, 0.81, 0.82],
        rgb2=[0.74, 0.755, 0.77],
        markrgb=[0.64, 0.66, 0.68],
        width=512,
        height=512,
    )
    tiles = spec.add_material(name="tiles", texrepeat=[1 / TILE_M, 1 / TILE_M], texuniform=True)
    tiles.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "tiles"
    spec.geom("floor").material = "tiles"


def _add_light(spec: Any) -> None:
    """Light the room evenly, with one source that throws soft-edged shadows."""
    for light in spec.lights:
        spec.delete(light)
    spec.add_texture(
        name="sky",
        type=mujoco.mjtTexture.mjTEXTURE_SKYBOX,
        builtin=mujoco.mjtBuiltin.mjBUILTIN_GRADIENT,
        rgb1=[0.94, 0.95, 0.96],
        rgb2=[0.66, 0.74, 0.82],
        width=256,
        height=256 * 6,
    )
    sun = spec.worldbody.add_light(name="sun", type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL)
    sun.pos, sun.dir = [0.0, 0.0, 4.0], [0.18, 0.22, -1.0]
    sun.diffuse, sun.specular, sun.ambient = [0.55] * 3, [0.1] * 3, [0.0] * 3
    lamp = spec.visual.headlight
    lamp.ambient, lamp.diffuse, lamp.specular = [0.42] * 3, [0.30] * 3, [0.0] * 3
    spec.visual.rgba.haze = [0.87, 0.89, 0.91, 1.0]
    spec.visual.map.shadowclip, spec.visual.quality.shadowsize = 4.0, 4096
    spec.visual.global_.offwidth, spec.visual.global_.offheight = IMAGE_PX


def _set_extent(spec: Any) -> None:
    """Declare the room's size, from which near and far planes follow; hidden people would inflate it."""
    spec.stat.center, spec.stat.extent = [0.0, 0.0, 0.8], EXTENT_M


def _add_overview(spec: Any) -> None:
    camera = spec.body("pelvis").add_camera(
        name=OVERVIEW, mode=mujoco.mjtCamLight.mjCAMLIGHT_TRACK, pos=list(OVERVIEW_AT), fovy=42.0
    )
    camera.alt.type = mujoco.mjtOrientation.mjORIENTATION_XYAXES
    camera.alt.xyaxes = list(OVERVIEW_AXES)


def _give_hulls(spec: Any) -> None:
    """Have the convex hull of every mesh compiled: without it, measuring runs through all its corners."""
    for mesh in spec.meshes:
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
