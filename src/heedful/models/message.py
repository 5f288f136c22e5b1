"""What goes to a model and what comes back, the same for every provider.

Wires translate these records to a provider's format and back; nothing above them knows a
provider's format. `ModelRequest.hint` is never sent anywhere: only scripted reference models read it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "tool_calls", "length", "filtered"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One tool call that a model asked for."""

    id: str
    """Identifier that its result answers to; made up by the wire where the provider has none."""
    name: str
    arguments: Mapping[str, Any]
    """Parsed arguments; empty when `problem` is set."""
    problem: str | None = None
    """Why the arguments could not be read as a JSON object, or None."""
    raw: str | None = None
    """The unreadable text itself, at most 2,000 characters, or None."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Calls asked for, on an assistant message."""
    tool_call_id: str | None = None
    """The call this answers, on a tool message."""
    tool_name: str | None = None
    """The tool this answers for, on a tool message."""
    is_error: bool = False
    """Whether the tool reported an error, on a tool message."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model is told of it."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    """JSON Schema of the arguments, an object schema."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call as the provider counted them; zero where it said nothing."""

    input_tokens: int = 0
    """All input tokens, cached ones included."""
    output_tokens: int = 0
    cached_input_tokens: int = 0
    """Input tokens served from the provider's prompt cache."""
    cache_write_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call to a model."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec]
    temperature: float | None = 0.2
    max_output_tokens: int = 1024
    seed: int | None = None
    hint: Any = None
    """What the operator's words ask for, structured. Only reference models read it; no wire sends it."""


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    latency_s: float = 0.0
    """Wall-clock time of the answered attempt [s]; retries and waiting excluded."""
    finish: Finish = "stop"
    notes: tuple[str, ...] = ()
    """How the reply was read where that took leniency, e.g. `lenient_json`, `malformed_call`."""
    attempts: int = 1
