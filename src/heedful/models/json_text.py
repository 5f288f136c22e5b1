"""JSON as strangers write it: strict where it matters, whole strings or nothing.

Used by the wires and the transport. NaN and infinities are refused, so that no number a robot could
not act on enters as an argument; half a surrogate pair, which some servers emit when they cut text
between tokens, becomes `?`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NoReturn

import orjson

MAX_DEPTH = 64
"""Nesting beyond which a value is refused, far above any tool's arguments."""


def parse_json(data: str | bytes) -> Any:
    """Return the value that `data` holds.

    Raises:
        ValueError: If it is not JSON, or holds NaN or an infinity; nothing else is raised.
    """
    try:
        return orjson.loads(data)
    except (orjson.JSONDecodeError, UnicodeEncodeError) as error:
        text = data if isinstance(data, str) else data.decode("utf-8", "replace")
        if "\\ud" not in text.lower():
            raise ValueError(str(error)) from error
    return _parse_with_half_pairs(data)


def dump_json(value: Any) -> bytes:
    """Return `value` as UTF-8 JSON; text that is not valid Unicode has its bad parts replaced by `?`."""
    try:
        return orjson.dumps(value, default=_plain)
    except TypeError:
        text = json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)
        return text.encode("utf-8", "replace")


def dump_json_text(value: Any) -> str:
    """Return `value` as JSON text."""
    return dump_json(value).decode("utf-8")


def is_deeper_than(value: Any, limit: int) -> bool:
    """Return whether `value` nests more than `limit` objects and arrays."""
    level: list[Any] = [value]
    for _ in range(limit + 1):
        level = [child for item in level for child in _children(item)]
        if not level:
            return False
    return True


def _plain(value: Any) -> Any:
    """Return a read-only mapping as the plain one that encoders take."""
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is no JSON")


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _parse_with_half_pairs(data: str | bytes) -> Any:
    try:
        value = json.loads(data, parse_constant=_refuse_constant)
        return orjson.loads(json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise ValueError(str(error)) from error


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
