from __future__ import annotations

import math
from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.state.tabletop.footprint import inner_region
from heedful.state.tabletop.progress import Progress, Reason, Rule
from heedful.state.tabletop.rules import REASONS, begin, judge
from heedful.state.tabletop.scene import Goal, TableScene
from heedful.state.tabletop.sweep_rule import crosses_line
from tests.state.tabletop.scenes import at, ordering, placing, state, sweeping, thing

RULES: tuple[Rule, ...] = get_args(Rule)
yaws = st.floats(0.0, 360.0)
inside_x, inside_y = st.floats(0.25, 0.75), st.floats(-0.5, 0.5)


def after(
    scene: TableScene, moved: dict, rule: Rule = "centre", before: Progress | None = None, **facts: object
):
    return judge(scene, before or begin(scene), state(scene, moved, **facts), rule)


def test_every_reason_is_explained_once() -> None:
    assert set(REASONS) == set(get_args(Reason)) - {""}


# Placing: less than 0.10 m between origins.


@pytest.mark.parametrize(("offset", "won"), [(0.0, True), (0.0999, True), (0.1, False), (0.1001, False)])
def test_placing_succeeds_below_ten_centimetres(offset: float, won: bool) -> None:
    found = after(placing(), {6: at(0.5, offset)}, picked=6)
    assert found == Progress((0,), "", True) if won else found == Progress()


@pytest.mark.parametrize(
    ("moved", "facts", "reason"),
    [
        ({6: at(0.2499, 0.3)}, {"picked": 6}, "out_of_workspace"),
        ({6: at(0.7501, 0.3)}, {"picked": 6}, "out_of_workspace"),
        ({6: at(0.4, 0.5001)}, {"picked": 6}, "out_of_workspace"),
        ({6: at(0.4, -0.5001)}, {"picked": 6}, "out_of_workspace"),
        ({}, {"lost": frozenset({6})}, "out_of_workspace"),
        ({7: at(0.5, -0.0999)}, {"picked": 7}, "wrong_object"),
        ({7: at(0.5, -0.0999)}, {"picked": None}, "distractor_moved"),
        ({7: at(0.4, 0.2001)}, {"picked": 6}, "distractor_moved"),
        ({6: at(0.6, -0.2001)}, {"picked": 6}, "wrong_place"),
        ({6: at(0.25, 0.5)}, {"picked": 6}, ""),
        ({6: at(0.75, -0.5)}, {"picked": 6}, ""),
        ({7: at(0.5, -0.1)}, {"picked": 7}, ""),
        ({6: at(0.6, -0.1999)}, {"picked": 6}, ""),
        ({7: at(0.9, -0.3)}, {"picked": 7}, ""),
        ({7: at(0.5, 0.0)}, {"lost": frozenset({7})}, ""),
    ],
)
def test_placing_fails_for_one_reason(moved: dict, facts: dict, reason: str) -> None:
    for rule in RULES:
        assert after(placing(), moved, rule, **facts) == Progress((), reason)


def test_a_goal_reached_is_no_longer_looked_at() -> None:
    both = tuple(replace(found, role="dragged") if found.id == 7 else found for found in placing().objects)
    scene = replace(placing(), objects=both, goals=(Goal((6,), 5), Goal((7,), 5)))
    first = after(scene, {6: at(0.5, 0.05)}, picked=6)
    assert first == Progress((0,))
    gone = after(scene, {6: at(0.2, 0.0)}, before=first, picked=6)
    assert gone == Progress((0,))
    assert after(scene, {6: at(0.2, 0.0), 7: at(0.5, 0.0)}, before=gone, picked=7).is_success


@pytest.mark.parametrize("over", [Progress((0,), "", True), Progress((), "wrong_place")])
def test_what_is_over_stays(over: Progress) -> None:
    for scene in (placing(), sweeping(1), ordering()):
        for rule in RULES:
            assert judge(scene, over, state(scene, {}), rule) == over


# Strict: a block of 0.07 in a frame of 0.162 may be off by 0.046 along an axis.


@pytest.mark.parametrize(("offset", "won"), [(0.0459, True), (0.0461, False), (0.0999, False)])
def test_strict_wants_the_whole_footprint_inside(offset: float, won: bool) -> None:
    scene = placing("frame")
    assert after(scene, {6: at(0.5, offset)}, "strict").is_success is won
    assert after(scene, {6: at(0.5 - offset, 0.0)}, "strict").is_success is won
    assert after(scene, {6: at(0.5, offset)}, "centre").is_success


def test_strict_counts_the_corners_of_a_turned_block() -> None:
    reach = 0.081 - 0.07 / math.sqrt(2)
    scene = placing("frame")
    assert after(scene, {6: at(0.5, reach - 1e-4, 45)}, "strict").is_success
    assert not after(scene, {6: at(0.5, reach + 1e-4, 45)}, "strict").is_success


@given(inside_x, inside_y, yaws)
def test_a_block_wholly_in_the_frame_is_a_success_by_either_rule(x: float, y: float, yaw: float) -> None:
    scene = placing("frame")
    strict, centre = (after(scene, {6: at(x, y, yaw)}, rule).is_success for rule in RULES[::-1])
    assert centre or not strict


@given(inside_x, inside_y, yaws)
def test_strict_agrees_with_the_corners_worked_out_by_hand(x: float, y: float, yaw: float) -> None:
    turn = math.radians(yaw)
    reach = 0.035 * (abs(math.cos(turn)) + abs(math.sin(turn)))
    room = 0.081 - reach - max(abs(x - 0.5), abs(y))
    if abs(room) > 1e-5:
        assert after(placing("frame"), {6: at(x, y, yaw)}, "strict").is_success is (room > 0)


def test_strict_knows_a_tilted_object_by_its_shadow() -> None:
    lying = replace(at(0.5, 0.0), rotation=(math.sin(math.pi / 4), 0.0, 0.0, math.cos(math.pi / 4)))
    scene = placing("frame", "letter T")
    assert after(scene, {6: lying}, "strict").is_success
    assert not after(scene, {6: replace(lying, x=0.57)}, "strict").is_success
    assert after(scene, {6: replace(lying, y=0.5)}, "strict") == Progress()


# The sweep: by the numbers of the original, a block straight ahead counts for x in [0.45, 0.555].


@pytest.mark.parametrize(
    ("x", "y", "counted"),
    [
        (0.4501, 0.0, True),
        (0.4499, 0.0, False),
        (0.5549, 0.0, True),
        (0.5551, 0.0, False),
        (0.50, 0.1299, True),
        (0.50, 0.1301, False),
        (0.50, -0.1199, True),
        (0.50, -0.1201, False),
    ],
)
def test_a_block_counts_when_all_its_points_are_in_the_zone(x: float, y: float, counted: bool) -> None:
    assert after(sweeping(1), {6: at(x, y)}).is_success is counted


@pytest.mark.parametrize(("x", "counted"), [(0.4351, True), (0.4349, False), (0.5299, True), (0.5301, False)])
def test_strict_sweep_is_from_the_line_to_the_opening(x: float, counted: bool) -> None:
    assert after(sweeping(1), {6: at(x, 0.0)}, "strict").is_success is counted


def test_a_block_above_the_zone_does_not_count() -> None:
    assert after(sweeping(1), {6: at(0.5, 0.0, z=0.2949)}).is_success
    assert after(sweeping(1), {6: at(0.5, 0.0, z=0.2951)}) == Progress()


def test_counts_are_exact_and_add_up() -> None:
    one = after(sweeping(2), {7: at(0.5, 0.0)})
    assert one == Progress((7,))
    pushed_out = after(sweeping(2), {}, before=one)
    assert pushed_out == Progress((7,))
    assert after(sweeping(2), {6: at(0.5, 0.0)}, before=pushed_out) == Progress((7, 6), "", True)
    both = {6: at(0.5, -0.05), 8: at(0.5, 0.05)}
    assert after(sweeping(2), both, before=pushed_out) == Progress((7, 6, 8), "wrong_count")


@pytest.mark.parametrize(
    ("moved", "facts", "reason"),
    [
        ({6: at(0.5, 0.0)}, {"crossed": frozenset({6})}, "line_crossed"),
        ({6: at(0.5, 0.0)}, {"crossed": frozenset({7})}, "line_crossed"),
        ({9: at(0.5749, 0.0)}, {}, "wrong_object"),
        ({9: at(0.5751, 0.0)}, {}, ""),
        ({7: at(0.76, 0.0)}, {}, "out_of_workspace"),
        ({}, {"lost": frozenset({7})}, "out_of_workspace"),
        ({9: at(0.76, 0.0)}, {}, ""),
        ({}, {"crossed": frozenset({9})}, ""),
        ({9: at(0.5, 0.0)}, {"lost": frozenset({9})}, ""),
    ],
)
def test_the_sweep_fails_for_one_reason(moved: dict, facts: dict, reason: str) -> None:
    assert after(sweeping(3), moved, **facts) == Progress(after(sweeping(3), moved).reached, reason)


@pytest.mark.parametrize(
    ("x", "y", "crosses"),
    [
        (0.4349, 0.0, True),
        (0.4351, 0.0, False),
        (0.3751, 0.0, True),
        (0.3749, 0.0, False),
        (0.40, 0.1836, True),
        (0.40, 0.1838, False),
        (0.40, -0.1736, True),
        (0.40, -0.1738, False),
    ],
)
def test_the_line_is_crossed_where_a_point_is_over_it(x: float, y: float, crosses: bool) -> None:
    assert crosses_line(sweeping(1), at(x, y)) is crosses


@given(st.lists(st.tuples(inside_x, inside_y, yaws), min_size=1, max_size=8))
def test_what_counted_goes_on_counting(places: list[tuple[float, float, float]]) -> None:
    scene, progress = sweeping(3), Progress()
    for x, y, yaw in places:
        found = after(scene, {6: at(x, y, yaw), 7: at(x, -y, yaw)}, before=progress)
        assert found.reached[: len(progress.reached)] == progress.reached
        assert found.is_success == (not found.failure and len(found.reached) == 3)
        progress = found


# In order: less than 0.05 m, the nearest goal first.


def test_the_three_goals_come_one_after_the_other() -> None:
    scene = ordering()
    first = after(scene, {8: at(0.375, 0.0499)}, picked=8)
    second = after(scene, {8: at(0.625, 0.2501)}, before=first, picked=8)
    home = after(scene, {8: at(0.375, -0.2001)}, before=second, picked=8)
    assert (first, second, home) == (Progress((0,)), Progress((0, 1)), Progress((0, 1, 2), "", True))


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (at(0.375, 0.05), Progress()),
        (at(0.375, -0.25), Progress()),
        (at(0.625, 0.2001), Progress((), "wrong_order")),
        (at(0.625, 0.1999), Progress()),
        (at(0.625, 0.0), Progress()),
        (at(0.76, 0.0), Progress((), "out_of_workspace")),
    ],
)
def test_a_later_goal_first_is_the_wrong_order(place, found: Progress) -> None:
    assert after(ordering(), {8: place}, picked=8) == found


def test_home_is_allowed_while_goals_are_open() -> None:
    first = after(ordering(), {8: at(0.375, 0.0)}, picked=8)
    assert after(ordering(), {}, before=first, picked=8) == first


@pytest.mark.parametrize(("short_m", "reached"), [(1e-4, (0,)), (-1e-4, ())])
def test_strict_order_is_containment(short_m: float, reached: tuple[int, ...]) -> None:
    scene = ordering()
    opening = inner_region(scene.object(6), scene.object(6).pose)
    assert opening is not None
    place = at(0.375, opening[:, 1].max() - 0.035 - short_m)
    assert after(scene, {8: place}, "strict", picked=8).reached == reached


@given(inside_x, inside_y, yaws)
def test_yaw_never_matters_to_the_centre_rule(x: float, y: float, yaw: float) -> None:
    for scene, moving in ((placing(), 6), (ordering(), 8)):
        assert after(scene, {moving: at(x, y, yaw)}) == after(scene, {moving: at(x, y)})


def test_several_distractors_are_all_looked_at() -> None:
    scene = placing()
    crowded = replace(scene, objects=(*scene.objects, thing(8, "letter E", "distractor", at(0.7, 0.4))))
    assert after(crowded, {8: at(0.5, 0.05)}, picked=8).failure == "wrong_object"
