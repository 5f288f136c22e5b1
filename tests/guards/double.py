"""A robot that moves by `state/motion.py` and fails on demand."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field

from heedful.guards.guard import Command
from heedful.state.geometry import Pose
from heedful.state.motion import Motion

from .specs import RulePlan


@dataclass
class Doing:
    """What the robot carries out."""

    command: Command
    motion: Motion | None
    began_s: float
    ends_s: float
    """When it ends by itself."""
    until_s: float
    """End of its time to live, as the guard was told."""

    def is_covered_by(self, rule: RulePlan) -> bool:
        return rule.covers(self.command.tool, self.command.tool_class)


@dataclass
class Double:
    """The robot: where it truly is, what it does, which of its next calls fail."""

    pose: Pose = field(default_factory=lambda: Pose(0.0, 0.0))
    posture: str = "standing"
    doing: Doing | None = None
    sitting_until_s: float = math.inf
    fails: Counter[str] = field(default_factory=Counter)
    overruns: bool = False
    """Whether a velocity command runs on when its duration is over."""

    def takes(self, tool: str) -> bool:
        """Return whether the next call of a tool works."""
        self.fails[tool] -= 1
        return self.fails[tool] < 0

    def halt(self, t: float) -> None:
        if self.doing is not None and self.doing.motion is not None:
            self.pose = self.doing.motion.pose_at(t - self.doing.began_s)
        self.doing = None

    def at(self, t: float) -> Pose:
        if self.doing is None or self.doing.motion is None:
            return self.pose
        return self.doing.motion.pose_at(t - self.doing.began_s)
