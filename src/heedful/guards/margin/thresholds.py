"""At which thresholds a command's fate depends on one signal alone, and a guard that sees nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from heedful.errors import InputError
from heedful.guards.guard import Command
from heedful.guards.settings import POSITION, GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.command import MOTION_CLASSES
from heedful.spec.document import Signal
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import Value
from heedful.trace.records import Reading

NOW_S = 1000.0
"""When all samples and decisions of a study are taken, on the guard's clock [s]."""
MOST_STATES = 20_000
"""How many states are tried in search of one in which no rule is active."""


@dataclass(frozen=True)
class Boundary:
    """A threshold of one rule, and a command that this rule alone decides on there."""

    invariant: str
    threshold: float
    """In the signal's unit."""
    unsafe: Literal["below", "above"]
    """On which side the rule is active."""
    command: Command


def guard_in_calm(spec: SafetySpec, margins: Mapping[str, Margin]) -> SpecGuard:
    """Return a guard whose sensors say that no rule is active; obligations are not hastened."""
    guard = SpecGuard(spec, GuardSettings(margins, action_takes_s=0.0, action_reserve_s=0.0))
    x, y = spec.region.corners[0]
    values: dict[str, Value] = {**dict(zip(POSITION, (x, y), strict=True)), **calm_state(spec)}
    guard.observe({name: Reading(value, NOW_S) for name, value in values.items()}, NOW_S)
    return guard


def calm_state(spec: SafetySpec) -> dict[str, Value]:
    """Return values of the state signals under which no rule is active.

    Raises:
        InputError: If none is found among the states that conditions tell apart.
    """
    choices = [_choices(spec, name) for name in spec.state_signals]
    for values in itertools.islice(itertools.product(*choices), MOST_STATES):
        state = dict(zip(spec.state_signals, values, strict=True))
        if not spec.active(state):
            return state
    raise InputError(
        f"Found no state in which no rule of {spec.name} is active, so none can be studied alone."
    )


def _choices(spec: SafetySpec, name: str) -> list[Value]:
    signal = spec.document.signals[name]
    if signal.type == "boolean":
        return [True, False]
    if signal.type == "text":
        return list(signal.values or ())
    return [(a + b) / 2 for a, b in pairwise(_ends(signal, spec.cuts[name] or ()))]


def _ends(signal: Signal, cuts: tuple[float, ...]) -> list[float]:
    low, high = signal.range or (0.0, 0.0)
    return [low, *(c for c in cuts if low < c < high), high]


def find_boundaries(spec: SafetySpec, signal: str) -> list[Boundary]:
    """Return the thresholds at which a command's fate depends on the signal, each with such a command."""
    ends, calm = _ends(spec.document.signals[signal], spec.cuts.get(signal) or ()), calm_state(spec)
    middles = [(a + b) / 2 for a, b in pairwise(ends)]
    found = []
    for invariant in spec.state_ids:
        for threshold, (below, above) in zip(ends[1:-1], pairwise(middles), strict=True):
            is_low, is_high = (spec.is_active(invariant, {**calm, signal: v}) for v in (below, above))
            if is_low == is_high:
                continue
            safe, unsafe = (above, below) if is_low else (below, above)
            command = _deciding_command(spec, invariant, signal, safe, unsafe)
            if command is not None:
                found.append(Boundary(invariant, threshold, "below" if is_low else "above", command))
    return found


def _deciding_command(
    spec: SafetySpec, invariant: str, signal: str, safe: float, unsafe: float
) -> Command | None:
    """Return a command that passes on the safe side and that the invariant restricts on the other."""
    guard = guard_in_calm(spec, {})
    for command in _commands(spec):
        outcomes = []
        for value in (safe, unsafe):
            guard.new_scene()
            guard.observe({signal: Reading(value, NOW_S)}, NOW_S)
            outcomes.append(guard.review(command, NOW_S))
        if outcomes[0].kind == "allow" and invariant in outcomes[1].rules:
            return command
    return None


def _commands(spec: SafetySpec) -> Iterator[Command]:
    """Yield motion commands that stay where the robot is: only their class and speed can be at fault."""
    limits = sorted({rule.max_percent for rule in spec.rules if rule.kind == "limit"}, reverse=True)
    x, y = spec.region.corners[0]
    for percent in (100.0, *limits):
        places: dict[str, dict[str, Any]] = {"walk_to": {"x": x, "y": y}, "turn": {"angle_deg": 90.0}}
        for tool, tool_class in spec.document.tools.items():
            if tool_class == "locomotion" and tool in places:
                yield Command(tool, tool_class, {**places[tool], "speed_percent": percent}, has_speed=True)
            elif tool_class in MOTION_CLASSES:
                yield Command(tool, tool_class)


def describe(command: Command) -> str:
    """Return a command's tool and speed in words."""
    percent = command.args.get("speed_percent")
    return command.tool if percent is None else f"{command.tool} at {percent:g} %"
