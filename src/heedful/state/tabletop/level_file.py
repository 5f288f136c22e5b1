"""Partition files: levels that users add, in YAML.

    format: heedful-tabletop-level-1
    name: letters-on-wood
    tasks:
      visual_manipulation:
        dragged: [letter A, letter E]
        containers: [bowl]
        dragged_textures: [red, green]
        container_textures: [wooden, tiles]
      scene_understanding: {}

A task that is absent does not apply. A pool that is absent is the default one. Anchors are refused, so that a
small file cannot become a large one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.catalogue import SHAPES
from heedful.state.tabletop.codec import describe
from heedful.state.tabletop.levels import Partition, Pools, default_pools, find_partition
from heedful.state.tabletop.scene import LEVELS, TASKS, Task
from heedful.state.tabletop.textures import TEXTURES

LEVEL_FORMAT = "heedful-tabletop-level-1"
MAX_FILE_BYTES = 200_000
MAX_DEPTH = 8
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

Names = Annotated[tuple[str, ...], Field(min_length=1, max_length=200)]


class _PoolsDocument(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)  # unknown fields get their nearest names below

    dragged: Names | None = None
    containers: Names | None = None
    dragged_textures: Names | None = None
    container_textures: Names | None = None


class _LevelDocument(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    format: str
    name: str
    tasks: Annotated[dict[str, _PoolsDocument], Field(min_length=1)]


_REQUIRED: dict[Task, Pools] = {
    "visual_manipulation": Pools(("",), ("",), ("",), ("",)),
    "scene_understanding": Pools(("",) * 2, ("",), ("",) * 2, ("",) * 2),
    "sweep_without_exceeding": Pools(("",), ("",), ("",) * 2, ("",)),
    "pick_in_order_then_restore": Pools(("",), ("",), ("",), ("",) * 6),
}
"""As long as each pool has to be, for a task's objects to differ as they must."""


def load_partition(level: str) -> Partition:
    """Return a shipped level by its name, or the level in a file.

    Raises:
        UnknownNameError: If it is neither.
        InputError: If the file cannot be read or used: where, what is wrong, what is allowed.
    """
    if level in LEVELS:
        return find_partition(level)
    path = Path(level)
    if path.suffix not in {".yaml", ".yml"}:
        raise UnknownNameError("Level", level, LEVELS, where="the shipped levels and YAML files")
    return parse_partition(_read(path), str(path))


def parse_partition(text: str, where: str = "level") -> Partition:
    """Return the level that a YAML text describes.

    Raises:
        InputError: If it cannot be used: where, what is wrong, what is allowed.
        UnknownNameError: If a field, task, shape or texture is unknown, with the nearest names.
    """
    data = _parse_yaml(text, where)
    try:
        document = _LevelDocument.model_validate(data)
    except ValidationError as error:
        raise InputError(f"{where}: {describe(error)}.") from error
    _refuse_extra(document, where)
    if document.format != LEVEL_FORMAT:
        raise InputError(f"{where}: format {document.format!r}; this version reads {LEVEL_FORMAT!r}.")
    _check_name(document.name, where)
    pools = {}
    for name, written in document.tasks.items():
        if name not in TASKS:
            raise UnknownNameError("Task", name, TASKS, where=where)
        task = TASKS[TASKS.index(name)]
        pools[task] = _pools(task, written, f"{where}: {name}")
    return Partition(document.name, pools)


def _pools(task: Task, written: _PoolsDocument, where: str) -> Pools:
    _refuse_extra(written, where)
    if task == "sweep_without_exceeding" and (written.dragged or written.containers):
        raise InputError(f"{where}: its shapes are fixed; only textures can be chosen.")
    default, required = default_pools(task), _REQUIRED[task]
    pools = Pools(
        written.dragged or default.dragged,
        written.containers or default.containers,
        written.dragged_textures or default.dragged_textures,
        written.container_textures or default.container_textures,
    )
    for field in _PoolsDocument.model_fields:
        names, least = getattr(pools, field), len(getattr(required, field))
        if getattr(written, field) is not None:
            _check_names(field, names, f"{where}.{field}")
        if len(names) < least:
            raise InputError(f"{where}.{field}: {len(names)} given; this task needs {least} or more.")
    if task == "visual_manipulation" and len(pools.shapes) * len(pools.textures) < 3:
        raise InputError(f"{where}: no combination of shape and texture is left for a distractor.")
    return pools


def _check_names(field: str, names: tuple[str, ...], where: str) -> None:
    if len(set(names)) < len(names):
        double = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{where}: {double!r} is given twice.")
    known: Iterable[str] = TEXTURES
    if not field.endswith("_textures"):
        kind = "dragged" if field == "dragged" else "container"
        known = [name for name, found in SHAPES.items() if found.kind == kind]
    what = "Texture" if field.endswith("_textures") else "Shape"
    for name in names:
        if name not in known:
            raise UnknownNameError(what, name, known, where=where)


def _refuse_extra(document: BaseModel, where: str) -> None:
    for name in document.model_extra or {}:
        raise UnknownNameError("Field", name, type(document).model_fields, where=where)


def _check_name(name: str, where: str) -> None:
    """Refuse names that could not be part of a file's name everywhere, or that are taken."""
    if not _NAME.fullmatch(name):
        raise InputError(f"{where}: name {name!r}: 1 to 64 of a-z, 0-9, '-', '_', the first no mark.")
    if name in LEVELS:
        raise InputError(f"{where}: name {name!r} is that of a shipped level.")


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise InputError(f"{path} is larger than {MAX_FILE_BYTES} bytes.")
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text: {error}.") from error


def _parse_yaml(text: str, where: str) -> Any:
    try:
        _check_events(text, where)
        return _construct(text, where)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise InputError(f"{where}:{place}: not valid YAML: {error.problem or error.context}.") from error
    except (yaml.YAMLError, ValueError) as error:
        raise InputError(f"{where}: not valid YAML: {error}.") from error


def _construct(text: str, where: str) -> Any:
    loader = _LOADER(text)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        _refuse_doubled(root, where)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def _refuse_doubled(node: yaml.Node, where: str) -> None:
    """Refuse keys written twice, of which YAML would keep one."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_doubled(item, where)
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value]
        for key, value in node.value:
            if keys.count(key.value) > 1:
                raise InputError(f"{where}: line {key.start_mark.line + 1}: {key.value!r} is written twice.")
            _refuse_doubled(value, where)


def _check_events(text: str, where: str) -> None:
    """Refuse anchors and deep nesting before anything is built."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        place = f"{where}: line {event.start_mark.line + 1}" if event.start_mark else where
        if isinstance(event, yaml.AliasEvent):
            raise InputError(f"{place}: anchors are not allowed.")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise InputError(f"{place}: nested more than {MAX_DEPTH} levels deep.")
