"""Where the signals that specs read lie in results that a server gave when it was asked once.

Below: `guesses`. Above: `signals`. Results are hostile: whatever is proposed is tried on the result itself,
and a person checks it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from heedful.guards.draft.guesses import Property, guess_unit, is_plain, words_of
from heedful.guards.tool_map.document import SCHEMA_VERSION, ToolMapDocument
from heedful.guards.tool_map.faults import find_faults
from heedful.guards.tool_map.results import NOTHING, Content
from heedful.guards.tool_map.signals import SignalSource

MAX_DEPTH = 6
MAX_LEAVES = 500
MAX_LINES = 200
LIMITS = {"v_max_m_s": 1.0, "w_max_rad_s": 1.0, "time_to_live_s": 10.0, "deceleration_m_s2": 2.0}
ASSUMED = {"length": "m", "share": "%", "time": "s"}
"""Unit that a number of that kind most often has; an angle's cannot be assumed."""
NOBODY = "human.distance"
NOBODY_POINT = (
    "one result does not tell what the server says when there is nobody: add 'infinite_when' for it, then "
    "delete this point; without it nobody in view is unknown, and the rules that read it apply"
)
_LINE = re.compile(r"\s*([A-Za-z][\w ()/-]{0,60}[:=])\s*([-+]?\d+(?:\.\d+)?)\s*([%\w/]*)", re.ASCII)
_AGE = re.compile(r"(\w+_)?age(_\w+)?", re.ASCII)


@dataclass(frozen=True)
class Wanted:
    """A signal, and what a tool and a value that give it are usually called."""

    name: str
    tool: str
    value: str
    dimensions: tuple[str, ...]
    """What it may be counted in; none for a yes or no."""


@dataclass(frozen=True)
class Answer:
    """What a tool or a resource gave when it was asked once."""

    kind: Literal["tool", "resource"]
    name: str
    result: Any
    """JSON of a `CallToolResult` or a `ReadResourceResult`."""
    description: str = ""


@dataclass(frozen=True)
class Proposal:
    """A source of a signal, to be checked by a person."""

    data: dict[str, Any]
    why: str
    points: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Leaf:
    """One value within a result."""

    keys: tuple[str, ...]
    path: Any
    """As a map writes it."""
    value: Any
    unit: str = ""
    """What stands behind a number in a text."""


def propose(wanted: Wanted, answers: list[Answer]) -> Proposal | None:
    """Return the first place among the answers that reads like a signal, if it is the only one there."""
    for answer in answers:
        leaves = list(_leaves(Content(answer.result)))
        fitting = [leaf for leaf in leaves if _fits(wanted, leaf, answer)]
        if len(fitting) == 1 and (proposal := _proposal(wanted, fitting[0], leaves, answer)) is not None:
            return proposal
    return None


def _fits(wanted: Wanted, leaf: _Leaf, answer: Answer) -> bool:
    is_number = type(leaf.value) in (int, float)
    if not (is_number if wanted.dimensions else isinstance(leaf.value, bool)):
        return False
    if leaf.keys == (wanted.name,):
        return True
    if "*" in leaf.keys and wanted.name != NOBODY:
        return False
    words = [words_of(key) for key in leaf.keys if key != "*"]
    places = [words_of(answer.name), *words]
    is_place = any(re.fullmatch(wanted.tool, place, re.ASCII) for place in places)
    return is_place and re.fullmatch(wanted.value, words[-1], re.ASCII) is not None


def _proposal(wanted: Wanted, leaf: _Leaf, leaves: list[_Leaf], answer: Answer) -> Proposal | None:
    data: dict[str, Any] = {answer.kind: answer.name, "path": leaf.path}
    points: dict[str, str] = {}
    where = f"signals.{wanted.name}"
    if not wanted.dimensions:
        data["type"] = "boolean"
    else:
        unit = _unit(wanted, leaf, answer)
        if unit is None:
            unit = next((ASSUMED[d] for d in wanted.dimensions if d in ASSUMED), None)
            points[where] = f"nothing tells its unit: write it in place of {unit!r}, then delete this point"
        if unit is None:
            return None
        data |= {"unit": unit, **_age(wanted, leaf, leaves), **_nobody(leaf)}
    if wanted.name == NOBODY:
        points[f"{where}.infinite_when"] = NOBODY_POINT
    is_read = _reads(wanted.name, data, answer.result)
    return Proposal(data, f"{answer.name} gave {leaf.value!r} there", points) if is_read else None


def _unit(wanted: Wanted, leaf: _Leaf, answer: Answer) -> str | None:
    for told in (leaf.unit, answer.description):
        prop = Property(leaf.keys[-1], "number", told, is_required=True)
        unit = guess_unit(prop, wanted.dimensions)
        if unit is not None:
            return unit
    return None


def _age(wanted: Wanted, leaf: _Leaf, leaves: list[_Leaf]) -> dict[str, Any]:
    """Return where the age of a value stands beside it."""
    beside = [
        other
        for other in leaves
        if other.keys[:-1] == leaf.keys[:-1]
        and "*" not in other.keys
        and _AGE.fullmatch(words_of(other.keys[-1]))
    ]
    if wanted.dimensions == ("time",) or len(beside) != 1:
        return {}
    unit = guess_unit(Property(beside[0].keys[-1], "number", beside[0].unit, is_required=True), ("time",))
    return {} if unit is None else {"age": beside[0].path, "age_unit": unit}


def _nobody(leaf: _Leaf) -> dict[str, Any]:
    if "*" not in leaf.keys:
        return {}
    return {"infinite_when": {"path": _path(leaf.keys[: leaf.keys.index("*")]), "equals": []}}


def _reads(name: str, data: dict[str, Any], result: Any) -> bool:
    """Return whether a source gives a value of the very result that it was drafted from."""
    head = {"schema_version": SCHEMA_VERSION, "name": "draft", "version": "0.1", "limits": LIMITS}
    try:
        document = ToolMapDocument.model_validate({**head, "signals": {name: data}})
    except ValueError:
        return False
    if find_faults(document):
        return False
    return SignalSource(name, document.signals[name]).read(Content(result), 0.0, 0.0).value is not None


def _leaves(content: Content) -> Iterator[_Leaf]:
    if content.is_error:
        return
    if content.data is NOTHING:
        yield from _lines(content.text)
        return
    for count, leaf in enumerate(_within(content.data, ())):
        if count == MAX_LEAVES:
            return
        yield leaf


def _within(data: Any, keys: tuple[str, ...]) -> Iterator[_Leaf]:
    if len(keys) > MAX_DEPTH:
        return
    if isinstance(data, Mapping):
        for key, value in list(data.items())[:MAX_LEAVES]:
            if isinstance(key, str) and is_plain(key) and key != "*":
                yield from _within(value, (*keys, key))
    elif isinstance(data, list):
        if data and "*" not in keys and keys:
            yield from _within(data[0], (*keys, "*"))
    elif keys and keys[-1] != "*":
        yield _Leaf(keys, _path(keys), data)


def _lines(text: str) -> Iterator[_Leaf]:
    for line in text.splitlines()[:MAX_LINES]:
        found = _LINE.match(line)
        if found is not None and text.count(found[1]) == 1:
            label = found[1].rstrip(":=").strip()
            yield _Leaf((label,), {"after": found[1]}, float(found[2]), found[3])


def _path(keys: tuple[str, ...]) -> str | list[str]:
    is_dotted = all("." not in key and not key.isdigit() for key in keys)
    return ".".join(keys) if is_dotted else list(keys)
