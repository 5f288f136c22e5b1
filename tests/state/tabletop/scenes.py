"""Scenes built by hand, from numbers that can be followed on paper."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.progress import TableState
from heedful.state.tabletop.scene import (
    Goal,
    ObjectPose,
    Prompt,
    PromptImage,
    Role,
    TableObject,
    TableScene,
)

LINE_X = 0.40


def at(x: float, y: float, yaw_deg: float = 0.0, z: float = 0.015) -> ObjectPose:
    half = math.radians(yaw_deg) / 2
    return ObjectPose(x, y, z, (0.0, 0.0, math.sin(half), math.cos(half)))


def thing(object_id: int, name: str, role: Role, pose: ObjectPose) -> TableObject:
    shape = find_shape(name)
    return TableObject(object_id, name, "red", role, shape.sizes[0], pose, shape.kind != "dragged")


def state(scene: TableScene, moved: Mapping[int, ObjectPose], **facts: object) -> TableState:
    poses = {found.id: found.pose for found in scene.objects}
    return replace(TableState({**poses, **moved}), **facts)


def placing(base: str = "bowl", dragged: str = "block", distractor: str = "letter A") -> TableScene:
    """A base at (0.5, 0), the object at (0.4, 0.3), a distractor at (0.6, -0.3)."""
    objects = (
        thing(5, base, "base", at(0.5, 0.0)),
        thing(6, dragged, "dragged", at(0.4, 0.3)),
        thing(7, distractor, "distractor", at(0.6, -0.3)),
    )
    shown = replace(objects[1], id=0)
    prompt = Prompt("Put the {dragged_obj_1} away.", {"dragged_obj_1": PromptImage("object", (shown,))})
    goals = (Goal((6,), 5),)
    return TableScene("visual_manipulation", "placement", 0, "suction", objects, prompt, goals, 3)


def sweeping(wanted: int, targets: int = 3) -> TableScene:
    """Targets from id 6 at x = 0.65, distractors from id 9 at x = 0.70; the line at x = 0.40."""
    objects = (
        thing(4, "three-sided rectangle", "base", at(0.41, 0.0, -90, 0.0)),
        thing(5, "line", "constraint", at(LINE_X, 0.0, 90, 0.0)),
        *(thing(6 + k, "small block", "dragged", at(0.65, -0.1 + 0.1 * k)) for k in range(targets)),
        *(thing(9 + k, "small block", "distractor", at(0.70, -0.1 + 0.1 * k)) for k in range(targets)),
    )
    goals = (Goal(tuple(6 + k for k in range(targets)), 4, wanted),)
    prompt = Prompt("Sweep.", {})
    return TableScene("sweep_without_exceeding", "placement", 0, "spatula", objects, prompt, goals, 8)


def ordering(base: str = "container", dragged: str = "block") -> TableScene:
    """Home at (0.375, -0.25), first at (0.375, 0), second at (0.625, 0.25), an empty one at (0.625, 0)."""
    objects = (
        thing(5, base, "base", at(0.375, -0.25)),
        thing(6, base, "base", at(0.375, 0.0)),
        thing(7, base, "base", at(0.625, 0.25)),
        thing(8, dragged, "dragged", at(0.375, -0.25)),
        thing(9, base, "distractor", at(0.625, 0.0)),
    )
    goals = (Goal((8,), 6), Goal((8,), 7), Goal((8,), 5))
    prompt = Prompt("Put it there and back.", {})
    return TableScene("pick_in_order_then_restore", "placement", 0, "suction", objects, prompt, goals, 4)
