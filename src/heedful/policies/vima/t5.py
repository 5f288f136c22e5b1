"""The encoder half of t5-base, fed with embeddings instead of word ids.

Source: Raffel et al. 2020, "Exploring the Limits of Transfer Learning with a Unified Text-to-Text
Transformer"; the first version, with ReLU. Dropout is left out: this only infers.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from heedful.policies.vima.keys import T5_BUCKETS, T5_DIM, T5_FF, T5_HEADS, T5_LAYERS, VOCABULARY

MAX_DISTANCE = 128
"""From here on, all distances share a bucket."""


class RmsNorm(nn.Module):
    """A norm by the root of the mean square: no mean taken off, no bias."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(T5_DIM))

    def forward(self, x: Tensor) -> Tensor:
        """Return the scaled tokens."""
        return self.weight * (x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6))


class T5Attention(nn.Module):
    """Attention whose scores are not scaled and get a bias by distance."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(T5_DIM, T5_DIM, bias=False) for _ in range(4))

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return what the tokens read from each other.

        Args:
            x: Tokens, shape (batch, length, 768).
            bias: Added to the scores, shape (batch, 12, length, length).
        """
        q, k, v = (split(project(x)) for project in (self.q, self.k, self.v))
        weights = torch.softmax(q @ k.transpose(2, 3) + bias, dim=-1)
        return self.o((weights @ v).transpose(1, 2).flatten(2))


class T5BiasedAttention(T5Attention):
    """The first block's attention, which holds the bias for all."""

    def __init__(self) -> None:
        super().__init__()
        self.relative_attention_bias = nn.Embedding(T5_BUCKETS, T5_HEADS)

    def bias(self, length: int) -> Tensor:
        """Return the bias by distance, shape (1, 12, length, length)."""
        places = torch.arange(length, device=self.relative_attention_bias.weight.device)
        buckets = distance_buckets(places[None, :] - places[:, None])
        return self.relative_attention_bias(buckets).permute(2, 0, 1)[None]


class T5SelfLayer(nn.Module):
    """Attention with its norm, around a residual."""

    def __init__(self, attention: T5Attention) -> None:
        super().__init__()
        self.SelfAttention = attention
        self.layer_norm = RmsNorm()

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return the tokens with what they read added."""
        return x + self.SelfAttention(self.layer_norm(x), bias)


class T5Perceptron(nn.Module):
    """Two layers with ReLU."""

    def __init__(self) -> None:
        super().__init__()
        self.wi = nn.Linear(T5_DIM, T5_FF, bias=False)
        self.wo = nn.Linear(T5_FF, T5_DIM, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the transformed tokens."""
        return self.wo(torch.relu(self.wi(x)))


class T5FeedForward(nn.Module):
    """A perceptron with its norm, around a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.DenseReluDense = T5Perceptron()
        self.layer_norm = RmsNorm()

    def forward(self, x: Tensor) -> Tensor:
        """Return the tokens with the perceptron's output added."""
        return x + self.DenseReluDense(self.layer_norm(x))


class T5Block(nn.Module):
    """One layer of the encoder."""

    def __init__(self, attention: T5Attention) -> None:
        super().__init__()
        self.layer = nn.ModuleList([T5SelfLayer(attention), T5FeedForward()])

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """Return the tokens after attention and perceptron."""
        return self.layer[1](self.layer[0](x, bias))


class T5Stack(nn.Module):
    """All layers; the word table is only kept because checkpoints hold it."""

    def __init__(self, words: nn.Embedding) -> None:
        super().__init__()
        self.embed_tokens = words
        later = [T5Attention() for _ in range(T5_LAYERS - 1)]
        self.block = nn.ModuleList(T5Block(attention) for attention in (T5BiasedAttention(), *later))
        self.final_layer_norm = RmsNorm()

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the encoded tokens; see `T5PromptEncoder`."""
        hidden = (1.0 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        bias = self.block[0].layer[0].SelfAttention.bias(x.shape[1]) + hidden
        for block in self.block:
            x = block(x, bias)
        return self.final_layer_norm(x)


class T5Encoder(nn.Module):
    """The stack and its word table, named as in checkpoints."""

    def __init__(self) -> None:
        super().__init__()
        self.shared = nn.Embedding(VOCABULARY, T5_DIM)
        self.encoder = T5Stack(self.shared)


class T5PromptEncoder(nn.Module):
    """Encodes a prompt of word and image tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.t5 = T5Encoder()

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Return the encoded prompt.

        Args:
            x: Tokens, shape (batch, length, 768).
            mask: Whether a token counts, bool, shape (batch, length).

        Returns:
            Tokens, shape (batch, length, 768).
        """
        return self.t5.encoder(x, mask)


def split(x: Tensor) -> Tensor:
    """Return tokens by head, shape (batch, 12, length, 64)."""
    return x.unflatten(-1, (T5_HEADS, T5_DIM // T5_HEADS)).transpose(1, 2)


def distance_buckets(distance: Tensor) -> Tensor:
    """Return the bucket of each distance from query to key, in tokens.

    Half the buckets look ahead, half back; in each half, half are single distances and half grow
    with the distance's logarithm up to `MAX_DISTANCE`.
    """
    side = T5_BUCKETS // 2
    single = side // 2
    steps = distance.abs()
    growth = torch.log(steps.clamp(min=1).float() / single) / math.log(MAX_DISTANCE / single)
    far = (single + (growth * (side - single)).long()).clamp(max=side - 1)
    return torch.where(steps < single, steps, far) + side * (distance > 0)
