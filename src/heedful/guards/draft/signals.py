"""Where a server's tools and resources seem to give the signals that specs read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from heedful.guards.draft.guesses import (
    guess_action,
    guess_unit,
    is_plain,
    properties_of,
    words_of,
)
from heedful.guards.draft.probes import Answer, Wanted, propose

NOT_FOUND = "No tool or resource was found that reads it."
NOT_TOLD = "{0} seems to read it, but not where in its result."


PLACE = r"(?!\w*(human|person|people))\w*(position|pose|odom|location)\w*"
WANTED = (
    Wanted(
        "human.distance",
        r"\w*(proximity|human|person|people|pedestrian)\w*",
        r"\w*distance\w*|range",
        ("length",),
    ),
    Wanted("battery.level", r"\w*battery\w*", r"\w*(level|percent|percentage|soc|charge)\w*", ("share",)),
    Wanted("robot.x", PLACE, r"(\w+_)?x(_[cm]?m)?", ("length",)),
    Wanted("robot.y", PLACE, r"(\w+_)?y(_[cm]?m)?", ("length",)),
    Wanted(
        "robot.yaw",
        PLACE,
        r"(\w+_)?(yaw|heading|theta)(_\w+)?",
        ("angle",),
    ),
)
SEEN = r"\w*(camera|video|frame)\w*"
CAMERA_STATUS = (
    Wanted("camera.connected", SEEN, r"(\w+_)?(connected|online)", ()),
    Wanted("camera.frame_age", SEEN, r"(\w+_)?age(_\w+)?", ("time",)),
    Wanted("camera.frozen", SEEN, r"(\w+_)?frozen", ()),
)
"""Told only by results."""
CAMERA: dict[str, dict[str, Any]] = {
    "camera.connected": {"reads": "present"},
    "camera.frame_age": {"reads": "age"},
    "camera.frozen": {"reads": "unchanged", "frozen_after_s": 0.5},
}


@dataclass
class DraftedSignals:
    """What a draft says of the signals."""

    found: dict[str, tuple[dict[str, Any], str]] = field(default_factory=dict)
    """Name -> its source and why it is taken for it."""
    missing: dict[str, str] = field(default_factory=dict)
    points: dict[str, str] = field(default_factory=dict)


def draft_signals(
    tools: Mapping[str, Mapping[str, Any]], resources: Iterable[Any], answers: Iterable[Answer] = ()
) -> DraftedSignals:
    """Return the sources that results, names and schemas suggest; what is unsure is missing, and a point.

    Args:
        tools: JSON of the server's tools, by name.
        resources: JSON of its resources, of any shape.
        answers: What some of them gave when they were asked once; this tells more than any name.
    """
    pollable = {name: tool for name, tool in tools.items() if _takes_nothing(tool) and _is_sensing(name)}
    drafted = DraftedSignals()
    uris = _uris(resources)
    given = list(answers)
    for wanted in (*WANTED, *CAMERA_STATUS):
        proposal = propose(wanted, given)
        if proposal is not None:
            drafted.found[wanted.name] = (proposal.data, proposal.why)
            drafted.points |= proposal.points
    for wanted in WANTED:
        if wanted.name not in drafted.found:
            _draft_signal(drafted, wanted, pollable, uris)
    camera = next((name for name in pollable if guess_action(name) == "get_camera_image"), None)
    for name, data in CAMERA.items():
        if name in drafted.found:
            continue
        if camera is None:
            drafted.missing[name] = NOT_FOUND
        else:
            why = f"{camera} seems to give the newest picture; it must not repeat an old one"
            drafted.found[name] = ({"tool": camera, **data, "poll_s": 0.2}, why)
    return drafted


def _draft_signal(
    drafted: DraftedSignals, wanted: Wanted, tools: Mapping[str, Mapping[str, Any]], uris: list[str]
) -> None:
    named = [name for name in tools if re.fullmatch(wanted.tool, words_of(name), re.ASCII)]
    for name in named:
        source = _source(wanted, name, tools[name])
        if source is not None:
            drafted.found[wanted.name] = (source, "by the names in the tool's output schema")
            return
    named += [uri for uri in uris if re.fullmatch(wanted.tool, words_of(uri), re.ASCII)]
    drafted.missing[wanted.name] = NOT_TOLD.format(named[0]) if named else NOT_FOUND
    if named:
        what = " and ".join(wanted.dimensions)
        drafted.points[f"signals.{wanted.name}"] = (
            f"{' or '.join(named[:3])} seems to read it: write its source under 'signals' ('tool' or "
            f"'resource', 'path', 'unit' of {what}) and delete it under 'missing'"
        )


def _source(wanted: Wanted, name: str, tool: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return where a tool's output schema says that the value is, if one place and one unit fit."""
    fitting = []
    for prop in properties_of(tool.get("outputSchema", tool.get("output_schema"))):
        is_named = re.fullmatch(wanted.value, words_of(prop.label), re.ASCII) is not None
        unit = guess_unit(prop, wanted.dimensions) if is_named and is_plain(prop.label) else None
        if unit is not None and prop.kind in ("number", "integer"):
            fitting.append({"tool": name, "path": prop.label, "unit": unit})
    return fitting[0] if len(fitting) == 1 else None


def _takes_nothing(tool: Mapping[str, Any]) -> bool:
    schema = tool.get("inputSchema", tool.get("input_schema"))
    return not any(prop.is_required for prop in properties_of(schema))


def _is_sensing(name: str) -> bool:
    action = guess_action(name)
    return action is not None and (action == "none" or action.startswith("get_"))


def _uris(resources: Iterable[Any]) -> list[str]:
    uris = (resource.get("uri") for resource in resources if isinstance(resource, Mapping))
    return [uri for uri in uris if isinstance(uri, str) and is_plain(uri)]
