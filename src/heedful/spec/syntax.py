"""The syntax tree of a CEL expression, read from the checked form that the CEL runtime serialises.

The runtime hands out no tree, but serialises it as the public `cel.expr.CheckedExpr` message.
This reads that message's wire format: field numbers from cel-spec `proto/cel/expr/{checked,syntax}.proto`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
ENTRIES, ENTRY_PARTS = frozenset({2}), frozenset({3, 4})
PARTS = {
    5: ("select", frozenset({1})),
    7: ("list", frozenset({1})),
    8: ("struct", ENTRIES),
    9: ("comprehension", frozenset({2, 4, 5, 6, 7})),
}
"""Fields of `Expr` that hold other expressions: the kind, and the fields within that are expressions."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal."""

    value: float | int | bool | str | None
    """`int` for CEL's whole numbers, `float` for its doubles; None for a literal of another type."""


@dataclass(frozen=True, slots=True)
class Name:
    """A declared variable, dots included."""

    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """An operator or function with its arguments, e.g. `_<_`."""

    function: str
    args: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Other:
    """Anything else; its names are still collected, those of loop variables among them."""

    children: tuple[Node, ...]
    kind: str = "list"
    """`list`, `select`, `struct`, `comprehension` or `none`."""


Node = Constant | Name | Call | Other


def parse_checked(serialized: bytes) -> Node:
    """Return the tree in a serialised `Any` that holds a `CheckedExpr`."""
    checked = _last(serialized, 2)
    return _expression(_last(checked, 4))


def walk(node: Node) -> Iterator[Node]:
    """Yield `node` and everything under it."""
    yield node
    if isinstance(node, Call):
        for child in node.args:
            yield from walk(child)
    elif isinstance(node, Other):
        for child in node.children:
            yield from walk(child)


def names_in(node: Node) -> frozenset[str]:
    """Return every variable name that `node` reads."""
    return frozenset(part.name for part in walk(node) if isinstance(part, Name))


def _expression(data: bytes) -> Node:
    for field, value in _fields(data):
        if field == 3:
            return _constant(_as_bytes(value))
        if field == 4:
            return Name(_last(_as_bytes(value), 1).decode())
        if field == 6:
            return _call(_as_bytes(value))
        if field in PARTS:
            kind, wanted = PARTS[field]
            return Other(tuple(_children(_as_bytes(value), wanted)), kind)
    return Other((), "none")


def _children(data: bytes, wanted: frozenset[int]) -> Iterator[Node]:
    for field, value in _fields(data):
        if field not in wanted:
            continue
        if wanted is ENTRIES:
            yield from _children(_as_bytes(value), ENTRY_PARTS)
        else:
            yield _expression(_as_bytes(value))


def _call(data: bytes) -> Call:
    function, args = "", []
    for field, value in _fields(data):
        if field == 2:
            function = _as_bytes(value).decode()
        elif field in (1, 3):
            args.append(_expression(_as_bytes(value)))
    return Call(function, tuple(args))


def _constant(data: bytes) -> Constant:
    for field, value in _fields(data):
        if field == 2:
            return Constant(bool(value))
        if field == 5 and isinstance(value, bytes):
            return Constant(float(struct.unpack("<d", value)[0]))
        if field in (3, 4) and isinstance(value, int):
            return Constant(value - (1 << 64) if field == 3 and value >> 63 else value)
        if field == 6:
            return Constant(_as_bytes(value).decode())
    return Constant(None)


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        field, wire = key >> 3, key & 7
        if wire == VARINT:
            number, at = _varint(data, at)
            yield field, number
            continue
        if wire == BYTES:
            size, at = _varint(data, at)
        else:
            size = 8 if wire == FIXED64 else 4
        yield field, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def _last(data: bytes, wanted: int) -> bytes:
    found = b""
    for field, value in _fields(data):
        if field == wanted:
            found = _as_bytes(value)
    return found


def _as_bytes(value: int | bytes) -> bytes:
    return value if isinstance(value, bytes) else b""
