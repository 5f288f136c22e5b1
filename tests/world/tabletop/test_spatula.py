"""The spatula: where the blade goes, what it pushes, and what is seen to cross the line."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from heedful.state.tabletop.action import TableAction
from tests.world.tabletop.scenes import item, sweep_scene

if TYPE_CHECKING:
    from heedful.world.tabletop.simulation import TableSimulation

BLADE_AND_BLOCK_M = 0.0025 + 0.015
SLIDE_M = 0.008
"""A block slides on a little when the blade stops."""


def test_stroke_begins_behind_the_start_and_ends_short_of_the_end() -> None:
    pytest.importorskip("mujoco", reason="needs the extra `tabletop`")
    spatula = import_module("heedful.world.tabletop.spatula")
    stroke = spatula.plan_stroke(TableAction((0.6, 0.0), (0.4, 0.0)))
    assert stroke.begin == pytest.approx((0.62, 0.0))
    assert stroke.end == pytest.approx((0.45, 0.0))
    assert math.sin(stroke.yaw) == pytest.approx(-1.0)


def test_a_block_ends_before_the_blade(simulation: TableSimulation) -> None:
    simulation.reset(sweep_scene(item(6, "small block", 0.6, 0.0), line_x=0.35))
    after = simulation.step(TableAction((0.62, 0.0), (0.45, 0.0)))
    assert 0.5 - BLADE_AND_BLOCK_M - SLIDE_M < after.poses[6].x < 0.5 - BLADE_AND_BLOCK_M + 0.002
    assert after.crossed == frozenset()


def test_given_rotations_are_ignored(simulation: TableSimulation) -> None:
    scene = sweep_scene(item(6, "small block", 0.6, 0.0), line_x=0.35)
    simulation.reset(scene)
    plain = simulation.step(TableAction((0.62, 0.0), (0.45, 0.0)))
    simulation.reset(scene)
    turned = simulation.step(TableAction((0.62, 0.0), (0.45, 0.0), (0.5,) * 4, (1.0, 0.0, 0.0, 0.0)))
    assert turned == plain


def test_a_push_over_no_distance_moves_nothing(simulation: TableSimulation) -> None:
    start = simulation.reset(sweep_scene(item(6, "small block", 0.6, 0.0)))
    after = simulation.step(TableAction((0.6, 0.0), (0.6, 0.0)))
    assert (after.poses[6].x, after.poses[6].y) == pytest.approx(
        (start.poses[6].x, start.poses[6].y), abs=1e-4
    )


def test_a_block_pushed_over_the_line_has_crossed_it_wherever_it_ends(simulation: TableSimulation) -> None:
    simulation.reset(sweep_scene(item(6, "small block", 0.6, 0.0), line_x=0.43))
    after = simulation.step(TableAction((0.62, 0.0), (0.25, 0.0)))
    assert after.poses[6].x < 0.43 - 0.035
    assert after.crossed == {6}


def test_a_block_beside_the_line_has_not_crossed_it(simulation: TableSimulation) -> None:
    simulation.reset(sweep_scene(item(6, "small block", 0.6, 0.3), line_x=0.43))
    after = simulation.step(TableAction((0.62, 0.3), (0.25, 0.3)))
    assert after.poses[6].x < 0.43 - 0.035
    assert after.crossed == frozenset()


def test_a_blade_lowered_onto_a_block_loses_nothing(simulation: TableSimulation) -> None:
    simulation.reset(sweep_scene(item(6, "small block", 0.6, 0.0)))
    after = simulation.step(TableAction((0.58, 0.003), (0.5, 0.003)))
    assert after.lost == frozenset()
    assert 0.0 < after.poses[6].z < 0.05
