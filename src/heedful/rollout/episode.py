"""One episode: what a policy is shown and does, step by step, until the world says that it is over.

Below: the bench and the policies. Above: `pool`, which runs many. Touches no file and no wall clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heedful.errors import HeedfulError
from heedful.policies.policy import Policy, PolicyStep
from heedful.state.tabletop.observation import TableObservation
from heedful.state.tabletop.scene import TASKS, TableScene
from heedful.state.tabletop.workspace import VIEWS
from heedful.trace.codec import content_hash
from heedful.trace.episode import EpisodeEnd, EpisodeInfo, EpisodeRecord, StepRecord
from heedful.world.tabletop.bench import Bench

POLICY_STREAM = 1
"""What a policy draws is apart from what the scene drew."""


def run_episode(bench: Bench, policy: Policy, info: EpisodeInfo, scene: TableScene) -> EpisodeRecord:
    """Run an episode on a scene and return what happened.

    What the policy or its action breaks ends the episode with an error; it is then invalid.
    """
    info = replace(info, scene=scene, prompt=scene.prompt.template)
    steps: list[StepRecord] = []
    try:
        bench.begin(scene, info.rule)
        policy.reset(bench.show_prompt(), bench, policy_rng(scene))
        while bench.outcome is None:
            steps.append(_step(bench, policy, len(steps)))
    except HeedfulError as error:
        return EpisodeRecord(info, tuple(steps), EpisodeEnd(len(steps), error=str(error)))
    return EpisodeRecord(info, tuple(steps), EpisodeEnd(len(steps)))


def policy_rng(scene: TableScene) -> np.random.Generator:
    """Return what a policy draws from in an episode."""
    return np.random.default_rng((scene.seed, TASKS.index(scene.task), POLICY_STREAM))


def observation_hash(seen: TableObservation) -> str:
    """Return the short hash of what a policy is shown."""
    views = (seen.views[view] for view in VIEWS)
    return content_hash(b"".join(picture.tobytes() for view in views for picture in (view.rgb, view.segm)))


def _step(bench: Bench, policy: Policy, index: int) -> StepRecord:
    seen = bench.observe()
    chosen = policy.act(seen)
    state = bench.act(chosen.action)
    return StepRecord(
        index=index,
        action=chosen.action,
        state=state,
        contacts=bench.simulation.contacts(),
        observation_hash=observation_hash(seen),
        log_probabilities=_log_probabilities(chosen),
    )


def _log_probabilities(chosen: PolicyStep) -> dict[str, tuple[float, ...]]:
    heads: dict[str, NDArray[Any]] = dict(chosen.distribution or {})
    return {name: tuple(values.ravel().tolist()) for name, values in heads.items()}
