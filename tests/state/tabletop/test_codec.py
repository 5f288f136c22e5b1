from __future__ import annotations

import copy
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.codec import SCENE_VERSION, scene_from_json, scene_to_json
from heedful.state.tabletop.scene import ObjectPose, TableScene
from tests.state.tabletop.scenes import ordering, placing, sweeping

numbers = st.floats(allow_nan=False, allow_infinity=False)
scenes = st.sampled_from([placing(), sweeping(2), ordering()])


@given(scenes, numbers, numbers, st.text(max_size=20), st.integers(0, 2**40))
def test_reading_gives_back_what_was_written(
    scene: TableScene, x: float, z: float, level: str, seed: int
) -> None:
    first = replace(scene.objects[0], pose=ObjectPose(x, -x, z))
    changed = replace(scene, level=level, seed=seed, objects=(first, *scene.objects[1:]), redraws={"a": 2})
    assert scene_from_json(json.loads(json.dumps(scene_to_json(changed)))) == changed


def changed(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    data = copy.deepcopy(scene_to_json(placing()))
    inner: Any = data
    for part in path[:-1]:
        inner = inner[part]
    inner[path[-1]] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("version",), "heedful-tabletop-scene-0", SCENE_VERSION),
        (("task",), "stacking", "task"),
        (("objects", 1, "colour"), "red", "Field 'colour' in scene.objects\\[1\\]"),
        (("prompt", "images", "dragged_obj_1", "objects", 0, "texturee"), "red", "Did you mean 'texture'"),
        (("objects", 0, "pose", "x"), "0.5", "objects.0.pose.x"),
        (("objects", 0, "pose", "x"), float("nan"), "objects.0.pose.x"),
        (("objects", 0, "size"), [0.1, 0.1], "objects.0.size"),
        (("objects", 0, "id"), 6, "ascending"),
        (("goals", 0, "target"), 11, "names the object 11"),
        (("prompt", "template"), "Put it away.", "no such placeholder"),
        (("objects", 0, "role"), "foe", "objects.0.role"),
    ],
)
def test_what_is_not_understood_is_refused(path: tuple[Any, ...], value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        scene_from_json(changed(path, value))


def test_a_missing_field_and_a_foreign_document_are_refused() -> None:
    data = scene_to_json(placing())
    del data["goals"]
    with pytest.raises(InputError, match="goals: Field required"):
        scene_from_json(data)
    for foreign in (None, [], "scene", 3, {}):
        with pytest.raises(InputError, match="version"):
            scene_from_json(foreign)
    with pytest.raises(UnknownNameError):
        scene_from_json({**scene_to_json(placing()), "extra": None})
