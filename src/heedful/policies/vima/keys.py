"""What a checkpoint must hold: every key with its shape and type, and words for what is wrong.

Written from the published files' layout, not from our modules: tests compare the two.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from heedful.policies.vima.config import SIZES, VimaConfig
from heedful.state.tabletop.workspace import VIEWS

T5_DIM, T5_FF, T5_LAYERS, T5_HEADS, T5_BUCKETS, VOCABULARY = 768, 3072, 12, 12, 32, 32128
VIT_DIM, VIT_LAYERS, PATCH_PX, PATCHES = 768, 4, 16, 4
POSITIONS, PROMPT_POSITIONS = 512, 256
ACTION_HIDDEN, DECODER_HIDDEN = 256, 512
POSITION_BINS, ROTATION_BINS = (50, 100), (50, 50, 50, 50)
ACTION_PARTS: Mapping[str, tuple[int, ...]] = {
    "pose0_position": POSITION_BINS,
    "pose0_rotation": ROTATION_BINS,
    "pose1_position": POSITION_BINS,
    "pose1_rotation": ROTATION_BINS,
}
"""Bins of each number of an action."""
SHOWN = 8
"""Faults of one kind that a message lists; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a tensor looks like."""

    shape: tuple[int, ...]
    dtype: str = "float32"

    def __str__(self) -> str:
        return f"{self.dtype} {'x'.join(map(str, self.shape)) or 'scalar'}"


Layouts = dict[str, Layout]


def expected_layouts(config: VimaConfig) -> Layouts:
    """Return every key of a checkpoint with what its tensor must look like."""
    return {
        **decoder_keys(config),
        **object_keys(config.embed_dim),
        **action_keys(config.embed_dim),
        **prompt_keys(config.embed_dim),
    }


def affine(key: str, inputs: int, outputs: int) -> Layouts:
    """A linear layer with its bias."""
    return {f"{key}.weight": Layout((outputs, inputs)), f"{key}.bias": Layout((outputs,))}


def matrix(key: str, inputs: int, outputs: int) -> Layouts:
    """A linear layer without bias."""
    return {f"{key}.weight": Layout((outputs, inputs))}


def transposed(key: str, inputs: int, outputs: int) -> Layouts:
    """A linear layer stored inputs first, as OpenAI's GPT did."""
    return {f"{key}.weight": Layout((inputs, outputs)), f"{key}.bias": Layout((outputs,))}


def norm(key: str, width: int) -> Layouts:
    """A layer norm."""
    return {f"{key}.weight": Layout((width,)), f"{key}.bias": Layout((width,))}


def mlp(key: str, *widths: int) -> Layouts:
    """Linear layers that stand three apart: a placeholder and the activation lie between them."""
    found: Layouts = {}
    for place, (inputs, outputs) in enumerate(pairwise(widths)):
        found |= affine(f"{key}.{3 * place}", inputs, outputs)
    return found


def decoder_keys(config: VimaConfig) -> Layouts:
    """The transformer that decodes actions."""
    width = config.embed_dim
    found = {
        "xattn_gpt.position_ids": Layout((POSITIONS,), "int64"),
        "xattn_gpt.xattn_position_ids": Layout((PROMPT_POSITIONS,), "int64"),
        "xattn_gpt.positions_embed.weight": Layout((POSITIONS, width)),
        "xattn_gpt.xattn_positions_embed.weight": Layout((PROMPT_POSITIONS, width)),
    }
    for layer in range(config.xf_n_layers):
        found |= self_block_keys(f"xattn_gpt.h.{layer}", width)
        found |= cross_block_keys(f"xattn_gpt.xattns.{layer}", width)
    return found


def self_block_keys(key: str, width: int) -> Layouts:
    """A self-attention block; the causal mask is stored with it."""
    return {
        f"{key}.attn.bias": Layout((1, 1, POSITIONS, POSITIONS)),
        **transposed(f"{key}.attn.c_attn", width, 3 * width),
        **transposed(f"{key}.attn.c_proj", width, width),
        **norm(f"{key}.ln_1", width),
        **norm(f"{key}.ln_2", width),
        **transposed(f"{key}.mlp.c_fc", width, 4 * width),
        **transposed(f"{key}.mlp.c_proj", 4 * width, width),
        **matrix(f"{key}.mlp.gated_layer", width, 4 * width),
    }


def cross_block_keys(key: str, width: int) -> Layouts:
    """A cross-attention block."""
    return {
        f"{key}.kv_position_ids": Layout((PROMPT_POSITIONS,), "int64"),
        **norm(f"{key}.layernorm", width),
        **norm(f"{key}.ln", width),
        **matrix(f"{key}.query", width, width),
        **matrix(f"{key}.key_value", width, 2 * width),
        **matrix(f"{key}.attention_out", width, width),
        **matrix(f"{key}.linear1", width, 4 * width),
        **matrix(f"{key}.linear2", 4 * width, width),
        **matrix(f"{key}.gated_layer", width, 4 * width),
    }


def object_keys(width: int) -> Layouts:
    """What encodes objects and the end effector."""
    key = "obj_encoder.cropped_img_encoder.vit"
    found = {
        f"{key}.cls_token": Layout((VIT_DIM,)),
        f"{key}.pos_embed": Layout((PATCHES + 1, VIT_DIM)),
        f"{key}.projection": Layout((VIT_DIM, VIT_DIM)),
        f"{key}.conv1.weight": Layout((VIT_DIM, 3, PATCH_PX, PATCH_PX)),
        **norm(f"{key}.ln_pre", VIT_DIM),
        **norm(f"{key}.ln_post", VIT_DIM),
    }
    for layer in range(VIT_LAYERS):
        found |= vit_block_keys(f"{key}.blocks.{layer}")
    for view in VIEWS:
        found |= mlp(f"obj_encoder.bbox_mlp.{view}", 4, VIT_DIM, VIT_DIM, VIT_DIM)
        found |= affine(f"obj_encoder.pre_transformer_layer.{view}", 2 * VIT_DIM, width)
    found["end_effector_encoder.weight"] = Layout((2, 2))
    return found | affine("obs_fusion_layer", width + 2, width)


def vit_block_keys(key: str) -> Layouts:
    """A block of the image encoder."""
    return {
        f"{key}.attn.in_proj_weight": Layout((3 * VIT_DIM, VIT_DIM)),
        f"{key}.attn.in_proj_bias": Layout((3 * VIT_DIM,)),
        **affine(f"{key}.attn.out_proj", VIT_DIM, VIT_DIM),
        **norm(f"{key}.ln_1", VIT_DIM),
        **norm(f"{key}.ln_2", VIT_DIM),
        **affine(f"{key}.mlp.c_fc", VIT_DIM, 4 * VIT_DIM),
        **affine(f"{key}.mlp.c_proj", 4 * VIT_DIM, VIT_DIM),
    }


def action_keys(width: int) -> Layouts:
    """What encodes past actions and decodes the next one."""
    found: Layouts = {}
    for part, bins in ACTION_PARTS.items():
        found |= mlp(f"action_encoder._embed_dict.{part}._layer", len(bins), ACTION_HIDDEN, ACTION_HIDDEN)
        for place, count in enumerate(bins):
            key = f"action_decoder._decoders.{part}.mlps.{place}"
            found |= mlp(key, width, DECODER_HIDDEN, DECODER_HIDDEN, count)
    joint = len(ACTION_PARTS) * ACTION_HIDDEN
    return found if width == joint else found | affine("action_encoder._post_layer", joint, width)


def prompt_keys(width: int) -> Layouts:
    """Word embeddings, the T5 encoder, and what leads in and out of it."""
    key = "t5_prompt_encoder.t5"
    found = {
        "prompt_embedding._embed_layer.weight": Layout((VOCABULARY, T5_DIM)),
        f"{key}.shared.weight": Layout((VOCABULARY, T5_DIM)),
        f"{key}.encoder.embed_tokens.weight": Layout((VOCABULARY, T5_DIM)),
        f"{key}.encoder.final_layer_norm.weight": Layout((T5_DIM,)),
        **mlp("prompt_obj_post_layer", width, T5_DIM, T5_DIM, T5_DIM),
    }
    bias = f"{key}.encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
    found[bias] = Layout((T5_BUCKETS, T5_HEADS))
    for layer in range(T5_LAYERS):
        found |= t5_block_keys(f"{key}.encoder.block.{layer}")
    return found if width == T5_DIM else found | matrix("t5_prompt_encoder_post_layer", T5_DIM, width)


def t5_block_keys(key: str) -> Layouts:
    """A block of the T5 encoder."""
    found = {f"{key}.layer.{place}.layer_norm.weight": Layout((T5_DIM,)) for place in (0, 1)}
    for name in "qkvo":
        found |= matrix(f"{key}.layer.0.SelfAttention.{name}", T5_DIM, T5_DIM)
    found |= matrix(f"{key}.layer.1.DenseReluDense.wi", T5_DIM, T5_FF)
    return found | matrix(f"{key}.layer.1.DenseReluDense.wo", T5_FF, T5_DIM)


def explain_mismatch(found: Mapping[str, Layout], config: VimaConfig) -> tuple[str, ...]:
    """Return what is wrong with a checkpoint's tensors, one sentence each; nothing if they fit."""
    expected = expected_layouts(config)
    missing, surplus = sorted(set(expected) - set(found)), sorted(set(found) - set(expected))
    differing = [key for key in expected if key in found and found[key] != expected[key]]
    faults = [
        *listed(f"`{key}` is missing{nearest(key, surplus)}" for key in missing),
        *listed(f"`{key}` is not expected{nearest(key, missing)}" for key in surplus),
        *listed(f"`{key}` is {found[key]}, must be {expected[key]}" for key in differing),
    ]
    return (*faults, *other_size(found, config)) if faults else ()


def listed(faults: Iterable[str]) -> list[str]:
    """Return the first faults and how many follow."""
    shown: list[str] = []
    rest = 0
    for fault in faults:
        if len(shown) < SHOWN:
            shown.append(fault)
        else:
            rest += 1
    return [*shown, f"and {rest} more of this kind"] if rest else shown


def nearest(key: str, names: list[str]) -> str:
    """Return a hint at the nearest name, or nothing."""
    near = difflib.get_close_matches(key, names, n=1, cutoff=0.8)
    return f" (nearest: `{near[0]}`)" if near else ""


def other_size(found: Mapping[str, Layout], config: VimaConfig) -> list[str]:
    """Return a hint if the tensors are those of another published size."""
    for name, other in SIZES.items():
        if other != config and expected_layouts(other) == dict(found):
            return [f"the tensors are those of size {name}, while `cfg` says {config.size}"]
    return []
