"""Containers and marks as convex pieces, at the true extents recorded from VIMA-Bench.

They are bolted down, so a body's origin is a convention: the middle of its opening, and half its nominal
height above its underside, where the original puts it. The original's bowl is off its origin; ours is not.
"""

from __future__ import annotations

from heedful.state.tabletop.pieces import Outline, Piece, band, closed, polygon, prism, rectangle

ROUND_WALLS = 16
BOWL_RADIUS, BOWL_FLOOR_RADIUS, BOWL_HEIGHT, BOWL_WALL = 0.100, 0.066, 0.070, 0.005
PAN_RADIUS, PAN_FLOOR_RADIUS, PAN_HEIGHT, PAN_WALL = 0.085, 0.074, 0.045, 0.004
PAN_ORIGIN, PAN_HANDLE_END, PAN_HANDLE_HALF = 0.015, 0.208, 0.011
FRAME_OUTER, FRAME_INNER, FRAME_HEIGHT = 0.090, 0.081, 0.0015
SQUARE_OUTER, SQUARE_INNER, SQUARE_HEIGHT = 0.120, 0.080, 0.001
CONTAINER_WALL, CONTAINER_HEIGHT, CONTAINER_ORIGIN = 0.002, 0.05 / 1.1, 0.025
PALLET, PALLET_ORIGIN, PALLET_SLATS = (0.21, 0.175, 0.026), 0.0175, 6
ZONE_OUTER, BAR, MARK_HEIGHT = 0.135, 0.040, 0.001
LINE_HALF = 0.16875


def bowl() -> tuple[Piece, ...]:
    """Return a bowl: a floor and slanted walls."""
    return _round_walls(BOWL_FLOOR_RADIUS, BOWL_RADIUS, BOWL_HEIGHT, BOWL_WALL, 0.0)


def pan() -> tuple[Piece, ...]:
    """Return a pan whose handle points along x."""
    walls = _round_walls(PAN_FLOOR_RADIUS, PAN_RADIUS, PAN_HEIGHT, PAN_WALL, -PAN_ORIGIN)
    top = PAN_HEIGHT - PAN_ORIGIN
    grip = rectangle((PAN_RADIUS - PAN_WALL, PAN_HANDLE_END), (-PAN_HANDLE_HALF, PAN_HANDLE_HALF))
    return (*walls, prism(grip, top - 0.010, top - 0.002))


def frame() -> tuple[Piece, ...]:
    """Return a thin square ring."""
    return _square_ring(FRAME_OUTER, FRAME_INNER, 0.0, FRAME_HEIGHT)


def square() -> tuple[Piece, ...]:
    """Return four flat bars around a square."""
    return _square_ring(SQUARE_OUTER, SQUARE_INNER, -SQUARE_HEIGHT / 2, SQUARE_HEIGHT / 2)


def container(side: float) -> tuple[Piece, ...]:
    """Return an open box of a nominal side [m]."""
    outer = side / 2
    bottom, top = -CONTAINER_ORIGIN, CONTAINER_HEIGHT - CONTAINER_ORIGIN
    floor = prism(rectangle((-outer, outer), (-outer, outer)), bottom, bottom + CONTAINER_WALL)
    return (floor, *_square_ring(outer, outer - CONTAINER_WALL, bottom, top))


def pallet() -> tuple[Piece, ...]:
    """Return slats across three runners."""
    length, width, height = PALLET
    bottom, half = -PALLET_ORIGIN, height / 2
    runners = (
        prism(rectangle((-length / 2, length / 2), (y - 0.0125, y + 0.0125)), bottom, bottom + half)
        for y in (-width / 2 + 0.0125, 0.0, width / 2 - 0.0125)
    )
    pitch = length / (PALLET_SLATS - 0.25)
    lefts = (-length / 2 + k * pitch for k in range(PALLET_SLATS))
    slats = (
        prism(rectangle((x, x + 0.75 * pitch), (-width / 2, width / 2)), bottom + half, bottom + height)
        for x in lefts
    )
    return (*runners, *slats)


def three_sided_rectangle() -> tuple[Piece, ...]:
    """Return the goal zone's three bars, open towards +y."""
    low, high, inner = -ZONE_OUTER, ZONE_OUTER, ZONE_OUTER - BAR
    bars = (
        rectangle((low, high), (low, -inner)),
        rectangle((low, -inner), (-inner, high)),
        rectangle((inner, high), (-inner, high)),
    )
    return tuple(prism(bar, 0.0, MARK_HEIGHT) for bar in bars)


def line() -> tuple[Piece, ...]:
    """Return a bar along x."""
    bar = rectangle((-LINE_HALF, LINE_HALF), (-BAR / 2, BAR / 2))
    return (prism(bar, 0.0, 1.5 * MARK_HEIGHT),)


def disc(radius: float) -> Outline:
    """Return the polygon inside a round wall."""
    return polygon(ROUND_WALLS, radius)


def _round_walls(floor: float, rim: float, height: float, wall: float, z: float) -> tuple[Piece, ...]:
    """Return a floor and walls that lean outwards, their underside at `z`."""
    inside = band(closed(disc(floor)), closed(disc(floor - wall)))
    above = band(closed(disc(rim)), closed(disc(rim - wall)))
    walls = (Piece(low, high, z, z + height) for low, high in zip(inside, above, strict=True))
    return (prism(disc(floor), z, z + wall), *walls)


def _square_ring(outer: float, inner: float, z_bottom: float, z_top: float) -> tuple[Piece, ...]:
    bars = (
        rectangle((-outer, outer), (inner, outer)),
        rectangle((-outer, outer), (-outer, -inner)),
        rectangle((-outer, -inner), (-inner, inner)),
        rectangle((inner, outer), (-inner, inner)),
    )
    return tuple(prism(bar, z_bottom, z_top) for bar in bars)
