"""The catalogue against the facts recorded from the original: names, roles, nominal sizes, true extents."""

from __future__ import annotations

import itertools

import pytest

from heedful.errors import UnknownNameError
from heedful.state.tabletop.catalogue import SHAPES, find_shape
from heedful.state.tabletop.levels import PARTITIONS

EXTENTS = {
    "block": (0.07, 0.07, 0.07),
    "shorter block": (0.07, 0.07, 0.03),
    "small block": (0.03, 0.03, 0.03),
    "letter A": (0.090, 0.103, 0.0327),
    "letter E": (0.058, 0.102, 0.0327),
    "letter G": (0.082, 0.105, 0.0327),
    "letter R": (0.073, 0.102, 0.0327),
    "letter T": (0.108, 0.108, 0.0327),
    "letter V": (0.085, 0.102, 0.0327),
    "letter M": (0.092, 0.096, 0.0309),
    "cross": (0.096, 0.096, 0.0291),
    "triangle": (0.096, 0.096, 0.0291),
    "L-shaped block": (0.096, 0.096, 0.0291),
    "ring": (0.096, 0.096, 0.0291),
    "round": (0.096, 0.096, 0.0291),
    "diamond": (0.120, 0.096, 0.0291),
    "flower": (0.108, 0.108, 0.0327),
    "heart": (0.103, 0.095, 0.0327),
    "hexagon": (0.094, 0.108, 0.0327),
    "pentagon": (0.103, 0.098, 0.0327),
    "star": (0.104, 0.109, 0.0327),
    "bowl": (0.20, 0.20, 0.07),
    "pan": (0.085 + 0.208, 0.17, 0.045),
    "frame": (0.18, 0.18, 0.0015),
    "square": (0.24, 0.24, 0.001),
    "container": (0.15, 0.15, 0.05 / 1.1),
    "pallet": (0.21, 0.175, 0.026),
    "three-sided rectangle": (0.27, 0.27, 0.001),
    "line": (0.3375, 0.04, 0.0015),
}
"""Of each shape's smallest size [m]."""


def covers(name: str, x: float, y: float) -> bool:
    """Return whether a shape covers a point of its frame."""
    return any(
        all((b[0] - a[0]) * (y - a[1]) >= (b[1] - a[1]) * (x - a[0]) for a, b in edges(outline))
        for outline in find_shape(name).footprint(find_shape(name).sizes[0])
    )


def edges(outline: tuple[tuple[float, float], ...]) -> zip[tuple[tuple[float, float], ...]]:
    return zip(outline, (*outline[1:], outline[0]), strict=True)


def test_every_shape_has_its_recorded_extent() -> None:
    assert {name: shape.extent.size for name, shape in SHAPES.items()} == {
        name: pytest.approx(size, abs=2e-4) for name, size in EXTENTS.items()
    }


def test_every_shape_of_every_level_is_in_the_catalogue() -> None:
    used = {name for level in PARTITIONS.values() for pools in level.pools.values() for name in pools.shapes}
    assert used <= set(SHAPES)


def test_what_can_be_moved_is_centred_and_what_is_bolted_down_stands_on_the_table() -> None:
    for shape in SHAPES.values():
        low, high = shape.extent.low, shape.extent.high
        if shape.kind == "dragged":
            assert low == pytest.approx([-edge for edge in high]), shape.name
        else:
            assert low[2] == pytest.approx(-shape.sizes[0][2] / 2), shape.name


def test_nothing_begins_more_than_half_a_millimetre_inside_the_table() -> None:
    for shape in SHAPES.values():
        if shape.kind == "dragged":
            assert shape.extent.size[2] / 2 <= shape.sizes[0][2] / 2 + 5e-4, shape.name


@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.kind != "mark"])
def test_a_shape_covers_no_more_than_its_box(name: str) -> None:
    shape = find_shape(name)
    corners = [corner for outline in shape.footprint(shape.sizes[0]) for corner in outline]
    for axis in (0, 1):
        along = [corner[axis] for corner in corners]
        assert min(along) == pytest.approx(shape.extent.low[axis])
        assert max(along) == pytest.approx(shape.extent.high[axis])


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [("ring", 0.0, 0.0), ("letter A", 0.0, 0.0), ("letter R", 0.0, 0.02), ("L-shaped block", 0.0, 0.0)],
)
def test_holes_and_notches_cover_nothing(name: str, x: float, y: float) -> None:
    assert not covers(name, x, y)


@pytest.mark.parametrize(
    ("name", "x", "y"),
    [
        ("ring", 0.035, 0.0),
        ("letter A", 0.0, -0.022),
        ("letter R", -0.03, 0.0),
        ("L-shaped block", -0.04, 0.03),
    ],
)
def test_what_is_beside_them_is_covered(name: str, x: float, y: float) -> None:
    assert covers(name, x, y)


def test_the_triangle_points_down_as_in_the_original() -> None:
    assert covers("triangle", 0.04, 0.045)
    assert not covers("triangle", 0.04, -0.045)


def test_only_the_container_is_drawn_at_its_sampled_size() -> None:
    assert [shape.name for shape in SHAPES.values() if len(shape.forms) > 1] == ["container"]
    container = find_shape("container")
    for form, size in enumerate(container.sizes):
        assert container.form(size) == form
        assert container.pieces((size[0] + 0.001, size[1] + 0.001, size[2])) == container.forms[form]


def test_a_container_opens_where_its_walls_are_not() -> None:
    for shape in SHAPES.values():
        inner = shape.inner(shape.sizes[0])
        assert (inner is None) == (shape.kind == "dragged" or shape.name == "line")
        for x, y in inner or ():
            assert shape.extent.low[0] <= x <= shape.extent.high[0]
            assert shape.extent.low[1] <= y <= shape.extent.high[1]


def test_outlines_run_counter_clockwise_and_are_convex() -> None:
    for shape in SHAPES.values():
        for piece in itertools.chain.from_iterable(shape.forms):
            for outline in (piece.bottom, piece.top):
                turned = (*outline, *outline[:2])
                for p, q, r in zip(turned, turned[1:], turned[2:], strict=False):
                    area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
                    assert area > 0.0, shape.name


def test_a_name_that_is_unknown_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="letter A"):
        find_shape("leter A")
