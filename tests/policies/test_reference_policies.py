"""The scripted policies: the oracle succeeds, those that know nothing do not."""

from __future__ import annotations

import math

import numpy as np
import pytest

pytest.importorskip("cv2", reason="needs the extra `tabletop`")

from heedful.errors import InputError, UnknownNameError
from heedful.policies.noop import NoopPolicy
from heedful.policies.oracle import OraclePolicy, carry
from heedful.policies.random import RandomPolicy
from heedful.policies.registry import POLICIES, build_policy
from heedful.state.tabletop.observation import ShownPrompt, TableObservation, TableView
from heedful.state.tabletop.scene import ObjectPose
from heedful.state.tabletop.workspace import VIEWS, is_inside

PROMPT = ShownPrompt("Put it there.", {})
BLANK = TableView(np.zeros((128, 256, 3), np.uint8), np.zeros((128, 256), np.uint8))
SEEN = TableObservation(dict.fromkeys(VIEWS, BLANK), "suction", (5,))


def test_carry_moves_the_origin_onto_the_target_whatever_point_is_picked() -> None:
    turn = (0.0, 0.0, math.sin(0.4), math.cos(0.4))
    target = ObjectPose(0.6, -0.2, 0.0, turn)
    action = carry(ObjectPose(0.4, 0.1, 0.02), target, (0.43, 0.12))
    cos, sin = math.cos(0.8), math.sin(0.8)
    offset = (0.03 * cos - 0.02 * sin, 0.03 * sin + 0.02 * cos)
    assert action.pose0_position == (0.43, 0.12)
    assert action.pose1_position == pytest.approx((0.6 + offset[0], -0.2 + offset[1]))
    assert action.pose1_rotation == pytest.approx(turn)


def test_an_oracle_without_a_planner_is_refused() -> None:
    with pytest.raises(InputError, match="planner"):
        OraclePolicy().reset(PROMPT)
    with pytest.raises(InputError, match="reset"):
        OraclePolicy().act(SEEN)


def test_random_actions_stay_in_bounds_and_repeat_with_the_seed() -> None:
    policy = RandomPolicy()
    runs = []
    for _ in range(2):
        policy.reset(PROMPT, rng=np.random.default_rng(7))
        runs.append([policy.act(SEEN).action for _ in range(50)])
    assert runs[0] == runs[1]
    assert len(set(runs[0])) == 50
    for action in runs[0]:
        assert is_inside(*action.pose0_position)
        assert is_inside(*action.pose1_position)
        assert max(map(abs, (*action.pose0_rotation, *action.pose1_rotation))) <= 1.0


def test_noop_always_does_the_same_in_one_place() -> None:
    policy = NoopPolicy()
    policy.reset(PROMPT)
    action = policy.act(SEEN).action
    assert action == policy.act(SEEN).action
    assert action.pose0_position == action.pose1_position


def test_registry_builds_the_scripted_policies_and_names_the_nearest() -> None:
    assert {"oracle", "oracle_deepest", "oracle_original", "random", "noop"} <= set(POLICIES)
    assert build_policy("noop") is not build_policy("noop")
    with pytest.raises(UnknownNameError, match="oracle"):
        build_policy("orakle")
