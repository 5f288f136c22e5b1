"""Conditions as formulas for z3: is there a state and a command in which these hold together?

The only module that imports z3 (the extra `heedful[check]`). Numbers are reals within their
declared range, or the stand-in of a declared infinity above it; text is one of its declared
words; `command.*` is symbolic. A condition that cannot be said exactly (whole-number arithmetic,
functions, loops, a divisor that may be zero) raises `UntranslatableError` and is never guessed.
CEL computes in doubles: where a condition adds or multiplies, an answer holds over the reals.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from heedful.errors import InputError
from heedful.spec.conditions import COMMAND_FIELDS
from heedful.spec.document import Signal
from heedful.spec.safety_spec import SafetySpec
from heedful.spec.syntax import Call, Constant, Name, Node, Other
from heedful.state.series import INFINITE, Value

TIMEOUT_MS = 2000
PLAIN_OPERATIONS = {
    "_==_": operator.eq,
    "_!=_": operator.ne,
    "_<_": operator.lt,
    "_<=_": operator.le,
    "_>_": operator.gt,
    "_>=_": operator.ge,
    "_+_": operator.add,
    "_-_": operator.sub,
    "_*_": operator.mul,
    "_/_": operator.truediv,
    "-_": operator.neg,
}
NUMERIC = PLAIN_OPERATIONS.keys() - {"_==_", "_!=_"}

Formula = Any
"""A z3 expression; the package has no types."""


class UntranslatableError(Exception):
    """A condition has no exact formula; the message says what stands in the way."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver says of a question."""

    verdict: Literal["possible", "impossible", "unknown"]
    values: Mapping[str, Value] = field(default_factory=dict)
    """If possible: a value for every signal and field of the command."""
    reason: str = ""
    """If unknown: why."""


class Solver:
    """Asks z3 about one spec's signals and commands."""

    def __init__(self, spec: SafetySpec, timeout_ms: int = TIMEOUT_MS) -> None:
        """Declare the spec's signals, and the command's fields for its tools.

        Raises:
            InputError: If z3 is not installed.
        """
        self._z3 = _import_z3()
        self._context = self._z3.Context()  # of its own: models then depend on nothing asked before
        self._timeout_ms = timeout_ms
        self._words: dict[str, int] = {}
        signals = spec.document.signals
        kinds = {name: s.type for name, s in signals.items()} | {n: k for n, (k, _) in COMMAND_FIELDS.items()}
        self._variables = {name: self._variable(name, kind) for name, kind in kinds.items()}
        self._domain = [self._signal_domain(name, signal) for name, signal in signals.items()]
        self._domain.append(self._command_domain(spec.document.tools))

    def formula(self, tree: Node) -> Formula:
        """Return the condition as a formula.

        Raises:
            UntranslatableError: If it has no exact one.
        """
        result = self._translate(tree)
        if not self._z3.is_bool(result):
            raise UntranslatableError("it is no boolean")
        return result

    def equals(self, name: str, value: str) -> Formula:
        """Return the formula that the text `name` is `value`."""
        return self._variables[name] == self._word(value)

    def negated(self, formula: Formula) -> Formula:
        """Return the formula that holds where `formula` does not."""
        return self._z3.Not(formula)

    def ask(self, *formulas: Formula) -> Answer:
        """Return whether all `formulas` can hold together within the declared values."""
        solver = self._z3.Solver(ctx=self._context)
        solver.set("timeout", self._timeout_ms)
        solver.set("random_seed", 1)
        solver.add(*self._domain, *formulas)
        verdict = solver.check()
        if verdict == self._z3.unsat:
            return Answer("impossible")
        if verdict == self._z3.sat:
            return Answer("possible", self._values(solver.model()))
        return Answer("unknown", reason=f"the solver gave up ({solver.reason_unknown()})")

    def _variable(self, name: str, kind: str) -> Formula:
        if kind == "boolean":
            return self._z3.Bool(name, self._context)
        sort = self._z3.Real if kind == "number" else self._z3.Int
        return sort(name, self._context)

    def _word(self, text: str) -> Formula:
        return self._z3.IntVal(self._words.setdefault(text, len(self._words)), self._context)

    def _number(self, value: float) -> Formula:
        exact = Fraction(value)
        return self._z3.Q(exact.numerator, exact.denominator, self._context)

    def _truth(self, value: bool) -> Formula:
        return self._z3.BoolVal(value, self._context)

    def _signal_domain(self, name: str, signal: Signal) -> Formula:
        z3, variable = self._z3, self._variables[name]
        if signal.type == "boolean":
            return self._truth(True)
        if signal.type == "text":
            return z3.Or([variable == self._word(word) for word in signal.values or ()])
        low, high = signal.range or (-INFINITE, INFINITE)
        inside = z3.And(variable >= self._number(low), variable <= self._number(high))
        return z3.Or(inside, variable == self._number(INFINITE)) if signal.infinite else inside

    def _command_domain(self, tools: Mapping[str, str]) -> Formula:
        z3, speed = self._z3, self._variables["command.speed_percent"]
        calls = [
            z3.And(self.equals("command.tool", tool), self.equals("command.class", tool_class))
            for tool, tool_class in tools.items()
        ]
        return z3.And(z3.Or(calls or [self._truth(True)]), speed >= 0, speed <= 100)

    def _translate(self, node: Node) -> Formula:
        if isinstance(node, Constant):
            return self._constant(node)
        if isinstance(node, Name):
            return self._variables[node.name]
        if isinstance(node, Other):
            raise UntranslatableError(f"a {node.kind} has no formula here")
        if node.function == "@in":
            return self._membership(node)
        return self._operation(node.function, [self._translate(arg) for arg in node.args])

    def _constant(self, node: Constant) -> Formula:
        if isinstance(node.value, bool):
            return self._truth(node.value)
        if isinstance(node.value, float):
            return self._number(node.value)
        if isinstance(node.value, str):
            return self._word(node.value)
        raise UntranslatableError(f"the literal {node.value!r} is neither a double, a boolean nor text")

    def _membership(self, node: Call) -> Formula:
        item, items = node.args
        if not isinstance(items, Other) or items.kind != "list":
            raise UntranslatableError("'in' needs a list that is written out")
        wanted = self._translate(item)
        return self._z3.Or(
            [wanted == self._translate(child) for child in items.children] or [self._truth(False)]
        )

    def _operation(self, function: str, args: Sequence[Formula]) -> Formula:
        z3 = self._z3
        if function in NUMERIC and not all(z3.is_real(arg) for arg in args):
            raise UntranslatableError(f"{function!r} of text has no formula here")
        if function == "_/_" and self.ask(args[1] == 0).verdict != "impossible":
            raise UntranslatableError("it divides by a value that may be 0")
        operations = _operations(z3)
        if function not in operations:
            raise UntranslatableError(f"the function {function!r} has no formula here")
        return operations[function](*args)

    def _values(self, model: Any) -> dict[str, Value]:
        found = {}
        for name, variable in self._variables.items():
            found[name] = self._python_value(model.eval(variable, model_completion=True))
        return found

    def _python_value(self, value: Formula) -> Value:
        if self._z3.is_bool(value):
            return bool(self._z3.is_true(value))
        if self._z3.is_int_value(value):
            words = {number: word for word, number in self._words.items()}
            return words.get(value.as_long(), "")
        if self._z3.is_algebraic_value(value):
            value = value.approx(12)
        return float(value.as_fraction())


def _operations(z3: Any) -> dict[str, Any]:
    return {"_||_": z3.Or, "_&&_": z3.And, "!_": z3.Not, "_?_:_": z3.If, **PLAIN_OPERATIONS}


def _import_z3() -> Any:
    try:
        import z3  # noqa: PLC0415 - an optional dependency, wrapped by this module alone
    except ImportError as error:
        raise InputError("Checking a spec needs z3. Install it: pip install 'heedful[check]'.") from error
    return z3
