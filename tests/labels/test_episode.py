from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from heedful.labels.episode import EpisodeLabel, label_episode
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.progress import Rule, TableState
from heedful.state.tabletop.scene import TableScene
from heedful.trace.episode import (
    EpisodeEnd,
    EpisodeInfo,
    EpisodeRecord,
    StepRecord,
    decode_episodes,
    encode_episode,
)
from tests.state.tabletop.scenes import at, ordering, placing, state, sweeping

ACTION = TableAction((0.3, 0.0), (0.4, 0.0))


def episode(scene: TableScene, tables: Sequence[TableState], rule: Rule = "centre") -> EpisodeRecord:
    steps = tuple(StepRecord(k, ACTION, table) for k, table in enumerate(tables))
    info = EpisodeInfo("e", scene.task, scene.level, scene.seed, "oracle", scene, rule=rule)
    return EpisodeRecord(info, steps, EpisodeEnd(len(steps)))


def judged(scene: TableScene, tables: Sequence[TableState], rule: Rule = "centre") -> EpisodeLabel:
    return label_episode(episode(scene, tables), rule)


PLACING, SWEEPING, ORDERING = placing("frame"), sweeping(2), ordering()
MISS = state(PLACING, {})
ASIDE = state(PLACING, {6: at(0.5, 0.3)}, picked=6)
OTHER = state(PLACING, {7: at(0.6, -0.2)}, picked=7)


def test_success_is_counted_to_the_step_that_decides() -> None:
    won = state(PLACING, {6: at(0.5, 0.03)}, picked=6)
    label = EpisodeLabel("SUCCESS", "centre", "", 2, 1)
    assert judged(PLACING, [MISS, won]) == label
    assert judged(PLACING, [MISS, won, ASIDE]) == label
    assert judged(PLACING, [MISS, won], "strict") == replace(label, rule="strict")


def test_what_comes_after_the_limit_does_not_count() -> None:
    won = state(PLACING, {6: at(0.5, 0.03)}, picked=6)
    assert judged(PLACING, [MISS] * 4 + [won]).outcome == "SUCCESS"
    assert judged(PLACING, [MISS] * 5 + [won]) == EpisodeLabel("TIMEOUT", "centre", "missed_grasp", 5)


def test_failure_carries_the_rules_reason() -> None:
    out = state(PLACING, {6: at(0.8, 0.0)}, picked=6)
    assert judged(PLACING, [MISS, out]) == EpisodeLabel("FAILURE", "centre", "out_of_workspace", 2)


@pytest.mark.parametrize(
    ("last", "reason"), [(MISS, "missed_grasp"), (ASIDE, "wrong_place"), (OTHER, "wrong_object")]
)
def test_the_last_attempt_tells_why_time_ran_out(last: TableState, reason: str) -> None:
    label = EpisodeLabel("TIMEOUT", "centre", reason, 5)
    assert judged(PLACING, [ASIDE, MISS, OTHER, MISS, last]) == label


def test_steps_without_action_are_no_attempts() -> None:
    record = episode(PLACING, [ASIDE] + [MISS] * 4)
    idle = tuple(replace(step, action=None) if step.index else step for step in record.steps)
    assert label_episode(replace(record, steps=idle), "centre").reason == "wrong_place"
    still = tuple(replace(step, action=None) for step in record.steps)
    assert label_episode(replace(record, steps=still), "centre").reason == "no_progress"


@pytest.mark.parametrize(
    ("moved", "outcome", "reason", "reached"),
    [
        ({}, "TIMEOUT", "no_progress", 0),
        ({6: at(0.65, -0.0901)}, "TIMEOUT", "no_progress", 0),
        ({6: at(0.65, -0.0899)}, "TIMEOUT", "wrong_place", 0),
        ({6: at(0.5, 0.0)}, "TIMEOUT", "wrong_count", 1),
        ({6: at(0.5, -0.05), 7: at(0.5, 0.05)}, "SUCCESS", "", 2),
        ({6: at(0.5, -0.05), 7: at(0.5, 0.05), 8: at(0.5, 0.0)}, "FAILURE", "wrong_count", 3),
        ({9: at(0.5, 0.0)}, "FAILURE", "wrong_object", 0),
    ],
)
def test_sweeps(moved: dict, outcome: str, reason: str, reached: int) -> None:
    tables = [state(SWEEPING, {})] * 9 + [state(SWEEPING, moved)]
    assert judged(SWEEPING, tables) == EpisodeLabel(outcome, "centre", reason, 10, reached)


def test_order_by_both_rules() -> None:
    way = [state(ORDERING, {8: at(x, y)}, picked=8) for x, y in ((0.375, 0.0), (0.625, 0.25), (0.375, -0.25))]
    assert judged(ORDERING, way) == EpisodeLabel("SUCCESS", "centre", "", 3, 3)
    assert judged(ORDERING, way, "strict") == EpisodeLabel("SUCCESS", "strict", "", 3, 3)
    assert judged(ORDERING, way[1:]) == EpisodeLabel("FAILURE", "centre", "wrong_order", 1)


def test_stopped_by_the_other_rule_is_a_failure() -> None:
    near = state(PLACING, {6: at(0.5, 0.09)}, picked=6)
    assert judged(PLACING, [near]).outcome == "SUCCESS"
    assert judged(PLACING, [near], "strict") == EpisodeLabel("FAILURE", "strict", "wrong_place", 1)


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"end": None}, "not complete"),
        ({"end": EpisodeEnd(1, "the policy raised ValueError")}, "the policy raised ValueError"),
        ({}, "before anything was decided"),
        ({"steps": ()}, "before anything was decided"),
    ],
)
def test_what_broke_is_invalid_with_its_cause(change: dict, cause: str) -> None:
    label = label_episode(replace(episode(PLACING, [MISS]), **change), "centre")
    assert (label.outcome, label.reason, label.is_scored) == ("INVALID", "", False)
    assert cause in label.cause


def test_an_object_that_left_the_world_is_no_verdict_on_the_policy() -> None:
    broken = state(PLACING, {}, lost=frozenset({6, 7}))
    assert judged(PLACING, [broken]).outcome == "INVALID"
    assert judged(PLACING, [broken] * 5).outcome == "INVALID"


def test_what_does_not_apply_says_why() -> None:
    why = "sweep_without_exceeding does not apply at level 'novel_object'"
    info = EpisodeInfo("e", "sweep_without_exceeding", "novel_object", 0, "oracle")
    label = label_episode(EpisodeRecord(info, (), EpisodeEnd(0, "", why)), "strict")
    assert label == EpisodeLabel("NOT_APPLICABLE", "strict", cause=why)
    assert not label.is_scored


@pytest.mark.parametrize("rule", ["centre", "strict"])
def test_a_stored_episode_is_judged_as_the_fresh_one(rule: Rule) -> None:
    for scene in (PLACING, SWEEPING, ORDERING):
        record = episode(scene, [state(scene, {6: at(0.45, 0.02, 33)}, crossed=frozenset({7}))] * 10)
        (again,) = decode_episodes(encode_episode(record))
        assert label_episode(again, rule) == label_episode(record, rule)
