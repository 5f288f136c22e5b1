"""The role of a guard, and the records it deals in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from heedful.state.motion import Motion
from heedful.state.series import Value
from heedful.trace.decision import Decision


@dataclass(frozen=True)
class Command:
    """One tool call, read into the words of the spec."""

    tool: str
    """heedful's name of the action (`walk_to`), or the target's own where only a class is known."""
    tool_class: str
    args: Mapping[str, Any] = field(default_factory=dict)
    """By heedful's names: metres, m/s, rad/s, seconds, degrees for `angle_deg`, percent for speed."""
    has_speed: bool = False
    """Whether the target lets the caller set the speed, so that it can be clamped."""


@dataclass(frozen=True)
class Refusal:
    """A call that cannot be read as the tool map declares it: it never reaches the robot."""

    reason: str


class Guard(Protocol):
    """Decides on commands by what the robot's sensors say."""

    def review(self, command: Command, now_s: float) -> Decision:
        """Return what becomes of a command; a guard that fails refuses.

        Args:
            command: What the model asks the robot to do.
            now_s: The guard's own monotonic clock [s].
        """
        ...


@dataclass(frozen=True)
class Intervention:
    """Something the guard does by itself."""

    kind: Literal["stop", "limit", "sit_down"]
    rules: tuple[str, ...]
    """Ids of the invariants that call for it; empty for a time to live that has run out."""
    reason: str
    max_percent: float = 0.0
    """For `limit`: the speed to go on with [%]."""


@dataclass(frozen=True)
class Running:
    """A motion that the robot carries out now."""

    command: Command
    motion: Motion | None
    """None for a gesture or a posture."""
    began_s: float
    until_s: float
    """When its time to live ends [s]."""


@dataclass(frozen=True)
class Due:
    """An obligation that is latched."""

    invariant: str
    action: str
    onset_s: float
    act_at_s: float
    """When the guard acts if nobody has."""
    deadline_s: float
    is_met: bool


@dataclass(frozen=True)
class GuardState:
    """What a guard knows at an instant, for people and logs."""

    now_s: float
    values: Mapping[str, Value]
    """Newest sensed values, screened; None is unknown."""
    active: tuple[str, ...]
    """Ids of the invariants whose trigger holds, margin included, or that read something unknown."""
    enforced: tuple[str, ...]
    """Keys of the rules a command is held to now; bounds apart, which always are."""
    obligations: tuple[Due, ...]
    running: Running | None
