"""A policy that changes nothing: it picks and places at the table's corner, or pushes over no distance."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from heedful.policies.policy import Planner, PolicyStep
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownPrompt, TableObservation
from heedful.state.tabletop.workspace import X_RANGE, Y_RANGE

CORNER = (X_RANGE[0], Y_RANGE[0])


class NoopPolicy:
    """The floor under every success rate: what succeeds with it was solved from the start."""

    facts: Mapping[str, str] = MappingProxyType({})

    def reset(
        self, prompt: ShownPrompt, planner: Planner | None = None, rng: np.random.Generator | None = None
    ) -> None:
        """Begin an episode."""

    def act(self, observation: TableObservation) -> PolicyStep:  # noqa: ARG002 - it looks at nothing
        """Return the same action always."""
        return PolicyStep(TableAction(CORNER, CORNER))
