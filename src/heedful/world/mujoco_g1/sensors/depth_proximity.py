"""How near the nearest person is, from a depth picture: the robot's surface to what stands above the floor.

Whatever is seen above the floor counts as a person: the camera does not draw the robot, and the simulated
room is otherwise empty. No keypoint is used. A view that is blocked, or too near to have depth, is unknown
and never reads as an empty room. What is out of view is not seen: who stands behind is not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heedful.state.series import INFINITE
from heedful.world.mujoco_g1.model import G1Model
from heedful.world.mujoco_g1.sensors.depth_cells import CELL_PX, Cells, cells_of, rays
from heedful.world.mujoco_g1.sensors.depth_noise import D435Noise
from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera
from heedful.world.mujoco_g1.sensors.robot_surface import RobotSurface

Depth = NDArray[np.float32]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

LOWEST_M, HIGHEST_M = 0.06, 2.2
"""Heights above the floor between which a point counts as a person's [m]: from the top of a shoe up."""
FARTHEST_M = 6.0
"""Nobody is looked for farther ahead [m]: from there on, the floor's noise looks like people."""
LOWEST_RMS = 2.0
"""So many times a pixel's error is added to the lower one, along its ray: the far floor is noisy."""
FLOOR_WITHIN_M = 4.0
"""Rays that meet the floor nearer than this always have depth, unless something is in their way [m]."""
FLOOR_RAYS = 0.15
"""Share of the view that must be such rays to judge it; a robot that lies looks elsewhere."""
BLOCKED = 0.85
"""With less than this share of those rays known, the view is blocked."""
THINNED_M = 0.03
"""Cells are thinned out until neighbours see places at most this far apart [m], for speed."""
RANK = 2
"""The answer is the distance of the cell of this rank from the nearest: no single error makes a person."""
CANDIDATES = 64
"""So many cells are measured exactly."""


@dataclass(frozen=True, slots=True)
class Point:
    """A place in the map frame [m]."""

    x: float
    y: float
    z: float


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one look at the depth picture says."""

    distance_m: float | None
    """From the robot's surface to the nearest person seen [m]; `INFINITE` if the view is good and shows
    nobody, None if it cannot be told."""
    valid_share: float
    """Share of the rays towards the near floor that have depth; low when something blocks the view."""
    point: Point | None = None
    """The point that distance is to."""


class DepthProximity:
    """Looks for people in the head camera's depth."""

    def __init__(self, model: Any, robot: G1Model, camera: HeadCamera, noise: D435Noise | None) -> None:
        """Prepare to look.

        Args:
            model: The compiled model that the camera draws.
            robot: The robot in it.
            camera: Where depth comes from.
            noise: How the camera errs; None looks at true depth.
        """
        self._robot, self._camera, self._noise = robot, camera, noise
        self._expected = noise or D435Noise()
        self._surface = RobotSurface(model)
        shape = (camera.height // CELL_PX, camera.width // CELL_PX)
        self._rays = rays(shape, camera.focal_px, (camera.height, camera.width))
        self._rows, self._columns = np.indices(shape)

    def look(self, data: Any, rng: np.random.Generator) -> Sighting:
        """Take a picture and return how near the nearest person is in it.

        Args:
            data: With kinematics up to date.
            rng: Where the camera's noise comes from.
        """
        depth = self._camera.depth(data)
        if self._noise is not None:
            depth = self._noise.apply(depth, self._camera.focal_px, rng)
        return self.judge(depth, data)

    def judge(self, depth: Depth, data: Any) -> Sighting:
        """Return how near the nearest person is in a depth picture taken now.

        Args:
            depth: Shape (h, w) of the camera [m]; 0 where it has none.
            data: With kinematics up to date.
        """
        pose = self._camera.pose(data)
        cells = cells_of(depth, self._camera.focal_px, self._expected)
        directions = self._rays @ pose.rotation.T
        share = _floor_share(cells, directions[..., 2], float(pose.position[2]))
        if share is None or share < BLOCKED:
            return Sighting(None, share or 0.0)
        points = pose.position + directions * cells.depth[..., None]
        error = self._expected.rms_m(1.0, self._camera.focal_px) * cells.depth**2 * -directions[..., 2]
        standing = cells.firm & (points[..., 2] > LOWEST_M + LOWEST_RMS * error)
        standing &= (points[..., 2] < HIGHEST_M) & (cells.depth < FARTHEST_M) & self._kept(cells.depth)
        people = points[standing]
        if len(people) < RANK:
            return Sighting(INFINITE, share)
        reach = self._surface.nearest(data, people, CANDIDATES)
        x, y, z = people[reach.places[RANK - 1]].tolist()
        return Sighting(float(reach.distances[RANK - 1]), share, Point(x, y, z))

    def _kept(self, depth: Depth) -> Mask:
        """Return which cells to keep so that neighbours stand no closer than they must, shape (h, w)."""
        pitch_m = np.maximum(depth, 0.1) * (CELL_PX / self._camera.focal_px)
        stride = np.maximum(THINNED_M / pitch_m, 1.0).astype(np.intp)
        return np.asarray((self._rows % stride == 0) & (self._columns % stride == 0))


def _floor_share(cells: Cells, downwards: Floats, height_m: float) -> float | None:
    """Return the share of the rays towards the near floor that have depth; None if there are too few rays.

    Args:
        cells: The picture.
        downwards: Height gained along each cell's ray by each metre of depth, shape (h, w).
        height_m: Of the camera above the floor [m].
    """
    towards_floor = height_m < -downwards * FLOOR_WITHIN_M
    if towards_floor.mean() < FLOOR_RAYS:
        return None
    return float(cells.known[towards_floor].mean())
