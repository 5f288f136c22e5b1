"""Tool calls that weak models write as text instead of making them.

Small local models answer with bare JSON, in code fences, in `<tool_call>` tags, with the doubled
braces of a broken chat template, or behind `functions.NAME`. `read_calls` finds these and nothing
else: only names of offered tools count, and an echoed tool description is no call. Pure; bounded in
size and nesting; linear in the text. Used by the OpenAI-compatible wire, and only where the provider
itself reported no calls.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from heedful.models.json_text import parse_json
from heedful.models.message import ToolCall, ToolSpec
from heedful.models.reading import CallIds, as_object, malformed_note, read_call
from heedful.models.spans import MAX_DEPTH, Span, find_spans

MAX_TEXT = 32_768
MAX_CALLS = 64

_PREFIX = re.compile(r"functions\.([A-Za-z0-9_.-]{1,64})\s{0,8}[:(]?\s{0,8}\Z")
_PREFIX_REACH = 100
_SEARCH_LEVELS = 4
_WRAPPING = re.compile(r"</?\|?tool_calls?\|?>|```[A-Za-z_]{0,16}[ \t]{0,8}\n?\s{0,64}```")
_LEFTOVERS = frozenset("{}[]()`,; \t\r\n")


class LenientReading(NamedTuple):
    """What a text held besides words."""

    calls: tuple[ToolCall, ...]
    text: str
    """The text without the calls and their wrapping; untouched where there are none."""
    notes: tuple[str, ...]


class _Found(NamedTuple):
    name: str
    arguments: Any


class _Piece(NamedTuple):
    span: Span
    found: list[_Found]


def read_calls(text: str, tools: Sequence[ToolSpec], ids: CallIds | None = None) -> LenientReading:
    """Return the calls of offered tools that `text` spells out, and the text that is left.

    Text beyond `MAX_TEXT` characters is not searched (note `lenient_skipped`); calls beyond
    `MAX_CALLS` are left in the text (note `lenient_truncated`).
    """
    offered = {tool.name: _parameters(tool) for tool in tools}
    if not offered or "{" not in text:
        return LenientReading((), text, ())
    if len(text) > MAX_TEXT:
        return LenientReading((), text, ("lenient_skipped",))
    pieces = list(_pieces(text, find_spans(text), offered, _SEARCH_LEVELS))
    found = [found for piece in pieces for found in piece.found]
    if not found:
        return LenientReading((), text, ())
    ids = ids or CallIds()
    calls = tuple(read_call(one.name, one.arguments, ids.take()) for one in found[:MAX_CALLS])
    notes = ("lenient_json", *malformed_note(calls))
    if len(found) > MAX_CALLS:
        return LenientReading(calls, text, (*notes, "lenient_truncated"))
    return LenientReading(calls, _without([piece.span for piece in pieces], text), notes)


def _pieces(
    text: str, spans: Sequence[Span], offered: Mapping[str, frozenset[str]], depth: int
) -> Iterator[_Piece]:
    """Yield the spans that hold calls; a span that is no JSON is searched inside, once a level."""
    for span in spans:
        readable, value = _parse_span(text[span.start : span.end])
        if not readable:
            if depth > 0 and text.find("{", span.start + 1, span.end) >= 0:
                yield from _pieces(text, find_spans(text, span.start + 1, span.end - 1), offered, depth - 1)
        elif found := _calls_in(value, offered, MAX_DEPTH):
            yield _Piece(span, found)
        elif piece := _prefixed(text, span, value, offered):
            yield piece


class _Parsed(NamedTuple):
    readable: bool
    value: Any = None


def _parse_span(raw: str) -> _Parsed:
    candidates = [raw]
    if raw.startswith("{{"):
        candidates += [raw[1:-1].strip(), raw.replace("{{", "{").replace("}}", "}")]
    for candidate in candidates:
        try:
            return _Parsed(True, parse_json(candidate))
        except ValueError:
            continue
    return _Parsed(False)


def _calls_in(value: Any, offered: Mapping[str, frozenset[str]], depth: int) -> list[_Found]:
    """Return the calls a JSON value spells out: one object, an array, or a provider-shaped wrapper."""
    if depth == 0:
        return []
    if isinstance(value, list):
        return [found for item in value for found in _calls_in(item, offered, depth - 1)]
    if not isinstance(value, dict):
        return []
    for wrapper in ("tool_calls", "function"):
        if isinstance(value.get(wrapper), list | dict):
            return _calls_in(value[wrapper], offered, depth - 1)
    return _call_in(value, offered)


def _call_in(value: Mapping[str, Any], offered: Mapping[str, frozenset[str]]) -> list[_Found]:
    for key in ("tool", "name"):
        name = str(value.get(key, "")).removeprefix("functions.")
        if name in offered:
            break
    else:
        return []
    own = offered[name]
    if "description" in value and "description" not in own:
        return []
    for holder in ("arguments", "parameters"):
        if holder in value and holder not in own:
            return [] if _is_schema(value[holder], own) else [_Found(name, value[holder])]
    rest = {field: item for field, item in value.items() if field != key}
    if key == "tool" or set(rest) <= {"id", "type"}:
        return [_Found(name, rest if key == "tool" else {})]
    return []


def _prefixed(text: str, span: Span, value: Any, offered: Mapping[str, frozenset[str]]) -> _Piece | None:
    """Return the call of `functions.NAME: {...}`, whose object holds the arguments alone."""
    begin = max(0, span.start - _PREFIX_REACH)
    match = _PREFIX.search(text[begin : span.start])
    if match is None or not isinstance(value, dict) or match.group(1) not in offered:
        return None
    return _Piece(Span(begin + match.start(), span.end), [_Found(match.group(1), value)])


def _is_schema(value: Any, own: frozenset[str]) -> bool:
    body = as_object(value)
    return body.get("type") == "object" and "properties" in body and "properties" not in own


def _parameters(tool: ToolSpec) -> frozenset[str]:
    return frozenset(map(str, as_object(tool.input_schema.get("properties"))))


def _without(spans: Sequence[Span], text: str) -> str:
    kept, at = [], 0
    for span in spans:
        kept.append(text[at : span.start])
        at = max(at, span.end)
    rest = _WRAPPING.sub("", "".join([*kept, text[at:]])).strip()
    return "" if _LEFTOVERS.issuperset(rest) else rest
