"""Flat shapes other than letters as convex polygons; only their proportions count.

Source: VIMA-Bench's shapes as recorded (units of their own); heart, flower and star are our own drawings.
"""

from __future__ import annotations

import math

from heedful.state.tabletop.pieces import Corner, Outline, band, closed, polygon, rectangle

UP = math.pi / 2
RING_SECTORS, RING_HOLE = 12, 0.42
"""The hole's radius is a share of the outer one."""
STAR_NOTCH = 0.45
"""Radius of a star's notches as a share of that of its tips."""
PETALS = 6
HALF_HEART: Outline = (
    (0.0, 0.0),
    (0.18, 0.17),
    (0.37, 0.39),
    (0.48, 0.6),
    (0.5, 0.76),
    (0.46, 0.89),
    (0.37, 0.975),
    (0.26, 1.0),
    (0.15, 0.97),
    (0.06, 0.89),
    (0.0, 0.78),
)


def _moved(outline: Outline, by: Corner) -> Outline:
    return tuple((x + by[0], y + by[1]) for x, y in outline)


def _star() -> tuple[Outline, ...]:
    tips = polygon(5, 1.0, UP)
    notches = polygon(5, STAR_NOTCH, UP - math.pi / 5)
    return tuple(((0.0, 0.0), notches[k], tips[k], notches[(k + 1) % 5]) for k in range(5))


def _flower() -> tuple[Outline, ...]:
    petals = (_moved(polygon(12, 0.32), at) for at in polygon(PETALS, 0.68, UP))
    return (polygon(PETALS, 0.62, UP), *petals)


def _halved(outline: Outline) -> tuple[Outline, ...]:
    """Return a polygon in two parts: MuJoCo rests a piece on four corners, on which more would rock."""
    return outline[:4], (*outline[3:], outline[0])


OUTLINES: dict[str, tuple[Outline, ...]] = {
    "cross": (rectangle((-10.0, 10.0), (-5.0, 5.0)), rectangle((-5.0, 5.0), (-10.0, 10.0))),
    "triangle": (((0.0, -10.0), (10.0, 10.0), (-10.0, 10.0)),),
    "L-shaped block": (rectangle((-10.0, -4.0), (-10.0, 10.0)), rectangle((-4.0, 10.0), (-10.0, -4.0))),
    "ring": band(closed(polygon(RING_SECTORS, 1.0)), closed(polygon(RING_SECTORS, RING_HOLE))),
    "round": (polygon(24, 1.0),),
    "diamond": (polygon(4, 1.0),),
    "flower": _flower(),
    "heart": (HALF_HEART, tuple((-x, y) for x, y in HALF_HEART)),
    "hexagon": _halved(polygon(6, 1.0, UP)),
    "pentagon": _halved(polygon(5, 1.0, UP)),
    "star": _star(),
}
