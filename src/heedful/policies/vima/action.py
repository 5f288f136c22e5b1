"""Actions as bins: encoded for the history, decoded from a token, and turned into poses and back.

Bins are left edges: a value is bin / bins, so that the last bin does not reach the workspace's edge
(0.74 m and 0.49 m at most, rotations in steps of 0.04). This is the original's rule.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from heedful.policies.vima.keys import ACTION_HIDDEN, ACTION_PARTS, DECODER_HIDDEN
from heedful.policies.vima.mlp import build_mlp
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.workspace import X_RANGE, Y_RANGE

Bins = Mapping[str, Tensor]
"""By part of an action: whole numbers, last axis one for each number of the part."""
AXES = "xyzw"


class PartEmbedding(nn.Module):
    """Encodes one part of an action."""

    def __init__(self, numbers: int) -> None:
        super().__init__()
        self._layer = build_mlp(numbers, ACTION_HIDDEN, ACTION_HIDDEN)

    def forward(self, x: Tensor) -> Tensor:
        """Return the part's features."""
        return self._layer(x)


class ActionEncoder(nn.Module):
    """Encodes a past action."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self._embed_dict = nn.ModuleDict(
            {part: PartEmbedding(len(bins)) for part, bins in ACTION_PARTS.items()}
        )
        joint = len(ACTION_PARTS) * ACTION_HIDDEN
        self._post_layer = nn.Identity() if width == joint else nn.Linear(joint, width)

    def forward(self, parts: Mapping[str, Tensor]) -> Tensor:
        """Return tokens, shape (..., width), of parts of actions, each number in 0 to 1."""
        features = [self._embed_dict[part](parts[part]) for part in sorted(ACTION_PARTS)]
        return self._post_layer(torch.cat(features, dim=-1))


class PartDecoder(nn.Module):
    """One perceptron for each number of a part."""

    def __init__(self, width: int, bins: tuple[int, ...]) -> None:
        super().__init__()
        self.mlps = nn.ModuleList(build_mlp(width, DECODER_HIDDEN, DECODER_HIDDEN, count) for count in bins)

    def forward(self, token: Tensor) -> list[Tensor]:
        """Return the log-probabilities of each number's bins."""
        return [torch.log_softmax(mlp(token), dim=-1) for mlp in self.mlps]


class ActionDecoder(nn.Module):
    """Decodes the next action."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self._decoders = nn.ModuleDict(
            {part: PartDecoder(width, bins) for part, bins in ACTION_PARTS.items()}
        )

    def forward(self, token: Tensor) -> dict[str, list[Tensor]]:
        """Return the log-probabilities of the bins, by part and number."""
        return {part: decoder(token) for part, decoder in self._decoders.items()}


def likeliest(decoded: Mapping[str, list[Tensor]]) -> Bins:
    """Return the likeliest bins."""
    return {part: torch.stack([one.argmax(-1) for one in numbers], -1) for part, numbers in decoded.items()}


def head_names() -> dict[str, tuple[str, int]]:
    """Return the name of each number, such as `pose0_position.x`, with its part and its place there."""
    return {
        f"{part}.{AXES[place]}": (part, place)
        for part, bins in ACTION_PARTS.items()
        for place in range(len(bins))
    }


def bins_to_unit(bins: Bins) -> dict[str, Tensor]:
    """Return each bin's value in 0 to 1, float32."""
    return {part: chosen.float() / counts(part, chosen) for part, chosen in bins.items()}


def unit_to_bins(parts: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the bins that the original trains on for values in 0 to 1.

    A value falls into as many bins as there are edges, of evenly spread ones from 0 to 1, below it. This is
    not the inverse of `bins_to_unit`; the original has the same gap.
    """
    found = {}
    for part, values in parts.items():
        edges = [torch.linspace(0, 1, count, device=values.device) for count in ACTION_PARTS[part]]
        numbers = [torch.bucketize(values[..., place].contiguous(), edge) for place, edge in enumerate(edges)]
        found[part] = torch.stack(numbers, -1)
    return found


def counts(part: str, like: Tensor) -> Tensor:
    """Return the number of bins of each number of a part."""
    return torch.tensor(ACTION_PARTS[part], dtype=torch.float32, device=like.device)


def to_action(bins: Bins) -> TableAction:
    """Return the action of one choice of bins, world frame, metres."""
    low, extent = workspace()
    parts: dict[str, list[float]] = {}
    for part, unit in bins_to_unit(bins).items():
        values = unit.cpu() * extent + low if "position" in part else unit.cpu() * 2 - 1
        parts[part] = values.tolist()
    return TableAction(
        pose0_position=(parts["pose0_position"][0], parts["pose0_position"][1]),
        pose1_position=(parts["pose1_position"][0], parts["pose1_position"][1]),
        pose0_rotation=quaternion(parts["pose0_rotation"]),
        pose1_rotation=quaternion(parts["pose1_rotation"]),
    )


def to_bins(action: TableAction) -> dict[str, Tensor]:
    """Return the bins of an action; what lies outside the workspace is taken to its edge."""
    low, extent = workspace()
    positions = {"pose0_position": action.pose0_position, "pose1_position": action.pose1_position}
    rotations = {"pose0_rotation": action.pose0_rotation, "pose1_rotation": action.pose1_rotation}
    parts = {part: (torch.tensor(value) - low) / extent for part, value in positions.items()}
    parts |= {part: (torch.tensor(value) + 1) / 2 for part, value in rotations.items()}
    return unit_to_bins({part: unit.clamp(0, 1) for part, unit in parts.items()})


def workspace() -> tuple[Tensor, Tensor]:
    """Return the lower corner and the extent of the workspace [m]."""
    low = torch.tensor([X_RANGE[0], Y_RANGE[0]])
    return low, torch.tensor([X_RANGE[1], Y_RANGE[1]]) - low


def quaternion(values: list[float]) -> tuple[float, float, float, float]:
    """Return four numbers as a rotation (x, y, z, w), as decoded: not of length 1."""
    return values[0], values[1], values[2], values[3]
