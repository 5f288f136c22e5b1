"""How far shapes are from each other, and how far a tool can be lowered before it touches something.

A tool lowers into a table at rest: nothing moves until it touches, so that distances decide and no physics
is needed. Below: MuJoCo's distances between geoms. Above: the primitives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

STEP_M = 0.001
"""Height by which tools are lowered at a time when something is near. Source: VIMA-Bench."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The smallest distance between two sets of shapes; negative where they overlap."""

    distance: float
    geom: int
    """The nearest of the other shapes."""


@dataclass(frozen=True, slots=True)
class Touch:
    """Where lowering ended: at most `STEP_M` above what would be touched next."""

    height: float
    geom: int
    """What would be touched."""


def lower(
    data: Any, tool: Sequence[int], others: Sequence[int], start: float, move: Callable[[float], None]
) -> Touch:
    """Lower a tool until it is about to touch something.

    Args:
        data: MuJoCo's state, changed by `move` alone.
        tool: Geoms of the tool and of what it holds.
        others: Geoms that can be touched, among them the ground.
        start: Height to begin at [m].
        move: Puts the tool at a height [m].
    """
    height, clear = start, start
    while True:
        move(height)
        mujoco.mj_kinematics(data.model, data)
        found = gap(data, tool, others)
        if found.distance <= 0.0:
            move(clear)
            mujoco.mj_kinematics(data.model, data)
            return Touch(clear, found.geom)
        clear, height = height, height - max(found.distance - STEP_M / 2, STEP_M)


def gap(data: Any, tool: Sequence[int], others: Sequence[int]) -> Gap:
    """Return the smallest distance [m] between shapes of two sets, neither of them empty."""
    bounds = _bounds(data, np.asarray(tool), np.asarray(others))
    best = Gap(np.inf, -1)
    for flat in np.argsort(bounds, axis=None):
        mine, other = divmod(int(flat), len(others))
        if bounds[mine, other] >= best.distance:
            break
        far = best.distance if best.geom >= 0 else mujoco.mjMAXVAL
        distance = mujoco.mj_geomDistance(data.model, data, tool[mine], others[other], far, None)
        if distance < best.distance:
            best = Gap(float(distance), others[other])
    return best


def top(data: Any, geoms: Sequence[int]) -> float:
    """Return a height [m] above all of these shapes; 0 for none."""
    if not geoms:
        return 0.0
    model, turns = data.model, data.geom_xmat[list(geoms), 6:9]
    boxes = model.geom_aabb[list(geoms)]
    middles = data.geom_xpos[list(geoms), 2] + (turns * boxes[:, :3]).sum(axis=1)
    return float((middles + (np.abs(turns) * boxes[:, 3:]).sum(axis=1)).max())


def _bounds(data: Any, tool: NDArray[np.int_], others: NDArray[np.int_]) -> NDArray[np.float64]:
    """Return a lower bound of every distance, from the balls around the shapes; 0 where there is no ball."""
    radii = data.model.geom_rbound
    apart = data.geom_xpos[tool][:, None] - data.geom_xpos[others][None]
    far: NDArray[np.float64] = np.linalg.norm(apart, axis=2) - radii[tool][:, None] - radii[others][None]
    is_plane = data.model.geom_type[others] == mujoco.mjtGeom.mjGEOM_PLANE
    return np.where(is_plane[None], -np.inf, far)
