"""What an object covers of the table when it is seen from above, and what lies in what.

Below: the catalogue's convex pieces. Above: the rules' `strict` containment, and the spawning of scenes.
Footprints are convex hulls: a notch or a hole counts as covered, which only makes a test stricter.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.pieces import Outline, hull
from heedful.state.tabletop.scene import ObjectPose, Quaternion, TableObject

Points = NDArray[np.float64]
Size = tuple[float, float, float]
TOLERANCE_M = 1e-6
"""Outlines that reach into each other by less than this only touch [m]."""


def footprint(found: TableObject, pose: ObjectPose) -> Points:
    """Return the corners of what an object covers at a pose, shape (n, 2) [m], counter-clockwise."""
    placed = placed_points(_solid(found.name, found.size), pose)
    return np.array(hull(map(tuple, placed[:, :2].tolist())))


def covered(found: TableObject, pose: ObjectPose) -> tuple[Points, ...]:
    """Return what each of an object's convex pieces covers; holes stay free."""
    return tuple(placed_points(part, pose)[:, :2] for part in _outlines(found.name, found.size))


def inner_region(found: TableObject, pose: ObjectPose) -> Points | None:
    """Return the corners of a container's opening at a pose; None where the shape has none."""
    opening = find_shape(found.name).inner(found.size)
    return None if opening is None else placed_points(_flat(opening), pose)[:, :2]


def is_within(inner: Points, outer: Points) -> bool:
    """Return whether a convex polygon lies in another, touching allowed."""
    normals, reach = _half_planes(outer)
    return bool((inner @ normals.T <= reach + TOLERANCE_M).all())


def do_overlap(a: Points, b: Points) -> bool:
    """Return whether two convex polygons share more than their edges."""
    for one, other in ((a, b), (b, a)):
        normals, reach = _half_planes(one)
        if ((other @ normals.T).min(axis=0) >= reach - TOLERANCE_M).any():
            return False
    return True


def placed_points(points: Points, pose: ObjectPose) -> Points:
    """Return points of a body's frame, shape (n, 3), in the world's frame [m]."""
    moved: Points = points @ _matrix(pose.rotation).T + (pose.x, pose.y, pose.z)
    return moved


def _half_planes(corners: Points) -> tuple[Points, Points]:
    """Return the outward unit normals of a polygon's edges and how far out each edge lies."""
    edges = np.roll(corners, -1, axis=0) - corners
    normals = np.stack((edges[:, 1], -edges[:, 0]), axis=1)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    return normals, np.einsum("ij,ij->i", normals, corners)


def _matrix(rotation: Quaternion) -> Points:
    x, y, z, w = np.asarray(rotation) / np.linalg.norm(rotation)
    return np.array(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)),
        )
    )


@functools.lru_cache(maxsize=256)
def _solid(name: str, size: Size) -> Points:
    corners = [
        (*corner, z)
        for piece in find_shape(name).pieces(size)
        for outline, z in ((piece.bottom, piece.z_bottom), (piece.top, piece.z_top))
        for corner in outline
    ]
    return np.array(corners)


@functools.lru_cache(maxsize=256)
def _outlines(name: str, size: Size) -> tuple[Points, ...]:
    return tuple(_flat(piece.outline) for piece in find_shape(name).pieces(size))


def _flat(outline: Outline) -> Points:
    return np.array([(*corner, 0.0) for corner in outline])
