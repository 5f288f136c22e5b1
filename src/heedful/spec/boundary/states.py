"""States for boundary cases: quiet ones, and ones in which a single signal decides a rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice, pairwise, product

from heedful.spec.boundary.exact import COMPARE, InexactError, difference, is_active
from heedful.spec.conditions import COMMAND_FIELDS
from heedful.spec.document import Signal
from heedful.spec.safety_spec import SafetySpec
from heedful.spec.syntax import Call, Node, names_in, walk
from heedful.state.script import NoiseLaw
from heedful.state.series import INFINITE, Value

State = dict[str, Value]

MAX_COMBINATIONS = 2000


@dataclass(frozen=True, slots=True)
class Boundary:
    """Values of one signal or command field on all sides of where a condition may change its answer."""

    part: Node
    """The part of the condition that reads it."""
    name: str
    probes: Mapping[Value, str]
    """Each value with what it shows."""
    beside: Mapping[str, Value] = field(default_factory=dict)
    """What else `part` reads, as it must be for the boundary to lie there."""


DEFAULT_STEP = 0.01


class States:
    """Finds states of one spec on paper; `command.*` is part of a state here."""

    def __init__(self, spec: SafetySpec, command: Mapping[str, Value]) -> None:
        """Find the neutral state: as few active rules as a walk through the signals' values finds.

        Args:
            spec: The compiled spec.
            command: A harmless command, as the fields that conditions read.
        """
        self._spec = spec
        self._trees = {i: c.tree for i, c in spec.conditions.items() if is_exact(c.tree)}
        start = {name: self.candidates(name)[0] for name in spec.document.signals}
        self.neutral: State = {**start, **command}
        self.neutral = self._quietest()

    def is_exact(self, rule: str) -> bool:
        """Return whether the rule's condition can be worked out on paper."""
        return rule in self._trees

    def active(self, state: Mapping[str, Value]) -> frozenset[str]:
        """Return the rules that are active in `state`, on paper."""
        return frozenset(i for i, tree in self._trees.items() if is_active(tree, state))

    def in_which(self, rule: str, *, holds: bool) -> State | None:
        """Return the state nearest to neutral in which `rule` is active (or not); None if none is found."""
        tree = self._trees[rule]
        found = [s for s in self._variations(tree, ()) if is_active(tree, s) == holds]
        return self._best(rule, found)

    def deciding(self, rule: str, tree: Node, boundary: Boundary) -> State:
        """Return a state in which the boundary's signal alone decides `tree`; neutral if there is none.

        Args:
            rule: The rule that `tree` belongs to.
            tree: The condition.
            boundary: The boundary; what its part reads stays as it says.
        """
        fixed = (*names_in(boundary.part), boundary.name)
        found = []
        for state in self._variations(tree, fixed):
            placed = {**state, **boundary.beside}
            sides = {is_active(tree, self.with_value(placed, boundary.name, v)) for v in boundary.probes}
            if len(sides) > 1:
                found.append(placed)
        return self._best(rule, found) or {**self.neutral, **boundary.beside}

    def placing(self, comparison: Call, name: str) -> tuple[Fraction, State] | None:
        """Return the threshold of `name`, well within range if possible, and what else is read there."""
        (low, high), step = self.span(name), self.step(name)
        found: list[tuple[Fraction, State]] = []
        for state in self._variations(comparison, (name,)):
            cut = self.threshold(comparison, name, state)
            if cut is not None and low <= cut <= high:
                found.append((cut, {n: state[n] for n in names_in(comparison) if n != name}))
        return next((f for f in found if low + step <= f[0] <= high - step), found[0] if found else None)

    def with_value(self, state: Mapping[str, Value], name: str, value: Value) -> State:
        """Return `state` with one value replaced; a command's class follows its tool."""
        changed = {**state, name: value}
        if name == "command.tool":
            changed["command.class"] = self._spec.tool_class(str(value))
        return changed

    def candidates(self, name: str) -> tuple[Value, ...]:
        """Return values on every side of what conditions compare `name` with, a harmless one first."""
        signal = self._spec.document.signals.get(name)
        if signal is None:
            return self._command_candidates(name)
        if signal.type == "boolean":
            return (False, True)
        if signal.type == "text":
            return signal.values or ()
        return _numbers(signal, self.span(name), self._cuts(name), self.step(name))

    def span(self, name: str) -> tuple[float, float]:
        """Return the lowest and highest known value of a number."""
        signal = self._spec.document.signals.get(name)
        if signal is not None and signal.range is not None:
            return signal.range
        if name == "command.speed_percent":
            return (1.0, 100.0)
        at = 0 if name == "command.target_x" else 1
        side = [corner[at] for corner in self._spec.document.workspace.polygon]
        return (min(side) - 1.0, max(side) + 1.0)

    def step(self, name: str) -> float:
        """Return the signal's resolution, as its sensor reports it."""
        steps = NoiseLaw().steps_per_unit.get(name)
        if name == "command.speed_percent":
            return 1.0
        return 1 / steps if steps else DEFAULT_STEP

    def threshold(self, comparison: Call, name: str, state: Mapping[str, Value]) -> Fraction | None:
        """Return the value of `name` at which both sides are equal; None without exactly one."""
        low, high = self.span(name)
        points = [low, (low + high) / 2, high]
        try:
            a, b, c = (difference(comparison, {**state, name: x}) for x in points)
        except InexactError:
            return None
        x0, x1, x2 = (Fraction(x) for x in points)
        slope = (c - a) / (x2 - x0)
        if slope == 0 or a + slope * (x1 - x0) != b:
            return None
        return x0 - a / slope

    def _cuts(self, name: str) -> list[float]:
        trees = [*self._trees.values(), *(c.tree for c in self._spec.releases.values())]
        found = set()
        for part in (part for tree in trees for part in comparisons(tree)):
            if names_in(part) == {name}:
                cut = self.threshold(part, name, {})
                found |= {float(cut)} if cut is not None else set()
        return sorted(found)

    def _command_candidates(self, name: str) -> tuple[Value, ...]:
        if name == "command.tool":
            return tuple(self._spec.document.tools)
        if name == "command.leaves_workspace":
            return (False, True)
        low, high = self.span(name)
        around = [x for cut in self._cuts(name) for x in (cut - self.step(name), cut, cut + self.step(name))]
        return tuple(dict.fromkeys([low, *(x for x in around if low <= x <= high), high]))

    def _variations(self, tree: Node, fixed: tuple[str, ...]) -> Iterator[State]:
        """Yield states that differ from neutral in what `tree` reads, except `fixed`."""
        free = sorted({"command.tool" if n == "command.class" else n for n in names_in(tree)} - {*fixed})
        options = [dict.fromkeys((self.neutral[name], *self.candidates(name))) for name in free]
        for combination in islice(product(*options), MAX_COMBINATIONS):
            state = dict(self.neutral)
            for name, value in zip(free, combination, strict=True):
                state = self.with_value(state, name, value)
            yield state

    def _best(self, rule: str, states: list[State]) -> State | None:
        """Return the state with the fewest other active rules, then the one nearest to neutral."""

        def cost(state: State) -> tuple[int, int]:
            changed = sum(value != self.neutral[name] for name, value in state.items())
            return (len(self.active(state) - {rule}), changed)

        return min(states, key=cost, default=None)

    def _quietest(self) -> State:
        """Let one rule after another rest, as long as that makes fewer rules active."""
        quiet = self.neutral
        for _ in range(len(self._trees)):
            self.neutral = quiet
            for tree in self._trees.values():
                options = [quiet, *self._variations(tree, tuple(COMMAND_FIELDS))]
                quiet = self.neutral = min(options, key=lambda option: len(self.active(option)))
        return quiet


def comparisons(tree: Node) -> list[Call]:
    """Return the comparisons in a condition, each once, in the order written."""
    found = [n for n in walk(tree) if isinstance(n, Call) and n.function in COMPARE]
    return list(dict.fromkeys(found))


def is_exact(tree: Node) -> bool:
    """Return whether a condition uses only what is worked out on paper."""
    known = COMPARE.keys() | {"_&&_", "_||_", "!_", "_?_:_", "@in", "_+_", "_-_", "_*_", "-_"}
    calls = [node for node in walk(tree) if isinstance(node, Call)]
    lists = all(getattr(node, "kind", "list") == "list" for node in walk(tree))
    whole = any(type(getattr(node, "value", None)) is int for node in walk(tree))
    return lists and not whole and all(call.function in known for call in calls)


def _numbers(signal: Signal, span: tuple[float, float], cuts: list[float], step: float) -> tuple[Value, ...]:
    low, high = span
    first = [INFINITE] if signal.infinite else []
    edges = [low, *cuts, high]
    middles = [round((a + b) / 2, 6) for a, b in pairwise(edges)]
    around = [x for cut in cuts for x in (round(cut - step, 9), cut, round(cut + step, 9))]
    inside = [x for x in [*reversed(middles), *around, low, high] if low <= x <= high]
    return tuple(dict.fromkeys([*first, *inside]))
