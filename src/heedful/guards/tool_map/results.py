"""One result of a target's server: its data, its text, its first picture, and where in it a value lies.

Results are hostile input as well: they may be of any type, size and depth, and nothing here raises.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import orjson

from heedful.guards.tool_map.document import After, Path
from heedful.guards.tool_map.json_paths import Key, split_path

MAX_TEXT = 1_000_000
MAX_ITEMS = 10_000
MAX_LINE = 200
NOTHING = object()
"""What a path finds where there is nothing; JSON's null is something."""
_NUMBER = re.compile(r"[+-]?\d{1,15}(?:\.\d{1,15})?(?!\.?\d|[eE])", re.ASCII)


class Content:
    """One result of a target, taken apart."""

    def __init__(self, result: Any) -> None:
        """Take the JSON of a `CallToolResult` or a `ReadResourceResult`."""
        body = result if isinstance(result, Mapping) else {}
        parts = body.get("content", body.get("contents"))
        blocks = [p for p in parts[:MAX_ITEMS] if isinstance(p, Mapping)] if isinstance(parts, list) else []
        self.is_error = not body or any(body.get(k, False) is not False for k in ("isError", "is_error"))
        self.image = next((image for block in blocks if (image := _image(block)) is not None), None)
        structured = body.get("structuredContent", body.get("structured_content"))
        is_data = isinstance(structured, Mapping) and not _is_wrapped_text(structured)
        self.text = next((t for block in blocks if isinstance(t := block.get("text"), str)), "")[:MAX_TEXT]
        self.data = structured if is_data else _json_in(self.text)


class Locator:
    """Where in a result a value lies."""

    def __init__(self, path: Path) -> None:
        self._after = path.after if isinstance(path, After) else ""
        self._keys = () if isinstance(path, After) else split_path(path)

    def find(self, content: Content) -> Any:
        """Return what lies there, or `NOTHING`."""
        if self._after:
            return _after(content.text, self._after)
        return _find(content.data, self._keys)


def finite_number(found: Any, scale: float) -> float | None:
    """Return a JSON number times `scale`; None for anything else, and for what is not finite."""
    if type(found) not in (int, float):
        return None
    try:
        number = float(found) * scale
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _find(data: Any, path: tuple[Key, ...]) -> Any:
    """Return what lies at `path` in JSON data, or `NOTHING`; after `*` the smallest number of a list."""
    for position, key in enumerate(path):
        if key == "*":
            return _smallest(data, path[position + 1 :])
        if isinstance(data, Mapping):
            data = data.get(str(key), NOTHING)
        elif isinstance(data, list) and isinstance(key, int) and 0 <= key < len(data):
            data = data[key]
        else:
            return NOTHING
    return data


def _smallest(data: Any, rest: tuple[Key, ...]) -> Any:
    """Return the smallest number; one that is none makes the whole unknown, since it could be smaller."""
    if not isinstance(data, list) or not 0 < len(data) <= MAX_ITEMS:
        return NOTHING
    numbers = [finite_number(_find(item, rest), 1.0) for item in data]
    known = [number for number in numbers if number is not None]
    return min(known) if len(known) == len(numbers) else NOTHING


def _after(text: str, words: str) -> Any:
    """Return the number that follows the only place where `words` stand, or else the rest of that line."""
    if text.count(words) != 1:
        return NOTHING
    rest = text[text.index(words) + len(words) :].split("\n", maxsplit=1)[0][:MAX_LINE].strip()
    number = _NUMBER.match(rest)
    return rest if number is None else float(number.group())


def _is_wrapped_text(structured: Mapping[str, Any]) -> bool:
    """Return whether a server's framework only wrapped a text, which the first text has as well."""
    return len(structured) == 1 and isinstance(structured.get("result"), str)


def _json_in(text: str) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:
        return NOTHING


def _image(block: Mapping[str, Any]) -> str | None:
    """Return a picture's data, of a content block or of a resource."""
    data = block.get("data", block.get("blob"))
    kind = block.get("mimeType", block.get("mime_type", ""))
    is_image = block.get("type") == "image" or (isinstance(kind, str) and kind.startswith("image/"))
    return data if is_image and isinstance(data, str) and data else None
