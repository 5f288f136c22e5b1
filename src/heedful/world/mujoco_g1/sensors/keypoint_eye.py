"""Pose by MediaPipe's keypoints in the head camera's picture, lifted into the room by its depth."""

from __future__ import annotations

import atexit
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from heedful.errors import RobotError
from heedful.state.series import Series
from heedful.world.mujoco_g1.sensors.depth_noise import D435Noise
from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera
from heedful.world.mujoco_g1.sensors.keypoints import Keypoint, PoseProcess
from heedful.world.mujoco_g1.sensors.pose_eye import Moment
from heedful.world.mujoco_g1.sensors.pose_reading import Eye, PoseReading, read_pose

SIZE_PX = (640, 480)
STREAM = 1
"""Keeps the noise of these pictures apart from that of the depth frames that distance is read from."""


class KeypointEye:
    """Looks with the head camera and a process that finds keypoints."""

    rate_hz = 2.0

    def __init__(self, stage: Any) -> None:
        """Open the camera and the process.

        Args:
            stage: With the compiled model and data that the camera draws.

        Raises:
            InputError: If nothing can be drawn here, or no Python with MediaPipe is named.
            RobotError: If the process does not start.
        """
        self._stage = stage
        self._camera = HeadCamera(stage.model, *SIZE_PX)
        self._noise = D435Noise()
        self._finder = _process().name

    @property
    def name(self) -> str:
        """What it is."""
        width, height = SIZE_PX
        return f"keypoints of {self._finder} in {width}x{height} at {self.rate_hz:g} Hz, lifted by depth"

    def look(self, moment: Moment, true: Mapping[str, Series]) -> PoseReading:
        """Take a picture with depth and return what its keypoints say."""
        del true
        rng = np.random.default_rng([moment.seed, moment.turn, moment.number, STREAM])
        return self.see(rng)

    def see(self, rng: np.random.Generator) -> PoseReading:
        """Return what a picture taken now says, with noise from `rng`.

        Raises:
            RobotError: If the process broke; the next picture is given to a new one.
        """
        data, camera = self._stage.data, self._camera
        seen, pose = camera.rgbd(data), camera.pose(data)
        found = _find(seen.rgb)
        depth = self._noise.apply(seen.depth, camera.focal_px, rng)
        return read_pose(found, depth, Eye(pose.position, pose.rotation, camera.focal_px))

    def close(self) -> None:
        """Give the camera back; the process serves others."""
        self._camera.close()


_processes: dict[int, PoseProcess] = {}
"""One for all sessions of an operating system's process, by its id: a fork must not share pipes."""


def _process() -> PoseProcess:
    found = _processes.get(os.getpid())
    if found is None:
        found = _processes[os.getpid()] = PoseProcess()
        atexit.register(found.close)
    return found


def _find(rgb: Any) -> tuple[Keypoint, ...]:
    try:
        return _process().find(rgb)
    except RobotError:
        broken = _processes.pop(os.getpid(), None)
        if broken is not None:
            atexit.unregister(broken.close)
            broken.close()
        raise
