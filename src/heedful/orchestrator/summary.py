"""What stands for the turns that a window left out: one user message, made here or by the model.

The deterministic summary is the default and the fallback. Rules are never summarised: the system
prompt that holds them is sent whole with every call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from heedful.models.message import Message, ModelReply, ModelRequest, Usage
from heedful.orchestrator.conversation import Conversation

SUMMARY_TURNS = 8
SUMMARY_HEAD = "Summary of the conversation before the messages below:"
SUMMARY_TOKENS = 60 + SUMMARY_TURNS * 60
"""Upper estimate of a summary's tokens."""
WRITTEN_CHARACTERS = 2000
"""Longest text that is kept of a summary which the model wrote."""
LINE_CHARACTERS = 400
PROMPT = """\
Below is the older part of a conversation between an operator and you, the model that controls a \
humanoid robot. It will be removed. Write what you need to go on: what the operator asked for, what was \
done and what was not, where the robot is, what the sensors said last. Plain text, at most 200 words. \
Leave the safety rules out; you keep them."""


@dataclass(frozen=True, slots=True)
class SummaryTask:
    """A summary that the model is to write before its next call."""

    first: int
    """Index of the first message that the summary leaves out."""
    turns: int
    """How many turns lie before it."""
    text: str
    """The summary so far and the messages to fold into it, as plain text."""


@dataclass(frozen=True, slots=True)
class SummaryCall:
    """What a call that was to write a summary used, and what went wrong with it."""

    usage: Usage | None = None
    """None where no answer came."""
    notes: tuple[str, ...] = ()


def summarise(conversation: Conversation, first: int) -> str:
    """Return a deterministic summary of the messages before `first`; empty when there are none."""
    if first == 0:
        return ""
    starts = _starts_before(conversation, first)
    ends = [*starts[1:], first]
    shown = list(zip(starts, ends, strict=True))[-SUMMARY_TURNS:]
    lines = [summary_head(conversation, first)]
    number = len(starts) - len(shown)
    for offset, (start, end) in enumerate(shown, start=1):
        lines.append(_turn_line(number + offset, conversation.messages[start:end]))
    return "\n".join(lines)


def summary_head(conversation: Conversation, first: int) -> str:
    """Return the summary's first line, which alone says that turns are missing and how many."""
    return f"{SUMMARY_HEAD} {len(_starts_before(conversation, first))} turn(s)."


def plan_summary(conversation: Conversation, previous_first: int, first: int) -> SummaryTask | None:
    """Return what the model should sum up so that a window can begin at `first`; None if it is done."""
    if first == 0 or first in conversation.summaries:
        return None
    before = conversation.summaries.get(previous_first, "")
    lines = [before] if before else []
    lines += [_message_line(m) for m in conversation.messages[previous_first:first]]
    return SummaryTask(first, len(_starts_before(conversation, first)), "\n".join(lines))


def summary_request(task: SummaryTask, hint: Any, max_output_tokens: int, seed: int | None) -> ModelRequest:
    """Return the call that asks the model for a summary: a fixed prompt, no tools, temperature 0."""
    messages = (Message("system", PROMPT), Message("user", task.text))
    return ModelRequest(messages, (), 0.0, max_output_tokens, seed, hint)


def read_summary(task: SummaryTask, reply: ModelReply) -> str | None:
    """Return the summary message that the model wrote, cut to size; None if it wrote no text."""
    text = reply.text.strip()
    if not text or reply.finish == "filtered":
        return None
    return f"{SUMMARY_HEAD} {task.turns} turn(s).\n{text[:WRITTEN_CHARACTERS]}"


def _starts_before(conversation: Conversation, first: int) -> list[int]:
    return [start for start in conversation.turn_starts if start < first]


def _turn_line(number: int, messages: Sequence[Message]) -> str:
    tools = [call.name for m in messages for call in m.tool_calls]
    replies = [m.content for m in messages if m.role == "assistant" and m.content]
    said = f'; you said "{_short(replies[-1], 60)}"' if replies else ""
    used = f"; you called {_short(', '.join(tools), 60)}" if tools else ""
    return f'Turn {number}: operator said "{_short(messages[0].content, 80)}"{used}{said}'


def _message_line(message: Message) -> str:
    if message.role == "tool":
        return f"{message.tool_name} answered: {_short(message.content, LINE_CHARACTERS)}"
    who = "Operator" if message.role == "user" else "You"
    called = [f"{c.name} {orjson.dumps(c.arguments).decode()}" for c in message.tool_calls]
    used = f" [you called {_short(', '.join(called), LINE_CHARACTERS)}]" if called else ""
    return f"{who}: {_short(message.content, LINE_CHARACTERS)}{used}"


def _short(text: str, size: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= size else flat[: size - 3] + "..."
