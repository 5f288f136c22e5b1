"""Where things are put: free cells of a raster over the table, fewer for larger things.

Below: footprints. Above: `tasks`, which say what is put. Raster: 160 x 320 cells of 3.125 mm; a cell is free
if its middle is covered by no object and it is not on the edge; what is to be put somewhere needs a free
square around it, whose side is the diagonal of its nominal size. Source: VIMA-Bench.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.footprint import Points, Size, covered
from heedful.state.tabletop.scene import ObjectPose, TableObject
from heedful.state.tabletop.workspace import X_RANGE, Y_RANGE

Mask = NDArray[np.bool_]
CELL_M = 0.003125
CELLS = (160, 320)
"""Of the raster: along x, along y."""
POSITION_TRIES = 10
"""How often a place is drawn for one object before the draw of the scene is given up."""
HOLLOW_GAP_M = 0.01
_X = X_RANGE[0] + CELL_M * (np.arange(CELLS[0]) + 0.5)
_Y = Y_RANGE[0] + CELL_M * (np.arange(CELLS[1]) + 0.5)


def draw_pose(rng: np.random.Generator, size: Size, others: Sequence[TableObject]) -> ObjectPose | None:
    """Return where an object is put, uniform over the free cells and over all yaws; None if there is no room.

    Nothing starts inside a hollow container; after `POSITION_TRIES` tries that did, there is no room.

    Args:
        rng: The source of randomness.
        size: The object's nominal size [m].
        others: What lies on the table already.
    """
    cells = np.flatnonzero(free_cells(size, others))
    if not len(cells):
        return None
    hollow = [other for other in others if find_shape(other.name).is_hollow]
    for _ in range(POSITION_TRIES):
        row, column = divmod(int(cells[rng.integers(len(cells))]), CELLS[1])
        x, y = float(_X[row]), float(_Y[column])
        if not any(_is_inside(x, y, size, other) for other in hollow):
            return ObjectPose(x, y, size[2] / 2, yaw_rotation(rng.uniform(0.0, math.tau)))
    return None


def yaw_rotation(yaw_rad: float) -> tuple[float, float, float, float]:
    """Return the rotation about the upright axis."""
    return (0.0, 0.0, math.sin(yaw_rad / 2), math.cos(yaw_rad / 2))


def free_cells(size: Size, others: Sequence[TableObject]) -> Mask:
    """Return where the middle of an object of a nominal size may be, shape `CELLS`."""
    taken = np.zeros(CELLS, dtype=bool)
    taken[[0, -1], :] = taken[:, [0, -1]] = True
    for other in others:
        for outline in covered(other, other.pose):
            _fill(taken, outline)
    side = round(math.hypot(size[0], size[1]) / CELL_M)
    return ~_grow(_grow(taken, side).T, side).T


def _is_inside(x: float, y: float, size: Size, hollow: TableObject) -> bool:
    """Return whether a place is too near to the middle of a hollow container."""
    reach = max((size[axis] + hollow.size[axis]) / 2 for axis in (0, 1)) + HOLLOW_GAP_M
    return math.hypot(x - hollow.pose.x, y - hollow.pose.y) <= reach


def _grow(taken: Mask, side: int) -> Mask:
    """Return the cells in whose window of `side` rows any is taken; beyond the raster nothing is."""
    length, before = len(taken), side // 2
    found = np.pad(taken, ((side, side), (0, 0)))
    width = 1
    while width < side:
        step = min(width, side - width)
        found = found[:-step] | found[step:]
        width += step
    return found[side - before : side - before + length]


def _fill(taken: Mask, corners: Points) -> None:
    """Mark the cells whose middle a convex polygon covers, its corners counter-clockwise."""
    low, high = corners.min(axis=0), corners.max(axis=0)
    rows = slice(*np.searchsorted(_X, (low[0], high[0])))
    columns = slice(*np.searchsorted(_Y, (low[1], high[1])))
    x, y = _X[rows, None], _Y[None, columns]
    inside = np.ones((x.shape[0], y.shape[1]), dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners.tolist(), np.roll(corners, -1, axis=0).tolist(), strict=True):
        inside &= (x1 - x0) * (y - y0) >= (y1 - y0) * (x - x0)
    taken[rows, columns] |= inside
