"""Where the robot's own surface is, from its joint angles: points on its links, and how far others are.

The points lie on the convex hulls of the links' meshes. A robot knows its shape and its joints, so a sensor
may use this; it needs no knowledge of anything around.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

LINK_GROUP = 2
"""Geom group of the links' meshes as they look, each once."""
SPACING_M = 0.04
"""Between neighbouring points on a link [m]: 2 mm of error from 0.1 m away, less from farther."""
PATCH_M = 0.2
"""Points are bundled in patches of this size to find the near ones fast [m]."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the nearest of some points are from the robot, in ascending order."""

    places: Ids
    """Which of the points, shape (k,)."""
    distances: Floats
    """To the robot's surface, shape (k,) [m]."""


class RobotSurface:
    """The surface of the robot in a compiled model."""

    def __init__(self, model: Any) -> None:
        links = np.flatnonzero(model.geom_group == LINK_GROUP)
        links = links[model.geom_type[links] == mujoco.mjtGeom.mjGEOM_MESH]
        local = [_spread(_hull(model, int(model.geom_dataid[link]))) for link in links]
        self._links = np.repeat(links, [len(points) for points in local])
        self._local = np.concatenate(local)
        cells = np.rint(self._local / PATCH_M).astype(np.intp)
        _, patch = np.unique(np.column_stack((self._links, cells)), axis=0, return_inverse=True)
        self._order = np.argsort(patch, kind="stable")
        self._starts = np.flatnonzero(np.diff(patch[self._order], prepend=-1))
        self._counts = np.diff(self._starts, append=len(patch))

    def points(self, data: Any) -> Floats:
        """Return points all over the robot, shape (n, 3) [m], map frame."""
        rotations = np.array(data.geom_xmat).reshape(-1, 3, 3)[self._links]
        turned = np.einsum("nij,nj->ni", rotations, self._local)
        return np.asarray(turned + data.geom_xpos[self._links])[self._order]

    def nearest(self, data: Any, others: Floats, count: int) -> Reach:
        """Return how far the nearest points are from the robot.

        Args:
            data: With kinematics up to date.
            others: Shape (n, 3) [m], map frame.
            count: How many of them to return; fewer if there are fewer.
        """
        ours = self.points(data)
        middles = np.add.reduceat(ours, self._starts) / self._counts[:, None]
        radii = np.maximum.reduceat(
            np.linalg.norm(ours - np.repeat(middles, self._counts, axis=0), axis=1), self._starts
        )
        bounds = (_distances(others, middles) - radii).min(axis=1)
        count = min(count, len(others))
        places = np.argpartition(bounds, count - 1)[:count]
        distances = _distances(others[places], ours).min(axis=1)
        order = np.argsort(distances, kind="stable")
        return Reach(places[order], distances[order])


def _distances(these: Floats, those: Floats) -> Floats:
    """Return every distance, shape (len(these), len(those)) [m]."""
    middle = those.mean(axis=0)
    a, b = these - middle, those - middle
    squares = (a * a).sum(axis=1)[:, None] + (b * b).sum(axis=1) - 2 * (a @ b.T)
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))


def _hull(model: Any, mesh: int) -> Floats:
    """Return the triangles of a mesh's convex hull, or of the mesh if it has none, shape (n, 3, 3)."""
    start = int(model.mesh_vertadr[mesh])
    corners = np.asarray(model.mesh_vert[start : start + int(model.mesh_vertnum[mesh])], dtype=np.float64)
    graph = int(model.mesh_graphadr[mesh])
    if graph < 0:
        first = int(model.mesh_faceadr[mesh])
        return np.asarray(corners[model.mesh_face[first : first + int(model.mesh_facenum[mesh])]])
    vertices, faces = (int(size) for size in model.mesh_graph[graph : graph + 2])
    first = graph + 2 + 2 * vertices + vertices + 3 * faces
    return np.asarray(corners[model.mesh_graph[first : first + 3 * faces]]).reshape(-1, 3, 3)


def _spread(triangles: Floats) -> Floats:
    """Return points on triangles, about `SPACING_M` apart, shape (n, 3)."""
    sides = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(axis=1)
    large = sides > SPACING_M
    parts = [
        _grid(int(np.ceil(side / SPACING_M))) @ triangle
        for triangle, side in zip(triangles[large], sides[large], strict=True)
    ]
    parts.append(triangles[~large].reshape(-1, 3))
    points = np.concatenate(parts)
    _, first = np.unique(np.floor(points / SPACING_M), axis=0, return_index=True)
    return points[first]


def _grid(steps: int) -> Floats:
    """Return barycentric coordinates of a regular grid over a triangle, shape (n, 3)."""
    rows, columns = np.indices((steps + 1, steps + 1)).reshape(2, -1) / steps
    inside = rows + columns <= 1.0 + 1e-9
    a, b = rows[inside], columns[inside]
    return np.column_stack((a, b, 1.0 - a - b))
