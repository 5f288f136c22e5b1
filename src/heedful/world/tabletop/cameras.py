"""The two cameras and the light, such that a point of the table appears where `to_pixel` says.

Both are orthographic, so their distance from the table is only there to keep everything in front of them.
Source: VIMA-Bench's cameras, which are 1 km away.
"""

from __future__ import annotations

from typing import Any

import mujoco

from heedful.state.tabletop.workspace import FRONT_PX_PER_M, ROWS, TOP_PX_PER_M, View

AWAY_M = 3.0
NEAR_M, FAR_M = 0.5, 8.0
HALF = 0.5**0.5
CENTRES: dict[View, tuple[float, float, float]] = {"top": (0.5, 0.0, 0.0), "front": (0.41, 0.0, 0.0)}
"""What lies in the middle of each view [m]."""
BACKWARDS: dict[View, tuple[float, float, float]] = {"top": (0.0, 0.0, 1.0), "front": (HALF, 0.0, HALF)}
"""From what is seen towards the camera."""
UP: dict[View, tuple[float, float, float]] = {"top": (-1.0, 0.0, 0.0), "front": (-HALF, 0.0, HALF)}
"""Upwards in the picture; to the right is y in both."""
HEIGHT_M: dict[View, float] = {"top": ROWS / TOP_PX_PER_M, "front": ROWS / FRONT_PX_PER_M}
"""How much of the world a picture's height shows [m]."""
AMBIENT = 0.62
"""The sun adds what makes a level surface show its own colour."""
SUN = (-0.35, -0.42, -0.837)
"""Where the light goes."""


def add_cameras(spec: Any) -> None:
    """Put both cameras and the light into a description that is not yet compiled."""
    for view, centre in CENTRES.items():
        place = [at + AWAY_M * back for at, back in zip(centre, BACKWARDS[view], strict=True)]
        camera = spec.worldbody.add_camera(name=view, pos=place, fovy=HEIGHT_M[view])
        camera.proj = mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC
        camera.alt.type = mujoco.mjtOrientation.mjORIENTATION_XYAXES
        camera.alt.xyaxes = [0.0, 1.0, 0.0, *UP[view]]
    spec.stat.extent = 1.0
    spec.visual.map.znear, spec.visual.map.zfar = NEAR_M, FAR_M
    _light(spec)


def _light(spec: Any) -> None:
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = [AMBIENT] * 3, [0.0] * 3, [0.0] * 3
    lamp = spec.worldbody.add_light(
        type=mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, pos=[0.5, 0.0, 3.0], dir=list(SUN), castshadow=False
    )
    lamp.ambient, lamp.specular = [0.0] * 3, [0.0] * 3
    lamp.diffuse = [(1.0 - AMBIENT) / -SUN[2] * (SUN[0] ** 2 + SUN[1] ** 2 + SUN[2] ** 2) ** 0.5] * 3
