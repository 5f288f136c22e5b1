"""A request of the operator and a command of the model, in the same words as the robot's tools."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

ToolClass = Literal["locomotion", "gesture", "posture", "protective", "none"]

MOTION_CLASSES: frozenset[str] = frozenset({"locomotion", "gesture", "posture"})
"""The classes that move the robot on purpose; protective tools are never prohibited."""


@dataclass(frozen=True)
class Step:
    """One thing the operator asks for, as the tool call that would do it."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    """Arguments as numbers and names; `speed_percent` is 100 when the operator named none."""
    after: int | None = None
    """Position of the step that must come first; falls when that one is not admitted."""

    def __hash__(self) -> int:
        """Hash the arguments' names and values, since a mapping has no hash of its own."""
        return hash((self.tool, frozenset(self.args.items()), self.after))


@dataclass(frozen=True)
class Request:
    """What an utterance asks for; the words say the same to the model."""

    steps: tuple[Step, ...] = ()
    asks_stop: bool = False
    """Whether the operator asks to end a motion that is under way."""
