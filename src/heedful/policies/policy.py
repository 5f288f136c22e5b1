"""What every tabletop policy is: a prompt once, then an action for each observation.

Below: the records of `state.tabletop`. Above: `rollout`, which runs episodes, and the attacks, which change
what a policy is shown. A planner is handed to every policy; only scripted ones may ask it anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownPrompt, TableObservation
from heedful.state.tabletop.progress import Foreseen, Progress, TableState
from heedful.state.tabletop.scene import TableScene


class Planner(Protocol):
    """The truth about an episode, for scripted policies: the scene, and what an action would do."""

    @property
    def scene(self) -> TableScene:
        """The scene as it was drawn."""
        ...

    @property
    def state(self) -> TableState:
        """The table now."""
        ...

    @property
    def progress(self) -> Progress:
        """How far the episode has come."""
        ...

    def foresee(self, action: TableAction) -> Foreseen:
        """Return what an action would lead to; the table itself stays as it is."""
        ...


@dataclass(frozen=True, slots=True)
class PolicyStep:
    """What a policy answers to one observation."""

    action: TableAction
    distribution: Mapping[str, NDArray[np.float32]] | None = None
    """Log-probabilities of the bins, by head; None if the policy has none."""
    embedding: NDArray[np.float32] | None = None
    """What the policy made of the observation and prompt, one vector; None if it has none."""


class Policy(Protocol):
    """Chooses actions; keeps its own history from `reset` to `reset`."""

    @property
    def facts(self) -> Mapping[str, str]:
        """Which weights it has, for the record; empty for a scripted policy."""
        ...

    def reset(
        self, prompt: ShownPrompt, planner: Planner | None = None, rng: np.random.Generator | None = None
    ) -> None:
        """Begin an episode.

        Args:
            prompt: What is to be done.
            planner: The truth; None where a policy has to do without.
            rng: What the policy may draw from; None for one seeded with 0.
        """
        ...

    def act(self, observation: TableObservation) -> PolicyStep:
        """Return the next action."""
        ...
