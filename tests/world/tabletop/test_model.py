"""The compiled tabletop: scenes laid out by changing numbers, containers that are hollow, things at rest."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.catalogue import SHAPES, find_shape
from heedful.state.tabletop.scene import TableObject
from tests.world.tabletop.scenes import item

mujoco = pytest.importorskip("mujoco", reason="needs the extra `tabletop`")

if TYPE_CHECKING:
    from heedful.world.tabletop.model import TabletopModel
    from heedful.world.tabletop.simulation import TableSimulation

DRAGGED = [name for name, shape in SHAPES.items() if shape.kind == "dragged"]
FLOOR_M = {"bowl": 0.005, "pan": 0.004, "container": 0.002, "pallet": 0.026, "frame": 0.0, "square": 0.0}
"""How far above the table things rest in each container."""
SECOND = 240


@pytest.fixture
def table(simulation: TableSimulation) -> TabletopModel:
    return simulation.table


def moved(table: TabletopModel, *objects: TableObject, steps: int = 2 * SECOND) -> np.ndarray:
    """Lay out a scene, let it move, and return its state."""
    table.set_scene(objects, "suction")
    mujoco.mj_step(table.model, table.data, steps)
    return np.array(table.data.qpos)


@pytest.mark.parametrize("name", list(FLOOR_M))
def test_a_block_lowered_into_a_container_touches_its_floor(table: TabletopModel, name: str) -> None:
    moved(table, item(5, name, 0.5, 0.1), item(6, "block", 0.5, 0.1, 0.2))
    pose = table.pose(6)
    assert pose.z - 0.035 == pytest.approx(FLOOR_M[name], abs=3e-4)
    assert math.hypot(pose.x - 0.5, pose.y - 0.1) < 1e-3


def test_a_block_beside_the_rim_of_a_bowl_does_not_float(table: TabletopModel) -> None:
    moved(table, item(5, "bowl", 0.5, 0.0), item(6, "small block", 0.5, 0.12))
    assert table.pose(6).z == pytest.approx(0.015, abs=3e-4)


def under(table: TabletopModel, x: float, y: float) -> int:
    """Return the first geom that can be touched under a point, from above."""
    hit = np.zeros(1, np.int32)
    touched = np.array([0, 0, 0, 1, 0, 0], np.uint8)
    down = np.array([0.0, 0.0, -1.0])
    mujoco.mj_ray(table.model, table.data, np.array([x, y, 0.2]), down, touched, 1, -1, hit)
    return int(hit[0])


@pytest.mark.parametrize(
    ("name", "aside", "is_there"),
    [("ring", 0.0, False), ("ring", 0.035, True), ("round", 0.0, True), ("L-shaped block", 0.0, False)],
)
def test_holes_and_notches_cannot_be_touched(
    table: TabletopModel, name: str, aside: float, is_there: bool
) -> None:
    table.set_scene([item(5, name, 0.5, 0.0)], "suction")
    assert (under(table, 0.5 + aside, 0.0) in table.geoms(5)) is is_there


@pytest.mark.parametrize("name", DRAGGED)
def test_what_is_laid_down_rests_flat_where_it_was_laid(table: TabletopModel, name: str) -> None:
    moved(table, item(5, name, 0.5, 0.1, yaw=0.7))
    pose, half = table.pose(5), find_shape(name).extent.size[2] / 2
    assert pose.z == pytest.approx(half, abs=3e-4)
    assert math.hypot(pose.x - 0.5, pose.y - 0.1) < 1e-4
    assert math.hypot(*pose.rotation[:2]) < 1e-3
    assert np.abs(table.data.qvel).max() < 1e-3


@pytest.mark.parametrize("name", DRAGGED)
def test_a_slot_weighs_what_the_compiler_would_have_found(table: TabletopModel, name: str) -> None:
    table.set_scene([item(5, name, 0.5, 0.0)], "suction")
    body = table.body(5)
    compiled = copy.copy(table.model)
    mujoco.mj_setConst(compiled, mujoco.MjData(compiled))
    assert table.model.body_mass[body] == pytest.approx(find_shape(name).mass_kg)
    assert table.model.body_invweight0[body] == pytest.approx(compiled.body_invweight0[body], rel=1e-6)
    assert table.model.body_subtreemass[body] == pytest.approx(compiled.body_subtreemass[body])


def test_slots_that_are_not_used_stay_away_and_touch_nothing(table: TabletopModel) -> None:
    table.set_scene((), "suction")
    before = np.array(table.data.qpos)
    mujoco.mj_step(table.model, table.data, SECOND)
    assert table.data.ncon == 0
    assert table.data.qpos == pytest.approx(before, abs=1e-9)
    assert (table.data.qpos.reshape(-1, 7)[:, 2] < -30.0).all()


def test_a_scene_moves_the_same_whatever_was_laid_out_before(table: TabletopModel) -> None:
    scene = (
        item(5, "bowl", 0.5, 0.0),
        item(6, "letter R", 0.53, 0.02, 0.2, yaw=1.0),
        item(7, "star", 0.4, 0.2, 0.1),
    )
    first = moved(table, *scene)
    moved(table, *(item(5 + k, "small block", 0.3 + 0.06 * k, 0.0) for k in range(6)))
    moved(table, item(5, "pallet", 0.5, 0.0), item(6, "ring", 0.5, 0.0, 0.3))
    again = moved(table, *scene)
    assert np.array_equal(first.reshape(-1, 7)[:2], again.reshape(-1, 7)[:2])


def test_what_is_lent_comes_back_to_the_last_bit(table: TabletopModel) -> None:
    scene = (item(5, "bowl", 0.5, 0.0), item(6, "letter R", 0.53, 0.02, 0.2, yaw=1.0))
    undisturbed = moved(table, *scene, steps=SECOND)
    moved(table, *scene, steps=60)
    with table.lent():
        moved(table, item(0, "pan", 0.5, 0.0), item(1, "ring", 0.5, 0.0, 0.2))
    mujoco.mj_step(table.model, table.data, SECOND - 60)
    assert np.array_equal(np.array(table.data.qpos), undisturbed)
    assert [found.name for found in table.objects] == ["bowl", "letter R"]


def test_marks_touch_nothing(table: TabletopModel) -> None:
    moved(
        table,
        item(5, "three-sided rectangle", 0.5, 0.0),
        item(6, "line", 0.5, 0.0),
        item(7, "block", 0.4, 0.1, 0.05),
    )
    assert table.pose(7).z == pytest.approx(0.035, abs=3e-4)


def test_things_slide_by_their_own_friction(table: TabletopModel) -> None:
    """A push of 1 m/s carries a body v^2 / (2 mu g) far."""
    for name, friction in (("small block", 0.5), ("shorter block", 1.0)):
        table.set_scene([item(5, name, 0.5, 0.0)], "suction")
        mujoco.mj_step(table.model, table.data, SECOND)
        table.data.qvel[1] = 0.5
        mujoco.mj_step(table.model, table.data, SECOND)
        assert table.pose(5).y == pytest.approx(0.5**2 / (2 * friction * 9.8), rel=0.15), name


def test_a_scene_may_hold_as_much_as_any_task_needs(table: TabletopModel) -> None:
    for name, tool in (("small block", "spatula"), ("bowl", "suction")):
        things = [item(5 + k, name, 0.5, -0.4 + 0.15 * k) for k in range(6)]
        table.set_scene(things, tool)
        assert [found.id for found in table.objects] == list(range(5, 11))
        assert [table.pose(thing.id).y for thing in things] == [thing.pose.y for thing in things]


def test_too_many_loose_containers_and_double_ids_are_refused(table: TabletopModel) -> None:
    loose = TableObject(5, "bowl", "red", "base", (0.17, 0.17, 0.0), item(5, "bowl", 0.5, 0.0).pose)
    with pytest.raises(InputError, match="has to be fixed"):
        table.set_scene([loose], "suction")
    with pytest.raises(InputError, match="at most"):
        table.set_scene([item(5 + k, "small block", 0.5, 0.0) for k in range(11)], "suction")
    with pytest.raises(InputError, match="id 5"):
        table.set_scene([item(5, "block", 0.5, 0.0), item(5, "block", 0.6, 0.0)], "suction")


def test_a_refused_scene_leaves_the_last_one_as_it_was(table: TabletopModel) -> None:
    table.set_scene([item(5, "block", 0.5, 0.0)], "suction")
    unknown = TableObject(
        6, "block", "no such", "dragged", (0.07, 0.07, 0.07), item(6, "block", 0.3, 0.0).pose
    )
    with pytest.raises(UnknownNameError, match="Texture"):
        table.set_scene([unknown], "suction")
    assert [found.id for found in table.objects] == [5]
    assert table.pose(5).x == 0.5
