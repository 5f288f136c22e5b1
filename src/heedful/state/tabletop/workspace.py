"""Where the tabletop is and how its two cameras map it to pixels.

World frame: the robot's base at the origin, x away from the base, y to the right in pictures, z up [m].
Source: VIMA-Bench (Jiang et al. 2023), whose cameras are orthographic to within a pixel.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

X_RANGE, Y_RANGE, Z_TOP = (0.25, 0.75), (-0.5, 0.5), 0.3
"""The workspace [m]."""
ROWS, COLUMNS = 128, 256
"""Pixels of a view."""
View = Literal["front", "top"]
VIEWS: tuple[View, ...] = ("front", "top")
TOP_PX_PER_M, FRONT_PX_PER_M, FRONT_ROW_PX_PER_M = 251.0, 251.4, 177.8
"""Scale of the views; the front view looks down by 45 degrees, so that its rows are shorter."""


@dataclass(frozen=True, slots=True)
class Pixel:
    """A place in a view, fractions allowed."""

    row: float
    column: float


def is_inside(x: float, y: float) -> bool:
    """Return whether a point of the table lies in the workspace, its edge included."""
    return X_RANGE[0] <= x <= X_RANGE[1] and Y_RANGE[0] <= y <= Y_RANGE[1]


def to_pixel(view: View, x: float, y: float, z: float = 0.0) -> Pixel:
    """Return where a point [m] appears in a view."""
    if view == "top":
        return Pixel(63.5 + TOP_PX_PER_M * (x - 0.5), 127.5 + TOP_PX_PER_M * y)
    row = 63.5 + FRONT_ROW_PX_PER_M * (x - 0.41) - FRONT_ROW_PX_PER_M * z
    return Pixel(row, 127.5 + FRONT_PX_PER_M * y)


def to_place(pixel: Pixel) -> tuple[float, float]:
    """Return the point (x, y) [m] that appears at a pixel of the top view."""
    return 0.5 + (pixel.row - 63.5) / TOP_PX_PER_M, (pixel.column - 127.5) / TOP_PX_PER_M
