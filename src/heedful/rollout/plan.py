"""Which episodes are run: a task, a level, a policy, seeds, and under what conditions."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.state.tabletop.levels import find_partition
from heedful.state.tabletop.progress import Profile, Rule
from heedful.state.tabletop.scene import Task
from heedful.trace.episode import EpisodeInfo
from heedful.world.tabletop.spawn import Spawn


@dataclass(frozen=True, slots=True)
class RolloutPlan:
    """Episodes of one policy on one task at one level."""

    task: Task
    level: str = "placement"
    policy: str = "oracle"
    first_seed: int = 0
    episodes: int = 150
    rule: Rule = "centre"
    spawn: Spawn = "sound"
    profile: Profile = "vima"

    @property
    def seeds(self) -> range:
        """The scenes' seeds."""
        return range(self.first_seed, self.first_seed + self.episodes)

    @property
    def not_applicable(self) -> str:
        """Why the level cannot be played, in words; empty if it can."""
        has_task = find_partition(self.level).has(self.task)
        return "" if has_task else f"the level {self.level} lacks the task {self.task}"

    def describe(self, seed: int, versions: dict[str, str]) -> EpisodeInfo:
        """Return what identifies the episode of a seed."""
        return EpisodeInfo(
            f"{self.task}-{self.level}-{self.policy}-{seed}",
            self.task,
            self.level,
            seed,
            self.policy,
            rule=self.rule,
            spawn=self.spawn,
            profile=self.profile,
            versions=versions,
        )
