"""A simulation repeats itself, can be copied, and notices what leaves it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.scene import TASKS, TableScene, Task
from heedful.world.tabletop.spawn import draw_scene
from tests.world.tabletop.scenes import item, pick_scene, sweep_scene

if TYPE_CHECKING:
    from heedful.state.tabletop.progress import TableState
    from heedful.world.tabletop.simulation import TableSimulation


def draw(task: Task, seed: int) -> TableScene:
    return draw_scene(task, "placement", seed)


def actions(seed: int, count: int) -> list[TableAction]:
    rng = np.random.default_rng(seed)
    drawn = rng.uniform((0.25, -0.5, 0.25, -0.5), (0.75, 0.5, 0.75, 0.5), (count, 4)).tolist()
    return [TableAction((a, b), (c, d)) for a, b, c, d in drawn]


def play(simulation: TableSimulation, scene: TableScene) -> list[TableState]:
    objects = [(found.pose.x, found.pose.y) for found in scene.objects]
    aimed = [TableAction(place, (0.5, 0.0)) for place in objects]
    return [simulation.reset(scene), *map(simulation.step, (*aimed, *actions(scene.seed, 2)))]


@pytest.mark.parametrize("task", TASKS)
def test_a_scene_plays_the_same_whatever_was_played_before(simulation: TableSimulation, task: Task) -> None:
    scene = draw(task, 3)
    first = play(simulation, scene)
    for other in TASKS:
        play(simulation, draw(other, 4))
    assert play(simulation, scene) == first


@pytest.mark.parametrize("task", TASKS)
def test_a_step_from_a_snapshot_gives_what_the_step_gave(simulation: TableSimulation, task: Task) -> None:
    scene = draw(task, 5)
    simulation.reset(scene)
    target = scene.objects[-1].pose
    simulation.step(TableAction((0.3, -0.4), (0.5, 0.1)))
    before = simulation.snapshot()
    action = TableAction((target.x, target.y), (0.5, 0.0))
    first = simulation.step(action)
    simulation.restore(before)
    assert simulation.state == before.state
    assert simulation.step(action) == first


def test_a_block_far_off_is_noticed(simulation: TableSimulation) -> None:
    start = simulation.reset(pick_scene(item(5, "block", 0.45, 0.1), item(6, "block", 0.6, -0.2)))
    simulation.physics.displace(5, (20.0, 0.1, 0.035))
    after = simulation.step(TableAction((0.3, -0.4), (0.3, -0.4)))
    assert after.lost == {5}
    assert after.poses[5] == start.poses[5]


def test_broken_physics_is_noticed_and_gives_numbers(
    simulation: TableSimulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    start = simulation.reset(sweep_scene(item(6, "small block", 0.6, 0.0)))
    simulation.physics.displace(6, (float("nan"), 0.0, 0.1))
    after = simulation.step(TableAction((0.3, -0.4), (0.3, -0.4)))
    assert after.lost == {6}
    assert after.poses[6] == start.poses[6]


def test_after_broken_physics_the_next_scene_is_whole(
    simulation: TableSimulation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    scene = draw("visual_manipulation", 3)
    first = play(simulation, scene)
    simulation.physics.displace(scene.goals[0].objects[0], (float("nan"), 0.0, 0.1))
    simulation.step(TableAction((0.3, -0.4), (0.3, -0.4)))
    assert play(simulation, scene) == first
