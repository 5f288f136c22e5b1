"""Which episodes are run: a task, a level, a policy, seeds, and under what conditions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from heedful.policies.registry import NO_FILES, PolicyFiles
from heedful.state.tabletop.level_file import load_partition
from heedful.state.tabletop.levels import Partition
from heedful.state.tabletop.progress import Profile, Rule
from heedful.state.tabletop.scene import Task
from heedful.trace.episode import EpisodeInfo
from heedful.world.tabletop.spawn import Spawn


@dataclass(frozen=True, slots=True)
class RolloutPlan:
    """Episodes of one policy on one task at one level."""

    task: Task
    level: str = "placement"
    """A shipped level's name, or a file of the user's."""
    policy: str = "oracle"
    first_seed: int = 0
    episodes: int = 150
    rule: Rule = "centre"
    spawn: Spawn = "sound"
    profile: Profile = "vima"
    files: PolicyFiles = NO_FILES
    """What the policy is read from."""

    @property
    def partition(self) -> Partition:
        """The level: one of those that ship, or a user's."""
        return _partition(self.level)

    @property
    def seeds(self) -> range:
        """The scenes' seeds."""
        return range(self.first_seed, self.first_seed + self.episodes)

    @property
    def not_applicable(self) -> str:
        """Why the level cannot be played, in words; empty if it can."""
        level = self.partition
        return "" if level.has(self.task) else f"the level {level.name} lacks the task {self.task}"

    def describe(self, seed: int, versions: dict[str, str]) -> EpisodeInfo:
        """Return what identifies the episode of a seed."""
        return EpisodeInfo(
            f"{self.task}-{self.partition.name}-{self.policy}-{seed}",
            self.task,
            self.partition.name,
            seed,
            self.policy,
            rule=self.rule,
            spawn=self.spawn,
            profile=self.profile,
            versions=versions,
        )


@lru_cache(maxsize=8)
def _partition(level: str) -> Partition:
    return load_partition(level)
