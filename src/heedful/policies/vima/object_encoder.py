"""From an object's crop and box to its token: a small image transformer and a perceptron for the box."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from heedful.policies.vima.keys import PATCH_PX, PATCHES, VIT_DIM, VIT_LAYERS
from heedful.policies.vima.mlp import build_mlp
from heedful.state.tabletop.workspace import COLUMNS, ROWS, VIEWS

VIT_HEADS = 24
RGB_MEAN, RGB_SPREAD = (0.3471, 0.3429, 0.3383), (0.3011, 0.2961, 0.2956)
"""Of the pictures that VIMA was trained on, of 1."""


class QuickGelu(nn.Module):
    """The activation of CLIP's image encoder."""

    def forward(self, x: Tensor) -> Tensor:
        """Return x times a sigmoid."""
        return x * torch.sigmoid(1.702 * x)


class VitBlock(nn.Module):
    """One layer, normed before attention and perceptron."""

    def __init__(self) -> None:
        super().__init__()
        self.attn = nn.MultiheadAttention(VIT_DIM, VIT_HEADS, batch_first=True)
        self.ln_1 = nn.LayerNorm(VIT_DIM)
        self.mlp = nn.Sequential(
            OrderedDict(
                c_fc=nn.Linear(VIT_DIM, 4 * VIT_DIM), gelu=QuickGelu(), c_proj=nn.Linear(4 * VIT_DIM, VIT_DIM)
            )
        )
        self.ln_2 = nn.LayerNorm(VIT_DIM)

    def forward(self, x: Tensor) -> Tensor:
        """Return the tokens after the layer."""
        normed = self.ln_1(x)
        x = x + self.attn(normed, normed, normed, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class VisionTransformer(nn.Module):
    """Four patches and a class token, which becomes the crop's feature."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, VIT_DIM, PATCH_PX, stride=PATCH_PX, bias=False)
        self.cls_token = nn.Parameter(torch.zeros(VIT_DIM))
        self.pos_embed = nn.Parameter(torch.zeros(PATCHES + 1, VIT_DIM))
        self.ln_pre = nn.LayerNorm(VIT_DIM)
        self.blocks = nn.Sequential(*(VitBlock() for _ in range(VIT_LAYERS)))
        self.ln_post = nn.LayerNorm(VIT_DIM)
        self.projection = nn.Parameter(torch.zeros(VIT_DIM, VIT_DIM))

    def forward(self, image: Tensor) -> Tensor:
        """Return features, shape (n, 768), of normalised crops, shape (n, 3, 32, 32)."""
        patches = self.conv1(image).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls_token.expand(len(image), 1, -1), patches], dim=1)
        x = self.blocks(self.ln_pre(x + self.pos_embed))
        return self.ln_post(x[:, 0]) @ self.projection


class CropEncoder(nn.Module):
    """Normalises crops and encodes them."""

    def __init__(self) -> None:
        super().__init__()
        self.vit = VisionTransformer()

    def forward(self, crops: Tensor) -> Tensor:
        """Return features, shape (n, 768), of uint8 crops, shape (n, 3, 32, 32)."""
        mean, spread = (
            torch.tensor(row, device=crops.device)[:, None, None] for row in (RGB_MEAN, RGB_SPREAD)
        )
        return self.vit((crops.float() / 255.0 - mean) / spread)


class ObjectEncoder(nn.Module):
    """Encodes the objects of both views."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.cropped_img_encoder = CropEncoder()
        self.bbox_mlp = nn.ModuleDict({view: build_mlp(4, VIT_DIM, VIT_DIM, VIT_DIM) for view in VIEWS})
        self.pre_transformer_layer = nn.ModuleDict({view: nn.Linear(2 * VIT_DIM, width) for view in VIEWS})

    def forward(self, crops: Mapping[str, Tensor], boxes: Mapping[str, Tensor]) -> Tensor:
        """Return the tokens of all objects of the front view, then of the top view.

        Args:
            crops: By view, uint8, shape (batch, objects, 3, 32, 32).
            boxes: By view, (column, row, height, width) [px], shape (batch, objects, 4).

        Returns:
            Tokens, shape (batch, objects of both views, width).
        """
        extent = torch.tensor([COLUMNS, ROWS, ROWS, COLUMNS], device=boxes[VIEWS[0]].device)
        return torch.cat([self.encode(view, crops[view], boxes[view] / extent) for view in VIEWS], dim=1)

    def encode(self, view: str, crops: Tensor, boxes: Tensor) -> Tensor:
        """Return the tokens of one view, its boxes as parts of the picture."""
        features = self.cropped_img_encoder(crops.flatten(0, 1)).unflatten(0, crops.shape[:2])
        joint = torch.cat([features, self.bbox_mlp[view](boxes)], dim=-1)
        return self.pre_transformer_layer[view](joint)
