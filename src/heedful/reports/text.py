"""Untrusted text made safe to show: what cannot be seen, or is not text, becomes visible.

Replies, utterances and names come from models and files. They may hold terminal escapes, characters
that XML forbids, or invisible ones that reorder or hide words. Every renderer passes text through here.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff\ufffe\uffff"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)
_WHITE_SPACE = re.compile(r"\s+")


def printable(text: object) -> str:
    """Return `text` with control, bidirectional, invisible and broken characters shown as marks.

    Control characters become their pictures (`\u241b` for ESC), others `<U+202E>`; line feeds and tabs
    stay. The result is valid in XML 1.0, UTF-8 and on a terminal.
    """
    return _HIDDEN.sub(_mark, str(text).replace("\r\n", "\n"))


def one_line(text: object, limit: int = 200) -> str:
    """Return printable `text` on one line, cut with an ellipsis beyond `limit` characters."""
    line = _WHITE_SPACE.sub(" ", printable(text)).strip()
    return line if len(line) <= limit else line[: limit - 1] + "\u2026"


def _mark(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    return f"<U+{code:04X}>"
