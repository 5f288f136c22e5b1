"""Checkpoint files of a few kilobytes: every tensor is one number, stretched to its shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from heedful.policies.vima.config import SIZES
from heedful.policies.vima.keys import Layout, expected_layouts

from .weights import noise


def stretched(key: str, layout: Layout) -> Tensor:
    """Return a tensor of one number, which depends on its key; the fixed tables as they must be."""
    if layout.dtype == "int64":
        return torch.arange(layout.shape[0])
    if key.endswith(".attn.bias"):
        return torch.ones(layout.shape).tril()
    return torch.from_numpy(noise(key, 1)).expand(layout.shape)


def tensors(size: str = "2M") -> dict[str, Tensor]:
    """Return what a checkpoint of a size holds; the tied word tables are one."""
    found = {key: stretched(key, one) for key, one in expected_layouts(SIZES[size]).items()}
    found["t5_prompt_encoder.t5.encoder.embed_tokens.weight"] = found["t5_prompt_encoder.t5.shared.weight"]
    return found


def save(path: Path, state: Mapping[str, Any], *, size: str = "2M") -> Path:
    """Write a checkpoint as the official ones are, and return where."""
    named = {f"policy.{key}": one for key, one in state.items()}
    torch.save({"cfg": asdict(SIZES[size]), "state_dict": named}, path)
    return path
