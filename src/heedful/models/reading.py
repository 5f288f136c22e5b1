"""Readers for provider answers that may hold anything: they narrow, and never raise.

Each takes a JSON value of unknown shape and returns the typed part that can be trusted. What cannot
be read as a tool call's arguments stays visible in `ToolCall.problem` and `raw`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from heedful.models.json_text import MAX_DEPTH, dump_json_text, is_deeper_than, parse_json
from heedful.models.message import Finish, Message, ToolCall

RAW_LIMIT = 2_000
"""Characters of unreadable text that a call keeps."""

_MAX_COUNT = 10**12
_OWN_ID = "call-"


class Arguments(NamedTuple):
    """A call's arguments as far as they could be read."""

    values: Mapping[str, Any]
    problem: str | None = None
    raw: str | None = None


def as_object(value: Any) -> Mapping[str, Any]:
    """Return `value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> Sequence[Any]:
    """Return `value` if it is a JSON array, else an empty one."""
    return value if isinstance(value, list) else ()


def as_count(value: Any) -> int:
    """Return a token count; anything that is not a sensible non-negative number counts as 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value <= _MAX_COUNT else 0


def as_text(value: Any) -> str:
    """Return the text of a string, or of a list of text parts."""
    if isinstance(value, str):
        return value
    parts = (as_object(part) for part in as_list(value))
    return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def strip_thinking(text: str) -> str:
    """Return `text` without the `<think>` blocks that reasoning models leave in their answer.

    A draft of a call inside such a block is no call. An unclosed block runs to the end, and a lone
    `</think>` closes a block that the server's template opened.
    """
    opening, closing = "<think>", "</think>"
    kept: list[str] = []
    start = text.find(closing) + len(closing) if 0 <= text.find(closing) < _find(text, opening) else 0
    while (begin := text.find(opening, start)) >= 0:
        kept.append(text[start:begin])
        end = text.find(closing, begin)
        if end < 0:
            return "".join(kept).strip()
        start = end + len(closing)
    kept.append(text[start:])
    return text if start == 0 else "".join(kept).strip()


def read_arguments(value: Any) -> Arguments:
    """Return a call's arguments from a JSON object or its text; nothing at all means no arguments."""
    if value is None or (isinstance(value, str) and not value.strip()):
        return Arguments({})
    raw = (value if isinstance(value, str) else dump_json_text(value))[:RAW_LIMIT]
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except ValueError as error:
            return Arguments({}, f"the arguments are not JSON: {str(error)[:120]}", raw)
    if not isinstance(value, dict):
        return Arguments({}, "the arguments are not a JSON object", raw)
    if is_deeper_than(value, MAX_DEPTH):
        return Arguments({}, f"the arguments nest deeper than {MAX_DEPTH} levels", raw)
    return Arguments(value)


def read_call(name: Any, arguments: Any, call_id: str) -> ToolCall:
    """Return one call; a missing name or unreadable arguments are its `problem`."""
    read = read_arguments(arguments)
    if isinstance(name, str) and name:
        return ToolCall(call_id, name[:RAW_LIMIT], read.values, read.problem, read.raw)
    raw = read.raw if read.raw is not None else dump_json_text(read.values)[:RAW_LIMIT]
    return ToolCall(call_id, "", {}, "the call names no tool", raw)


class CallIds:
    """Hands out call ids that are unique in a conversation.

    The provider's own id is kept where it is usable and new. Made-up ids count on from those already
    in the conversation, so the same conversation always gets the same ids.
    """

    def __init__(self, messages: Sequence[Message] = ()) -> None:
        self._taken = {call.id for message in messages for call in message.tool_calls}
        self._fresh = self._count_on()

    def take(self, proposed: Any = None) -> str:
        """Return `proposed` if it can serve, else a new id."""
        usable = isinstance(proposed, str) and 0 < len(proposed) <= 256 and proposed not in self._taken
        chosen = proposed if usable else next(self._fresh)
        self._taken.add(chosen)
        return str(chosen)

    def _count_on(self) -> Iterator[str]:
        own = (call_id.removeprefix(_OWN_ID) for call_id in self._taken if call_id.startswith(_OWN_ID))
        number = max(
            (int(text) for text in own if text.isascii() and text.isdigit() and len(text) < 9), default=0
        )
        while True:
            number += 1
            yield f"{_OWN_ID}{number}"


def malformed_note(calls: Sequence[ToolCall]) -> tuple[str, ...]:
    """Return the note that marks a reply with an unreadable call, or nothing."""
    return ("malformed_call",) if any(call.problem is not None for call in calls) else ()


def read_finish(reason: Any, calls: Sequence[ToolCall], known: Mapping[str, Finish]) -> Finish:
    """Return why a reply ended; where the provider and the reply disagree on calls, the reply counts."""
    finish = known.get(reason, "stop") if isinstance(reason, str) else "stop"
    if finish in {"length", "filtered"}:
        return finish
    return "tool_calls" if calls else "stop"


def unknown_finish_note(reason: Any, known: Mapping[str, Finish]) -> tuple[str, ...]:
    """Return the note that marks a reason to end that is not in `known`, or nothing."""
    return () if reason is None or (isinstance(reason, str) and reason in known) else ("unknown_finish",)


def _find(text: str, part: str) -> int:
    at = text.find(part)
    return at if at >= 0 else len(text)
