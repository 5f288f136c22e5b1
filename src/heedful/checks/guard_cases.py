"""The generated boundary cases of a spec, put to a guard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, runtime_checkable

from heedful.checks.guard_bench import (
    ALLOWED,
    DENIED,
    PERIOD_S,
    SPARE_S,
    Bench,
    ask,
    named,
    number,
    position_in,
    signals_of,
)
from heedful.guards.guard import Command
from heedful.spec.boundary import BoundaryCase, boundary_cases
from heedful.state.series import Value

SLOW = 10.0


@runtime_checkable
class ReleasingGuard(Protocol):
    """A guard whose latched obligations the operator can release."""

    def reset(self, now_s: float) -> object:
        """Release what the sensors say may be released."""
        ...


def boundary_problems(bench: Bench) -> Iterator[str]:
    """Yield what a guard answers otherwise than the cases were worked out on paper."""
    for case in boundary_cases(bench.spec):
        if case.kind == "release":
            yield from _release(bench, case)
        elif case.command is None:
            yield from _state(bench, case)
        elif case.kind == "deadline":
            yield from _deadline(bench, case, case.command)
        elif case.kind == "target":
            yield from _target(bench, case, case.command)
        elif case.kind in ("speed", "class"):
            yield from _command(bench, case, case.command)


def _state(bench: Bench, case: BoundaryCase) -> Iterator[str]:
    """Yield the tools of which a guard says otherwise on one side of a threshold."""
    values = bench.placed(case.values)
    guard, now_s = bench.fed(values, bench.settle_s)
    active = _active(bench, case, values)
    for command in bench.probes(values):
        if not bench.is_unsure(command, values):
            why = bench.expected(command, active, values).why_not(ask(guard, command, now_s))
            yield from named(f"{case.id}: {case.why}, but {command.tool}", why)


def _command(bench: Bench, case: BoundaryCase, asked: Mapping[str, Value]) -> Iterator[str]:
    """Yield a command that is answered otherwise; above a limit it is clamped to exactly that."""
    values = bench.placed(case.values)
    tool, speed = str(asked["command.tool"]), number(asked["command.speed_percent"])
    command = bench.command(tool, speed, position_in(values))
    if bench.is_unsure(command, values) or bench.expected(command, (), values) != ALLOWED:
        return
    expected = ALLOWED
    if not case.expected_permitted:
        by_spec = bench.expected(command, _active(bench, case, values), values)
        if by_spec == ALLOWED and not command.has_speed:
            return  # a limit says nothing of a tool without a speed
        expected = DENIED if by_spec == ALLOWED else by_spec
    guard, now_s = bench.fed(values, bench.settle_s)
    yield from named(f"{case.id}: {case.why}, but it", expected.why_not(ask(guard, command, now_s)))


def _target(bench: Bench, case: BoundaryCase, asked: Mapping[str, Value]) -> Iterator[str]:
    names = {"x": "target_x", "y": "target_y", "speed_percent": "speed_percent"}
    args = {name: asked[f"command.{field}"] for name, field in names.items()}
    command = Command("walk_to", bench.spec.tool_class("walk_to"), args, True)
    guard, now_s = bench.fed(case.values, bench.settle_s)
    expected = ALLOWED if case.expected_permitted else DENIED
    yield from named(f"{case.id}: {case.why}, but it", expected.why_not(ask(guard, command, now_s)))


def _deadline(bench: Bench, case: BoundaryCase, asked: Mapping[str, Value]) -> Iterator[str]:
    """Yield motion that passes after a deadline; when a guard acts before it is its own affair."""
    tool = str(asked["command.tool"])
    if case.expected_permitted or bench.spec.tool_class(tool) == "protective":
        return
    values = bench.placed(case.values)
    guard, now_s = bench.fed(values, case.elapsed_s or 0.0)
    answer = ask(guard, bench.command(tool, SLOW, position_in(values)), now_s)
    yield from named(f"{case.id}: {case.why}, but it", DENIED.why_not(answer))


def _release(bench: Bench, case: BoundaryCase) -> Iterator[str]:
    """Yield latches that an operator's reset ends too early, or not at all."""
    trigger = bench.states.in_which(case.rule, holds=True)
    guard = bench.fresh()
    if trigger is None or not isinstance(guard, ReleasingGuard):
        return
    values = bench.placed(case.values)
    now_s = bench.feed(guard, bench.placed(signals_of(trigger)), 0.0, SPARE_S)
    now_s = bench.feed(guard, values, now_s + PERIOD_S, bench.settle_s)
    guard.reset(now_s)
    now_s = bench.feed(guard, values, now_s + PERIOD_S, bench.spec.by_key[case.rule].within_s + PERIOD_S)
    after = bench.spec.by_key[f"{case.rule}/after"]
    active = bench.keys(bench.spec.active(bench.screened(values)), values)
    for command in bench.probes(values):
        if after.covers(command.tool, command.tool_class):
            expected = DENIED if case.expected_active else bench.expected(command, active, values)
            why = expected.why_not(ask(guard, command, now_s))
            yield from named(f"{case.id}: {case.why}; after a reset {command.tool}", why)


def _active(bench: Bench, case: BoundaryCase, values: Mapping[str, Value]) -> set[str]:
    """Return the keys of the active rules; of the case's own rule what was worked out on paper."""
    found = set(bench.spec.active(bench.screened(values)))
    if case.rule in bench.spec.state_ids:
        found = found | {case.rule} if case.expected_active else found - {case.rule}
    return bench.keys(found, values)
