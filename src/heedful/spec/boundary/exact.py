"""Conditions worked out with exact fractions: what the generated boundary cases expect.

Deliberately apart from CEL: an expectation that comes from the evaluation under test says nothing.
It covers comparisons, logic, sums, products and lists; anything else raises `InexactError`.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from fractions import Fraction

from heedful.spec.syntax import Call, Constant, Name, Node, Other, names_in
from heedful.state.series import Value

Exact = Fraction | bool | str

COMPARE = {
    "_<_": operator.lt,
    "_<=_": operator.le,
    "_>_": operator.gt,
    "_>=_": operator.ge,
    "_==_": operator.eq,
    "_!=_": operator.ne,
}
ARITHMETIC = {"_+_": operator.add, "_-_": operator.sub, "_*_": operator.mul}


class InexactError(Exception):
    """An expression is beyond what is worked out exactly here."""


def is_active(tree: Node, values: Mapping[str, Value]) -> bool:
    """Return whether a condition holds or reads something unknown.

    Raises:
        InexactError: If it uses a function that is not worked out here.
    """
    if any(values.get(name) is None for name in names_in(tree)):
        return True
    return evaluate(tree, values) is True


def evaluate(node: Node, values: Mapping[str, Value]) -> Exact:
    """Return the value of an expression whose names are all known.

    Raises:
        InexactError: If it uses a function that is not worked out here.
    """
    if isinstance(node, Constant):
        return _exact(node.value)
    if isinstance(node, Name):
        return _exact(values.get(node.name))
    if isinstance(node, Other):
        raise InexactError(f"a {node.kind} stands alone")
    return _call(node, values)


def difference(comparison: Call, values: Mapping[str, Value]) -> Fraction:
    """Return left minus right of a comparison of two numbers.

    Raises:
        InexactError: If they are no numbers.
    """
    left, right = (evaluate(arg, values) for arg in comparison.args)
    return _number(left) - _number(right)


def _call(node: Call, values: Mapping[str, Value]) -> Exact:
    name, args = node.function, node.args
    if name in {"_&&_", "_||_"}:
        parts = [evaluate(arg, values) is True for arg in args]
        return all(parts) if name == "_&&_" else any(parts)
    if name == "!_":
        return evaluate(args[0], values) is not True
    if name == "_?_:_":
        return evaluate(args[1] if evaluate(args[0], values) is True else args[2], values)
    if name == "@in" and isinstance(args[1], Other) and args[1].kind == "list":
        return any(evaluate(args[0], values) == evaluate(item, values) for item in args[1].children)
    if name in COMPARE:
        return bool(COMPARE[name](*(evaluate(arg, values) for arg in args)))
    return _arithmetic(name, [_number(evaluate(arg, values)) for arg in args])


def _arithmetic(name: str, args: list[Fraction]) -> Fraction:
    if name == "-_":
        return -args[0]
    if name not in ARITHMETIC:
        raise InexactError(f"the function {name!r}")
    return Fraction(ARITHMETIC[name](*args))


def _exact(value: Value) -> Exact:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, float):
        return Fraction(value)
    raise InexactError(f"the literal {value!r}")


def _number(value: Exact) -> Fraction:
    if isinstance(value, Fraction):
        return value
    raise InexactError("arithmetic without numbers")
