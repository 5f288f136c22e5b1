from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from heedful.errors import InputError
from heedful.policies.policy import Policy, PolicyStep
from heedful.policies.vima.model import VimaModel
from heedful.policies.vima.policy import VimaPolicy
from heedful.policies.vima.tokenizer import PromptTokenizer
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownImage, TableObservation, TableView
from heedful.state.tabletop.workspace import View, is_inside

from . import shown


@pytest.fixture
def policy(model: VimaModel, tokenizer: PromptTokenizer) -> VimaPolicy:
    return VimaPolicy(model, tokenizer)


def embedding(step: PolicyStep) -> NDArray[np.float32]:
    assert step.embedding is not None
    return step.embedding


def distribution(step: PolicyStep) -> Mapping[str, NDArray[np.float32]]:
    assert step.distribution is not None
    return step.distribution


def hide(seen: TableObservation | ShownImage, *views: str) -> dict[View, TableView]:
    blank = np.full((128, 256), 255, dtype=np.uint8)
    return {
        name: TableView(one.rgb, blank if name in views else one.segm) for name, one in seen.views.items()
    }


def test_step_has_a_distribution_that_sums_to_one_and_an_embedding(policy: VimaPolicy) -> None:
    policy.reset(shown.prompt())
    step = policy.act(shown.observation(0))
    heads = distribution(step)
    assert {name: len(one) for name, one in heads.items()} == {
        f"{pose}_{part}.{axis}": bins
        for pose in ("pose0", "pose1")
        for part, axes in (("position", {"x": 50, "y": 100}), ("rotation", dict.fromkeys("xyzw", 50)))
        for axis, bins in axes.items()
    }
    assert all(np.exp(one).sum() == pytest.approx(1.0, abs=1e-5) for one in heads.values())
    assert embedding(step).shape == (256,)
    assert embedding(step).dtype == np.float32
    assert is_inside(*step.action.pose0_position)
    assert is_inside(*step.action.pose1_position)


def test_reset_forgets_the_episode_before(policy: VimaPolicy) -> None:
    as_policy: Policy = policy
    as_policy.reset(shown.prompt())
    first = as_policy.act(shown.observation(0))
    as_policy.act(shown.observation(1))
    as_policy.reset(shown.prompt(), None, np.random.default_rng(1))
    again = as_policy.act(shown.observation(0))
    assert again.action == first.action
    assert np.array_equal(embedding(again), embedding(first))


def test_history_and_tool_and_prompt_change_what_is_decoded(policy: VimaPolicy) -> None:
    policy.reset(shown.prompt())
    first = embedding(policy.act(shown.observation(0)))
    second = embedding(policy.act(shown.observation(0)))
    policy.reset(shown.prompt())
    spatula = embedding(policy.act(replace(shown.observation(0), end_effector="spatula")))
    policy.reset(shown.prompt("Put the {base_obj} into the {dragged_obj_1}."))
    swapped = embedding(policy.act(shown.observation(0)))
    for other in (second, spatula, swapped):
        assert np.abs(first - other).max() > 1e-3


def test_followed_action_takes_the_place_of_the_chosen_one(policy: VimaPolicy) -> None:
    def second_after(action: TableAction | None) -> NDArray[np.float32]:
        policy.reset(shown.prompt())
        policy.act(shown.observation(0))
        if action is not None:
            policy.follow(action)
        return embedding(policy.act(shown.observation(1)))

    one = TableAction((0.5, 0.0), (0.3, 0.2))
    assert np.array_equal(second_after(one), second_after(one))
    assert np.abs(second_after(one) - second_after(None)).max() > 1e-3


@pytest.mark.parametrize("views", [("front",), ("front", "top")])
def test_scene_with_nothing_to_see_is_acted_on(views: Any, policy: VimaPolicy) -> None:
    policy.reset(shown.prompt())
    seen = shown.observation(0)
    step = policy.act(replace(seen, views=hide(seen, *views)))
    assert np.isfinite(embedding(step)).all()


def test_number_of_objects_may_change(policy: VimaPolicy) -> None:
    policy.reset(shown.prompt())
    policy.act(replace(shown.observation(0), object_ids=(5, 6)))
    fewer = embedding(policy.act(shown.observation(1)))
    assert np.isfinite(fewer).all()


def test_prompt_of_words_only_is_read(policy: VimaPolicy) -> None:
    policy.reset(replace(shown.prompt("Put the house in"), images={}))
    assert np.isfinite(embedding(policy.act(shown.observation(0)))).all()


@pytest.mark.parametrize("views", [("front",), ("front", "top")])
def test_prompt_picture_with_nothing_to_see_is_left_out(views: Any, policy: VimaPolicy) -> None:
    prompt = shown.prompt("Put the {base_obj} in")
    hidden = replace(prompt.images["base_obj"], views=hide(prompt.images["base_obj"], *views))
    policy.reset(replace(prompt, images={"base_obj": hidden}))
    assert np.isfinite(embedding(policy.act(shown.observation(0)))).all()


def test_prompt_that_cannot_be_read_is_refused(policy: VimaPolicy) -> None:
    without = replace(shown.prompt(), images={"scene": shown.image("scene")})
    with pytest.raises(InputError, match="no picture for 'dragged_obj_1'; there are: scene"):
        policy.reset(without)
    with pytest.raises(InputError, match="257 tokens; the model takes at most 256"):
        policy.reset(shown.prompt("the " * 256))


def test_order_of_calls_is_checked(model: VimaModel, tokenizer: PromptTokenizer) -> None:
    policy = VimaPolicy(model, tokenizer)
    with pytest.raises(InputError, match="call `reset` before `act`"):
        policy.act(shown.observation(0))
    policy.reset(shown.prompt())
    with pytest.raises(InputError, match="call `act` first"):
        policy.follow(TableAction((0.5, 0.0), (0.5, 0.0)))


def test_history_longer_than_the_model_is_refused(policy: VimaPolicy) -> None:
    policy.reset(shown.prompt())
    many = replace(shown.observation(0), object_ids=tuple(range(5, 133)))
    policy.act(many)
    with pytest.raises(InputError, match="step 2 makes the history 513 tokens long; the model takes 512"):
        policy.act(many)
