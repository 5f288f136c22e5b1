"""Where a value lies in JSON: dotted paths into objects, numbers into lists."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from heedful.guards.tool_map.values import UnreadableError, listed, shorten

Key = str | int
Tree = dict[Key, "Tree | str"]
"""The declared arguments of a tool: key -> the label of an argument, or what lies below."""


def split_path(path: str | tuple[Key, ...]) -> tuple[Key, ...]:
    """Return the keys of a path: `goal.0.x` is `("goal", 0, "x")`; a tuple is taken as it is.

    An empty path is the whole.
    """
    if isinstance(path, tuple):
        return path
    if not path:
        return ()
    first, *rest = path.split(".")
    return (first, *(int(key) if key.isascii() and key.isdigit() else key for key in rest))


def unknown_argument(name: str, allowed: Sequence[str]) -> UnreadableError:
    """Return the refusal of an argument that is not declared, with the nearest one that is."""
    near = difflib.get_close_matches(name[:60].lower(), allowed, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return UnreadableError(f"unknown argument {shorten(name)}.{hint} Allowed: {listed(allowed)}.")


def grow(tree: Tree, path: tuple[Key, ...], label: str) -> None:
    """Add an argument to a tree.

    Raises:
        UnreadableError: If another argument lies above, below or at the same place, or a list mixes with
            an object.
    """
    if not path or "" in path:
        raise UnreadableError(f"{label!r} is no name of an argument.")
    node = tree
    for key in path[:-1]:
        child = node.setdefault(key, {})
        if isinstance(child, str):
            raise UnreadableError(f"{label!r} lies within the argument {child!r}; declare only one of them.")
        node = child
    if path[-1] in node:
        raise UnreadableError(f"{label!r} is declared twice, or has arguments within it.")
    node[path[-1]] = label
    if len({type(key) for key in node}) > 1:
        raise UnreadableError(
            f"{label!r} has both names and positions beside it; a value is one or the other."
        )


def has_gaps(tree: Tree) -> bool:
    """Return whether a list in a tree has positions that are not declared."""
    if any(isinstance(key, int) for key in tree) and sorted(map(str, tree)) != sorted(
        map(str, range(len(tree)))
    ):
        return True
    return any(has_gaps(node) for node in tree.values() if isinstance(node, dict))


def flatten(tree: Tree, value: Any, where: str = "", *, strict: bool = True) -> dict[str, Any]:
    """Return the raw value of each declared argument that is there.

    Args:
        tree: What is declared; nothing deeper than it is looked at.
        value: Raw arguments.
        where: The path so far, for messages.
        strict: Whether anything undeclared, or of another shape, is refused.

    Raises:
        UnreadableError: With what is wrong and what is allowed.
    """
    found: dict[str, Any] = {}
    for key, child in _children(tree, value, where, strict=strict):
        node = tree[key]
        if isinstance(node, str):
            found[node] = child
        else:
            found.update(flatten(node, child, f"{where}{key}.", strict=strict))
    return found


def _children(tree: Tree, value: Any, where: str, *, strict: bool) -> list[tuple[Key, Any]]:
    name = where.rstrip(".") or "the arguments"
    if tree and all(isinstance(key, int) for key in tree):
        if isinstance(value, list) and len(value) == len(tree):
            return list(enumerate(value))
        if strict:
            raise UnreadableError(f"{name} must be a list of {len(tree)} values, not {shorten(value)}.")
        return []
    if isinstance(value, Mapping):
        stray = next((key for key in value if key not in tree), None) if strict else None
        if stray is not None:
            allowed = [f"{where}{key}" for key in tree]
            raise UnreadableError(
                f"unknown argument {shorten(f'{where}{stray}')}. Allowed: {listed(allowed)}."
            )
        return [(key, child) for key, child in value.items() if key in tree]
    if strict:
        raise UnreadableError(f"{name} must be an object, not {shorten(value)}.")
    return []


def with_value(data: Any, path: tuple[Key, ...], value: Any) -> Any:
    """Return a copy of `data` with `value` at `path`; what lies off the path is shared, not copied."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if isinstance(data, list) and isinstance(key, int):
        return [*data[:key], with_value(data[key], rest, value), *data[key + 1 :]]
    inner = data.get(key, {}) if isinstance(data, Mapping) else {}
    copy = dict(data) if isinstance(data, Mapping) else {}
    copy[key] = with_value(inner, rest, value)
    return copy
