"""Many episodes, in this process or several, always in the order of their seeds.

Each process has one compiled model, one drawing context and one policy for all its episodes. What an episode
gives depends on its seed alone.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache

import cv2
import mujoco
import numpy as np

from heedful.policies.policy import Policy
from heedful.policies.registry import PolicyFiles, build_policy
from heedful.rollout.episode import run_episode
from heedful.rollout.plan import RolloutPlan
from heedful.state.tabletop.progress import Profile
from heedful.trace.episode import EpisodeEnd, EpisodeRecord
from heedful.version import __version__
from heedful.world.drawing.gl import choose_backend
from heedful.world.tabletop.bench import Bench
from heedful.world.tabletop.spawn import draw_scene

CHUNK = 4
"""Episodes that a process takes at a time."""


@dataclass(frozen=True, slots=True)
class _Job:
    plan: RolloutPlan
    seed: int


def run_plan(plan: RolloutPlan, workers: int = 1) -> Iterator[EpisodeRecord]:
    """Yield a plan's episodes in the order of their seeds.

    Args:
        plan: Which episodes.
        workers: Processes; with one, everything happens in this process.
    """
    if plan.not_applicable:
        yield from (_skipped(plan, seed) for seed in plan.seeds)
        return
    choose_backend()
    jobs = [_Job(plan, seed) for seed in plan.seeds]
    if workers == 1:
        yield from map(_run, jobs)
        return
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(_run, jobs, chunksize=CHUNK)


@cache
def versions() -> dict[str, str]:
    """Return the versions of everything that can move a number, and what draws."""
    packages = {module.__name__: str(module.__version__) for module in (mujoco, np, cv2)}
    return {"heedful": __version__, **packages, "gl": choose_backend()}


def _run(job: _Job) -> EpisodeRecord:
    plan = job.plan
    scene = draw_scene(plan.task, plan.partition, job.seed, plan.spawn)
    policy = _policy(plan.policy, plan.files)
    info = plan.describe(job.seed, {**versions(), **policy.facts})
    return run_episode(_bench(plan.profile), policy, info, scene)


def _skipped(plan: RolloutPlan, seed: int) -> EpisodeRecord:
    return EpisodeRecord(plan.describe(seed, {}), (), EpisodeEnd(0, not_applicable=plan.not_applicable))


@cache
def _bench(profile: Profile) -> Bench:
    cv2.setNumThreads(1)
    return Bench(profile)


@cache
def _policy(name: str, files: PolicyFiles) -> Policy:
    return build_policy(name, files)
