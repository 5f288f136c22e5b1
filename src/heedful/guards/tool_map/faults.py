"""What a tool map of the right shape can still have wrong: meanings, units, what an action lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from heedful.errors import InputError, UnknownNameError
from heedful.guards.tool_map.actions import ACTIONS, COMPONENTS, TARGETS, scale_of
from heedful.guards.tool_map.document import Argument, Signal, Tool, ToolMapDocument
from heedful.guards.tool_map.json_paths import Tree, grow, has_gaps, split_path
from heedful.guards.tool_map.units import UNITS, check_dimension
from heedful.guards.tool_map.values import MAX_MAGNITUDE, TOLERANCE, UnreadableError
from heedful.state.motion import RobotLimits

Place = tuple[str | int, ...]
OWN_MEANINGS = ("robot_id", "free")
"""What an argument of a tool can be whose action heedful has no word for."""


class Fault(NamedTuple):
    """Something that makes a map untrustworthy."""

    place: Place
    """Where in the document."""
    message: str


def find_faults(document: ToolMapDocument) -> list[Fault]:
    """Return everything that is wrong with a document, in its order."""
    found: list[Fault] = []
    for place, name, tool in declared_tools(document):
        found += (Fault((*place, *at), why) for at, why in _tool_faults(name, tool, document))
    found += _choice_faults(document)
    found += _name_faults(document)
    for name, signal in document.signals.items():
        found += (Fault(("signals", name, *at), why) for at, why in _signal_faults(signal))
    return found


def declared_tools(document: ToolMapDocument) -> Iterator[tuple[Place, str, Tool]]:
    """Yield every declaration with its place and the target's name of the tool."""
    for name, tool in document.tools.items():
        yield ("tools", name), name, tool
    for name, cases in document.choices.items():
        for index, tool in enumerate(cases):
            yield ("choices", name, index), name, tool


def tool_class(tool: Tool) -> str:
    """Return the class of what a declared tool does."""
    if tool.tool_class is not None:
        return tool.tool_class
    action = ACTIONS.get(tool.does or "")
    return "none" if action is None else action.tool_class


def _tool_faults(name: str, tool: Tool, document: ToolMapDocument) -> Iterator[tuple[Place, str]]:
    if (tool.does is None) == (tool.tool_class is None):
        yield (), "write either 'does' (one of heedful's actions) or 'class', not both or neither"
        return
    if tool.does is not None and tool.does not in ACTIONS:
        yield ("does",), str(UnknownNameError("Action", tool.does, ACTIONS))
        return
    if tool.does is None and name in ACTIONS:
        yield (), f"a tool of this name must say what it does; write 'does: {name}' or name it under 'denied'"
    yield from _argument_faults(tool, document.robot)
    yield from _fixed_faults(tool, document.limits.robot_limits())
    yield from _lacks(tool)
    is_relative = tool.does == "turn" or any(a.frame == "robot" for a in tool.args.values())
    if tool.replaces and (tool_class(tool) != "locomotion" or is_relative):
        yield ("replaces",), "only a locomotion command to a place or at a velocity can be replaced by itself"
    if tool.zero_stops and tool.does != "walk_with_velocity":
        yield ("zero_stops",), "only a velocity command can stop by being zero"


def _argument_faults(tool: Tool, robot: str | None) -> Iterator[tuple[Place, str]]:
    tree: Tree = {}
    seen: dict[str, str] = {}
    for label, argument in tool.args.items():
        place: Place = ("args", label)
        try:
            grow(tree, split_path(label), label)
        except UnreadableError as error:
            yield place, str(error)
        for why in _meaning_faults(tool, argument, robot):
            yield place, why
        meaning = argument.meaning
        if meaning in seen and meaning != "free":
            yield place, f"{meaning} is already what {seen[meaning]!r} is"
        seen.setdefault(meaning or "", label)
        has_position = any(isinstance(key, int) for key in split_path(label))
        if has_position and (argument.default is not None or argument.optional):
            yield place, "a value of a list cannot be left out; delete 'default' and 'optional'"
    if has_gaps(tree):
        yield ("args",), "the positions of a list are declared from 0 on, none left out"
    frames = {a.frame for a in tool.args.values() if a.frame}
    if len(frames) > 1:
        yield ("args",), "all targets of a tool must be in one frame"


def _meaning_faults(tool: Tool, a: Argument, robot: str | None) -> Iterator[str]:
    if (a.meaning is None) == (a.equals is None):
        yield "write either 'is' (what it means) or 'equals' (the only value that passes)"
        return
    takes = ACTIONS[tool.does].takes if tool.does else {}
    if a.meaning is not None and a.meaning not in (*takes, *OWN_MEANINGS):
        allowed = ", ".join((*takes, *OWN_MEANINGS))
        yield f"{a.meaning} is nothing that {tool.does or 'such a tool'} takes. Allowed: {allowed}."
        return
    if a.meaning == "robot_id" and robot is None:
        yield "write the id of the robot that is watched as 'robot' at the top of the map"
    if a.equals == ():
        yield "'equals' lists no value, so nothing would pass"
    yield from _unit_faults(a, takes)
    yield from _extra_faults(a, is_quantity=bool(takes.get(a.meaning or "")))


def _unit_faults(a: Argument, takes: Mapping[str, tuple[str, ...]]) -> Iterator[str]:
    dimensions = takes.get(a.meaning or "", ())
    if not dimensions:
        if a.unit is not None:
            yield f"only quantities have a unit, and this is none; delete 'unit: {a.unit}'"
        return
    if a.unit is None:
        yield f"{a.meaning} needs its 'unit'"
        return
    try:
        check_dimension(a.unit, str(a.meaning), dimensions)
    except InputError as error:
        yield str(error)


def _extra_faults(a: Argument, *, is_quantity: bool) -> Iterator[str]:
    if (a.frame is not None) != (a.meaning in TARGETS):
        yield "a target needs its 'frame' (map or robot), and nothing else has one"
    if a.meaning == "free" and a.type is None:
        yield "a free argument needs its JSON 'type'"
    if a.meaning != "free" and a.type not in (None, *(("number", "integer") if is_quantity else ("text",))):
        yield f"'type: {a.type}' is not what this is"
    if a.values is not None and not (a.meaning in ("hand", "text") or a.type == "text"):
        yield "only words have 'values'"
    if a.max is not None and not is_quantity:
        yield "only quantities have a 'max'"
    if a.optional and (is_quantity or a.default is not None):
        yield "what it is when left out must be known: write 'default' instead of 'optional'"
    if a.reverse and (not is_quantity or a.meaning in ("speed", "duration")):
        yield "only directions can count the other way round; delete 'reverse'"
    if a.zero_is_endless and a.meaning != "duration":
        yield "only a duration can be endless; delete 'zero_is_endless'"


def _fixed_faults(tool: Tool, limits: RobotLimits) -> Iterator[tuple[Place, str]]:
    takes = ACTIONS[tool.does].takes if tool.does else {}
    has = {a.meaning for a in tool.args.values()}
    for meaning, fixed in tool.fixed.items():
        place: Place = ("fixed", meaning)
        if meaning not in takes:
            yield place, f"{meaning} is nothing that {tool.does or 'such a tool'} has"
            continue
        if meaning in has:
            yield place, f"{meaning} is an argument as well; it cannot be fixed"
        try:
            check_dimension(fixed.unit, meaning, takes[meaning])
        except InputError as error:
            yield (*place, "unit"), str(error)
            continue
        value = fixed.value * scale_of(meaning, fixed.unit, limits)
        if meaning in ("speed", "duration") and value <= 0:
            yield place, f"a fixed {meaning} must be above 0"
        if meaning == "speed" and value > 100 * (1 + TOLERANCE):
            yield place, "this is above the robot's maximum speed under 'limits'"
        elif abs(value) > MAX_MAGNITUDE:
            yield place, "this is out of range"


def _lacks(tool: Tool) -> Iterator[tuple[Place, str]]:
    """Yield what an action needs and the declaration does not have."""
    has = {*(a.meaning for a in tool.args.values()), *tool.fixed}
    if tool.does == "walk_to":
        is_relative = any(a.frame == "robot" for a in tool.args.values())
        needed = (() if is_relative else TARGETS) + ("speed",)
    else:
        needed = {"turn": ("angle", "speed")}.get(tool.does or "", ())
    for meaning in needed:
        if meaning not in has:
            fix = f"declare the argument that is the {meaning}"
            yield (), f"{tool.does} needs {meaning}: {fix}, or under 'fixed' what it always is"
    if tool.does == "walk_with_velocity" and not has.intersection(COMPONENTS):
        yield (), f"walk_with_velocity needs at least one of {', '.join(COMPONENTS)}"


def _choice_faults(document: ToolMapDocument) -> Iterator[Fault]:
    for name, cases in document.choices.items():
        for index, tool in enumerate(cases):
            if not any(
                a.equals is not None and a.default is None and not a.optional for a in tool.args.values()
            ):
                why = "a choice is known by an argument with 'equals' that cannot be left out; it has none"
                yield Fault(("choices", name, index), why)


def _name_faults(document: ToolMapDocument) -> Iterator[Fault]:
    declared = set(document.tools)
    for section, names in (("choices", document.choices), ("denied", document.denied)):
        for name in names:
            if name in declared:
                yield Fault((section, name), "this tool is declared more than once")
        declared.update(names)
    for name in document.missing:
        if name in document.signals:
            yield Fault(("missing", name), "this signal has a source under 'signals' as well")


def _signal_faults(s: Signal) -> Iterator[tuple[Place, str]]:
    if (s.tool is None) == (s.resource is None):
        yield (), "write either the 'tool' or the 'resource' that it is read from"
    if s.resource is not None and s.args:
        yield ("args",), "a resource takes no arguments"
    is_number = s.reads == "value" and s.type == "number"
    if is_number and s.unit is None:
        yield (), "a number needs its 'unit'"
    if s.unit is not None and not is_number:
        yield ("unit",), f"only a number that is read has a unit; delete 'unit: {s.unit}'"
    elif s.unit is not None and s.unit not in UNITS:
        yield ("unit",), str(UnknownNameError("Unit", s.unit, UNITS))
    for field, unit in (("age_unit", s.age_unit), ("stamp_unit", s.stamp_unit)):
        try:
            check_dimension(unit, f"'{field.removesuffix('_unit')}'", ("time",))
        except InputError as error:
            yield (field,), str(error)
    yield from _mismatched_fields(s, is_number=is_number)


def _mismatched_fields(s: Signal, *, is_number: bool) -> Iterator[tuple[Place, str]]:
    is_value = s.reads in ("value", "heading")
    if (s.frozen_after_s is not None) != (s.reads == "unchanged"):
        yield (), "'reads: unchanged' needs 'frozen_after_s', and nothing else has it"
    if s.age is not None and (s.stamp is not None or not is_value):
        yield ("age",), "a value has an 'age' or a 'stamp', not both; what is no value has no age"
    if s.infinite_when is not None and not is_number:
        yield ("infinite_when",), "only a number can be infinite"
    if s.null_when is not None and not is_value:
        yield ("null_when",), "only a value can be null"
    if (s.true_when or s.false_when) and not (s.reads == "value" and s.type == "boolean"):
        yield (), "only a boolean value has 'true_when' and 'false_when'"
    if s.words is not None and not (s.reads == "value" and s.type == "text"):
        yield ("words",), "only a text value has 'words'"
