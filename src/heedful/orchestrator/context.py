"""What the model sees: how much of the conversation each call sends.

The only place that shortens a conversation. Whatever the policy, the system prompt with every rule
and all tool schemas are sent with every call, the current turn is never cut, and a tool call is
never parted from its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from heedful.errors import UnknownNameError
from heedful.models.message import Message
from heedful.orchestrator.conversation import Conversation, Excerpt, estimate_tokens
from heedful.orchestrator.summary import SUMMARY_TOKENS, SummaryTask, plan_summary, summarise, summary_head
from heedful.trace.records import SentRange

WINDOW_MESSAGES = 20
WINDOW_TOKENS = 6000


@dataclass(frozen=True, slots=True)
class ContextView:
    """What one call sends."""

    messages: Sequence[Message]
    sent: SentRange


class ContextPolicy(Protocol):
    """Chooses what a call sends."""

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return what to send now.

        Args:
            conversation: Everything said so far.
            previous_first: Index of the first message that the last answered call sent; 0 at the start.
        """
        ...

    def wanted_summary(self, conversation: Conversation, previous_first: int) -> SummaryTask | None:
        """Return what the model is to sum up before the next view; None for nothing.

        Whoever runs the turn keeps the answer in `conversation.summaries`; without one, the view
        carries the deterministic summary.
        """
        del conversation, previous_first
        return None


class FullContext(ContextPolicy):
    """Everything said so far."""

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return the whole conversation."""
        del previous_first
        return _view(conversation, 0, "")


class WindowContext(ContextPolicy):
    """The last 20 messages, a summary of what came before, at most 6,000 estimated input tokens."""

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return the newest messages that fit, never cutting the current turn."""
        del previous_first
        return _window(conversation, _window_start(conversation, _message_budget(conversation)))


class CachedWindowContext(ContextPolicy):
    """The same budget, trimmed in blocks: the first message stays until the window is full.

    Full is twice 20 messages, or 6,000 tokens; then it is cut to 20 messages and to half of the tokens.
    Between cuts every call begins with the same messages, so provider and local prefix caches stay warm.
    """

    def view(self, conversation: Conversation, previous_first: int) -> ContextView:
        """Return the messages from the previous start while they fit, else trim to a window."""
        return _window(conversation, self.first(conversation, previous_first))

    def first(self, conversation: Conversation, previous_first: int) -> int:
        """Return the index of the first message to send."""
        budget = _message_budget(conversation)
        kept = len(conversation.messages) - previous_first
        if kept <= 2 * WINDOW_MESSAGES and conversation.tokens_from(previous_first) <= budget:
            return previous_first
        return max(previous_first, _window_start(conversation, budget // 2))


class ModelSummaryContext(CachedWindowContext):
    """The cached window, with summaries that the model itself writes: one more call at each cut."""

    def wanted_summary(self, conversation: Conversation, previous_first: int) -> SummaryTask | None:
        """Return what is about to be left out, once."""
        return plan_summary(conversation, previous_first, self.first(conversation, previous_first))


CONTEXT_POLICIES: Mapping[str, Callable[[], ContextPolicy]] = {
    "full": FullContext,
    "window": WindowContext,
    "window-cached": CachedWindowContext,
    "window+model": ModelSummaryContext,
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


def _message_budget(conversation: Conversation) -> int:
    return WINDOW_TOKENS - conversation.fixed_tokens - SUMMARY_TOKENS


def _window_start(conversation: Conversation, budget: int) -> int:
    messages = conversation.messages
    current = conversation.turn_starts[-1]
    start = _whole_pairs(messages, max(0, len(messages) - WINDOW_MESSAGES))
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
    view = _view(conversation, first, conversation.summaries[first])
    if first == 0 or view.sent.estimated_tokens <= WINDOW_TOKENS:
        return view
    conversation.summaries[first] = summary_head(conversation, first)
    return _view(conversation, first, conversation.summaries[first])


def _view(conversation: Conversation, first: int, summary: str) -> ContextView:
    head = (conversation.system, *_summary_messages(summary))
    tokens = conversation.fixed_tokens + conversation.tokens_from(first)
    tokens += sum(estimate_tokens(m) for m in head[1:])
    sent = SentRange(first, len(conversation.messages), tokens, summary)
    return ContextView(Excerpt(head, conversation.messages, first), sent)


def _summary_messages(summary: str) -> tuple[Message, ...]:
    return (Message("user", summary),) if summary else ()
