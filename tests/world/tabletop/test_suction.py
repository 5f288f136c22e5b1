"""The suction cup: what it lifts, where it puts it, and what it cannot lift."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from heedful.errors import InputError
from heedful.state.tabletop.action import TableAction
from tests.world.tabletop.scenes import item, pick_scene

if TYPE_CHECKING:
    from heedful.world.tabletop.simulation import TableSimulation

FREE = (0.6, -0.3)


def test_a_block_is_put_where_the_action_says(simulation: TableSimulation) -> None:
    start = simulation.reset(pick_scene(item(5, "block", 0.45, 0.1)))
    after = simulation.step(TableAction((0.46, 0.11), (0.61, -0.29)))
    pose = after.poses[5]
    assert after.picked == 5
    assert after.is_settled
    assert (pose.x, pose.y) == pytest.approx(FREE, abs=0.002)
    assert pose.z == pytest.approx(start.poses[5].z, abs=0.001)


def test_place_rotation_turns_what_is_held_about_the_tip(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "block", 0.45, 0.1)))
    quarter = (0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4))
    after = simulation.step(TableAction((0.46, 0.1), FREE, pose1_rotation=quarter))
    pose = after.poses[5]
    assert (pose.x, pose.y) == pytest.approx((0.6, -0.31), abs=0.002)
    assert abs(pose.rotation[2]) == pytest.approx(quarter[2], abs=0.01)


def test_equal_rotations_turn_nothing(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "letter T", 0.45, 0.1, yaw=0.7)))
    turn = (0.0, 0.0, 0.6, 0.8)
    after = simulation.step(TableAction((0.45, 0.1), FREE, turn, turn))
    assert after.picked == 5
    assert abs(after.poses[5].rotation[2]) == pytest.approx(math.sin(0.35), abs=0.01)


def test_a_rotation_of_length_zero_is_upright(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "block", 0.45, 0.1)))
    after = simulation.step(TableAction((0.45, 0.1), FREE, (0.0,) * 4, (0.0,) * 4))
    assert after.poses[5].rotation[3] == pytest.approx(1.0, abs=0.001)


def test_the_table_is_not_lifted(simulation: TableSimulation) -> None:
    start = simulation.reset(pick_scene(item(5, "block", 0.45, 0.1)))
    after = simulation.step(TableAction(FREE, (0.45, 0.1)))
    assert after.picked is None
    assert (after.poses[5].x, after.poses[5].y) == pytest.approx(
        (start.poses[5].x, start.poses[5].y), abs=1e-4
    )


@pytest.mark.parametrize("name", ["bowl", "pan", "frame", "square", "container", "pallet"])
def test_a_container_is_not_lifted(simulation: TableSimulation, name: str) -> None:
    scene = pick_scene(item(5, "block", 0.3, -0.4), item(6, name, 0.55, 0.2, role="base"))
    simulation.reset(scene)
    rim = 0.55 + (0.1 if name == "square" else 0.0), 0.2
    after = simulation.step(TableAction(rim, FREE))
    assert after.picked is None
    assert after.poses[6] == scene.objects[1].pose


def test_the_hole_of_a_ring_is_missed_and_its_rim_is_not(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "ring", 0.45, 0.1)))
    assert simulation.step(TableAction((0.45, 0.1), FREE)).picked is None
    after = simulation.step(TableAction((0.485, 0.1), (0.635, -0.3)))
    assert after.picked == 5
    assert (after.poses[5].x, after.poses[5].y) == pytest.approx(FREE, abs=0.003)


@pytest.mark.parametrize("name", ["bowl", "pan", "container", "square", "frame"])
def test_what_is_put_into_a_container_reaches_its_floor(simulation: TableSimulation, name: str) -> None:
    scene = pick_scene(item(5, "block", 0.3, -0.4), item(6, name, 0.5, 0.2, role="base"))
    start = simulation.reset(scene)
    after = simulation.step(TableAction((0.3, -0.4), (0.5, 0.2)))
    assert math.hypot(after.poses[5].x - 0.5, after.poses[5].y - 0.2) < 0.05
    assert after.poses[5].z - start.poses[5].z < 0.02


def test_blocks_are_stacked_when_placed_on_each_other(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "block", 0.3, -0.4), item(6, "block", 0.5, 0.2)))
    after = simulation.step(TableAction((0.3, -0.4), (0.5, 0.2)))
    assert after.poses[5].z == pytest.approx(0.105, abs=0.003)


def test_lifting_from_below_another_block_drops_that_one(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "block", 0.5, 0.0), item(6, "block", 0.455, 0.0, z=0.107)))
    after = simulation.step(TableAction((0.5, 0.0), (0.6, -0.3)))
    assert after.picked == 5
    assert after.poses[6].z == pytest.approx(0.035, abs=0.004)


def test_places_beyond_the_workspace_are_clipped_to_it(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "block", 0.45, 0.1)))
    after = simulation.step(TableAction((0.45, 0.1), (9.0, -9.0)))
    assert (after.poses[5].x, after.poses[5].y) == pytest.approx((0.75, -0.5), abs=0.002)


def test_an_action_that_is_no_number_is_refused(simulation: TableSimulation) -> None:
    simulation.reset(pick_scene(item(5, "block", 0.45, 0.1)))
    with pytest.raises(InputError, match="no number"):
        simulation.step(TableAction((math.nan, 0.0), FREE))
