"""A session's messages: append-only, with a declared token estimate for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import overload

import orjson

from heedful.models.message import Message, ToolCall, ToolSpec
from heedful.trace.records import ToolEvent, TurnRecord

CHARACTERS_PER_TOKEN = 4
TOKENS_PER_MESSAGE = 4


def estimate_tokens(message: Message) -> int:
    """Return the declared estimate: a token for every 4 characters, and 4 for the message itself."""
    size = len(message.content)
    for call in message.tool_calls:
        size += len(call.name) + len(orjson.dumps(call.arguments))
    return TOKENS_PER_MESSAGE + -(-size // CHARACTERS_PER_TOKEN)


def estimate_tool_tokens(tools: Sequence[ToolSpec]) -> int:
    """Return the declared estimate for the tools' names, descriptions and schemas."""
    size = sum(len(t.name) + len(t.description) + len(orjson.dumps(t.input_schema)) for t in tools)
    return -(-size // CHARACTERS_PER_TOKEN)


class Excerpt(Sequence[Message]):
    """What one call sends of a conversation that only grows: read like a tuple, but nothing is copied."""

    __slots__ = ("_end", "_first", "_head", "_messages")

    def __init__(self, head: tuple[Message, ...], messages: list[Message], first: int) -> None:
        self._head, self._messages = head, messages
        self._first, self._end = first, len(messages)

    def __len__(self) -> int:
        return len(self._head) + self._end - self._first

    @overload
    def __getitem__(self, index: int) -> Message: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Message, ...]: ...

    def __getitem__(self, index: int | slice) -> Message | tuple[Message, ...]:
        if isinstance(index, slice):
            return self._slice(index)
        at = index if index >= 0 else len(self) + index
        if not 0 <= at < len(self):
            raise IndexError(index)
        skipped = len(self._head)
        return self._head[at] if at < skipped else self._messages[self._first + at - skipped]

    def _slice(self, part: slice) -> tuple[Message, ...]:
        """Return a part, without going through the messages before it where that can be."""
        start, stop, step = part.indices(len(self))
        skipped = len(self._head)
        if start < skipped or step != 1:
            return tuple(self)[part]
        ahead = self._first - skipped
        return tuple(self._messages[ahead + start : ahead + max(start, stop)])

    def __iter__(self) -> Iterator[Message]:
        return chain(self._head, islice(self._messages, self._first, self._end))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return repr(tuple(self))


class Conversation:
    """What was said so far, and where each turn begins."""

    def __init__(self, system: Message, tools: Sequence[ToolSpec]) -> None:
        self.system = system
        self.messages: list[Message] = []
        self.turn_starts: list[int] = []
        self.fixed_tokens = estimate_tokens(system) + estimate_tool_tokens(tools)
        """Estimate of what every call sends: system prompt and tool schemas."""
        self.summaries: dict[int, str] = {}
        """Summaries already made, by the index of the first message they leave out."""
        self._totals = [0]

    def begin_turn(self, message: Message) -> None:
        """Start a turn with the operator's message."""
        self.turn_starts.append(len(self.messages))
        self.add(message)

    def add(self, message: Message) -> None:
        """Append a message."""
        self.messages.append(message)
        self._totals.append(self._totals[-1] + estimate_tokens(message))

    def tokens_from(self, first: int) -> int:
        """Return the estimate of the messages from `first` on."""
        return self._totals[-1] - self._totals[first]


def recorded_messages(turn: TurnRecord, model_call: int) -> tuple[Message, ...]:
    """Return what a recorded answer of the model added to the conversation: the answer and its results."""
    asked = [event for event in turn.events if event.model_call == model_call]
    answer = Message("assistant", turn.model_calls[model_call].text, tuple(_call_of(e) for e in asked))
    results = (Message("tool", e.result, (), e.call_id, e.tool, e.status != "ok") for e in asked)
    return (answer, *results)


def _call_of(event: ToolEvent) -> ToolCall:
    if event.status not in ("malformed", "not_executed"):
        return ToolCall(event.call_id, event.tool, event.args)
    read = event.read_as
    return ToolCall(event.call_id, event.tool, event.args, read.get("problem"), read.get("raw"))
