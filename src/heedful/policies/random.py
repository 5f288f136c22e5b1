"""A policy that draws every part of an action evenly from its range."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from heedful.policies.policy import Planner, PolicyStep
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownPrompt, TableObservation
from heedful.state.tabletop.scene import Quaternion
from heedful.state.tabletop.workspace import X_RANGE, Y_RANGE


class RandomPolicy:
    """The rate of success by chance."""

    facts: Mapping[str, str] = MappingProxyType({})

    def __init__(self) -> None:
        self._rng = np.random.default_rng(0)

    def reset(
        self,
        prompt: ShownPrompt,  # noqa: ARG002 - the protocol's
        planner: Planner | None = None,  # noqa: ARG002 - the protocol's
        rng: np.random.Generator | None = None,
    ) -> None:
        """Begin an episode."""
        self._rng = rng if rng is not None else np.random.default_rng(0)

    def act(self, observation: TableObservation) -> PolicyStep:  # noqa: ARG002 - it looks at nothing
        """Return an action drawn at random."""
        return PolicyStep(TableAction(self._place(), self._place(), self._rotation(), self._rotation()))

    def _place(self) -> tuple[float, float]:
        return float(self._rng.uniform(*X_RANGE)), float(self._rng.uniform(*Y_RANGE))

    def _rotation(self) -> Quaternion:
        x, y, z, w = self._rng.uniform(-1.0, 1.0, 4).tolist()
        return x, y, z, w
