"""A guard's decision on one command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

DecisionKind = Literal["allow", "clamp", "deny", "substitute"]


@dataclass(frozen=True)
class Decision:
    """What a guard did with a command, and why."""

    kind: DecisionKind
    rules: tuple[str, ...] = ()
    """Ids of the invariants that decided."""
    reason: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)
    """The arguments that ran instead, for clamp and substitute."""
