"""The whole network: prompt, observations and actions in, the next action's distribution out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from heedful.policies.vima.action import ActionDecoder, ActionEncoder, Bins, bins_to_unit
from heedful.policies.vima.config import VimaConfig
from heedful.policies.vima.keys import T5_DIM, VOCABULARY
from heedful.policies.vima.mlp import build_mlp
from heedful.policies.vima.object_encoder import ObjectEncoder
from heedful.policies.vima.prompt import ImageObjects, PromptParts
from heedful.policies.vima.t5 import T5PromptEncoder
from heedful.policies.vima.tokenizer import Word
from heedful.policies.vima.xattn_gpt import XAttnGpt
from heedful.state.tabletop.workspace import VIEWS


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens, and which of them count."""

    values: Tensor
    """Shape (n, width)."""
    mask: Tensor
    """Bool, shape (n,)."""


class WordEmbedding(nn.Module):
    """The table of words."""

    def __init__(self) -> None:
        super().__init__()
        self._embed_layer = nn.Embedding(VOCABULARY, T5_DIM)

    def forward(self, word_ids: Tensor) -> Tensor:
        """Return words' vectors, shape (..., 768)."""
        return self._embed_layer(word_ids)


class VimaModel(nn.Module):
    """VIMA, its modules named as in checkpoints; one episode at a time."""

    def __init__(self, config: VimaConfig) -> None:
        super().__init__()
        width = config.embed_dim
        self.config = config
        self.xattn_gpt = XAttnGpt(config)
        self.obj_encoder = ObjectEncoder(width)
        self.end_effector_encoder = nn.Embedding(2, 2)
        self.obs_fusion_layer = nn.Linear(width + 2, width)
        self.action_encoder = ActionEncoder(width)
        self.action_decoder = ActionDecoder(width)
        self.prompt_embedding = WordEmbedding()
        self.t5_prompt_encoder = T5PromptEncoder()
        self.t5_prompt_encoder_post_layer = (
            nn.Identity() if width == T5_DIM else nn.Linear(T5_DIM, width, bias=False)
        )
        self.prompt_obj_post_layer = build_mlp(width, T5_DIM, T5_DIM, T5_DIM)

    @property
    def device(self) -> torch.device:
        """Where the model computes."""
        return self.obs_fusion_layer.weight.device

    def encode_prompt(self, prompt: PromptParts) -> Tokens:
        """Return the prompt's tokens, width `embed_dim`."""
        assembled = self.assemble(prompt)
        encoded = self.t5_prompt_encoder(assembled.values[None], assembled.mask[None])
        return Tokens(self.t5_prompt_encoder_post_layer(encoded)[0], assembled.mask)

    def assemble(self, prompt: PromptParts) -> Tokens:
        """Return words and pictures' objects in the prompt's order, width 768."""
        pictures = iter(self.encode_pictures(prompt.images))
        pieces = [
            self.embed_word(one) if isinstance(one, Word) else next(pictures) for one in prompt.elements
        ]
        return Tokens(torch.cat([one.values for one in pieces]), torch.cat([one.mask for one in pieces]))

    def embed_word(self, word: Word) -> Tokens:
        """Return a word's token."""
        number = torch.tensor([word.id], device=self.device)
        return Tokens(self.prompt_embedding(number), torch.ones(1, dtype=torch.bool, device=self.device))

    def encode_pictures(self, images: Sequence[ImageObjects]) -> list[Tokens]:
        """Return the tokens of each picture's objects, width 768."""
        if not images:
            return []
        values = self.prompt_obj_post_layer(self.encode_objects(images))
        return [Tokens(one, self.seen(image)) for one, image in zip(values, images, strict=True)]

    def encode_objects(self, images: Sequence[ImageObjects]) -> Tensor:
        """Return the objects' tokens, shape (images, objects of both views, width)."""
        crops = {view: self.stack([one[view].crops for one in images]) for view in VIEWS}
        boxes = {view: self.stack([one[view].boxes for one in images]) for view in VIEWS}
        return self.obj_encoder(crops, boxes)

    def stack(self, arrays: list[np.ndarray]) -> Tensor:
        """Return arrays as one tensor where the model computes."""
        return torch.from_numpy(np.stack(arrays)).to(self.device)

    def seen(self, image: ImageObjects) -> Tensor:
        """Return which objects of both views there are."""
        return torch.from_numpy(np.concatenate([image[view].seen for view in VIEWS])).to(self.device)

    def encode_observation(self, image: ImageObjects, end_effector: int) -> Tokens:
        """Return the tokens of a scene's objects; end effector 0 is the suction cup, 1 the spatula."""
        objects = self.encode_objects([image])[0]
        tool = self.end_effector_encoder(torch.tensor([end_effector], device=self.device))
        joint = torch.cat([objects, tool.expand(len(objects), -1)], dim=-1)
        return Tokens(self.obs_fusion_layer(joint), self.seen(image))

    def encode_action(self, bins: Bins) -> Tensor:
        """Return the token of an action, shape (width,)."""
        return self.action_encoder(bins_to_unit(bins))

    def predict(self, prompt: Tokens, observations: Sequence[Tokens], actions: Sequence[Tensor]) -> Tensor:
        """Return the token of each step's action, shape (steps, width); the last is the next one's.

        Args:
            prompt: The encoded prompt.
            observations: The objects at each step so far, each step with the same number of them.
            actions: What was done at each step but the last.
        """
        one = torch.ones(1, dtype=torch.bool, device=self.device)
        done = [Tokens(action[None], one) for action in actions]
        history = [observations[0]]
        for action, observation in zip(done, observations[1:], strict=True):
            history += [action, observation]
        values, mask = (
            torch.cat(rows)[None] for rows in ([h.values for h in history], [h.mask for h in history])
        )
        decoded = self.xattn_gpt(values, mask, prompt.values[None], prompt.mask[None])[0]
        objects = len(observations[0].mask)
        return decoded[objects - 1 :: objects + 1]

    def decode(self, token: Tensor) -> dict[str, list[Tensor]]:
        """Return the log-probabilities of the next action's bins, by part and number."""
        decoded: dict[str, list[Tensor]] = self.action_decoder(token)
        return decoded
