"""Reading tool maps: by the name of a shipped one or from a file, with errors that point at the line."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from heedful.errors import InputError, UnknownNameError
from heedful.guards.guard import Refusal
from heedful.guards.tool_map.document import ToolMapDocument
from heedful.guards.tool_map.faults import Fault, declared_tools, find_faults
from heedful.guards.tool_map.reading import ToolReader
from heedful.guards.tool_map.tool_map import ToolMap
from heedful.guards.tool_map.values import UnreadableError
from heedful.spec.load import describe_validation, line_numbers, parse_yaml, read_text_file

FOLDER = "maps"
MAX_FAULTS = 10


def shipped_tool_maps() -> tuple[str, ...]:
    """Return the names of the maps that come with heedful."""
    folder = resources.files("heedful.guards.tool_map") / FOLDER
    return tuple(sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml")))


def tool_map_text(name_or_file: str) -> str:
    """Return the YAML text of a shipped map or a file.

    Raises:
        UnknownNameError: If it is neither a shipped name nor a file.
        InputError: If the file cannot be read.
    """
    if name_or_file in shipped_tool_maps():
        resource = resources.files("heedful.guards.tool_map") / FOLDER / f"{name_or_file}.yaml"
        return resource.read_text(encoding="utf-8")
    path = Path(name_or_file)
    if not path.is_file():
        raise UnknownNameError("Tool map", name_or_file, shipped_tool_maps(), where="files and shipped maps")
    return read_text_file(path)


def load_tool_map(name_or_file: str) -> ToolMap:
    """Return the compiled map of that name or file.

    Raises:
        UnknownNameError: If it is neither a shipped name nor a file.
        InputError: If it cannot be trusted: file, line, what is wrong and what is allowed.
    """
    where = name_or_file if name_or_file in shipped_tool_maps() else str(Path(name_or_file))
    return parse_tool_map(tool_map_text(name_or_file), where)


def parse_tool_map(text: str, where: str = "tool map") -> ToolMap:
    """Return the compiled map written in `text`.

    Raises:
        InputError: If it cannot be trusted: `where`, line, what is wrong and what is allowed.
    """
    data = parse_yaml(text, where, InputError)
    lines = line_numbers(text)
    try:
        document = ToolMapDocument.model_validate(data)
    except ValidationError as error:
        raise InputError(describe_validation(error, where, lines)) from error
    faults = faults_of(document)
    if not faults:
        tool_map = ToolMap(document, where)
        faults = _call_faults(tool_map)
    if faults:
        raise InputError("\n".join(_describe(fault, where, lines) for fault in faults[:MAX_FAULTS]))
    return tool_map


def faults_of(document: ToolMapDocument) -> list[Fault]:
    """Return what is wrong with a document of the right shape, defaults that do not fit included."""
    faults = find_faults(document)
    if faults:
        return faults
    for place, name, tool in declared_tools(document):
        try:
            ToolReader(name, tool, document.limits.robot_limits(), document.robot)
        except UnreadableError as error:
            faults.append(Fault(place, str(error)))
    return faults


def _call_faults(tool_map: ToolMap) -> list[Fault]:
    """Return the guard's own calls that the map itself would refuse, or that do something else."""
    faults = []
    for action, call in tool_map.document.actions.items():
        read = tool_map.read(call.tool, call.args, None)
        if isinstance(read, Refusal):
            faults.append(Fault(("actions", action), read.reason))
        elif read.tool != action:
            faults.append(Fault(("actions", action), f"this call is read as {read.tool}, not as {action}"))
    for name, signal in tool_map.document.signals.items():
        if signal.tool is None or signal.tool not in tool_map.tools:
            continue
        read = tool_map.read(signal.tool, signal.args, None)
        if isinstance(read, Refusal):
            faults.append(Fault(("signals", name), read.reason))
        elif read.tool_class != "none":
            faults.append(Fault(("signals", name, "tool"), f"{signal.tool} acts on the robot"))
    return faults


def _describe(fault: Fault, where: str, lines: Mapping[tuple[str | int, ...], int]) -> str:
    place = fault.place
    known = next((place[:n] for n in range(len(place), -1, -1) if place[:n] in lines), ())
    return f"{where}: line {lines.get(known, 1)}: {'.'.join(map(str, place))}: {fault.message}"
