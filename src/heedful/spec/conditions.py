"""CEL conditions: compiled once, type- and unit-checked against what the spec declares.

CEL alone decides a condition's value; there is no evaluation of our own. Two guards stand before
it, because the runtime fails open on both: a condition that reads an unknown signal is active, and
so is one whose result is not a boolean (NaN < 1.0 is false, a missing name is no error in CEL).

Conditions that only compare signals with constants are constant between those constants, so their
answers are remembered per cell; the answer itself still comes from CEL.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from cel_expr_python import cel

from heedful.errors import SpecError, UnknownNameError
from heedful.spec.document import Parameter, Signal
from heedful.spec.syntax import Call, Constant, Name, Node, names_in, parse_checked, walk
from heedful.state.series import Value

COMMAND_FIELDS: dict[str, tuple[str, str]] = {
    "command.tool": ("text", ""),
    "command.class": ("text", ""),
    "command.speed_percent": ("number", "%"),
    "command.target_x": ("number", "m"),
    "command.target_y": ("number", "m"),
    "command.leaves_workspace": ("boolean", ""),
}
"""What a condition may read of a command, with type and unit."""

COMPARISONS = {"_<_", "_<=_", "_>_", "_>=_", "_==_", "_!=_"}
CEL_TYPES = {"number": cel.Type.DOUBLE, "boolean": cel.Type.BOOL, "text": cel.Type.STRING}
MEMO_LIMIT = 4096


class Condition:
    """One compiled condition and what it reads."""

    def __init__(self, text: str, signals: Mapping[str, Signal], parameters: Mapping[str, Parameter]) -> None:
        """Compile `text`.

        Raises:
            SpecError: If it is no CEL, reads what is not declared, mixes units, or is no boolean.
        """
        self.text = text
        units = _declared_units(signals, parameters)
        _check_units(parse_checked(_compile(text, signals, parameters).serialize()), units, text)
        self._expression = _compile(_with_parameters(text, parameters), signals, {})
        self.tree = parse_checked(self._expression.serialize())
        read = names_in(self.tree)
        self.signals = tuple(sorted(name for name in read if name in signals))
        self.reads_command = any(name in COMMAND_FIELDS for name in read)

    def holds(self, values: Mapping[str, Value], command: Mapping[str, Value] | None = None) -> bool:
        """Return CEL's answer; True when anything it reads is unknown or its result is no boolean."""
        data = {name: values.get(name) for name in self.signals}
        if command is not None:
            data.update(command)
        if any(is_unknown(value) for value in data.values()):
            return True
        answer = self._expression.eval(data=data).plain_value()
        return answer if isinstance(answer, bool) else True


class ConditionSet:
    """Conditions over signals alone, evaluated together and remembered per cell."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self.conditions = tuple(conditions)
        self.signals = tuple(sorted({name for c in conditions for name in c.signals}))
        self.cuts = {name: _thresholds(name, self.conditions) for name in self.signals}
        self._cuts = tuple(self.cuts.values())
        self._memo: dict[tuple[object, ...], tuple[bool, ...]] = {}

    def evaluate(self, values: Mapping[str, Value]) -> tuple[bool, ...]:
        """Return whether each condition holds, in order."""
        key = tuple(map(cell_of, map(values.get, self.signals), self._cuts))
        answer = self._memo.get(key)
        if answer is None:
            if len(self._memo) >= MEMO_LIMIT:
                self._memo.clear()
            answer = tuple([c.holds(values) for c in self.conditions])
            self._memo[key] = answer
        return answer


def is_unknown(value: Value) -> bool:
    """Return whether `value` is no knowledge: absent or not a number."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def cell_of(value: Value, cuts: tuple[float, ...] | None) -> object:
    """Return what a value shares with all others that every condition answers alike.

    Args:
        value: The signal's value; None and NaN are one cell.
        cuts: The constants it is compared with, ascending; None keeps every value apart.
    """
    if value != value:  # noqa: PLR0124 - NaN is unknown; the cheapest test for it
        return None
    if cuts is None or not isinstance(value, float):
        return (type(value), value)  # True, 1 and 1.0 are one key otherwise
    k = bisect_left(cuts, value)
    return (k, k < len(cuts) and cuts[k] == value)


def _thresholds(name: str, conditions: Sequence[Condition]) -> tuple[float, ...] | None:
    """Return the constants that `name` is compared with; None if it is used in any other way."""
    cuts: set[float] = set()
    for condition in conditions:
        uses = sum(1 for node in walk(condition.tree) if node == Name(name))
        for node in walk(condition.tree):
            constant = _compared_constant(node, name)
            if constant is not None:
                cuts.add(constant)
                uses -= 1
        if uses:
            return None
    return tuple(sorted(cuts))


def _compared_constant(node: Node, name: str) -> float | None:
    if not isinstance(node, Call) or node.function not in COMPARISONS or Name(name) not in node.args:
        return None
    values = [a.value for a in node.args if isinstance(a, Constant)]
    number = values[0] if values else None
    return float(number) if isinstance(number, float) and not isinstance(number, bool) else None


def _with_parameters(text: str, parameters: Mapping[str, Parameter]) -> str:
    def value_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in parameters:
            raise UnknownNameError("Parameter", name, parameters, where=f"condition {text!r}")
        return repr(float(parameters[name].value))

    return re.sub(r"\bparams\.([A-Za-z_][A-Za-z0-9_]*)", value_of, text)


def _declared_units(signals: Mapping[str, Signal], parameters: Mapping[str, Parameter]) -> dict[str, str]:
    units = {name: unit for name, (_, unit) in COMMAND_FIELDS.items()}
    units |= {f"params.{name}": parameter.unit for name, parameter in parameters.items()}
    return units | {name: signal.unit for name, signal in signals.items()}


def _compile(text: str, signals: Mapping[str, Signal], parameters: Mapping[str, Parameter]) -> cel.Expression:
    known = {name: s.type for name, s in signals.items()} | {n: t for n, (t, _) in COMMAND_FIELDS.items()}
    known |= {f"params.{name}": "number" for name in parameters}
    env = cel.NewEnv(variables={name: CEL_TYPES[kind] for name, kind in known.items()})
    try:
        expression = env.compile(text)
    except RuntimeError as error:
        raise _explain(str(error), text, known) from error
    if expression.return_type() != cel.Type.BOOL:
        raise SpecError(
            f"Condition {text!r} gives {expression.return_type().name()}, but a condition must be a boolean."
        )
    return expression


def _explain(message: str, text: str, known: Mapping[str, str]) -> SpecError:
    undeclared = re.search(r"undeclared reference to '([^']+)'", message)
    if undeclared:
        root = undeclared.group(1)
        names = re.findall(rf"\b{re.escape(root)}(?:\.[A-Za-z_]\w*)*", text)
        name = next((n for n in names if n not in known), root)
        unknown = UnknownNameError("Signal", name, known, where=f"condition {text!r}")
        return SpecError(str(unknown))
    first = message.split("\n", maxsplit=1)[0].removeprefix("INVALID_ARGUMENT: ERROR: ")
    hint = " Write numbers with a decimal point, e.g. 1.0." if "no matching overload" in message else ""
    return SpecError(f"Condition {text!r} is not valid: {first}.{hint}")


def _check_units(tree: Node, units: Mapping[str, str], text: str) -> None:
    for node in walk(tree):
        if isinstance(node, Call) and node.function in COMPARISONS | {"_+_", "_-_"} and len(node.args) == 2:
            left, right = (_unit_of(arg, units) for arg in node.args)
            if left is not None and right is not None and left != right:
                raise SpecError(
                    f"Condition {text!r} mixes units: [{left or 'none'}] and [{right or 'none'}]. "
                    "Compare quantities of one unit, or a quantity with a number."
                )


def _unit_of(node: Node, units: Mapping[str, str]) -> str | None:
    """Return the unit of an expression; None where a bare number takes any."""
    if isinstance(node, Name):
        return units.get(node.name)
    if not isinstance(node, Call):
        return None
    found = [u for u in (_unit_of(arg, units) for arg in node.args) if u is not None]
    if node.function in {"_+_", "_-_", "-_", "_?_:_"}:
        return found[-1] if found else None
    if node.function == "_*_":
        return found[0] if len(found) == 1 else "*".join(sorted(found)) or None
    if node.function == "_/_":
        return "/".join(found) if len(found) == 2 else None
    return None
