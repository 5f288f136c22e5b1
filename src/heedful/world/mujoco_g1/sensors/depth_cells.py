"""A depth picture in cells: neighbouring pixels averaged where they see one surface, to calm its noise.

Numpy only; knows neither robot nor people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heedful.world.mujoco_g1.sensors.depth_noise import D435Noise

Depth = NDArray[np.float32]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

CELL_PX = 4
"""Side of a cell [pixels]."""
CELL_SHARE = 0.5
"""A cell is known if at least this share of its pixels have depth."""
SUPPORT_PX = 6
"""A cell is firm if at least so many pixels of the nine cells around it, its own too, see its surface."""
SAME_SURFACE_M = 0.05
"""Depths that differ by less than this [m] plus some times a pixel's error belong to one surface."""
PIXELS_RMS = 6.0
"""So many times between pixels of a cell: four span their errors, two the floor's slope over a cell."""
CELLS_RMS = 2.5
"""So many times between neighbouring cells."""


@dataclass(frozen=True, slots=True)
class Cells:
    """A picture of h x w cells."""

    depth: Depth
    """Calmed depth of the nearest surface in it, along the optical axis, shape (h, w) [m]; 0 without any."""
    known: Mask
    """Whether enough of its pixels have depth, shape (h, w)."""
    firm: Mask
    """Whether enough pixels in it and around it see that surface, shape (h, w)."""


def cells_of(depth: Depth, focal_px: float, noise: D435Noise) -> Cells:
    """Return a picture in cells; a rim of less than a cell is left out.

    Args:
        depth: Shape (h, w) [m]; 0 or infinite where the camera has none.
        focal_px: Focal length of that picture [pixels].
        noise: What is known of the camera's errors.
    """
    pixels = _by_cell(depth)
    pixels[pixels <= 0.0] = np.inf
    nearest = pixels.min(axis=0)
    error = np.float32(noise.rms_m(1.0, focal_px)) * nearest * nearest
    near = pixels < nearest + np.float32(SAME_SURFACE_M) + np.float32(PIXELS_RMS) * error
    number = near.sum(axis=0, dtype=np.float32)
    total = np.where(near, pixels, np.float32(0.0)).sum(axis=0)
    known = np.isfinite(pixels).sum(axis=0) >= CELL_SHARE * CELL_PX**2
    tolerance = np.float32(SAME_SURFACE_M) + np.float32(CELLS_RMS) * error
    calm, support = _over_neighbours(total, number, tolerance)
    return Cells(calm, known, support >= SUPPORT_PX)


def rays(shape: tuple[int, ...], focal_px: float, picture: tuple[int, int]) -> Floats:
    """Return each cell's direction (right, down, 1), shape (h, w, 3), through its middle.

    Args:
        shape: Of the cells.
        focal_px: Focal length of the picture [pixels].
        picture: Height and width of the picture [pixels].
    """
    rows, columns = np.meshgrid(*(CELL_PX * (np.arange(size) + 0.5) for size in shape), indexing="ij")
    right, down = (columns - picture[1] / 2) / focal_px, (rows - picture[0] / 2) / focal_px
    return np.stack((right, down, np.ones_like(right)), axis=-1)


def _by_cell(depth: Depth) -> Depth:
    """Return each cell's pixels, shape (pixels of a cell, h, w)."""
    height, width = (size // CELL_PX for size in depth.shape)
    cut = depth[: height * CELL_PX, : width * CELL_PX].reshape(height, CELL_PX, width, CELL_PX)
    return np.ascontiguousarray(cut.transpose(1, 3, 0, 2)).reshape(CELL_PX**2, height, width)


def _over_neighbours(total: Depth, number: Depth, tolerance: Depth) -> tuple[Depth, Depth]:
    """Return the mean depth of the pixels around each cell that see its surface, and how many they are.

    Args:
        total: Sum of the depths of the pixels that see each cell's surface, shape (h, w) [m].
        number: How many those are, shape (h, w).
        tolerance: How much their depths may differ, shape (h, w) [m].
    """
    height, width = total.shape
    mean = total / np.maximum(number, np.float32(1.0))
    means, totals, numbers = np.pad((mean, total, number), ((0, 0), (1, 1), (1, 1)))
    around, support = np.zeros_like(total), np.zeros_like(total)
    for row in range(3):
        for column in range(3):
            there = slice(row, row + height), slice(column, column + width)
            same = np.abs(means[there] - mean) < tolerance
            around += totals[there] * same
            support += numbers[there] * same
    return (around / np.maximum(support, np.float32(1.0))).astype(np.float32), support
