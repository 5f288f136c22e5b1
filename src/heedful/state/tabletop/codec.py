"""Scenes to plain JSON values and back, exactly: `from_json(to_json(scene)) == scene`.

What is not understood is refused, never dropped: another version, an unknown or missing field, a number that
is no number, an id that names nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.scene import TableObject, TableScene

SCENE_VERSION = "heedful-tabletop-scene-1"
_SCENES = TypeAdapter(TableScene)


def scene_to_json(scene: TableScene) -> dict[str, Any]:
    """Return a scene as a dictionary of what JSON holds, its version included."""
    fields: dict[str, Any] = orjson.loads(orjson.dumps(scene))
    return {"version": SCENE_VERSION, **fields}


def scene_from_json(data: Any, where: str = "scene") -> TableScene:
    """Return the scene that a dictionary describes.

    Args:
        data: What `scene_to_json` returned, or its like.
        where: How messages call the place it came from.

    Raises:
        InputError: If anything in it is unknown, missing, of another version or contradictory.
        UnknownNameError: If a field's name is unknown, with the nearest ones.
    """
    if not isinstance(data, Mapping) or data.get("version") != SCENE_VERSION:
        found = data.get("version") if isinstance(data, Mapping) else type(data).__name__
        raise InputError(f"{where}: version {found!r}; this version reads {SCENE_VERSION!r}.")
    fields = {name: value for name, value in data.items() if name != "version"}
    scene: TableScene = decode(_SCENES, fields, where)
    for problem in _contradictions(scene):
        raise InputError(f"{where}: {problem}.")
    return scene


def decode(adapter: TypeAdapter[Any], data: Any, where: str) -> Any:
    """Return the record that plain JSON values describe, every field known and of its exact kind.

    Raises:
        InputError: If it is not that record.
        UnknownNameError: If a field's name is unknown.
    """
    try:
        record = adapter.validate_json(orjson.dumps(data), strict=True)
    except (ValidationError, TypeError) as error:
        raise InputError(f"{where}: {describe(error)}.") from error
    _refuse_unknown(data, orjson.loads(orjson.dumps(record, default=sorted, option=_KEYS)), where)
    return record


_KEYS = orjson.OPT_NON_STR_KEYS


def describe(error: ValidationError | TypeError) -> str:
    """Return the first thing wrong, with its field."""
    if isinstance(error, TypeError):
        return f"not what JSON holds: {error}"
    first = error.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or "the document"
    return f"{field}: {first['msg']}"


def _refuse_unknown(data: Any, known: Any, where: str) -> None:
    """Refuse what was given and did not come back."""
    if isinstance(data, Mapping) and isinstance(known, Mapping):
        for name in data:
            if name not in known:
                raise UnknownNameError("Field", str(name), known, where=where)
            _refuse_unknown(data[name], known[name], f"{where}.{name}")
    elif isinstance(data, list) and isinstance(known, list):
        for place, (given, kept) in enumerate(zip(data, known, strict=True)):
            _refuse_unknown(given, kept, f"{where}[{place}]")


def _contradictions(scene: TableScene) -> Iterator[str]:
    ids = [found.id for found in scene.objects]
    if ids != sorted(set(ids)):
        yield "the objects' ids are not in ascending order"
    for goal in scene.goals:
        for named in (goal.target, *goal.objects):
            if named not in ids:
                yield f"a goal names the object {named}, which is not in the scene"
    for found in _every_object(scene):
        pose = found.pose
        if not all(map(math.isfinite, (*found.size, pose.x, pose.y, pose.z, *pose.rotation))):
            yield f"the object {found.id} has a size or pose that is not finite"
    for name in scene.prompt.images:
        if f"{{{name}}}" not in scene.prompt.template:
            yield f"the prompt shows {name!r} but its template has no such placeholder"


def _every_object(scene: TableScene) -> Iterator[TableObject]:
    yield from scene.objects
    for image in scene.prompt.images.values():
        yield from image.objects
