"""Reading one JSON value of a tool call: one documented reading for each, anything else is refused.

Everything here is hostile input: it may be of any type, size and depth, and none of it is evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

Reader = Callable[[Any], Any]
"""Turns a JSON value into what a command holds, or raises `UnreadableError`."""

MAX_MAGNITUDE = 1e4
"""In the command's own unit: m, m/s, rad/s, s, degrees."""
MAX_RAW = 1e15
MAX_TEXT = 2000
MAX_PERCENT_TEXT = 32
MAX_FREE_VALUES = 10_000
MAX_SHOWN = 40
TOLERANCE = 1e-9
_PERCENT = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+))\s*%?\s*", re.ASCII)


class UnreadableError(ValueError):
    """A call that is not as the tool map declares it; the message is what the model reads."""


def number_reader(label: str, scale: float, *, is_whole: bool = False) -> Reader:
    """Return a reader of finite numbers.

    Args:
        label: The argument's name, for the message.
        scale: Factor from the target's unit to the command's; negative where it counts the other way.
        is_whole: Whether only whole numbers are taken.
    """

    def read(raw: Any) -> float:
        if type(raw) is float or (type(raw) is int and -MAX_RAW <= raw <= MAX_RAW):
            value: float = raw * scale + 0.0
            if -MAX_MAGNITUDE <= value <= MAX_MAGNITUDE:  # NaN is in no range
                return whole(label, raw, value) if is_whole else value
        raise _bad_number(label, raw)

    return read


def whole(label: str, raw: float, value: float) -> float:
    """Return `value` where `raw` is a whole number."""
    if raw != math.floor(raw):
        raise UnreadableError(f"{label} must be a whole number, not {shorten(raw)}.")
    return value


def percent_reader(label: str, scale: float, unit: str, *, is_whole: bool = False) -> Reader:
    """Return a reader of speeds, in percent of the robot's maximum, above 0 and at most 100.

    In `%` it also takes "30", "30.0" and "30%"; 0.3 is 0.3 %. Words are refused.
    """
    top = 100 / scale
    takes_text = unit == "%"

    def read(raw: Any) -> float:
        number = _percent_text(label, raw) if takes_text and type(raw) is str else raw
        if type(number) is float or (type(number) is int and -MAX_RAW <= number <= MAX_RAW):
            value: float = number * scale
            if 0 < value <= 100:
                return whole(label, number, value) if is_whole else value
            if 100 < value <= 100 * (1 + TOLERANCE) and not takes_text:
                return 100.0
            if math.isfinite(value):
                why = f"{label} must be above 0 and at most {top:g} {unit}, not {number:g}."
                raise UnreadableError(why)
        raise _bad_number(label, raw)

    return read


def duration_reader(label: str, scale: float, endless_s: float | None, *, is_whole: bool = False) -> Reader:
    """Return a reader of durations above 0.

    Args:
        label: The argument's name.
        scale: Factor from the target's unit to seconds.
        endless_s: What 0 or less is read as [s]; None refuses it.
        is_whole: Whether only whole numbers are taken.
    """
    number = number_reader(label, scale, is_whole=is_whole)

    def read(raw: Any) -> float:
        value: float = number(raw)
        if value > 0:
            return value
        if endless_s is not None:
            return endless_s
        raise UnreadableError(f"{label} must be above 0, not {shorten(raw)}.")

    return read


def bounded_reader(label: str, inner: Reader, top: float, unit: str, scale: float) -> Reader:
    """Return a reader that also refuses amounts above `top`, which is in `unit`, whatever their sign."""

    def read(raw: Any) -> float:
        value: float = inner(raw)
        if abs(value) > top * scale * (1 + TOLERANCE):
            raise UnreadableError(f"{label} must be at most {top:g} {unit}, not {shorten(raw)}.")
        return value

    return read


def word_reader(label: str, allowed: Sequence[str] | None) -> Reader:
    """Return a reader of texts, of those in `allowed` where it is given; long ones are cut."""

    def read(raw: Any) -> str:
        if not isinstance(raw, str):
            raise UnreadableError(f"{label} must be text, not {shorten(raw)}.")
        if allowed is not None and raw not in allowed:
            raise UnreadableError(f"{label} must be one of {', '.join(allowed)}, not {shorten(raw)}.")
        return raw[:MAX_TEXT]

    return read


def constant_reader(label: str, allowed: Sequence[Any]) -> Reader:
    """Return a reader that passes only the values in `allowed`; true, 1 and 1.0 are told apart."""

    def read(raw: Any) -> Any:
        if any(is_same(raw, value) for value in allowed):
            return raw
        shown = " or ".join(shorten(value) for value in allowed)
        raise UnreadableError(f"{label} must be {shown}, not {shorten(raw)}.")

    return read


def free_reader(label: str, kind: str, allowed: Sequence[str] | None) -> Reader:
    """Return a reader that checks a value's JSON type and that it holds no number that is not finite."""
    if kind == "text":
        return word_reader(label, allowed)
    types = _TYPES[kind]

    def read(raw: Any) -> Any:
        if type(raw) not in types:
            raise UnreadableError(f"{label} must be of type {kind}, not {shorten(raw)}.")
        _check_free(label, raw)
        return whole(label, raw, raw) if kind == "integer" else raw

    return read


def is_same(raw: Any, value: Any) -> bool:
    """Return whether two JSON scalars are the same; a boolean is no number."""
    if isinstance(raw, bool) or isinstance(value, bool):
        return raw is value
    if isinstance(value, str):
        return isinstance(raw, str) and raw == value
    return isinstance(raw, int | float) and bool(raw == value)


def shorten(value: Any) -> str:
    """Return a value as a message shows it; what may be of any size is only named."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, int) and abs(value) >= 1 << 64:
        return "a number of over 64 bits"
    text = repr(value[:MAX_SHOWN] if isinstance(value, str) else value)
    return text if len(text) <= MAX_SHOWN else f"{text[: MAX_SHOWN - 3]}..."


def listed(names: Collection[str]) -> str:
    """Return names as a message shows them."""
    return ", ".join(names) or "none"


_TYPES: dict[str, tuple[type, ...]] = {
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


def _percent_text(label: str, raw: str) -> float:
    match = _PERCENT.fullmatch(raw) if len(raw) <= MAX_PERCENT_TEXT else None
    if match is None:
        raise _bad_number(label, raw)
    return float(match.group(1))


def _bad_number(label: str, raw: Any) -> UnreadableError:
    is_number = type(raw) in (int, float) and abs(raw) < math.inf
    if is_number and raw == raw:  # noqa: PLR0124 - NaN
        return UnreadableError(f"{label} is out of range: {shorten(raw)}.")
    return UnreadableError(f"{label} must be a finite number, not {shorten(raw)}.")


def _check_free(label: str, raw: Any) -> None:
    """Refuse what holds a number that is not finite, something that is no JSON, or too many values."""
    open_values, count = [raw], 0
    while open_values:
        value = open_values.pop()
        count += 1
        if count > MAX_FREE_VALUES:
            raise UnreadableError(f"{label} holds more than {MAX_FREE_VALUES} values.")
        if isinstance(value, dict):
            open_values.extend(value.values())
        elif isinstance(value, list):
            open_values.extend(value)
        elif isinstance(value, float) and not math.isfinite(value):
            raise UnreadableError(f"{label} holds a number that is not finite.")
        elif not (value is None or isinstance(value, str | bool | int | float)):
            raise UnreadableError(f"{label} holds {shorten(value)}, which is no JSON value.")
