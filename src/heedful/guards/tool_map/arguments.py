"""One argument of a target's tool, compiled from what the map declares of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from heedful.guards.tool_map.actions import ARGUMENTS, scale_of
from heedful.guards.tool_map.document import Argument
from heedful.guards.tool_map.json_paths import Key, split_path
from heedful.guards.tool_map.values import (
    Reader,
    bounded_reader,
    constant_reader,
    duration_reader,
    free_reader,
    number_reader,
    percent_reader,
    word_reader,
)
from heedful.state.motion import RobotLimits

ABSENT: Final = object()
"""What an argument is that is not there; JSON's null is something."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One argument, compiled."""

    label: str
    """Its name or dotted path as the map writes it."""
    path: tuple[Key, ...]
    target: str | None
    """heedful's name for it in the command; None where it is only checked."""
    read: Reader
    default: Any = ABSENT
    """The raw value the target takes when the caller leaves it out."""
    default_read: Any = ABSENT
    is_required: bool = True
    chooses: bool = False
    """Whether its value tells which of several things a tool does."""
    only: tuple[Any, ...] = ()
    """The values that pass, where only those do."""
    scale: float = 1.0
    """Factor from its unit to the command's."""
    is_whole: bool = False


def compile_argument(
    label: str, a: Argument, limits: RobotLimits, robot: str | None, *, keeps_free: bool
) -> Leaf:
    """Return an argument ready for reading.

    Args:
        label: Its name or dotted path.
        a: What the map declares.
        limits: What the robot declares.
        robot: The id of the one robot that is watched.
        keeps_free: Whether the command holds it although it has no meaning for safety.

    Raises:
        UnreadableError: If its default is not what it takes.
    """
    only = _only(a, robot)
    read, scale = _reader(label, a, only, limits)
    default = ABSENT if a.default is None else a.default
    target = ARGUMENTS.get(a.meaning or "")
    if keeps_free and a.meaning == "free":
        target = label
    return Leaf(
        label=label,
        path=split_path(label),
        target=target,
        read=read,
        default=default,
        default_read=ABSENT if default is ABSENT else read(default),
        is_required=default is ABSENT and not a.optional,
        chooses=a.equals is not None and default is ABSENT and not a.optional,
        only=only,
        scale=scale,
        is_whole=a.type == "integer",
    )


def _only(a: Argument, robot: str | None) -> tuple[Any, ...]:
    if a.equals is not None:
        return a.equals if isinstance(a.equals, tuple) else (a.equals,)
    return (robot,) if a.meaning == "robot_id" else ()


def _reader(label: str, a: Argument, only: tuple[Any, ...], limits: RobotLimits) -> tuple[Reader, float]:
    is_whole = a.type == "integer"
    if only:
        return constant_reader(label, only), 1.0
    if a.meaning == "free":
        return free_reader(label, a.type or "text", a.values), 1.0
    if a.meaning is None or a.unit is None:
        return word_reader(label, a.values), 1.0
    scale = scale_of(a.meaning, a.unit, limits) * (-1 if a.reverse else 1)
    if a.meaning == "speed":
        read = percent_reader(label, scale, a.unit, is_whole=is_whole)
    elif a.meaning == "duration":
        endless_s = limits.time_to_live_s if a.zero_is_endless else None
        read = duration_reader(label, scale, endless_s, is_whole=is_whole)
    else:
        read = number_reader(label, scale, is_whole=is_whole)
    if a.max is not None:
        read = bounded_reader(label, read, a.max, a.unit, abs(scale))
    return read, scale
