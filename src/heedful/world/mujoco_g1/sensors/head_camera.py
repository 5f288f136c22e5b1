"""The RGB-D camera in the G1's head: where it sits, and its pictures without noise.

One pass of the renderer gives colour and depth together. The camera does not see the robot itself, casts
no shadows and does not smooth edges: that makes it fast, and a depth must not be a blend of two anyway.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import TracebackType
from typing import Any, cast

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.errors import InputError
from heedful.world.drawing.offscreen import Offscreen, identities, switch_off

Pixels = NDArray[np.uint8]
Depth = NDArray[np.float32]
Labels = NDArray[np.int32]
Floats = NDArray[np.float64]

CAMERA = "head"
"""Name of the camera in the model."""
MOUNT_M = (0.0576, 0.0175, 0.4299)
"""Where it sits in the torso's frame [m]: the RealSense's place in Unitree's description of the G1."""
PITCH_RAD = math.radians(20.0)
"""How far it looks down. Unitree mounts it at 47.6 deg, for the floor and the hands: of a person at 2 m it
then sees the legs only. At 20 deg one 0.4 m ahead is seen from chest to knee, one at 2 m up to the chin, one
from 3.5 m on whole. Looking less far down, the nearest parts of a near person leave the picture."""
VERTICAL_FOV_DEG = 58.0
"""Of the D435's depth camera by its data sheet (87 x 58 deg). The horizontal one follows from the picture's
shape, since pixels are square: 89 deg at 424x240, 73 deg at 640x480."""
ROBOT_GROUPS = (2, 3)
"""Geom groups of the robot's model, visual and collision: not drawn, the camera sits inside its head."""
MAX_GEOMS = 2000
NEAR_M, FAR_M = 0.02, 50.0
"""What lies nearer or farther is not drawn [m]. Set here, since MuJoCo's own planes grow with the room."""
NOTHING_M = 12.0
"""Farther than this there is nothing for depth [m]: a D435 sees 10 m, and the painted sky begins at 16 m."""


def add_head_camera(spec: Any) -> None:
    """Put the camera on the robot's head, in a description that is not yet compiled."""
    up = (math.sin(PITCH_RAD), 0.0, math.cos(PITCH_RAD))
    camera = spec.body("torso_link").add_camera(name=CAMERA, pos=list(MOUNT_M), fovy=VERTICAL_FOV_DEG)
    camera.alt.type = mujoco.mjtOrientation.mjORIENTATION_XYAXES
    camera.alt.xyaxes = [0.0, -1.0, 0.0, *up]


@dataclass(frozen=True, slots=True)
class ColourDepth:
    """Colour and depth of the same instant, pixel by pixel."""

    rgb: Pixels
    """Shape (h, w, 3)."""
    depth: Depth
    """Along the optical axis, shape (h, w) [m]; infinite beyond 12 m."""


@dataclass(frozen=True, slots=True)
class CameraPose:
    """Where the camera is, by the robot's own joints."""

    position: Floats
    """Map frame, shape (3,) [m]."""
    rotation: Floats
    """Axes right, down, ahead in the map frame, as columns, shape (3, 3)."""


class HeadCamera:
    """Draws what the head camera of a compiled model sees."""

    def __init__(self, model: Any, width: int = 424, height: int = 240) -> None:
        """Open a renderer.

        Args:
            model: A compiled `mjModel` with the camera of `add_head_camera`.
            width: Of the pictures [pixels].
            height: Of the pictures [pixels].

        Raises:
            InputError: If the model has no such camera, or this machine can make no OpenGL context.
        """
        self.model, self.width, self.height = model, width, height
        self._id = int(mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_CAMERA, CAMERA))
        if self._id < 0:
            raise InputError(f"The model has no camera {CAMERA!r}; add_head_camera puts it there.")
        self.focal_px = height / 2 / math.tan(math.radians(float(model.cam_fovy[self._id])) / 2)
        self._view = mujoco.MjvCamera()
        self._view.type = mujoco.mjtCamera.mjCAMERA_FIXED
        self._view.fixedcamid = self._id
        self._option = mujoco.MjvOption()
        self._option.geomgroup[list(ROBOT_GROUPS)] = 0
        self._scene = mujoco.MjvScene(model, maxgeom=MAX_GEOMS)
        switch_off(self._scene, "SHADOW", "REFLECTION", "HAZE", "FOG")
        self._offscreen = Offscreen(model, width, height, depth_map=mujoco.mjtDepthMap.mjDEPTH_ZEROFAR)

    def __enter__(self) -> HeadCamera:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give the renderer back; a second call does nothing."""
        self._offscreen.close()

    def pose(self, data: Any) -> CameraPose:
        """Return where the camera is, by the robot's joints."""
        axes = np.array(data.cam_xmat[self._id]).reshape(3, 3) * (1.0, -1.0, -1.0)
        return CameraPose(np.array(data.cam_xpos[self._id]), axes)

    def rgb(self, data: Any) -> Pixels:
        """Return a picture in colour, shape (h, w, 3), row 0 at the top."""
        self._draw(data)
        return self._offscreen.read_rgb()

    def depth(self, data: Any) -> Depth:
        """Return true depth along the optical axis, shape (h, w) [m]; infinite beyond 12 m."""
        with identities(self._scene):
            self._draw(data)
        return _metres(self._offscreen.read_depth())

    def rgbd(self, data: Any) -> ColourDepth:
        """Return colour and depth from one pass."""
        self._draw(data)
        return ColourDepth(self._offscreen.read_rgb(), _metres(self._offscreen.read_depth()))

    def segmentation(self, data: Any) -> Labels:
        """Return the geom seen in each pixel, shape (h, w), -1 where none is: ground truth, for tests."""
        with identities(self._scene):
            self._draw(data)
        drawn = self._offscreen.read_rgb().astype(np.int32) @ np.array([1, 1 << 8, 1 << 16], np.int32)
        geoms = np.full(self._scene.ngeom + 1, -1, np.int32)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.segid >= 0 and geom.objtype == mujoco.mjtObj.mjOBJ_GEOM:
                geoms[geom.segid + 1] = geom.objid
        return geoms[drawn]

    def _draw(self, data: Any) -> None:
        mujoco.mjv_updateScene(
            self.model, data, self._option, None, self._view, mujoco.mjtCatBit.mjCAT_ALL, self._scene
        )
        for eye in self._scene.camera:
            _set_planes(eye)
        self._offscreen.draw(self._scene)


def _metres(raw: Depth) -> Depth:
    """Return metres from a depth buffer that is 1 at the near plane and 0 at the far one."""
    metres = np.float32(NEAR_M * FAR_M) / (np.float32(NEAR_M) + raw * np.float32(FAR_M - NEAR_M))
    metres[metres > NOTHING_M] = np.inf
    return cast(Depth, metres)


def _set_planes(eye: Any) -> None:
    """Move the planes between which things are drawn, under the same field of view."""
    scale = NEAR_M / eye.frustum_near
    eye.frustum_near, eye.frustum_far = NEAR_M, FAR_M
    eye.frustum_top *= scale
    eye.frustum_bottom *= scale
    eye.frustum_center *= scale
