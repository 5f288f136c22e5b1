"""The Gymnasium environment: its checker, its seeds, its endings, and many of it at once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="needs the extra `tabletop`")
pytest.importorskip("mujoco", reason="needs the extra `tabletop`")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from heedful.state.tabletop.scene import TASKS  # noqa: E402
from heedful.world.tabletop.env import TabletopEnv  # noqa: E402
from heedful.world.tabletop.gym_ids import IDS, register_envs  # noqa: E402
from heedful.world.tabletop.spawn import draw_scene  # noqa: E402
from heedful.world.tabletop.vector import make_vector  # noqa: E402

if TYPE_CHECKING:
    from heedful.state.tabletop.scene import Task

CORNER = {
    "pose0_position": np.array([0.25, -0.5], np.float32),
    "pose0_rotation": np.array([0, 0, 0, 1], np.float32),
    "pose1_position": np.array([0.25, -0.5], np.float32),
    "pose1_rotation": np.array([0, 0, 0, 1], np.float32),
}


@pytest.fixture(scope="module")
def env() -> Iterator[TabletopEnv]:
    with TabletopEnv(render_mode="rgb_array") as found:
        yield found


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    return bool(np.array_equal(a, b))


@pytest.mark.parametrize("name", IDS)
def test_every_id_passes_the_checker_of_gymnasium(name: str) -> None:
    register_envs()
    made = gymnasium.make(name, render_mode="rgb_array")
    with warnings.catch_warnings():
        # bounds are metres of the table, as in the original
        warnings.filterwarnings("ignore", message=".*symmetric and normalized.*")
        check_env(made.unwrapped)
    made.close()


def test_ids_are_registered_once(recwarn: pytest.WarningsRecorder) -> None:
    register_envs()
    register_envs()
    assert set(IDS) <= set(gymnasium.registry)
    assert set(IDS.values()) == set(TASKS)


def test_the_same_seed_gives_the_same_bytes_after_other_episodes(env: TabletopEnv) -> None:
    first, _ = env.reset(seed=5)
    other, _ = env.reset(seed=6)
    again, _ = env.reset(seed=5)
    assert same(first, again)
    assert not same(first, other)


def test_an_episode_is_cut_off_two_steps_after_the_oracle(env: TabletopEnv) -> None:
    _, info = env.reset(seed=1)
    assert info["outcome"] == ""
    ends = [env.step(CORNER)[2:] for _ in range(5)]
    assert [(is_over, is_cut_off) for is_over, is_cut_off, _ in ends] == [(False, False)] * 4 + [
        (False, True)
    ]
    assert ends[-1][2]["outcome"] == "TIMEOUT"


def test_the_right_action_succeeds_and_is_rewarded(env: TabletopEnv) -> None:
    scene = next(
        s for s in map(draw_block_scene, range(200)) if s.object(s.goals[0].objects[0]).name == "block"
    )
    env.reset(options={"scene": scene})
    dragged, base = scene.object(scene.goals[0].objects[0]).pose, scene.object(scene.goals[0].target).pose
    action = {**CORNER, "pose0_position": [dragged.x, dragged.y], "pose1_position": [base.x, base.y]}
    _, reward, is_over, is_cut_off, info = env.step(action)
    assert (reward, is_over, is_cut_off) == (1.0, True, False)
    assert (info["success"], info["failure"], info["outcome"], info["reason"]) == (True, False, "SUCCESS", "")


def draw_block_scene(seed: int) -> Any:
    return draw_scene("visual_manipulation", "placement", seed)


def test_a_frame_shows_both_views(env: TabletopEnv) -> None:
    seen, _ = env.reset(seed=1)
    frame = env.render()
    assert frame is not None
    assert np.array_equal(frame[:128], seen["rgb"]["front"].transpose(1, 2, 0))
    assert np.array_equal(frame[128:], seen["rgb"]["top"].transpose(1, 2, 0))


def test_the_arm_is_seen_in_the_paper_profile_only(env: TabletopEnv) -> None:
    robot = {2, 3, 4}
    hidden, _ = env.reset(seed=1)
    with TabletopEnv(profile="paper") as paper:
        visible, _ = paper.reset(seed=1)
    assert not robot & set(np.unique(hidden["segm"]["front"]))
    assert robot & set(np.unique(visible["segm"]["front"]))


@pytest.mark.parametrize("task", ["visual_manipulation", "sweep_without_exceeding"])
def test_many_at_once_give_the_bytes_of_each_alone(task: Task) -> None:
    seeds = [11, 12]
    vector = make_vector(2, task=task)
    try:
        vector.action_space.seed(0)
        begun, _ = vector.reset(seed=seeds)
        actions = vector.action_space.sample()
        stepped = vector.step(actions)[0]
    finally:
        vector.close()
    with TabletopEnv(task) as alone:
        for place, seed in enumerate(seeds):
            assert same(pick(begun, place), alone.reset(seed=seed)[0])
            assert same(pick(stepped, place), alone.step(pick(actions, place))[0])


def pick(batch: Any, place: int) -> Any:
    if isinstance(batch, dict):
        return {name: pick(part, place) for name, part in batch.items()}
    return batch[place]
