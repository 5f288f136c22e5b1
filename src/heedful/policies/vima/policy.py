"""VIMA as a tabletop policy: keeps what was seen and done, and takes the likeliest action."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from heedful.errors import InputError
from heedful.policies.policy import Planner, PolicyStep
from heedful.policies.vima.action import head_names, likeliest, to_action, to_bins
from heedful.policies.vima.checkpoint import CheckpointFacts, load_checkpoint
from heedful.policies.vima.crops import crop_scene
from heedful.policies.vima.keys import POSITIONS
from heedful.policies.vima.model import Tokens, VimaModel
from heedful.policies.vima.prompt import ImageObjects, read_prompt
from heedful.policies.vima.tokenizer import PromptTokenizer, load_tokenizer
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownPrompt, TableObservation
from heedful.state.tabletop.workspace import VIEWS

TOOLS = {"suction": 0, "spatula": 1}


@dataclass(slots=True)
class Episode:
    """What the policy has been shown and has done since `reset`."""

    prompt: Tokens
    observations: list[Tokens] = field(default_factory=list)
    actions: list[Tensor] = field(default_factory=list)


class VimaPolicy:
    """A `Policy` by VIMA's network."""

    def __init__(
        self, model: VimaModel, tokenizer: PromptTokenizer, facts: CheckpointFacts | None = None
    ) -> None:
        self.model = model
        self.tokenizer = tokenizer
        self._checkpoint = facts
        self.episode: Episode | None = None

    @property
    def facts(self) -> Mapping[str, str]:
        """Which weights these are; empty if they came from no file."""
        if self._checkpoint is None:
            return {}
        return {"weights": self._checkpoint.name, "weights_sha256": self._checkpoint.sha256}

    def reset(
        self, prompt: ShownPrompt, planner: Planner | None = None, rng: np.random.Generator | None = None
    ) -> None:
        """Begin an episode; neither truth nor chance is used.

        Raises:
            InputError: If the prompt cannot be tokenised, lacks a picture, or is too long.
        """
        del planner, rng
        with torch.inference_mode():
            self.episode = Episode(self.model.encode_prompt(read_prompt(prompt, self.tokenizer)))

    def act(self, observation: TableObservation) -> PolicyStep:
        """Return the likeliest action, the log-probabilities of all bins, and the decoder's token.

        Raises:
            InputError: If there was no `reset`, or the episode is longer than the model has places for.
        """
        episode = self.current()
        with torch.inference_mode():
            seen = self.model.encode_observation(crop_views(observation), TOOLS[observation.end_effector])
            observations = pad_all([*episode.observations, seen])
            check_length(observations)
            token = self.model.predict(episode.prompt, observations, episode.actions)[-1]
            decoded = self.model.decode(token)
            bins = likeliest(decoded)
            episode.actions.append(self.model.encode_action(bins))
        episode.observations.append(seen)
        return PolicyStep(to_action(bins), distribution(decoded), token.cpu().numpy())

    def follow(self, action: TableAction) -> None:
        """Put another action in the place of the last one, as when a recorded run is gone through again."""
        episode = self.current()
        if not episode.actions:
            raise InputError("VIMA: there is no action to put another in the place of; call `act` first")
        bins = {part: one.to(self.model.device) for part, one in to_bins(action).items()}
        with torch.inference_mode():
            episode.actions[-1] = self.model.encode_action(bins)

    def current(self) -> Episode:
        """Return the episode under way."""
        if self.episode is None:
            raise InputError("VIMA: no prompt yet; call `reset` before `act`")
        return self.episode


def load_policy(checkpoint: Path, tokenizer: Path, device: str = "cpu") -> VimaPolicy:
    """Return the policy of an official checkpoint and t5-base's `tokenizer.json`.

    Raises:
        InputError: See `load_checkpoint` and `load_tokenizer`.
    """
    split = load_tokenizer(tokenizer)
    loaded = load_checkpoint(checkpoint)
    return VimaPolicy(loaded.model.to(device), split, loaded.facts)


def crop_views(observation: TableObservation) -> ImageObjects:
    """Return the scene's objects in both views."""
    return {view: crop_scene(observation.views[view], observation.object_ids) for view in VIEWS}


def pad_all(observations: list[Tokens]) -> list[Tokens]:
    """Return all steps with as many tokens as the fullest one has."""
    most = max(len(one.mask) for one in observations)
    return [pad_tokens(one, most) for one in observations]


def pad_tokens(tokens: Tokens, count: int) -> Tokens:
    """Return the tokens with zeros that do not count after them."""
    more = count - len(tokens.mask)
    values = torch.nn.functional.pad(tokens.values, (0, 0, 0, more))
    return Tokens(values, torch.nn.functional.pad(tokens.mask, (0, more)))


def check_length(observations: list[Tokens]) -> None:
    """Raise InputError if the history has more tokens than the model has places for."""
    tokens = sum(len(one.mask) + 1 for one in observations) - 1
    if tokens > POSITIONS:
        raise InputError(
            f"VIMA: step {len(observations)} makes the history {tokens} tokens long; "
            f"the model takes {POSITIONS}"
        )


def distribution(decoded: Mapping[str, list[Tensor]]) -> dict[str, NDArray[np.float32]]:
    """Return the log-probabilities by number, such as `pose0_position.x`."""
    return {name: decoded[part][place].cpu().numpy() for name, (part, place) in head_names().items()}
