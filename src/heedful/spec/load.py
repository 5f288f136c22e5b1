"""Reading specs: by the name of a shipped one or from a file, with errors that point at the line."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from heedful.errors import InputError, SpecError, UnknownNameError
from heedful.spec.document import SpecDocument
from heedful.spec.safety_spec import SafetySpec
from heedful.state.motion import RobotLimits

MAX_FILE_BYTES = 1_000_000
MAX_DEPTH = 50
MAX_NODES = 100_000
MERGE_TAG = "tag:yaml.org,2002:merge"
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's loader where it is built in; both construct plain data only."""


def shipped_specs() -> tuple[str, ...]:
    """Return the names of the specs that come with heedful."""
    folder = resources.files("heedful.spec") / "library"
    return tuple(sorted(f.name.removesuffix(".yaml") for f in folder.iterdir() if f.name.endswith(".yaml")))


def spec_text(name_or_path: str) -> tuple[str, str]:
    """Return a spec's YAML text and where it was read.

    Raises:
        UnknownNameError: If it is neither a shipped name nor a file.
        InputError: If the file cannot be read.
    """
    if name_or_path in shipped_specs():
        resource = resources.files("heedful.spec") / "library" / f"{name_or_path}.yaml"
        return resource.read_text(encoding="utf-8"), name_or_path
    path = Path(name_or_path)
    if not path.is_file():
        raise UnknownNameError("Spec", name_or_path, shipped_specs(), where="files and shipped specs")
    return read_text_file(path), str(path)


def load_spec(name_or_path: str, limits: RobotLimits | None = None) -> SafetySpec:
    """Return the compiled spec of that name or file.

    Raises:
        SpecError: If it cannot be trusted: file, line, what is wrong and what is allowed.
        UnknownNameError: If it does not exist.
    """
    text, where = spec_text(name_or_path)
    return parse_spec(text, where, limits)


def parse_spec(text: str, where: str = "spec", limits: RobotLimits | None = None) -> SafetySpec:
    """Return the compiled spec written in `text`.

    Raises:
        SpecError: If it cannot be trusted.
    """
    data = parse_yaml(text, where, SpecError)
    lines = line_numbers(text)
    try:
        document = SpecDocument.model_validate(data)
    except ValidationError as error:
        raise SpecError(describe_validation(error, where, lines)) from error
    try:
        return SafetySpec(document, limits)
    except InputError as error:
        place = _place_in_invariant(lines, document, getattr(error, "__notes__", []))
        raise SpecError(f"{where}{place}: {error}") from error


def parse_yaml(text: str, where: str, kind: type[InputError]) -> Any:
    """Return the data in a YAML text; tags beyond plain data are refused.

    Raises:
        InputError: Of class `kind`, with file, line and column.
    """
    try:
        return _construct(text, where, kind)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise kind(f"{where}:{place}: not valid YAML: {error.problem or error.context}.") from error
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise kind(f"{where}: not valid YAML: {error}.") from error


def _construct(text: str, where: str, kind: type[InputError]) -> Any:
    _check_depth(text, where, kind)
    loader = LOADER(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        _check_node(root, where, kind, {})
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _check_depth(text: str, where: str, kind: type[InputError]) -> None:
    """Refuse deep nesting before anything recurses over it."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                place = f": line {event.start_mark.line + 1}" if event.start_mark else ""
                raise kind(f"{where}{place}: nested more than {MAX_DEPTH} levels deep.")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _check_node(node: yaml.Node, where: str, kind: type[InputError], sizes: dict[int, int]) -> int:
    """Refuse anchors that contain themselves or multiply, and doubled keys; return the size written out."""
    if id(node) in sizes:
        return sizes[id(node)]
    line = node.start_mark.line + 1
    sizes[id(node)] = MAX_NODES + 1  # met again while open: it contains itself
    children: list[yaml.Node] = []
    if isinstance(node, yaml.MappingNode):
        children = [part for pair in node.value for part in pair]
        _check_keys(node, where, kind)
    elif isinstance(node, yaml.SequenceNode):
        children = node.value
    size = 1 + sum(_check_node(child, where, kind, sizes) for child in children)
    if size > MAX_NODES:
        raise kind(f"{where}: line {line}: more than {MAX_NODES} values once its anchors are written out.")
    sizes[id(node)] = size
    return size


def _check_keys(node: yaml.MappingNode, where: str, kind: type[InputError]) -> None:
    seen: set[tuple[str, str]] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.tag == MERGE_TAG:
            continue
        if (key.tag, key.value) in seen:
            line = key.start_mark.line + 1
            raise kind(f"{where}: line {line}: the key {key.value!r} is written twice; only one can hold.")
        seen.add((key.tag, key.value))


def read_text_file(path: Path) -> str:
    """Return a file's text.

    Raises:
        InputError: If it is unreadable, not UTF-8, or too large to be written by a person.
    """
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path} is larger than {MAX_FILE_BYTES} bytes.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text.") from error


def line_numbers(text: str) -> dict[tuple[str | int, ...], int]:
    """Return the line of every key and item of a YAML text, by its path."""
    lines: dict[tuple[str | int, ...], int] = {}

    def visit(node: yaml.Node, path: tuple[str | int, ...]) -> None:
        lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                child = (*path, str(key.value))
                lines[child] = key.start_mark.line + 1
                visit(value, child)
        elif isinstance(node, yaml.SequenceNode):
            for index, value in enumerate(node.value):
                visit(value, (*path, index))

    root = yaml.compose(text, Loader=LOADER)
    if root is not None:
        visit(root, ())
    return lines


def describe_validation(error: ValidationError, where: str, lines: dict[tuple[str | int, ...], int]) -> str:
    """Return a pydantic error as sentences with file, line, field and what is allowed."""
    parts = []
    for problem in error.errors()[:10]:
        path = problem["loc"]
        known = next((path[:n] for n in range(len(path), -1, -1) if path[:n] in lines), ())
        field = ".".join(str(p) for p in path) or "the document"
        parts.append(f"{where}: line {lines.get(known, 1)}: {field}: {problem['msg']}")
    return "\n".join(parts)


def _place_in_invariant(
    lines: dict[tuple[str | int, ...], int], document: SpecDocument, notes: list[str]
) -> str:
    """Return `: line 12: invariant S2` for the notes that `SafetySpec` leaves on an error."""
    if len(notes) < 2:
        return ""
    invariant, field = notes[:2]
    index = next((k for k, rule in enumerate(document.invariants) if rule.id == invariant), None)
    line = None if index is None else lines.get(("invariants", index, *field.split(".")))
    return f"{'' if line is None else f': line {line}'}: invariant {invariant}"
