"""Draws shots in MuJoCo: the room from the side, rings around the robot, a line to the nearest person."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np

from heedful.film.mesh import thin_meshes
from heedful.film.rings import Colour, Ring, gap_colour
from heedful.film.shot import Shot, restore_shot
from heedful.film.view import ELEVATION_DEG, FOV_DEG, LOOK_AT_M, View, nearest_person
from heedful.state.geometry import Point, distance
from heedful.world.drawing.offscreen import Offscreen, Pixels

MAX_GEOMS = 2000
SEGMENTS = 64
"""A ring is drawn of so many straight pieces."""
RING_M, LINE_M, LIFT_M = 0.011, 0.014, 0.006
"""Half width of rings and of the line, and their height above the floor [m]."""
GLOW = 0.25
"""How much rings and line shine by themselves."""
TINT = 0.10
"""Opacity of the floor inside a ring that is crossed."""
DETAIL_M = 0.01
"""Details of the robot smaller than this are not drawn [m]."""
QUALITY = {"numslices": 16, "numstacks": 8, "shadowsize": 1024}
"""Slices and stacks that round shapes are drawn of, and the size of the shadow map."""
SHADOW_EXTENTS = 1.8
"""How far from the shadow map's middle there are shadows, in sizes of the room."""
SPARED_M = 0.02
"""What is lower than this casts no shadow, so that the floor cannot shadow itself [m]."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawn shot."""

    rgb: Pixels
    """Shape (h, w, 3), row 0 at the top."""
    label_at: Point | None
    """Where the distance to the nearest person is written [pixels]; None without one."""


class Painter:
    """Draws the shots of one compiled model, of which it thins out the meshes."""

    def __init__(self, model: Any, width: int, height: int) -> None:
        """Open a renderer.

        Args:
            model: The model that the shots belong to; nothing may move in it any more.
            width: Of the pictures [pixels].
            height: Of the pictures [pixels].

        Raises:
            InputError: If this machine can make no OpenGL context.
        """
        self.width, self.height = width, height
        self._model, self._data = model, mujoco.MjData(model)
        thin_meshes(model, DETAIL_M)
        model.vis.global_.fovy, model.vis.map.shadowclip = FOV_DEG, SHADOW_EXTENTS
        self._sun_m = float(model.vis.map.zfar * model.stat.extent) + SPARED_M
        self._camera, self._option = mujoco.MjvCamera(), mujoco.MjvOption()
        self._camera.elevation = ELEVATION_DEG
        self._scene = mujoco.MjvScene(model, maxgeom=MAX_GEOMS)
        self._offscreen = Offscreen(model, width, height, QUALITY)

    def close(self) -> None:
        """Give the renderer back; a second call does nothing."""
        self._offscreen.close()

    def draw(self, shot: Shot, view: View, rings: tuple[Ring, ...]) -> Picture:
        """Return the picture of a shot."""
        self._place(shot, view)
        mujoco.mjv_updateScene(
            self._model,
            self._data,
            self._option,
            None,
            self._camera,
            mujoco.mjtCatBit.mjCAT_ALL,
            self._scene,
        )
        person = nearest_person(shot)
        for ring in reversed(rings):
            self._add_ring(shot.pose.point, ring)
        if person is not None:
            self._add_stroke(shot.pose.point, person, LINE_M, gap_colour(rings))
        self._offscreen.draw(self._scene)
        return Picture(
            self._offscreen.read_rgb(), None if person is None else self._pixel_of(shot.pose.point, person)
        )

    def _place(self, shot: Shot, view: View) -> None:
        """Put everything where it was, the light above it, and the camera in front."""
        model, data = self._model, self._data
        restore_shot(shot, model, data)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_camlight(model, data)
        data.light_xpos[:, :] = (view.x, view.y, self._sun_m)
        data.light_xdir[:, :] = (0.0, 0.0, -1.0)
        self._camera.lookat[:] = (view.x, view.y, LOOK_AT_M)
        self._camera.distance, self._camera.azimuth = view.distance_m, view.azimuth_deg

    def _add_ring(self, centre: Point, ring: Ring) -> None:
        angles = [math.tau * k / SEGMENTS for k in range(SEGMENTS + 1)]
        points = [
            (centre[0] + ring.radius_m * math.cos(a), centre[1] + ring.radius_m * math.sin(a)) for a in angles
        ]
        for start, end in pairwise(points):
            self._add_stroke(start, end, RING_M, ring.colour)
        if ring.is_crossed:
            size, place = (ring.radius_m, 0.001, 0.0), (*centre, 0.002)
            self._add_geom(mujoco.mjtGeom.mjGEOM_CYLINDER, size, place, (*ring.colour[:3], TINT))

    def _add_stroke(self, start: Point, end: Point, half_m: float, colour: Colour) -> None:
        """Draw a straight band on the floor: a box, since round shapes cost a hundred times its corners."""
        angle = math.atan2(end[1] - start[1], end[0] - start[0])
        size = (distance(start, end) / 2 + half_m / 4, half_m, LIFT_M / 4)
        place = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, LIFT_M)
        self._add_geom(mujoco.mjtGeom.mjGEOM_BOX, size, place, colour, angle)

    def _add_geom(
        self,
        kind: Any,
        size: tuple[float, ...],
        place: tuple[float, ...],
        colour: Colour,
        angle: float = 0.0,
    ) -> None:
        scene, c, s = self._scene, math.cos(angle), math.sin(angle)
        if scene.ngeom >= scene.maxgeom:
            return
        geom = scene.geoms[scene.ngeom]
        scene.ngeom += 1
        axes = np.array([c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0])
        mujoco.mjv_initGeom(geom, kind, np.array(size), np.array(place), axes, np.array(colour, np.float32))
        geom.category, geom.emission = mujoco.mjtCatBit.mjCAT_DECOR, GLOW

    def _pixel_of(self, robot: Point, person: Point) -> Point | None:
        """Return where the middle between two points of the floor is seen [pixels]."""
        middle = np.array([(robot[0] + person[0]) / 2, (robot[1] + person[1]) / 2, LIFT_M])
        eye = self._scene.camera[0]
        ahead, up = np.array(eye.forward), np.array(eye.up)
        way = middle - (np.array(eye.pos) + np.array(self._scene.camera[1].pos)) / 2
        depth = float(way @ ahead)
        if depth <= 0:
            return None
        focal = self.height / 2 / math.tan(math.radians(FOV_DEG / 2))
        right = float(way @ np.cross(ahead, up))
        return (self.width / 2 + focal * right / depth, self.height / 2 - focal * float(way @ up) / depth)
