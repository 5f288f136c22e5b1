"""Every shape of the tabletop: what it is for, how large it is said to be and how large it is.

The nominal size is the original's: it decides where a thing may be put and how high its origin lies. The true
extent is what is drawn and touched. Only the container is drawn at the size drawn for it.
Frame of a body: x to the right and y up when it is read as in a book, z up; the origin of what can be moved
is the middle of its bounding box.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from heedful.errors import UnknownNameError
from heedful.state.tabletop import containers
from heedful.state.tabletop.letters import LETTERS
from heedful.state.tabletop.outlines import OUTLINES
from heedful.state.tabletop.pieces import (
    Box,
    Outline,
    Piece,
    bounds,
    fitted,
    rectangle,
    slab,
)

Kind = Literal["dragged", "container", "mark"]
"""A mark is painted on the table: nothing can touch it."""
Size = tuple[float, float, float]

MASS_KG, FRICTION = 0.1, 1.0
LETTER_M, SHAPE_M = 0.0327, 0.0291
"""Thickness of letters and of the other flat shapes [m]."""
CONTAINER_SIDES_M = (0.15, 0.155, 0.16, 0.165, 0.17)
"""The container's sides. The original draws any size between the outer two; ours are compiled beforehand."""


@dataclass(frozen=True)
class Shape:
    """One kind of thing that can lie on the table."""

    name: str
    kind: Kind
    sizes: tuple[Size, ...]
    """Nominal sizes it can have, the smallest first [m]. Hexagon, pentagon and star look the same at each."""
    forms: tuple[tuple[Piece, ...], ...]
    """The convex pieces of each size that differs in looks: one entry, or as many as `sizes`."""
    mass_kg: float = MASS_KG
    friction: float = FRICTION
    openings: tuple[Outline, ...] = ()
    """What lies inside each of `forms` when seen from above, body frame [m]; empty for what holds nothing."""
    is_hollow: bool = False
    """Whether it is a flat outline in which something could lie at the start without touching it."""

    @cached_property
    def extent(self) -> Box:
        """The true box around it, body frame; of the smallest size."""
        return bounds(self.forms[0])

    def form(self, size: Size) -> int:
        """Return which of `forms` a size has: the nearest."""
        if len(self.forms) == 1:
            return 0
        return min(range(len(self.sizes)), key=lambda k: abs(self.sizes[k][0] - size[0]))

    def pieces(self, size: Size) -> tuple[Piece, ...]:
        """Return the convex pieces at a nominal size."""
        return self.forms[self.form(size)]

    def inner(self, size: Size) -> Outline | None:
        """Return what lies inside it when seen from above, body frame [m]; None for what holds nothing."""
        return self.openings[self.form(size)] if self.openings else None

    def footprint(self, size: Size) -> tuple[Outline, ...]:
        """Return the convex polygons that together it covers when seen from above, body frame [m]."""
        return tuple(piece.outline for piece in self.pieces(size))


def find_shape(name: str) -> Shape:
    """Return the shape of that name.

    Raises:
        UnknownNameError: If there is none.
    """
    if name not in SHAPES:
        raise UnknownNameError("Shape", name, SHAPES)
    return SHAPES[name]


def _block(name: str, edges: Size, mass_kg: float, friction: float = FRICTION) -> Shape:
    x, y, z = edges
    return Shape(name, "dragged", (edges,), (slab([_sheet(x, y)], z),), mass_kg, friction)


def _flat(
    name: str,
    outlines: tuple[Outline, ...],
    sides: tuple[float, ...],
    width: float,
    height: float,
    z: float,
) -> Shape:
    """Return something flat; its nominal thickness a quarter of its nominal sides."""
    sizes = tuple((side, side, side / 4) for side in sides)
    return Shape(name, "dragged", sizes, (slab(fitted(outlines, width, height), z),))


def _sheet(x: float, y: float) -> Outline:
    return rectangle((-x / 2, x / 2), (-y / 2, y / 2))


def _letter(letter: str, width: float, height: float, *, side: float = 0.144, z: float = LETTER_M) -> Shape:
    return _flat(f"letter {letter}", LETTERS[letter], (side,), width, height, z)


def _simple(name: str, width: float = 0.096, height: float = 0.096) -> Shape:
    return _flat(name, OUTLINES[name], (0.128,), width, height, SHAPE_M)


def _container(side: float) -> Size:
    return (side, side, 0.05)


BLOCKS = (
    _block("block", (0.07, 0.07, 0.07), 0.01),
    _block("shorter block", (0.07, 0.07, 0.03), MASS_KG),
    _block("small block", (0.03, 0.03, 0.03), 0.001, 0.5),
)
FLAT = (
    _letter("A", 0.090, 0.103),
    _letter("E", 0.058, 0.102),
    _letter("G", 0.082, 0.105),
    _letter("M", 0.092, 0.096, side=0.136, z=0.0309),
    _letter("R", 0.073, 0.102),
    _letter("T", 0.108, 0.108),
    _letter("V", 0.085, 0.102),
    _simple("cross"),
    _simple("triangle"),
    _simple("L-shaped block"),
    _simple("ring"),
    _simple("round"),
    _simple("diamond", 0.120),
    _flat("flower", OUTLINES["flower"], (0.144,), 0.108, 0.108, LETTER_M),
    _flat("heart", OUTLINES["heart"], (0.144,), 0.103, 0.095, LETTER_M),
    _flat("hexagon", OUTLINES["hexagon"], (0.128, 0.144), 0.094, 0.108, LETTER_M),
    _flat("pentagon", OUTLINES["pentagon"], (0.128, 0.144), 0.103, 0.098, LETTER_M),
    _flat("star", OUTLINES["star"], (0.128, 0.144), 0.104, 0.109, LETTER_M),
)
CONTAINERS = (
    Shape(
        "bowl",
        "container",
        ((0.17, 0.17, 0.0),),
        (containers.bowl(),),
        openings=(containers.disc(containers.BOWL_RADIUS - containers.BOWL_WALL),),
    ),
    Shape(
        "pan",
        "container",
        ((0.16, 0.24, 0.03),),
        (containers.pan(),),
        openings=(containers.disc(containers.PAN_RADIUS - containers.PAN_WALL),),
    ),
    Shape(
        "frame",
        "container",
        ((0.225, 0.225, 0.0),),
        (containers.frame(),),
        openings=(_sheet(2 * containers.FRAME_INNER, 2 * containers.FRAME_INNER),),
        is_hollow=True,
    ),
    Shape(
        "square",
        "container",
        ((0.2, 0.04, 0.001),),
        (containers.square(),),
        openings=(_sheet(2 * containers.SQUARE_INNER, 2 * containers.SQUARE_INNER),),
        is_hollow=True,
    ),
    Shape(
        "container",
        "container",
        tuple(_container(side) for side in CONTAINER_SIDES_M),
        tuple(containers.container(side) for side in CONTAINER_SIDES_M),
        openings=tuple(_sheet(side - 0.004, side - 0.004) for side in CONTAINER_SIDES_M),
    ),
    Shape(
        "pallet",
        "container",
        ((0.21, 0.175, 0.035),),
        (containers.pallet(),),
        openings=(_sheet(containers.PALLET[0], containers.PALLET[1]),),
    ),
)
MARKS = (
    Shape(
        "three-sided rectangle",
        "mark",
        ((0.27, 0.27, 0.0),),
        (containers.three_sided_rectangle(),),
        openings=(_sheet(0.27, 0.27),),
    ),
    Shape("line", "mark", ((0.3375, 0.04, 0.0),), (containers.line(),)),
)


def _by_name(shapes: Iterable[Shape]) -> dict[str, Shape]:
    return {found.name: found for found in shapes}


SHAPES: dict[str, Shape] = _by_name((*BLOCKS, *FLAT, *CONTAINERS, *MARKS))
"""All shapes, in the catalogue's order."""
