"""The true distance between the robot's surface and a person's, over all pairs of their shapes.

Spheres and capsules around the shapes bound every pair from below; pairs are measured in ascending order of
that bound until it exceeds the nearest distance found, so the result is that of measuring all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

ROBOT_GROUP = 2
"""Group of the robot's meshes as they look: every link, the hands too, which the contact shapes lack."""
FAR_M = 1e3
"""Farther than this is as far [m]."""
SLACK_M = 1e-6
"""How much a bound may err by rounding [m]."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Shapes whose nearest point counts, each inside a capsule along its own z axis."""

    shapes: Ids
    """Indices in the model, shape (n,)."""
    halves: Floats
    """Half lengths of the capsules' axes, 0 for a sphere, shape (n,) [m]."""
    radii: Floats
    """Shape (n,) [m]."""


def surface_of(model: Any, shapes: Ids) -> Surface:
    """Return the surface that these shapes make with their sizes in the model now."""
    is_limb = model.geom_type[shapes] == mujoco.mjtGeom.mjGEOM_CAPSULE
    return Surface(
        shapes,
        np.where(is_limb, model.geom_size[shapes, 1], 0.0),
        np.where(is_limb, model.geom_size[shapes, 0], model.geom_rbound[shapes]),
    )


def robot_surface(model: Any) -> Surface:
    """Return the surface of the robot: each of its seen meshes, once."""
    return surface_of(model, np.flatnonzero(model.geom_group == ROBOT_GROUP))


def nearest(model: Any, data: Any, ours: Surface, theirs: Surface) -> float:
    """Return the signed distance between two surfaces [m], negative where they penetrate.

    A mesh counts as its convex hull.

    Args:
        model: The compiled model.
        data: With kinematics up to date.
        ours: Meshes; not empty.
        theirs: Any shapes; not empty.
    """
    bounds = _lower_bounds(data, ours, theirs)
    best = _measure(model, data, ours, theirs, int(bounds.argmin()), FAR_M)
    nearer = np.flatnonzero(bounds < best)
    for pair in nearer[bounds[nearer].argsort()].tolist():
        if bounds[pair] >= best:
            break
        best = min(best, _measure(model, data, ours, theirs, pair, best))
    return best


def _lower_bounds(data: Any, ours: Surface, theirs: Surface) -> Floats:
    """Return what each pair is apart at least, pair (i, j) at i * len(theirs) + j [m].

    Ours are taken as spheres, theirs as capsules: a limb's sphere would be far thicker than the limb.
    """
    centres, middles = data.geom_xpos[ours.shapes], data.geom_xpos[theirs.shapes]
    axes = data.geom_xmat[theirs.shapes, 2::3]
    along = centres @ axes.T - (middles * axes).sum(axis=1)
    nearest_on_axis = np.clip(along, -theirs.halves, theirs.halves)
    squares = (centres * centres).sum(axis=1)[:, None] + (middles * middles).sum(axis=1)
    squares -= 2 * (centres @ middles.T) + nearest_on_axis * (2 * along - nearest_on_axis)
    reach = (ours.radii + ours.halves + SLACK_M)[:, None] + theirs.radii
    return np.asarray((np.sqrt(np.maximum(squares, 0.0)) - reach).ravel())


def _measure(model: Any, data: Any, ours: Surface, theirs: Surface, pair: int, limit: float) -> float:
    """Return the distance of one pair, or `limit` if that is less [m]."""
    a, b = divmod(pair, len(theirs.shapes))
    one, other = int(ours.shapes[a]), int(theirs.shapes[b])
    return float(mujoco.mj_geomDistance(model, data, one, other, limit, None))
