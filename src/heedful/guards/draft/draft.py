"""A first tool map out of a server's own tool list, for a person to finish.

Names, descriptions and schemas are guessed from, since a person checks each guess. Annotations such as
`readOnlyHint` are not looked at: they are claims of the server that the guard is there to hold. Whatever
is unsure does not pass and stands among the open points; a map with open points does not load.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from heedful.guards.draft.guesses import (
    Property,
    guess_action,
    guess_frame,
    guess_meaning,
    guess_unit,
    is_plain,
    properties_of,
    text_of,
)
from heedful.guards.draft.probes import LIMITS, Answer
from heedful.guards.draft.signals import draft_signals
from heedful.guards.draft.text import DraftedTool, one_line, write_draft
from heedful.guards.tool_map.actions import ACTIONS, TARGETS
from heedful.guards.tool_map.document import SCHEMA_VERSION, ToolMapDocument
from heedful.guards.tool_map.load import faults_of

MAX_TOOLS = 500
ROBOT = "the-robot"
SETTLE = "declare what it does ('does' or 'class') under 'tools', or name it under 'denied'"


def draft_tool_map(
    server_name: str, tools: Iterable[Any], resources: Iterable[Any] = (), answers: Iterable[Answer] = ()
) -> str:
    """Return the YAML text of a draft.

    Args:
        server_name: How the server calls itself.
        tools: JSON of the server's tools (`name`, `description`, `inputSchema`, `outputSchema`).
        resources: JSON of its resources (`uri`, `name`, `description`).
        answers: What some of them gave when they were asked once.
    """
    listed = list(tools)
    readable = _readable(listed)
    drafted = [_draft_tool(name, tool) for name, tool in readable.items()]
    points = {"limits": "write what your robot's maker declares; the values are placeholders"}
    if any(_takes_robot_id(tool) for tool in drafted):
        points["robot"] = "write the id of the one robot that this guard watches"
    points |= {f"tools.{t.name}": "; ".join((*t.problems, SETTLE)) for t in drafted if t.problems}
    if len(readable) < len(listed):
        left_out = len(listed) - len(readable)
        points["tools"] = f"{left_out} more have no readable name of their own, or are too many; none passes"
    signals = draft_signals(readable, resources, answers)
    head = {"schema_version": SCHEMA_VERSION, "name": _slug(server_name), "version": "0.1", "limits": LIMITS}
    head |= {"robot": ROBOT} if "robot" in points else {}
    passing = [tool for tool in drafted if not tool.problems]
    return write_draft(head, passing, signals, points | signals.points)


def _readable(listed: list[Any]) -> dict[str, Mapping[str, Any]]:
    """Return the tools that have a plain name which no other has, by it."""
    tools: dict[str, Mapping[str, Any]] = {}
    doubled: set[str] = set()
    for tool in listed[:MAX_TOOLS]:
        name = tool.get("name") if isinstance(tool, Mapping) else None
        if isinstance(name, str) and is_plain(name):
            doubled.update({name} & tools.keys())
            tools[name] = tool
    return {name: tool for name, tool in tools.items() if name not in doubled}


def _draft_tool(name: str, tool: Mapping[str, Any]) -> DraftedTool:
    action = guess_action(name)
    description = one_line(text_of(tool, "description"))
    if action is None:
        why = f"what it does is not clear from its name; it says: {description or 'nothing'}"
        return DraftedTool(name, {}, "", problems=[why])
    kind = {"class": "none"} if action == "none" else {"does": action}
    drafted = DraftedTool(
        name, dict(kind), f"its name reads like {action if action != 'none' else 'sensing'}"
    )
    for prop in properties_of(tool.get("inputSchema", tool.get("input_schema"))):
        _draft_argument(drafted, prop, action, text_of(tool, "description"))
    if not drafted.problems:
        drafted.problems += _faults(drafted)
    return drafted


def _draft_argument(drafted: DraftedTool, prop: Property, action: str, description: str) -> None:
    """Add one argument to a tool, or why it cannot be."""
    if not is_plain(prop.label):
        drafted.problems.append("an argument has no plain name")
        return
    meaning = guess_meaning(prop, action)
    if meaning is None and action == "none":
        data, note = _free(prop)
    elif meaning is None:
        data, note = None, "is not understood; 'is: free' if it has no bearing on safety"
    elif meaning == "robot_id":
        data, note = {"is": "robot_id"}, "by its name"
    elif ACTIONS[action].takes[meaning]:
        data, note = _quantity(prop, meaning, action, description)
    else:
        data, note = {"is": meaning, **_words(prop)}, "by its name"
    if data is None:
        drafted.problems.append(f"argument {prop.label!r} {note}")
    else:
        drafted.data.setdefault("args", {})[prop.label] = data
        drafted.notes[prop.label] = note


def _free(prop: Property) -> tuple[dict[str, Any] | None, str]:
    if prop.kind == "any":
        return None, "has no JSON type in its schema"
    optional = {} if prop.is_required else {"optional": True}
    return {"is": "free", "type": prop.kind, **optional}, "it has no bearing on safety"


def _quantity(
    prop: Property, meaning: str, action: str, description: str
) -> tuple[dict[str, Any] | None, str]:
    unit = guess_unit(prop, ACTIONS[action].takes[meaning])
    if unit is None:
        return None, f"looks like {meaning}, in a unit that its name and description do not tell"
    data: dict[str, Any] = {"is": meaning, "unit": unit}
    note = "unit by its name or description"
    if meaning in TARGETS:
        data["frame"] = guess_frame(f"{prop.description} {description}")
        note = "unit and frame by its description"
        if data["frame"] is None:
            return None, f"looks like {meaning}, in a frame (map or robot) that its description does not tell"
    if prop.kind == "integer":
        data["type"] = "integer"
    default = prop.schema.get("default")
    if not prop.is_required and type(default) in (int, float):
        data["default"] = default
    return data, note


def _words(prop: Property) -> dict[str, Any]:
    allowed = prop.schema.get("enum")
    words: dict[str, Any] = {}
    if isinstance(allowed, list) and allowed and all(isinstance(w, str) and is_plain(w) for w in allowed):
        words["values"] = allowed
    default = prop.schema.get("default")
    if isinstance(default, str) and is_plain(default):
        words["default"] = default
    elif not prop.is_required:
        words["optional"] = True
    return words


def _faults(drafted: DraftedTool) -> list[str]:
    """Return what is wrong with a tool by the rules that a map is loaded by."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "name": "draft",
        "version": "0.1",
        "limits": LIMITS,
        "robot": ROBOT,
        "tools": {drafted.name: drafted.data},
    }
    try:
        return [fault.message for fault in faults_of(ToolMapDocument.model_validate(document))]
    except ValidationError as error:
        return [one_line(problem["msg"]) for problem in error.errors()[:3]]


def _takes_robot_id(tool: DraftedTool) -> bool:
    return any(argument.get("is") == "robot_id" for argument in tool.data.get("args", {}).values())


def _slug(name: str) -> str:
    slug = "".join(c if c.isascii() and c.isalnum() else "-" for c in name.lower()[:60]).strip("-")
    return slug or "my-robot"
