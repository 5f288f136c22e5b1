"""Balanced bracket spans in free text, found in time linear in the text.

Knows nothing of tools or JSON values; `lenient.py` decides what a span means. Quotes count only
inside brackets, since prose has apostrophes. An opening bracket that never closes costs one more
look at the text behind it, at most `MAX_RESTARTS` times.
"""

from __future__ import annotations

import re
from typing import NamedTuple

MAX_DEPTH = 32
MAX_RESTARTS = 16

_SPECIAL = re.compile(r'[{}\[\]"\\]')
_CLOSING = {"{": "}", "[": "]"}


class Span(NamedTuple):
    """A stretch of text, `end` excluded."""

    start: int
    end: int


class _Pass(NamedTuple):
    spans: list[Span]
    resume: int | None
    """Where another pass should begin, or None when the text was read to its end."""


def find_spans(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Return the outermost balanced `{...}` and `[...]` of `text[start:end]`, in order."""
    stop = len(text) if end is None else end
    found: list[Span] = []
    at: int | None = start
    for _ in range(MAX_RESTARTS + 1):
        if at is None:
            break
        result = _scan(text, at, stop)
        found.extend(result.spans)
        at = result.resume
    return found


def _scan(text: str, start: int, stop: int) -> _Pass:
    """Read once from `start`; a bracket that stays open asks for a new pass right behind it."""
    spans: list[Span] = []
    opened: list[str] = []
    outer, quoted, skip = start, False, -1
    for match in _SPECIAL.finditer(text, start, stop):
        at, mark = match.start(), match.group()
        if at == skip:
            continue
        if quoted:
            skip = at + 1 if mark == "\\" else skip
            quoted = mark != '"'
        elif mark in _CLOSING:
            outer = outer if opened else at
            opened.append(_CLOSING[mark])
            if len(opened) > MAX_DEPTH:
                return _Pass(spans, at + 1)
        elif opened and mark == '"':
            quoted = True
        elif opened and mark != "\\":
            if mark != opened.pop():
                return _Pass(spans, outer + 1)
            if not opened:
                spans.append(Span(outer, at + 1))
    return _Pass(spans, outer + 1 if opened else None)
