"""Every tensor of a checkpoint matters: with any one exchanged, the recorded outputs no longer come out.

A mutant is compared at the first recorded outputs that its tensor leads to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch

from heedful.policies.vima.model import Tokens, VimaModel
from heedful.policies.vima.policy import VimaPolicy, crop_views
from heedful.policies.vima.prompt import PromptParts, read_prompt
from heedful.policies.vima.tokenizer import PromptTokenizer

from . import shown
from .recorded import TOLERANCE, difference
from .weights import weight

UNUSED = {
    "xattn_gpt.position_ids",
    "xattn_gpt.xattn_position_ids",
    "xattn_gpt.xattns.0.kv_position_ids",
    "t5_prompt_encoder.t5.shared.weight",
    "t5_prompt_encoder.t5.encoder.embed_tokens.weight",
}
"""What checkpoints hold but nothing reads, in the original neither."""
STAGES: Mapping[str, tuple[str, ...]] = {
    "t5": ("t5_prompt_encoder", "t5_prompt_encoder_post_layer"),
    "assembly": ("prompt_embedding", "prompt_obj_post_layer"),
    "observation": ("obj_encoder", "end_effector_encoder", "obs_fusion_layer"),
    "decoder": ("xattn_gpt",),
    "action": ("action_encoder",),
    "heads": ("action_decoder",),
}


@dataclass(frozen=True)
class Run:
    """One run's intermediate results, from which each stage can be run again."""

    parts: PromptParts
    assembled: Tokens
    prompt: Tokens
    observations: list[Tokens]
    actions: list[torch.Tensor]
    embedding: torch.Tensor


@pytest.fixture(scope="module")
def run(model: VimaModel, tokenizer: PromptTokenizer) -> Run:
    policy = VimaPolicy(model, tokenizer)
    policy.reset(shown.prompt())
    steps = [policy.act(shown.observation(step)) for step in range(3)]
    episode = policy.current()
    parts = read_prompt(shown.prompt(), tokenizer)
    with torch.inference_mode():
        assembled = model.assemble(parts)
    embedding = torch.from_numpy(np.asarray(steps[-1].embedding))
    return Run(parts, assembled, episode.prompt, episode.observations, episode.actions, embedding)


def t5(model: VimaModel, run: Run, original: dict[str, Any]) -> float:
    encoded = model.t5_prompt_encoder(run.assembled.values[None], run.assembled.mask[None])
    return difference(original, "prompt_tokens", model.t5_prompt_encoder_post_layer(encoded)[0])


def assembly(model: VimaModel, run: Run, original: dict[str, Any]) -> float:
    return difference(original, "prompt_tokens", model.encode_prompt(run.parts).values)


def observation(model: VimaModel, run: Run, original: dict[str, Any]) -> float:
    seen = model.encode_observation(crop_views(shown.observation(0)), 0)
    return difference(original, "observation_tokens_0", seen.values[seen.mask])


def decoder(model: VimaModel, run: Run, original: dict[str, Any]) -> float:
    tokens = model.predict(run.prompt, run.observations, run.actions[:2])
    return max(difference(original, f"embedding_{step}", one) for step, one in enumerate(tokens))


def action(model: VimaModel, run: Run, original: dict[str, Any]) -> float:
    bins = {part: torch.tensor(one) for part, one in original["steps"][0]["bins"].items()}
    return difference(original, "action_token_0", model.encode_action(bins))


def heads(model: VimaModel, run: Run, original: dict[str, Any]) -> float:
    decoded = model.decode(run.embedding)
    return max(difference(original, f"{part}_2", torch.cat(one)) for part, one in decoded.items())


Stage = Callable[[VimaModel, Run, dict[str, Any]], float]
RUNS: Mapping[str, Stage] = {
    "t5": t5,
    "assembly": assembly,
    "observation": observation,
    "decoder": decoder,
    "action": action,
    "heads": heads,
}


def mutated(key: str, tensor: torch.Tensor) -> torch.Tensor:
    """Another tensor of the same kind; of the causal mask, one that lets the future through."""
    if key.endswith(".attn.bias"):
        return torch.ones_like(tensor)
    return torch.from_numpy(weight(key, tuple(tensor.shape), "another"))


def test_every_tensor_belongs_to_a_stage(model: VimaModel) -> None:
    starts = {start for names in STAGES.values() for start in names}
    assert {key.split(".")[0] for key in model.state_dict()} == starts


def unnoticed(
    stage: str, keys: Iterable[str], model: VimaModel, run: Run, original: dict[str, Any]
) -> set[str]:
    """Return the keys of a stage whose exchange leaves the recorded outputs as they are."""
    tensors, found = model.state_dict(), set()
    with torch.no_grad():
        assert RUNS[stage](model, run, original) < TOLERANCE
        for key in keys:
            kept = tensors[key].clone()
            tensors[key].copy_(mutated(key, kept))
            if RUNS[stage](model, run, original) < TOLERANCE:
                found.add(key)
            tensors[key].copy_(kept)
    return found


def keys_of(stage: str, model: VimaModel) -> list[str]:
    """The keys that a stage reads."""
    return [key for key in model.state_dict() if key.split(".")[0] in STAGES[stage] and key not in UNUSED]


@pytest.mark.parametrize("stage", STAGES)
def test_exchanged_tensor_of_any_kind_is_noticed(
    stage: str, model: VimaModel, run: Run, original: dict[str, Any]
) -> None:
    kinds = {re.sub(r"\.\d+\.", ".", key, count=1): key for key in keys_of(stage, model)}
    assert not unnoticed(stage, kinds.values(), model, run, original)


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
def test_every_exchanged_tensor_is_noticed(
    stage: str, model: VimaModel, run: Run, original: dict[str, Any]
) -> None:
    assert not unnoticed(stage, keys_of(stage, model), model, run, original)
