"""Margins: which rules hold for any state the sensors leave possible, and the distance kept to the border."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.guards.guard import Command
from heedful.guards.margins import is_clear, witnesses
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.conditions import cell_of
from heedful.state.geometry import Polygon
from heedful.state.series import INFINITE
from heedful.trace.records import Reading

from .oracle import Region
from .specs import HUMANOID, calm_values, hundredths, polygons
from .trial import compiled

SPEC = compiled(HUMANOID)
SQUARE = Polygon(((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)))
NUMBERS = st.floats(-5, 5)
POINTS = st.tuples(hundredths(-4, 4), hundredths(-4, 4))


@given(NUMBERS, st.floats(0, 3), st.lists(NUMBERS, max_size=5, unique=True), NUMBERS)
def test_witnesses_meet_every_cell_within(low, width, cuts, at):
    """Whatever lies within has a witness that every comparison with the constants answers alike."""
    high, ascending = low + width, tuple(sorted(cuts))
    value = min(max(at, low), high)
    found = witnesses(low, high, ascending)
    assert all(low <= witness <= high for witness in found)
    assert cell_of(value, ascending) in {cell_of(witness, ascending) for witness in found}


def distance_guard(margin: Margin, distance: Any) -> SpecGuard:
    guard = SpecGuard(SPEC, GuardSettings({"human.distance": margin}))
    values = {**calm_values(HUMANOID), "robot.yaw": 0.0, "human.distance": distance}
    guard.observe({name: Reading(value, 0.0) for name, value in values.items()}, 0.0)
    return guard


@pytest.mark.parametrize(
    ("half", "distance", "active"),
    [
        (0.0, 1.0, ()),
        (0.0, 0.99, ("S2",)),
        (0.25, 1.26, ()),
        (0.25, 1.25, ()),
        (0.25, 1.24, ("S2",)),
        (0.25, 0.75, ("S2",)),
        (0.25, 0.74, ("S2", "S3")),
        (0.25, INFINITE, ()),
        (0.25, None, ("S2", "S3")),
    ],
)
def test_rule_is_active_within_its_margin(half, distance, active):
    """S2 is active below 1.0 m and S3 below 0.5 m: with 0.25 m, below 1.25 m and 0.75 m."""
    assert distance_guard(Margin(half), distance).state(0.0).active == active


@given(hundredths(0, 10), st.integers(0, 20).map(lambda k: k / 16), st.integers(0, 15).map(lambda k: k / 16))
def test_margin_takes_in_what_a_sample_loses_with_age(distance, base, age_s):
    """With 0.5 m/s a sample of age t may be 0.5 t off, its noise apart; sixteenths add up exactly."""
    guard = distance_guard(Margin(base, 0.5), distance)
    nearest = distance - (base + 0.5 * age_s)
    away = min(abs(nearest - cut) for cut in (0.5, 1.0))
    if away > 1e-4:
        wanted = {"S2"} if nearest < 1.0 else set()
        assert set(guard.state(age_s).active) == wanted | ({"S3"} if nearest < 0.5 else set())


@pytest.mark.parametrize(
    ("path", "margin_m", "clear"),
    [
        ([(0.0, 0.0), (0.75, 0.0)], 0.25, True),
        ([(0.0, 0.0), (0.76, 0.0)], 0.25, False),
        ([(0.0, 0.0), (0.0, 0.95), (0.5, 0.0)], 0.1, False),
        ([(0.9, 0.0), (0.9, 0.5)], 0.2, True),
        ([(0.9, 0.0), (0.95, 0.0)], 0.2, False),
        ([(0.9, 0.0), (0.5, 0.0)], 0.2, True),
        ([(0.9, 0.0), (0.95, 0.3), (0.5, 0.5)], 0.2, False),
        ([(0.0, 0.0), (1.0, 0.0)], 0.0, True),
    ],
)
def test_path_keeps_the_margin_or_comes_no_closer_than_it_began(path, margin_m, clear):
    assert is_clear(SQUARE, path, margin_m) == clear


@given(polygons(), st.lists(POINTS, min_size=2, max_size=4), hundredths(0, 1))
def test_clear_path_has_no_point_within_the_margin_or_nearer_than_its_start(corners, path, margin_m):
    region, paper = Polygon(corners), Region(corners)
    begun = paper.depth(path[0])
    if begun < 0 or not region.contains_path(path) or not is_clear(region, path, margin_m):
        return
    steps = [k / 50 for k in range(51)]
    for a, b in pairwise(path):
        points = [(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])) for t in steps]
        assert min(map(paper.depth, points)) >= min(begun, margin_m) - 1e-8


@pytest.mark.parametrize(("x", "kind"), [(2.64, "allow"), (2.66, "deny")])
def test_margin_of_the_position_keeps_paths_off_the_border(x, kind):
    """At 100 % the robot stops within 0.25 m; with 0.1 m of margin the target must be 0.35 m from 3.0 m."""
    guard = SpecGuard(SPEC, GuardSettings({"robot.x": Margin(0.1)}))
    values = {**calm_values(HUMANOID), "robot.yaw": 0.0}
    guard.observe({name: Reading(value, 0.0) for name, value in values.items()}, 0.0)
    walk = Command("walk_to", "locomotion", {"x": x, "y": 0.0, "speed_percent": 100.0}, True)
    assert guard.review(walk, 0.0).kind == kind


def test_margin_of_the_position_is_that_of_its_oldest_sample():
    """robot.x may be 5 s old: with 0.1 m/s its margin is 0.5 m from the start, whatever its age."""
    guard = SpecGuard(SPEC, GuardSettings({"robot.x": Margin(0.0, 0.1)}))
    values = {**calm_values(HUMANOID), "robot.yaw": 0.0}
    guard.observe({name: Reading(value, 0.0) for name, value in values.items()}, 0.0)
    args = {"y": 0.0, "speed_percent": 100.0}
    walks = [Command("walk_to", "locomotion", {**args, "x": x}, True) for x in (2.24, 2.26)]
    for age_s in (0.0, 0.9):
        assert [guard.review(walk, age_s).kind for walk in walks] == ["allow", "deny"]
