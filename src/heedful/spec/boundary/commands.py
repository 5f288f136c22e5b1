"""Cases for what a rule admits: speeds around a limit, tools of each class, actions around a deadline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from heedful.spec.boundary.case import BoundaryCase, Kind
from heedful.spec.boundary.states import State, States
from heedful.spec.conditions import COMMAND_FIELDS
from heedful.spec.document import InvariantDocument, Limit, Prohibit, Require
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import Value

TOLERANCE = Fraction(1, 10**6)
"""How far above a limit a speed still keeps it [%] (`judge-1`, section 5)."""
DEADLINE_STEP_S = 0.1


def command_cases(spec: SafetySpec, states: States, rule: InvariantDocument) -> list[BoundaryCase]:
    """Return the cases for the rule's response; a bound has its own (`targets.py`)."""
    active, rest = (states.in_which(rule.id, holds=holds) for holds in (True, False))
    if active is None:
        return []
    paper = _Paper(spec, states, rule.id, active, rest)
    if isinstance(rule.response, Limit):
        return list(paper.speeds(rule.response))
    if isinstance(rule.response, Prohibit):
        return list(paper.classes())
    return list(paper.deadline(rule.response)) if isinstance(rule.response, Require) else []


def is_permitted(spec: SafetySpec, active: frozenset[str], command: Mapping[str, Value]) -> bool:
    """Return whether a command keeps all `active` rules, on paper; latches and deadlines apart."""
    tool, tool_class = command["command.tool"], command["command.class"]
    for rule in spec.document.invariants:
        response = rule.response
        if response.kind == "bound" and command["command.leaves_workspace"] is True:
            return False
        if rule.id not in active or not isinstance(response, Limit | Prohibit):
            continue
        if tool_class not in response.classes:
            continue
        if isinstance(response, Prohibit) and tool not in response.except_tools:
            return False
        if isinstance(response, Limit) and _speed(command) > Fraction(response.max) + TOLERANCE:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Paper:
    """One rule's cases, worked out in a state in which it is active and one in which it rests."""

    spec: SafetySpec
    states: States
    rule: str
    active: State
    rest: State | None

    def speeds(self, limit: Limit) -> Iterator[BoundaryCase]:
        for tool in one_of_each(self.spec, limit.classes):
            for speed, where in _around_limit(limit.max).items():
                if 0 < speed <= 100:
                    why = f"{tool} at {speed:.12g} % is {where} of {self.rule}"
                    yield self._case("speed", self.active, tool, speed, why)
            if self.rest is not None:
                why = f"{self.rule} is not active and limits nothing"
                yield self._case("speed", self.rest, tool, 100.0, why)

    def classes(self) -> Iterator[BoundaryCase]:
        for state, word in ((self.active, "is active"), (self.rest, "is not active")):
            for tool in self.spec.document.tools if state is not None else ():
                why = f"{tool} ({self.spec.tool_class(tool)}) while {self.rule} {word}"
                yield self._case("class", state or self.active, tool, 10.0, why)

    def deadline(self, required: Require) -> Iterator[BoundaryCase]:
        for offset in (-DEADLINE_STEP_S, 0.0, DEADLINE_STEP_S):
            at = round(required.within_s + offset, 6)
            word = "in time" if offset <= 0 else "too late"
            why = f"{required.action} {at:.12g} s after the onset is {word}"
            case = self._case("deadline", self.active, required.action, 10.0, why)
            yield replace(case, expected_permitted=offset <= 0, elapsed_s=at)
        for tool in one_of_each(self.spec, required.then.classes):
            if tool not in required.then.except_tools:
                yield from self._around_deadline(required, tool)

    def _around_deadline(self, required: Require, tool: str) -> Iterator[BoundaryCase]:
        early, late = (round(required.within_s + s, 6) for s in (-DEADLINE_STEP_S, DEADLINE_STEP_S))
        case = self._case("deadline", self.active, tool, 10.0, f"{tool} before the deadline")
        yield replace(case, elapsed_s=early)
        yield replace(case, elapsed_s=late, expected_permitted=False, why=f"{tool} after the deadline")

    def _case(self, kind: Kind, state: State, tool: str, speed: float, why: str) -> BoundaryCase:
        command = as_command(self.spec, state, tool, speed)
        active = self.states.active({**state, **command})
        values = {name: value for name, value in state.items() if name not in COMMAND_FIELDS}
        permitted = is_permitted(self.spec, active, command)
        return BoundaryCase("", self.rule, kind, values, command, self.rule in active, permitted, why)


def _around_limit(most: float) -> dict[float, str]:
    return {
        most - 1: "below the limit",
        most: "at the limit",
        most + 5e-7: "within the tolerance of the limit",
        most + 2e-6: "just above the limit",
        most + 1: "above the limit",
        100.0: "far above the limit" if most < 99 else "at the top of the range",
    }


def as_command(spec: SafetySpec, state: State, tool: str, speed: float) -> State:
    """Return the command fields of `state` with another tool and speed."""
    command = {name: value for name, value in state.items() if name in COMMAND_FIELDS}
    command["command.tool"] = tool
    command["command.class"] = spec.tool_class(tool)
    command["command.speed_percent"] = float(speed)
    return command


def one_of_each(spec: SafetySpec, classes: tuple[str, ...]) -> list[str]:
    """Return the first tool of each class."""
    tools = spec.document.tools
    first = (next((t for t, its in tools.items() if its == c), None) for c in classes)
    return [tool for tool in first if tool is not None]


def _speed(command: Mapping[str, Value]) -> Fraction:
    speed = command["command.speed_percent"]
    return Fraction(speed) if isinstance(speed, float) else Fraction(0)
