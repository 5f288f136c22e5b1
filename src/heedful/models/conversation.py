"""A conversation put into the order that every provider insists on.

OpenAI, Anthropic and Gemini all refuse a request in which a tool call is not answered at once. The
loop above keeps its own order (sensor updates may arrive between a call and its result, a window may
cut between them), so each wire first passes its messages through `pair_results`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from heedful.models.message import Message, ToolCall

NO_RESULT = "No result came back for this call."
"""What a call is answered with where the conversation holds no result for it."""

_BAD_NAME = re.compile(r"[^A-Za-z0-9_-]")


def pair_results(messages: Sequence[Message]) -> list[Message]:
    """Return the messages with every tool result directly after its call, in the order of the calls.

    A call without a result is answered by `NO_RESULT`. A result whose call is absent (its call fell
    out of the window) becomes a user message. A conversation already in order comes back unchanged.
    """
    answers = _answers(messages)
    claimed = set(answers.values())
    ordered: list[Message] = []
    for index, message in enumerate(messages):
        if message.role != "tool":
            ordered.append(message)
            ordered += [_answer(messages, answers.get((index, call.id)), call) for call in _calls(message)]
        elif index not in claimed:
            ordered.append(Message(role="user", content=describe_result(message)))
    return ordered


def describe_result(message: Message) -> str:
    """Return a tool result as plain words, for conversations that cannot carry it as one."""
    kind = "Error of" if message.is_error else "Result of"
    return f"{kind} {message.tool_name or 'a tool'}: {message.content}"


def safe_name(name: str) -> str:
    """Return a tool name that every provider accepts, for the names that models make up."""
    return _BAD_NAME.sub("_", name)[:64] or "unknown_tool"


def sent_arguments(call: ToolCall) -> Mapping[str, Any]:
    """Return the arguments to send back for a past call: unreadable text is wrapped, never dropped."""
    return {"INVALID_JSON": call.raw or ""} if call.problem is not None else call.arguments


def _answers(messages: Sequence[Message]) -> dict[tuple[int, str], int]:
    """Return where the result of each call stands: the first after it, before its id is used again."""
    answers: dict[tuple[int, str], int] = {}
    open_calls: dict[str, int] = {}
    for index, message in enumerate(messages):
        if message.role == "tool" and message.tool_call_id in open_calls:
            answers[open_calls.pop(message.tool_call_id), message.tool_call_id] = index
        open_calls.update((call.id, index) for call in _calls(message))
    return answers


def _calls(message: Message) -> tuple[ToolCall, ...]:
    return message.tool_calls if message.role == "assistant" else ()


def _answer(messages: Sequence[Message], at: int | None, call: ToolCall) -> Message:
    if at is None:
        return Message(
            role="tool", content=NO_RESULT, tool_call_id=call.id, tool_name=call.name or None, is_error=True
        )
    found = messages[at]
    return found if found.tool_name is not None else replace(found, tool_name=call.name)
