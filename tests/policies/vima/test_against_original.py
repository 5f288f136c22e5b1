"""Our network against samples of what the original code computed from the same weights and pictures."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from heedful.policies.policy import PolicyStep
from heedful.policies.vima.action import head_names, unit_to_bins
from heedful.policies.vima.model import VimaModel
from heedful.policies.vima.policy import Episode, VimaPolicy, crop_views
from heedful.policies.vima.prompt import read_prompt
from heedful.policies.vima.tokenizer import PromptTokenizer, Slot, Word
from heedful.state.tabletop.workspace import VIEWS

from . import pictures, shown
from .recorded import TOLERANCE, difference

STEPS = range(len(pictures.STEP_BOXES))
PARTS = ("pose0_position", "pose0_rotation", "pose1_position", "pose1_rotation")


@dataclass(frozen=True)
class Ran:
    steps: list[PolicyStep]
    episode: Episode


@pytest.fixture(scope="module")
def ran(model: VimaModel, tokenizer: PromptTokenizer) -> Ran:
    policy = VimaPolicy(model, tokenizer)
    policy.reset(shown.prompt())
    steps = [policy.act(shown.observation(step)) for step in STEPS]
    return Ran(steps, policy.current())


def test_enough_is_compared(original: dict[str, Any]) -> None:
    assert sum(len(one["value"]) for one in original["outputs"].values()) >= 300


def test_prompt_is_tokenised_like_the_original(tokenizer: PromptTokenizer, original: dict[str, Any]) -> None:
    elements = tokenizer.split(pictures.TEMPLATE)
    assert [int(isinstance(one, Slot)) for one in elements] == original["token_types"]
    assert [one.id for one in elements if isinstance(one, Word)] == original["word_ids"]


@pytest.mark.parametrize("view", VIEWS)
def test_prompt_pictures_are_cropped_like_the_original(
    view: Any, tokenizer: PromptTokenizer, original: dict[str, Any]
) -> None:
    images = read_prompt(shown.prompt(), tokenizer).images
    crops = np.stack([one[view].crops for one in images])
    assert [one[view].boxes.tolist() for one in images] == original[f"prompt_boxes_{view}"]
    assert [one[view].seen.tolist() for one in images] == original[f"prompt_seen_{view}"]
    assert hashlib.sha256(crops.tobytes()).hexdigest() == original[f"prompt_crops_{view}"]
    assert difference(original, f"prompt_crops_{view}", crops) == 0


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("step", STEPS)
def test_scenes_are_cropped_like_the_original(step: int, view: Any, original: dict[str, Any]) -> None:
    crops = crop_views(shown.observation(step))[view]
    assert crops.boxes.tolist() == original["steps"][step][f"boxes_{view}"]
    assert crops.seen.tolist() == original["steps"][step][f"seen_{view}"]
    assert difference(original, f"crops_{view}_{step}", crops.crops) == 0


def test_prompt_tokens_agree(ran: Ran, original: dict[str, Any]) -> None:
    assert ran.episode.prompt.mask.tolist() == original["prompt_mask"]
    assert difference(original, "prompt_tokens", ran.episode.prompt.values) < TOLERANCE


@pytest.mark.parametrize("step", STEPS)
def test_observation_tokens_agree(step: int, ran: Ran, original: dict[str, Any]) -> None:
    seen = ran.episode.observations[step]
    assert difference(original, f"observation_tokens_{step}", seen.values[seen.mask]) < TOLERANCE


@pytest.mark.parametrize("step", STEPS)
def test_embeddings_agree(step: int, ran: Ran, original: dict[str, Any]) -> None:
    assert difference(original, f"embedding_{step}", ran.steps[step].embedding) < TOLERANCE
    assert difference(original, f"action_token_{step}", ran.episode.actions[step]) < TOLERANCE


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("part", PARTS)
def test_distributions_agree(step: int, part: str, ran: Ran, original: dict[str, Any]) -> None:
    found = ran.steps[step].distribution or {}
    joint = np.concatenate([found[name] for name, (of, _) in head_names().items() if of == part])
    assert difference(original, f"{part}_{step}", joint) < TOLERANCE


@pytest.mark.parametrize("step", STEPS)
def test_actions_agree(step: int, ran: Ran, original: dict[str, Any]) -> None:
    found, recorded = ran.steps[step], original["steps"][step]
    names = head_names()
    bins = {name: int(one.argmax()) for name, one in (found.distribution or {}).items()}
    assert bins == {name: recorded["bins"][part][place] for name, (part, place) in names.items()}
    for part in PARTS:
        assert getattr(found.action, part) == pytest.approx(recorded["action"][part], abs=1e-6)


def test_values_fall_into_the_originals_bins(original: dict[str, Any]) -> None:
    recorded = original["discretised"]
    values = torch.tensor(recorded["value"])[:, None]
    bins = unit_to_bins({"pose0_position": values.expand(-1, 2), "pose0_rotation": values.expand(-1, 4)})
    assert bins["pose0_position"].tolist() == recorded["position"]
    assert bins["pose0_rotation"].tolist() == recorded["rotation"]
