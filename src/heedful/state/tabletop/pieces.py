"""Convex pieces, of which every shape of the tabletop is put together: a hull is never hollow, a pile can be.

Frame of a body: x to the right and y up when it is read as in a book, z up [m].
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Corner = tuple[float, float]
Outline = tuple[Corner, ...]
"""A convex polygon, counter-clockwise."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A convex solid between two polygons with as many corners, each level."""

    bottom: Outline
    top: Outline
    z_bottom: float
    z_top: float

    @property
    def is_box(self) -> bool:
        """Whether it is a box along the axes."""
        xs, ys = ({round(corner[axis], 9) for corner in self.bottom} for axis in (0, 1))
        return self.bottom == self.top and len(self.bottom) == 4 and len(xs) == len(ys) == 2

    @property
    def outline(self) -> Outline:
        """What it covers when seen from above."""
        return hull((*self.bottom, *self.top))


@dataclass(frozen=True, slots=True)
class Box:
    """The smallest box along the axes around something."""

    low: tuple[float, float, float]
    high: tuple[float, float, float]

    @property
    def size(self) -> tuple[float, float, float]:
        """Its edges [m]."""
        x, y, z = (high - low for low, high in zip(self.low, self.high, strict=True))
        return (x, y, z)


def prism(corners: Iterable[Corner], z_bottom: float, z_top: float) -> Piece:
    """Return an upright prism over a convex polygon, its corners in either order."""
    outline = hull(tuple(corners))
    return Piece(outline, outline, z_bottom, z_top)


def rectangle(x: tuple[float, float], y: tuple[float, float]) -> Outline:
    """Return a rectangle along the axes."""
    return ((x[0], y[0]), (x[1], y[0]), (x[1], y[1]), (x[0], y[1]))


def polygon(corners: int, radius: float, start_rad: float = 0.0) -> Outline:
    """Return a regular polygon around the origin, its first corner in the direction of `start_rad`."""
    turns = (start_rad + math.tau * k / corners for k in range(corners))
    return tuple((radius * math.cos(turn), radius * math.sin(turn)) for turn in turns)


def band(outer: Sequence[Corner], inner: Sequence[Corner]) -> tuple[Outline, ...]:
    """Return the quadrilaterals between two lines of as many points, outer corners first."""
    return tuple((outer[k], outer[k + 1], inner[k + 1], inner[k]) for k in range(len(outer) - 1))


def closed(corners: Outline) -> Outline:
    """Return a polygon's corners with the first repeated at the end, as a line around it."""
    return (*corners, corners[0])


def fitted(outlines: Sequence[Outline], width: float, height: float) -> tuple[Outline, ...]:
    """Return polygons stretched and moved so that together they fill a rectangle around the origin."""
    xs, ys = ([corner[axis] for outline in outlines for corner in outline] for axis in (0, 1))
    x_scale, y_scale = width / (max(xs) - min(xs)), height / (max(ys) - min(ys))
    x_mid, y_mid = (max(xs) + min(xs)) / 2, (max(ys) + min(ys)) / 2
    return tuple(
        tuple(((x - x_mid) * x_scale, (y - y_mid) * y_scale) for x, y in outline) for outline in outlines
    )


def slab(outlines: Iterable[Outline], thickness: float) -> tuple[Piece, ...]:
    """Return prisms over polygons, the origin half-way up."""
    return tuple(prism(outline, -thickness / 2, thickness / 2) for outline in outlines)


def bounds(pieces: Iterable[Piece]) -> Box:
    """Return the box around pieces."""
    points = [
        (x, y, z)
        for piece in pieces
        for outline, z in ((piece.bottom, piece.z_bottom), (piece.top, piece.z_top))
        for x, y in outline
    ]
    low, high = (tuple(pick(axis) for axis in zip(*points, strict=True)) for pick in (min, max))
    return Box((low[0], low[1], low[2]), (high[0], high[1], high[2]))


def hull(points: Iterable[Corner]) -> Outline:
    """Return the convex hull of points, counter-clockwise, without corners on its edges."""
    ordered = sorted(set(points))
    lower, upper = _chain(ordered), _chain(ordered[::-1])
    return (*lower[:-1], *upper[:-1])


def _chain(points: Sequence[Corner]) -> list[Corner]:
    chain: list[Corner] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 1e-12:
            chain.pop()
        chain.append(point)
    return chain


def _turn(a: Corner, b: Corner, c: Corner) -> float:
    """Return twice the area of a triangle: positive for a turn to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
