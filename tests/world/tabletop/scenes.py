"""Small scenes for tests: objects by name and place, and nothing to be done with them."""

from __future__ import annotations

import math

from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.scene import Goal, ObjectPose, Prompt, Role, TableObject, TableScene


def item(
    object_id: int,
    name: str,
    x: float,
    y: float,
    z: float | None = None,
    yaw: float = 0.0,
    role: Role = "dragged",
) -> TableObject:
    shape = find_shape(name)
    size = shape.sizes[0]
    height = size[2] / 2 if z is None else z
    turn = (0.0, 0.0, math.sin(yaw / 2), math.cos(yaw / 2))
    is_fixed = shape.kind != "dragged"
    return TableObject(object_id, name, "red", role, size, ObjectPose(x, y, height, turn), is_fixed)


def pick_scene(*objects: TableObject) -> TableScene:
    return TableScene(
        "visual_manipulation",
        "placement",
        0,
        "suction",
        objects,
        Prompt("Put it there.", {}),
        (Goal((objects[0].id,), objects[-1].id),),
        3,
    )


def sweep_scene(*blocks: TableObject, line_x: float = 0.4) -> TableScene:
    zone = item(4, "three-sided rectangle", 0.41, 0.0, 0.0, -math.pi / 2, role="base")
    line = item(5, "line", line_x, 0.0, 0.0, math.pi / 2, role="constraint")
    return TableScene(
        "sweep_without_exceeding",
        "placement",
        0,
        "spatula",
        (zone, line, *blocks),
        Prompt("Sweep it there.", {}),
        (Goal(tuple(block.id for block in blocks), 4),),
        8,
    )
