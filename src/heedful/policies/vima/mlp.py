"""The small perceptrons that VIMA uses everywhere."""

from __future__ import annotations

from itertools import pairwise

from torch import nn


def build_mlp(*widths: int) -> nn.Sequential:
    """Return linear layers with ReLU between them.

    The identity in front of each ReLU keeps the place of the original's optional norm, and so the keys.
    """
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(widths):
        layers += [nn.Linear(inputs, outputs), nn.Identity(), nn.ReLU()]
    return nn.Sequential(*layers[:-2])
