"""Letters as convex polygons in a unit square, x to the right and y up."""

from __future__ import annotations

from heedful.state.tabletop.pieces import Outline, band, hull, rectangle


def _mirrored(outline: Outline) -> Outline:
    return hull((1.0 - x, y) for x, y in outline)


A_LEG: Outline = ((0.0, 0.0), (0.23, 0.0), (0.61, 1.0), (0.39, 1.0))
V_LEG: Outline = ((0.38, 0.0), (0.62, 0.0), (0.24, 1.0), (0.0, 1.0))
M_SLANT: Outline = ((0.4, 0.28), (0.6, 0.28), (0.24, 1.0), (0.0, 1.0))
G_OUTER: Outline = (
    (1.0, 0.75),
    (0.72, 1.0),
    (0.28, 1.0),
    (0.0, 0.72),
    (0.0, 0.28),
    (0.28, 0.0),
    (0.72, 0.0),
    (1.0, 0.28),
    (1.0, 0.5),
)
G_INNER: Outline = (
    (0.77, 0.68),
    (0.66, 0.81),
    (0.36, 0.81),
    (0.23, 0.66),
    (0.23, 0.34),
    (0.36, 0.19),
    (0.64, 0.19),
    (0.77, 0.34),
    (0.77, 0.5),
)
R_OUTER: Outline = ((0.66, 1.0), (1.0, 0.86), (1.0, 0.56), (0.66, 0.42))
R_INNER: Outline = ((0.62, 0.82), (0.76, 0.77), (0.76, 0.65), (0.62, 0.6))

LETTERS: dict[str, tuple[Outline, ...]] = {
    "A": (A_LEG, _mirrored(A_LEG), rectangle((0.22, 0.78), (0.2, 0.38))),
    "E": (
        rectangle((0.0, 0.34), (0.0, 1.0)),
        rectangle((0.0, 1.0), (0.0, 0.2)),
        rectangle((0.0, 0.9), (0.4, 0.6)),
        rectangle((0.0, 1.0), (0.8, 1.0)),
    ),
    "G": (*band(G_OUTER, G_INNER), rectangle((0.52, 1.0), (0.34, 0.51))),
    "M": (
        rectangle((0.0, 0.21), (0.0, 1.0)),
        rectangle((0.79, 1.0), (0.0, 1.0)),
        M_SLANT,
        _mirrored(M_SLANT),
    ),
    "R": (
        rectangle((0.0, 0.27), (0.0, 1.0)),
        rectangle((0.0, 0.66), (0.82, 1.0)),
        rectangle((0.0, 0.66), (0.42, 0.6)),
        *band(R_OUTER, R_INNER),
        ((0.72, 0.0), (1.0, 0.0), (0.66, 0.46), (0.38, 0.46)),
    ),
    "T": (rectangle((0.0, 1.0), (0.8, 1.0)), rectangle((0.38, 0.62), (0.0, 1.0))),
    "V": (V_LEG, _mirrored(V_LEG)),
}
"""The strokes of each letter; they may overlap."""
