"""Weights that are a pure function of (key, index): the same on every machine, with nothing stored.

Only numpy, so that the original code could be filled with the very same numbers.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

CHUNK = 1 << 16
SCALES: tuple[tuple[str, float], ...] = (
    ("prompt_embedding", 1.0),
    ("shared", 1.0),
    ("embed_tokens", 1.0),
    ("relative_attention_bias", 0.5),
    ("positions_embed", 0.5),
    ("end_effector_encoder", 0.5),
    ("cls_token", 0.5),
    ("pos_embed", 0.5),
)
"""Of tables of embeddings; matrices scale with their inputs instead."""


def noise(key: str, count: int) -> NDArray[np.float32]:
    """Return numbers of mean 0 and variance 1, evenly spread, each from its key and index alone."""
    seed = np.uint32(int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "little"))
    out = np.empty(count, dtype=np.float32)
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        mixed = np.arange(start, stop, dtype=np.uint32) * np.uint32(0x9E3779B9) ^ seed
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            mixed = (mixed ^ (mixed >> np.uint32(shift))) * np.uint32(factor)
        mixed ^= mixed >> np.uint32(16)
        unit = (mixed >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1.0)
        out[start:stop] = unit * np.float32(math.sqrt(3.0))
    return out


def weight(key: str, shape: tuple[int, ...], stream: str = "") -> NDArray[np.float32] | NDArray[np.int64]:
    """Return the tensor of a key; another stream gives another tensor of the same kind."""
    if key.endswith("position_ids"):
        return np.arange(shape[0], dtype=np.int64)
    if key.endswith(".attn.bias"):
        return np.tril(np.ones(shape, dtype=np.float32))
    return drawn(key.replace("encoder.embed_tokens", "shared"), shape, stream)


def drawn(key: str, shape: tuple[int, ...], stream: str) -> NDArray[np.float32]:
    """Return noise about the value and of the size that keep every layer's output near 1."""
    values = noise(key + stream, math.prod(shape)).reshape(shape)
    if key.endswith("bias") or (len(shape) == 1 and "cls_token" not in key):
        values *= np.float32(0.1)
        return values + np.float32(1.0) if key.endswith("weight") else values
    values *= np.float32(size(key, shape))
    return values


def size(key: str, shape: tuple[int, ...]) -> float:
    """Return the spread of a matrix' entries."""
    for fragment, scale in SCALES:
        if fragment in key:
            return scale
    is_transposed = key.endswith(".projection") or (key.startswith("xattn_gpt.h.") and "gated" not in key)
    inputs = shape[0] if is_transposed else math.prod(shape[1:])
    return (0.125 if "SelfAttention.q" in key else 1.0) / math.sqrt(inputs)


def state(shapes: Mapping[str, tuple[int, ...]]) -> dict[str, NDArray[np.float32] | NDArray[np.int64]]:
    """Return every tensor of a model."""
    return {key: weight(key, shape) for key, shape in shapes.items()}
