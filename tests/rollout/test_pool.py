"""Episodes in one process or several: the same records, in the order of the seeds."""

from __future__ import annotations

import pytest

pytest.importorskip("mujoco", reason="needs the extra `tabletop`")
pytest.importorskip("cv2", reason="needs the extra `tabletop`")

from heedful.labels.episode import label_episode
from heedful.metrics.episodes import tally_episodes
from heedful.rollout.plan import RolloutPlan
from heedful.rollout.pool import run_plan
from heedful.state.tabletop.scene import LEVELS, TASKS, Level, Task
from heedful.trace.episode import decode_episodes, encode_episode


def outcomes(plan: RolloutPlan) -> dict[str, int]:
    labels = [label_episode(record, plan.rule) for record in run_plan(plan)]
    return dict(tally_episodes(labels).outcomes)


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_succeeds(task: Task) -> None:
    assert outcomes(RolloutPlan(task, episodes=10)) == {"SUCCESS": 10}


@pytest.mark.parametrize("task", TASKS)
def test_noop_succeeds_nowhere(task: Task) -> None:
    assert outcomes(RolloutPlan(task, policy="noop", episodes=5)) == {"TIMEOUT": 5}


def test_a_task_that_a_level_lacks_does_not_apply() -> None:
    plan = RolloutPlan("sweep_without_exceeding", "novel_object", episodes=2)
    assert outcomes(plan) == {"NOT_APPLICABLE": 2}


@pytest.mark.parametrize(("task", "policy"), [(TASKS[0], "random"), (TASKS[2], "oracle")])
def test_records_are_the_same_bytes_with_one_process_and_with_two(task: Task, policy: str) -> None:
    plan = RolloutPlan(task, policy=policy, first_seed=40, episodes=9)
    one, two = ([encode_episode(record) for record in run_plan(plan, workers)] for workers in (1, 2))
    assert one == two


def test_records_are_the_same_whatever_ran_before() -> None:
    late = list(run_plan(RolloutPlan(TASKS[0], policy="random", first_seed=0, episodes=4)))[3]
    (alone,) = run_plan(RolloutPlan(TASKS[0], policy="random", first_seed=3, episodes=1))
    assert late == alone


def test_records_survive_writing_and_reading() -> None:
    records = list(run_plan(RolloutPlan(TASKS[2], episodes=2)))
    written = b"".join(map(encode_episode, records))
    assert b"".join(map(encode_episode, decode_episodes(written))) == written


def test_records_hold_what_was_seen_done_and_touched() -> None:
    (record,) = run_plan(RolloutPlan(TASKS[0], episodes=1))
    assert record.info.scene is not None
    assert record.info.versions["gl"]
    step = record.steps[0]
    assert step.state.picked == record.info.scene.goals[0].objects[0]
    assert len(step.observation_hash) == 16
    assert any(step.state.picked in pair for pair in step.contacts)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_reaches_its_target_everywhere(task: Task, level: Level) -> None:
    found = outcomes(RolloutPlan(task, level))
    least = 143 if task == "sweep_without_exceeding" else 150
    assert found.get("NOT_APPLICABLE") == 150 or found["SUCCESS"] >= least


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.timeout(3000)
def test_random_actions_break_nothing(task: Task) -> None:
    plan = RolloutPlan(task, policy="random", first_seed=500_000, episodes=2500)
    labels = [label_episode(record, "centre") for record in run_plan(plan, 2)]
    tally = tally_episodes(labels)
    assert tally.outcomes.get("INVALID", 0) == 0
    assert tally.success.high is not None
    assert tally.success.high < 0.05
