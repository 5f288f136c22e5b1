"""The last look at a command before it is judged: a motion that cannot be read is no motion to allow.

Whoever reads a target's calls has checked them already. This check stands in the guard itself, so that
no caller can leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from heedful.guards.guard import Command
from heedful.spec.command import MOTION_CLASSES

STILL_CLASSES = frozenset({"protective", "none"})
ARGUMENTS: Mapping[str, frozenset[str]] = {
    "walk_to": frozenset({"x", "y", "speed_percent"}),
    "turn": frozenset({"angle_deg", "speed_percent"}),
    "walk_with_velocity": frozenset({"linear_x", "linear_y", "angular_z", "duration", "speed_percent"}),
}
"""What the locomotion with a known path takes; nothing may lack or be added."""
FARTHEST = 1e6
"""Largest number that any argument may be, in its own unit."""


def moves(command: Command, declared: str | None) -> bool:
    """Return whether a command is held to the rules: it moves the robot, or nobody says that it does not.

    Args:
        command: The command.
        declared: The class that the spec gives the tool; None where it does not know the tool.
    """
    return command.tool_class not in STILL_CLASSES or declared in MOTION_CLASSES


def why_unreadable(command: Command, declared: str | None) -> str | None:
    """Return why a command that moves the robot cannot be judged; None where it can.

    Args:
        command: The command.
        declared: The class that the spec gives the tool; None where it does not know the tool.
    """
    if declared is None:
        return f"{command.tool} is not among the tools of the spec."
    if declared != command.tool_class:
        return f"{command.tool} is {declared} in the spec, not {command.tool_class}."
    expected = ARGUMENTS.get(command.tool)
    if expected is None:
        return None
    if command.args.keys() != expected:
        return f"{command.tool} takes {', '.join(sorted(expected))} and nothing else."
    wrong = _first_no_number(command.args)
    if wrong is None and not 0 < command.args["speed_percent"] <= 100:
        wrong = "speed_percent"
    if wrong is None and not command.args.get("duration", 1.0) > 0:
        wrong = "duration"
    return None if wrong is None else f"{command.tool}: {wrong} is not a number that it can have."


def _first_no_number(args: Mapping[str, Any]) -> str | None:
    for name, value in args.items():
        if type(value) not in (float, int) or not -FARTHEST <= value <= FARTHEST:
            return name
    return None
