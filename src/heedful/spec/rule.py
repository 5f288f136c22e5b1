"""A rule ready for evaluation: what an invariant demands of one command, and what breaks it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["prohibit", "limit", "bound", "require"]
Part = Literal["response", "obligation"]

SPEED_TOLERANCE = 1e-6
"""[%]"""


@dataclass(frozen=True, slots=True)
class Admission:
    """What a set of active rules makes of one tool."""

    is_prohibited: bool
    max_percent: float
    """The strictest limit on its speed; infinite without one."""
    is_bounded: bool
    """Whether it may not leave the workspace."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One enforceable part of an invariant.

    A `require` invariant gives two rules: the obligation itself and the prohibition after its
    deadline. Every other invariant gives one.
    """

    key: str
    """Unique name: the invariant's id, with `/after` for the prohibition that follows an obligation."""
    invariant: str
    kind: Kind
    window_s: float
    classes: frozenset[str] = frozenset()
    except_tools: frozenset[str] = frozenset()
    max_percent: float = 100.0
    within_s: float = 0.0
    """For an obligation: time from onset to its deadline [s]."""
    action: str = ""
    latched: bool = False
    """Whether it is active by latch (from the deadline on), not by its condition."""

    def covers(self, tool: str, tool_class: str) -> bool:
        """Return whether the rule says anything about this tool."""
        return tool_class in self.classes and tool not in self.except_tools

    def admits(self, tool: str, tool_class: str, speed_percent: float, *, leaves_region: bool) -> bool:
        """Return whether a command that runs while the rule is active keeps it."""
        if self.kind == "bound":
            return not leaves_region
        if not self.covers(tool, tool_class):
            return True
        return self.kind == "limit" and speed_percent <= self.max_percent + SPEED_TOLERANCE
