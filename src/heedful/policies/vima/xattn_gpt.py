"""The decoder: what was seen and done so far reads the prompt and itself, layer by layer.

A learned table places the tokens; padded tokens take part in nothing. Dropout is left out: this only infers.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from heedful.policies.vima.config import VimaConfig
from heedful.policies.vima.keys import POSITIONS, PROMPT_POSITIONS

FUTURE_SCORE = -1e4
"""What the original puts in the place of scores of later tokens; not infinite."""


class Conv1D(nn.Module):
    """A linear layer whose weights are stored inputs first."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(inputs, outputs))
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, x: Tensor) -> Tensor:
        """Return the transformed tokens."""
        return x @ self.weight + self.bias


class CausalAttention(nn.Module):
    """Attention to earlier tokens; `bias` is the causal mask, which checkpoints hold."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.c_attn = Conv1D(width, 3 * width)
        self.c_proj = Conv1D(width, width)
        self.register_buffer("bias", torch.ones(POSITIONS, POSITIONS).tril()[None, None])

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        """Return what the tokens read; `hidden` is added to the scores, shape (batch, 1, 1, length)."""
        q, k, v = (split(part, self.heads) for part in self.c_attn(x).chunk(3, dim=-1))
        past = self.bias[:, :, : x.shape[1], : x.shape[1]]
        scores = q @ k.transpose(2, 3) / math.sqrt(v.shape[-1])
        scores = scores * past + FUTURE_SCORE * (1 - past) + hidden
        return self.c_proj(join(torch.softmax(scores, dim=-1) @ v))


class GatedPerceptron(nn.Module):
    """A perceptron whose hidden layer is gated."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.c_fc = Conv1D(width, 4 * width)
        self.c_proj = Conv1D(4 * width, width)
        self.gated_layer = nn.Linear(width, 4 * width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the transformed tokens."""
        return self.c_proj(nn.functional.gelu(self.c_fc(x)) * self.gated_layer(x))


class SelfBlock(nn.Module):
    """Self-attention and perceptron, each normed after its residual."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.attn = CausalAttention(width, heads)
        self.ln_1 = nn.LayerNorm(width)
        self.mlp = GatedPerceptron(width)
        self.ln_2 = nn.LayerNorm(width)

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        """Return the tokens after the block."""
        read = self.ln_1(x + self.attn(x, hidden))
        return self.ln_2(read + self.mlp(read))


class CrossBlock(nn.Module):
    """Attention to the prompt, then a gated perceptron; the prompt itself is not normed."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.layernorm = nn.LayerNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key_value = nn.Linear(width, 2 * width, bias=False)
        self.attention_out = nn.Linear(width, width, bias=False)
        self.ln = nn.LayerNorm(width)
        self.linear1 = nn.Linear(width, 4 * width, bias=False)
        self.linear2 = nn.Linear(4 * width, width, bias=False)
        self.gated_layer = nn.Linear(width, 4 * width, bias=False)
        self.register_buffer("kv_position_ids", torch.arange(PROMPT_POSITIONS))

    def forward(self, x: Tensor, prompt: Tensor, hidden: Tensor) -> Tensor:
        """Return the tokens after the block; `hidden` as in `CausalAttention`, over the prompt."""
        q = split(self.query(self.layernorm(x)), self.heads)
        k, v = (split(part, self.heads) for part in self.key_value(prompt).chunk(2, dim=-1))
        scores = q @ k.transpose(2, 3) / math.sqrt(q.shape[-1]) + hidden
        read = self.attention_out(join(torch.softmax(scores, dim=-1) @ v)) + x
        inner = nn.functional.gelu(self.linear1(self.ln(read))) * self.gated_layer(read)
        return self.linear2(inner) + read


class XAttnGpt(nn.Module):
    """The whole decoder: a cross-attention and a self-attention block in turn."""

    def __init__(self, config: VimaConfig) -> None:
        super().__init__()
        width, layers = config.embed_dim, range(config.xf_n_layers)
        self.positions_embed = nn.Embedding(POSITIONS, width)
        self.xattn_positions_embed = nn.Embedding(PROMPT_POSITIONS, width)
        self.h = nn.ModuleList(SelfBlock(width, config.sattn_n_heads) for _ in layers)
        self.xattns = nn.ModuleList(CrossBlock(width, config.xattn_n_heads) for _ in layers)
        self.register_buffer("position_ids", torch.arange(POSITIONS))
        self.register_buffer("xattn_position_ids", torch.arange(PROMPT_POSITIONS))

    def forward(self, x: Tensor, mask: Tensor, prompt: Tensor, prompt_mask: Tensor) -> Tensor:
        """Return the decoded tokens, shaped like `x`.

        Args:
            x: Objects and actions of all steps so far, shape (batch, length, width).
            mask: Whether a token counts, bool, shape (batch, length).
            prompt: The encoded prompt, shape (batch, prompt length, width).
            prompt_mask: Likewise of the prompt.
        """
        x = x + self.positions_embed(places(mask))
        prompt = prompt + self.xattn_positions_embed(places(prompt_mask))
        hidden, prompt_hidden = hiding(mask, x), hiding(prompt_mask, x)
        for self_block, cross_block in zip(self.h, self.xattns, strict=True):
            x = self_block(cross_block(x, prompt, prompt_hidden), hidden)
        return x


def places(mask: Tensor) -> Tensor:
    """Return each token's place among those that count.

    Padding ahead of all others gets place 0; the original has no place for it, and fails.
    """
    return (torch.cumsum(mask, dim=1) - 1).clamp(min=0)


def hiding(mask: Tensor, x: Tensor) -> Tensor:
    """Return what keeps scores of padding out, shape (batch, 1, 1, length)."""
    return (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min


def split(x: Tensor, heads: int) -> Tensor:
    """Return tokens by head, shape (batch, heads, length, width of a head)."""
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def join(x: Tensor) -> Tensor:
    """Return tokens with their heads side by side again."""
    return x.transpose(1, 2).flatten(2)
