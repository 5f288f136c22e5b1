"""The Gymnasium ids of the tabletop. Registration is this list, made known by a call, not by an import."""

from __future__ import annotations

from collections.abc import Mapping

import gymnasium

from heedful.state.tabletop.scene import Task

ENTRY_POINT = "heedful.world.tabletop.env:TabletopEnv"
IDS: Mapping[str, Task] = {
    "heedful/VisualManipulation-v0": "visual_manipulation",
    "heedful/SceneUnderstanding-v0": "scene_understanding",
    "heedful/SweepWithoutExceeding-v0": "sweep_without_exceeding",
    "heedful/PickInOrderThenRestore-v0": "pick_in_order_then_restore",
}


def register_envs() -> None:
    """Make every id known to `gymnasium.make`; a second call changes nothing."""
    for name, task in IDS.items():
        if name not in gymnasium.registry:
            gymnasium.register(name, entry_point=ENTRY_POINT, kwargs={"task": task})
