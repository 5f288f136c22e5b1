"""What the model sees: how much of the conversation each call sends.

The only place that shortens a conversation. Whatever the policy, the system prompt with every rule
and all tool schemas are sent with every call, the current turn is never cut, and a tool call is
never parted from its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from heedful.errors import UnknownNameError
from heedful.models.message import Message
from heedful.orchestrator.conversation import Conversation, estimate_tokens
from heedful.trace.records import SentRange

WINDOW_MESSAGES = 20
WINDOW_TOKENS = 6000
SUMMARY_TURNS = 8
SUMMARY_HEAD = "Summary of the conversation before the messages below:"


@dataclass(frozen=True, slots=True)
class ContextView:
    """What one call sends."""

    messages: tuple[Message, ...]
    sent: SentRange


class ContextPolicy(Protocol):
    """Chooses what a call sends."""

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return what to send now.

        Args:
            conversation: Everything said so far.
            previous_first: Index of the first message that the call before sent; 0 at the start.
        """
        ...


class FullContext:
    """Everything said so far."""

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return the whole conversation."""
        del previous_first
        return _view(conversation, 0, "")


class WindowContext:
    """The last 20 messages, a summary of what came before, at most 6,000 estimated input tokens."""

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return the newest messages that fit, never cutting the current turn."""
        del previous_first
        return _window(conversation, _window_start(conversation))


class CachedWindowContext:
    """The same budget, trimmed in blocks: the first message stays until the window is twice as long.

    Between trims every call begins with the same messages, so provider and local prefix caches stay warm.
    """

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return the messages from the previous start while they fit, else trim to a window."""
        kept = len(conversation.messages) - previous_first
        fits = conversation.fixed_tokens + conversation.tokens_from(previous_first) + _summary_reserve()
        if kept <= 2 * WINDOW_MESSAGES and fits <= WINDOW_TOKENS:
            return _window(conversation, previous_first)
        return _window(conversation, max(previous_first, _window_start(conversation)))


CONTEXT_POLICIES: Mapping[str, Callable[[], ContextPolicy]] = {
    "full": FullContext,
    "window": WindowContext,
    "window-cached": CachedWindowContext,
}


def build_context(name: str) -> ContextPolicy:
    """Return the context policy of that name.

    Raises:
        UnknownNameError: If there is none.
    """
    if name not in CONTEXT_POLICIES:
        raise UnknownNameError("Context policy", name, CONTEXT_POLICIES)
    return CONTEXT_POLICIES[name]()


def rebuild_view(conversation: Conversation, sent: SentRange) -> tuple[Message, ...]:
    """Return the exact messages that a recorded call sent."""
    head = (conversation.system, *_summary_messages(sent.summary))
    return (*head, *conversation.messages[sent.first : sent.end])


def _window_start(conversation: Conversation) -> int:
    messages = conversation.messages
    current = conversation.turn_starts[-1]
    start = _whole_pairs(messages, max(0, len(messages) - WINDOW_MESSAGES))
    budget = WINDOW_TOKENS - conversation.fixed_tokens - _summary_reserve()
    while start < current and conversation.tokens_from(start) > budget:
        start = _whole_pairs(messages, start + 1)
    return min(start, current)


def _whole_pairs(messages: list[Message], start: int) -> int:
    """Return the first index from `start` on that does not begin with a tool's result."""
    while start < len(messages) and messages[start].role == "tool":
        start += 1
    return start


def _window(conversation: Conversation, first: int) -> ContextView:
    if first not in conversation.summaries:
        conversation.summaries[first] = summarise(conversation, first)
    return _view(conversation, first, conversation.summaries[first])


def _view(conversation: Conversation, first: int, summary: str) -> ContextView:
    head = (conversation.system, *_summary_messages(summary))
    kept = conversation.messages[first:] if first else conversation.messages
    tokens = conversation.fixed_tokens + conversation.tokens_from(first)
    tokens += sum(estimate_tokens(m) for m in head[1:])
    sent = SentRange(first, len(conversation.messages), tokens, summary)
    return ContextView((*head, *kept), sent)


def _summary_messages(summary: str) -> tuple[Message, ...]:
    return (Message("user", summary),) if summary else ()


def _summary_reserve() -> int:
    """Return an upper estimate of the summary's tokens."""
    return 60 + SUMMARY_TURNS * 60


def summarise(conversation: Conversation, first: int) -> str:
    """Return a deterministic summary of the messages before `first`; empty when there are none."""
    if first == 0:
        return ""
    starts = [start for start in conversation.turn_starts if start < first]
    ends = [*starts[1:], first]
    shown = list(zip(starts, ends, strict=True))[-SUMMARY_TURNS:]
    lines = [f"{SUMMARY_HEAD} {len(starts)} turn(s)."]
    number = len(starts) - len(shown)
    for offset, (start, end) in enumerate(shown, start=1):
        lines.append(_turn_line(number + offset, conversation.messages[start:end]))
    return "\n".join(lines)


def _turn_line(number: int, messages: list[Message]) -> str:
    tools = [call.name for m in messages for call in m.tool_calls]
    replies = [m.content for m in messages if m.role == "assistant" and m.content]
    said = f'; you said "{_short(replies[-1], 60)}"' if replies else ""
    used = f"; you called {_short(', '.join(tools), 60)}" if tools else ""
    return f'Turn {number}: operator said "{_short(messages[0].content, 80)}"{used}{said}'


def _short(text: str, size: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= size else flat[: size - 3] + "..."
