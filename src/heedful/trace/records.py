"""The records of one session: turns, model calls, tool calls, motions.

Times are seconds since the turn's start on the session's simulated clock. Everything a judge needs
is here: a stored session can be labelled again, under another spec, without robot or model.
Records have no slots, since orjson writes those without three times as fast.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from heedful.spec.command import Request
from heedful.state.geometry import Pose
from heedful.state.motion import Motion
from heedful.state.series import Series, Value
from heedful.trace.decision import Decision

CallStatus = Literal[
    "ok", "error", "failed", "partial", "denied", "unknown_tool", "malformed", "not_executed"
]
"""`error`: the robot refused bad input or its state; `failed`: a fault of the tool; the rest as named."""

GUARD = -1
"""The model call of what the guard does by itself."""

TurnEnd = Literal["replied", "cap", "timeout", "overflow", "filtered", "invalid"]


MotionEnd = Literal["done", "stopped", "replaced", "stalled", "fell", "refused"]
"""How a motion ended: `stalled` came no nearer to its goal, `refused` never began."""


@dataclass(frozen=True)
class Achieved:
    """What a body with mass made of one commanded motion, posture or gesture."""

    tool: str
    began_s: float
    """Negative when it began in an earlier turn."""
    ended_s: float
    """When the command ended: done, stopped, or replaced by another."""
    end: MotionEnd
    pose: Pose
    """Where the robot stood then."""
    commanded_m_s: float = 0.0
    """Greatest planar speed that was commanded [m/s]."""
    mean_m_s: float | None = None
    """Mean planar speed over gaits of 1 s [m/s]; None for shorter walks."""
    fastest_m_s: float | None = None
    """Greatest of those speeds [m/s]."""
    standstill_s: float | None = None
    """Time from the end of the command to standstill [s]; None if another command came first."""
    coasted_m: float | None = None
    """Way from the end of the command to standstill [m]."""


@dataclass(frozen=True)
class RobotState:
    """The robot at an instant, as it truly is."""

    pose: Pose
    posture: str = "standing"
    battery: float = 100.0
    """[%]"""
    is_estopped: bool = False
    motion: Motion | None = None
    """Velocity motion under way, its start shifted to this instant's turn time."""
    motion_started_s: float = 0.0
    """When that motion started, relative to the turn's start; negative when it runs on from before."""


@dataclass(frozen=True)
class Reading:
    """A sensed value that reached the model."""

    value: Value
    sampled_s: float
    """When the sensor took it."""


@dataclass(frozen=True)
class ToolEvent:
    """One tool call: what was asked, what ran, what the model was told."""

    index: int
    model_call: int
    """Position of the model call that asked for it; `GUARD` for the guard's own actions."""
    call_id: str
    tool: str
    args: Mapping[str, Any]
    """Arguments as the model wrote them."""
    issued_s: float
    ended_s: float
    """When the result was returned."""
    status: CallStatus
    result: str
    """The text the model received."""
    tool_class: str = "none"
    readings: Mapping[str, Reading] = field(default_factory=dict)
    read_as: Mapping[str, Any] = field(default_factory=dict)
    """Arguments as the robot read them."""
    issued: Motion | None = None
    """The motion that was commanded, as if run unchanged from the actual state."""
    executed: Motion | None = None
    """The motion that ran."""
    true: Mapping[str, Value] = field(default_factory=dict)
    """True position at issue; only on actuation. Everything else is in the turn's series."""
    sensed: Mapping[str, Value] = field(default_factory=dict)
    """The robot's sampled position at issue; only on actuation."""
    ran: bool = False
    """Whether the robot did anything of it; only on actuation."""
    is_fault: bool = False
    """Whether the world's script made this call fail."""
    decision: Decision | None = None


@dataclass(frozen=True)
class SentRange:
    """What one model call was sent, enough to rebuild it from the trace."""

    first: int
    """Index of the first message kept verbatim, in the session's message list."""
    end: int
    """One past the last message."""
    estimated_tokens: int
    summary: str = ""
    """The summary of what came before, or empty."""
    has_rules: bool = True
    """Whether the system prompt with every rule was sent."""


@dataclass(frozen=True)
class ModelEvent:
    """One call to the model and its answer."""

    index: int
    at_s: float
    """When the answer arrived."""
    sent: SentRange
    text: str
    calls: int
    """How many tool calls the answer asked for."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    finish: str = "stop"
    notes: tuple[str, ...] = ()
    cache_write_tokens: int = 0
    """Input tokens written to the provider's cache, those of the summary call included."""
    summary_input_tokens: int | None = None
    """Input of the call that wrote a summary before this one; None without such a call."""
    summary_output_tokens: int = 0
    summary_cached_tokens: int = 0


@dataclass(frozen=True)
class TurnRecord:
    """One turn, whole."""

    index: int
    turn_id: str
    phase: str
    utterance: str
    request: Request
    declared_s: float
    duration_s: float
    started_s: float
    """Session time of the turn's start [s]."""
    start: RobotState
    end: RobotState
    true: Mapping[str, Series]
    sensed: Mapping[str, Series]
    model_calls: tuple[ModelEvent, ...]
    events: tuple[ToolEvent, ...]
    reply: str
    ended: TurnEnd
    control_ended_s: float
    """When the model replied or lost control."""
    family: str = ""
    """Probe family, or empty."""
    tags: tuple[str, ...] = ()
    """`boundary`, `transition`, `clamp`, `continues`, `reset`..."""
    pushed: Mapping[str, Reading] = field(default_factory=dict)
    """Sensed values pushed into the conversation with the utterance."""
    repositioned: bool = False
    invalid: str = ""
    """Why the turn is invalid, or empty."""
    achieved: tuple[Achieved, ...] = ()
    """What the body made of each motion that ended in the turn; empty on the text layer."""

    @property
    def continues(self) -> bool:
        """Whether the robot's motion and pose run on from the turn before."""
        return "continues" in self.tags

    @property
    def is_reset(self) -> bool:
        """Whether the operator resets the robot at the start of this turn."""
        return "reset" in self.tags


@dataclass(frozen=True)
class SessionEnd:
    """The last record of a finished session."""

    turns: int
    completed: bool = True
