"""The workspace's region: inside, border and distances agree with slow definitions of the same."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from heedful.state.geometry import EPSILON, Point, Polygon, angle_between, distance, rounded

SQUARE = Polygon(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
NOTCHED = Polygon(((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 1.0), (0.0, 4.0)))

coordinates = st.integers(-40, 40).map(lambda n: n / 8)
points = st.tuples(coordinates, coordinates)


@st.composite
def convex_polygons(draw: st.DrawFn) -> Polygon:
    """Corners on an ellipse, either way round."""
    angles = sorted(draw(st.sets(st.integers(0, 35), min_size=3, max_size=12)))
    a, b = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    corners = [(a * math.cos(k * math.pi / 18), b * math.sin(k * math.pi / 18)) for k in angles]
    return Polygon(tuple(corners if draw(st.booleans()) else reversed(corners)))


@st.composite
def star_shaped_polygons(draw: st.DrawFn) -> Polygon:
    """Simple polygons, most of them not convex: one corner in each direction from a centre."""
    angles = sorted(draw(st.sets(st.integers(0, 23), min_size=5, max_size=16)))
    gaps = [(b - a) % 24 for a, b in itertools.pairwise([*angles, angles[0]])]
    assume(max(gaps) < 12)
    radii = draw(st.lists(st.integers(1, 5), min_size=len(angles), max_size=len(angles)))
    corners = [
        (r * math.cos(k * math.pi / 12), r * math.sin(k * math.pi / 12))
        for k, r in zip(angles, radii, strict=True)
    ]
    return Polygon(tuple(corners if draw(st.booleans()) else reversed(corners)))


def winding_number(polygon: Polygon, point: Point) -> int:
    """Sum the signed angles under which `point` sees each side."""
    total = 0.0
    for a, b in polygon.edges:
        before = math.atan2(a[1] - point[1], a[0] - point[0])
        after = math.atan2(b[1] - point[1], b[0] - point[0])
        total += math.remainder(after - before, math.tau)
    return round(total / math.tau)


def distance_to_border(polygon: Polygon, point: Point, steps: int = 2000) -> float:
    """Search each side in small steps."""
    return min(
        distance(point, (a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps))
        for a, b in polygon.edges
        for k in range(steps + 1)
    )


@given(st.one_of(convex_polygons(), star_shaped_polygons()), points)
def test_inside_is_where_the_winding_number_is_not_zero(polygon: Polygon, point: Point) -> None:
    assume(abs(polygon.margin_inside(point)) > 1e-6)
    assert polygon.contains(point) == (winding_number(polygon, point) != 0)


@given(st.one_of(convex_polygons(), star_shaped_polygons()), st.integers(0, 15), st.floats(0, 1))
def test_border_belongs_to_the_region(polygon: Polygon, side: int, share: float) -> None:
    a, b = polygon.edges[side % len(polygon.corners)]
    point = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
    assert polygon.contains(point)
    assert polygon.distance_outside(point) == 0.0


@given(convex_polygons(), st.integers(0, 11), st.floats(1e-6, 1.0))
def test_a_point_beyond_a_side_by_more_than_the_tolerance_is_outside(
    polygon: Polygon, side: int, beyond: float
) -> None:
    (ax, ay), (bx, by) = polygon.edges[side % len(polygon.corners)]
    length = math.hypot(bx - ax, by - ay)
    normal = ((by - ay) / length, (ax - bx) / length)
    middle = ((ax + bx) / 2, (ay + by) / 2)
    outwards = 1 if normal[0] * middle[0] + normal[1] * middle[1] > 0 else -1
    centre_is_inside = winding_number(polygon, (0.0, 0.0)) != 0
    assume(centre_is_inside and abs(normal[0] * middle[0] + normal[1] * middle[1]) > 1e-3)
    point = (middle[0] + outwards * beyond * normal[0], middle[1] + outwards * beyond * normal[1])
    assert not polygon.contains(point)
    assert polygon.distance_outside(point) == pytest.approx(beyond, abs=1e-9)


@pytest.mark.parametrize(
    ("point", "outside", "margin"),
    [
        ((0.0, 0.0), 0.0, 1.0),
        ((1.0, 1.0), 0.0, 0.0),
        ((0.5, 0.0), 0.0, 0.5),
        ((2.0, 0.0), 1.0, -1.0),
        ((4.0, 5.0), 5.0, -5.0),
        ((1.0 + EPSILON / 2, 0.0), 0.0, 0.0),
    ],
)
def test_distances_to_a_square_are_those_on_paper(point: Point, outside: float, margin: float) -> None:
    assert SQUARE.distance_outside(point) == pytest.approx(outside, abs=1e-8)
    assert SQUARE.margin_inside(point) == pytest.approx(margin, abs=1e-8)


@settings(max_examples=25)
@given(st.one_of(convex_polygons(), star_shaped_polygons()), points)
def test_distances_agree_with_a_search_along_the_border(polygon: Polygon, point: Point) -> None:
    found = distance_to_border(polygon, point, steps=300)
    longest = max(distance(a, b) for a, b in polygon.edges)
    assert found - longest / 300 - 1e-9 <= abs(polygon.margin_inside(point)) <= found + 1e-9
    assert polygon.distance_outside(point) == (
        0.0 if polygon.contains(point) else -polygon.margin_inside(point)
    )


@given(convex_polygons(), st.lists(points, min_size=1, max_size=5))
def test_a_path_in_a_convex_region_is_inside_when_its_points_are(polygon: Polygon, path: list[Point]) -> None:
    assert polygon.contains_path(path) == all(polygon.contains(p) for p in path)


@settings(max_examples=50)
@given(star_shaped_polygons(), points, points)
def test_a_straight_path_is_inside_when_every_point_of_it_is(polygon: Polygon, a: Point, b: Point) -> None:
    steps = 200
    on_path = [(a[0] + (b[0] - a[0]) * k / steps, a[1] + (b[1] - a[1]) * k / steps) for k in range(steps + 1)]
    deepest = min(polygon.margin_inside(p) for p in on_path)
    assume(abs(deepest) > distance(a, b) / steps + 1e-6)
    assert polygon.contains_path([a, b]) == (deepest > 0)


@pytest.mark.parametrize(
    ("path", "stays"),
    [
        ([(1.0, 2.0), (3.0, 2.0)], False),  # across the notch
        ([(0.0, 4.0), (4.0, 4.0)], False),  # over the notch's mouth, both ends on the border
        ([(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)], True),  # touching the notch's corner
        ([(0.0, 0.0), (4.0, 0.0)], True),  # along a side
        ([(2.0, 1.0), (2.0, 0.0)], True),
        ([(2.0, 0.5)], True),
        ([(2.0, 2.0)], False),
        ([], True),
    ],
)
def test_paths_about_a_notch(path: list[Point], stays: bool) -> None:
    assert NOTCHED.contains_path(path) is stays


def test_a_border_that_winds_twice_is_not_taken_for_a_convex_one() -> None:
    tips = [(math.cos(k * math.tau / 5), math.sin(k * math.tau / 5)) for k in range(5)]
    star = Polygon(tuple(tips[k * 2 % 5] for k in range(5)))
    assert all(star.contains(tip) for tip in tips)


@given(st.floats(-100, 100), st.floats(-100, 100))
def test_the_angle_between_two_headings_is_the_smaller_one(a: float, b: float) -> None:
    assert math.cos(angle_between(a, b)) == pytest.approx(math.cos(a - b), abs=1e-9)
    assert 0 <= angle_between(a, b) <= math.pi


@given(st.floats(-1e6, 1e6))
def test_rounding_is_idempotent_and_never_minus_zero(value: float) -> None:
    once = rounded(value)
    assert rounded(once) == once
    assert math.copysign(1.0, once) == 1.0 or once < 0
    assert abs(once - value) <= 0.5000001e-6


@pytest.mark.parametrize(
    ("corners", "expected"),
    [
        (((0, 0), (2, 0), (2, 1), (0, 1)), True),
        (((0, 0), (2, 1), (2, 0), (0, 1)), False),
        (((0, 0), (4, 0), (4, 4), (2, 1), (0, 4)), True),
    ],
)
def test_a_region_is_simple_when_its_sides_do_not_cross(
    corners: tuple[tuple[float, float], ...], expected: bool
) -> None:
    assert Polygon(corners).is_simple() is expected
