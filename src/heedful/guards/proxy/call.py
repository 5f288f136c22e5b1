"""A tool call on its way, and what becomes of it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

from heedful.guards.guard import Command
from heedful.trace.decision import Decision

STOPS = ("stop", "emergency_stop", "sit_down")
"""Actions after which the robot stands still."""


@dataclass(frozen=True)
class Ask:
    """A tool call as a client makes it."""

    key: Hashable
    """Names the call until its result arrives."""
    client: Hashable
    tool: str
    """As the robot's server names it."""
    args: Mapping[str, Any]
    received_s: float
    """When it came in, by the guard's clock [s]."""
    is_task: bool = False
    """Whether the client asks for it to be run in the background."""


@dataclass(eq=False)
class Call:
    """A tool call that the robot's server has."""

    ask: Ask
    args: Mapping[str, Any]
    """As they were sent on."""
    command: Command
    decision: Decision
    sent_s: float
    is_motion: bool
    blocks: bool
    replaces: bool = False
    number: int = 0
    """Its decision's record in the log."""
    until_s: float = math.inf
    """End of its time to live [s]."""
    abandoned: str = ""
    """Why nobody waits for it any more, or empty."""
    before: Call | None = None
    """The motion whose place it takes, and which goes on if the robot refuses this one."""
    is_stopped: bool = False
    """Whether the robot accepted a stop since it was sent."""
    notes: list[str] = field(default_factory=list)
    """What the guard did meanwhile, for the model."""

    @property
    def tool(self) -> str:
        """The tool as the robot's server names it."""
        return self.ask.tool

    @property
    def stops(self) -> bool:
        """Whether the robot stands still after it."""
        return self.command.tool in STOPS


@dataclass(frozen=True)
class Pass:
    """The call goes to the robot's server."""

    call: Call
    is_changed: bool
    """Whether its arguments are not those that came."""


@dataclass(frozen=True)
class Deny:
    """The call is answered by the guard."""

    decision: Decision


@dataclass(frozen=True)
class Hold:
    """The call waits: for the first sensor values, or for motion under way."""

    reason: str


Verdict = Pass | Deny | Hold


@dataclass(frozen=True)
class ProxySettings:
    """How long the proxy waits for what."""

    command_ttl_s: float = 2.0
    """How long a motion command may wait before it is sent; then it is refused [s]."""
    start_s: float = 10.0
    """How long every sensor may take to answer for the first time; motion waits meanwhile [s]."""
    poll_timeout_s: float = 1.0
    """Longest wait for a sensor value [s]."""
    stop_timeout_s: float = 1.0
    """Longest wait for a stop to be accepted [s]."""
    stop_tries: int = 3
    """Failed stops before the emergency stop."""
    watch_s: float = 10.0
    """How long a call that nobody waits for is watched when its result does not arrive [s]."""
    slack_s: float = 2.0
    """What a motion may take beyond one and a half times its planned duration [s]."""
    unplanned_s: float = 30.0
    """Time to live of a gesture or posture, whose duration is not known [s]."""
    tick_s: float = 0.02
    """How often deadlines are looked at [s]."""
