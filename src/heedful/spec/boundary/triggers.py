"""Cases on both sides of what a condition compares its signals with, and with each signal unknown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from heedful.spec.boundary.case import BoundaryCase, Kind
from heedful.spec.boundary.exact import is_active
from heedful.spec.boundary.states import Boundary, State, States, comparisons
from heedful.spec.conditions import COMMAND_FIELDS
from heedful.spec.safety_spec import SafetySpec
from heedful.spec.syntax import Name, Node, names_in
from heedful.state.series import INFINITE, Value

TINY = 1e-6
"""Smallest step across a threshold, relative to it (absolute below 1)."""
FOUND_ON_PATHS = "command.leaves_workspace"
"""Not free to choose: the path decides it, and `targets.py` varies the path."""


def trigger_cases(spec: SafetySpec, states: States, rule: str) -> list[BoundaryCase]:
    """Return the cases around each threshold, boolean and word that the rule's condition reads."""
    return list(_both_sides(spec, states, rule, spec.conditions[rule].tree, "trigger"))


def release_cases(spec: SafetySpec, states: States, rule: str) -> list[BoundaryCase]:
    """Return the cases around the release condition of a latched rule; the latch holds where it fails."""
    release = spec.releases.get(rule)
    return [] if release is None else list(_both_sides(spec, states, rule, release.tree, "release"))


def unknown_cases(spec: SafetySpec, states: States, rule: str) -> list[BoundaryCase]:
    """Return the cases in which one signal is missing or out of its range: the rule is active."""
    base = states.in_which(rule, holds=False) or states.neutral
    found = []
    for name in spec.conditions[rule].signals:
        for value, kind, why in _not_known(spec, states, name):
            values, command = split(spec, rule, {**base, name: value})
            text = f"{why}, so {rule} is active"
            found.append(BoundaryCase("", rule, kind, values, command, True, None, text))
    return found


def split(
    spec: SafetySpec, rule: str, state: State
) -> tuple[Mapping[str, Value], Mapping[str, Value] | None]:
    """Return a state's signals and, if the rule reads a command, the command."""
    values = {name: value for name, value in state.items() if name not in COMMAND_FIELDS}
    command = {name: value for name, value in state.items() if name in COMMAND_FIELDS}
    return values, command if spec.conditions[rule].reads_command else None


def _both_sides(
    spec: SafetySpec, states: States, rule: str, tree: Node, kind: Kind
) -> Iterator[BoundaryCase]:
    for boundary in _boundaries(spec, states, tree):
        base = states.deciding(rule, tree, boundary)
        for value, why in boundary.probes.items():
            state = states.with_value(base, boundary.name, value)
            holds = is_active(tree, state)
            values, command = split(spec, rule, state)
            active = not holds if kind == "release" else holds
            yield BoundaryCase("", rule, kind, values, command, active, None, why)


def _boundaries(spec: SafetySpec, states: States, tree: Node) -> Iterator[Boundary]:
    for part in comparisons(tree):
        for name in sorted(names_in(part)):
            if name in COMMAND_FIELDS and COMMAND_FIELDS[name][0] != "number":
                continue
            placed = states.placing(part, name)
            if placed is not None:
                yield Boundary(part, name, _around(states, name, placed[0]), placed[1])
    read = {"command.tool" if name == "command.class" else name for name in names_in(tree)}
    for name in sorted(read - {FOUND_ON_PATHS}):
        signal = spec.document.signals.get(name)
        if (signal is not None and signal.type != "number") or name == "command.tool":
            yield Boundary(Name(name), name, {v: f"{name} is {_shown(v)}" for v in states.candidates(name)})
        elif signal is not None and signal.infinite:
            yield Boundary(Name(name), name, {INFINITE: f"{name} is infinite ({signal.infinite})"})


def _around(states: States, name: str, cut: Fraction) -> dict[Value, str]:
    low, high = states.span(name)
    at, step, tiny = float(cut), states.step(name), TINY * max(1.0, abs(float(cut)))
    probes: dict[Value, str] = {}
    for offset, where in (
        (-step, "below"),
        (-tiny, "just below"),
        (0.0, "at"),
        (tiny, "just above"),
        (step, "above"),
    ):
        value = at if offset == 0 else round(at + offset, 9)
        if low <= value <= high and (offset != 0 or Fraction(at) == cut):
            probes[value] = f"{name} {_shown(value)} is {where} the threshold {at:.12g}"
    return probes


def _not_known(spec: SafetySpec, states: States, name: str) -> Iterator[tuple[Value, Kind, str]]:
    signal = spec.document.signals[name]
    yield None, "unknown", f"{name} is missing or too old"
    if signal.range is not None:
        low, high = signal.range
        step = states.step(name)
        yield round(low - step, 9), "range", f"{name} is below its range"
        yield round(high + step, 9), "range", f"{name} is above its range"
    elif signal.values is not None:
        yield "?", "range", f"{name} is no declared word"


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.12g}" if isinstance(value, float) else f"{value}"
