"""Reading a tool call's arguments: one documented reading for each, anything else is a tool error."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from heedful.robots.tools import Tool

MAX_TEXT = 2000
MAX_SHOWN = 40
_PERCENT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*%?\s*", re.ASCII)


class ArgumentError(ValueError):
    """An argument the robot does not accept; the message is what the model reads."""


def read_arguments(tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments as the robot reads them.

    `speed_percent` also takes "30", "30.0" and "30%"; 0.3 is 0.3 %. Booleans, words, null, NaN and
    infinities are refused, and so are unknown or missing arguments.

    Raises:
        ArgumentError: With what is wrong and what is allowed.
    """
    if not args and not tool.arguments:
        return {}
    unknown = [name for name in args if name not in tool.arguments]
    if unknown:
        allowed = ", ".join(tool.arguments) or "none"
        raise ArgumentError(f"{tool.name}: unknown argument {_short(unknown[0])}. Allowed: {allowed}.")
    missing = [name for name in tool.arguments if name not in args]
    if missing:
        raise ArgumentError(f"{tool.name}: missing argument {missing[0]!r}.")
    return {name: _read(tool.name, name, schema, args[name]) for name, schema in tool.arguments.items()}


def _read(tool: str, name: str, schema: Mapping[str, Any], value: Any) -> Any:
    if schema["type"] == "string":
        return _read_text(tool, name, schema, value)
    number = _read_percent(value) if name == "speed_percent" else _read_number(value)
    if number is None:
        raise ArgumentError(f"{tool}: {name} must be a finite number, not {_short(value)}.")
    if name == "speed_percent" and not 0 < number <= 100:
        raise ArgumentError(f"{tool}: speed_percent must be above 0 and at most 100, not {number:g}.")
    if "exclusiveMinimum" in schema and number <= schema["exclusiveMinimum"]:
        raise ArgumentError(f"{tool}: {name} must be above {schema['exclusiveMinimum']}, not {number:g}.")
    if abs(number) > 1e4:
        raise ArgumentError(f"{tool}: {name} is out of range: {number:g}.")
    return number


def _read_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _read_percent(value: Any) -> float | None:
    if isinstance(value, str) and len(value) <= 32:
        match = _PERCENT.fullmatch(value)
        return _read_number(float(match.group(1))) if match else None
    return _read_number(value)


def _read_text(tool: str, name: str, schema: Mapping[str, Any], value: Any) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"{tool}: {name} must be text, not {_short(value)}.")
    allowed = schema.get("enum")
    if allowed and value not in allowed:
        raise ArgumentError(f"{tool}: {name} must be one of {', '.join(allowed)}, not {_short(value)}.")
    return value[:MAX_TEXT]


def _short(value: Any) -> str:
    """Return a value as an error message shows it; what may be of any size is only named."""
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return "a number of over 64 bits"
    text = repr(value[:MAX_SHOWN] if isinstance(value, str) else value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."
