"""The tasks by name."""

from __future__ import annotations

from collections.abc import Mapping

from heedful.errors import UnknownNameError
from heedful.state.tabletop.scene import TASKS, Task
from heedful.world.tabletop.tasks.pick_in_order_then_restore import PICK_IN_ORDER_THEN_RESTORE
from heedful.world.tabletop.tasks.scene_understanding import SCENE_UNDERSTANDING
from heedful.world.tabletop.tasks.sweep_without_exceeding import SWEEP_WITHOUT_EXCEEDING
from heedful.world.tabletop.tasks.task import TabletopTask
from heedful.world.tabletop.tasks.visual_manipulation import VISUAL_MANIPULATION

REGISTRY: Mapping[Task, TabletopTask] = {
    "visual_manipulation": VISUAL_MANIPULATION,
    "scene_understanding": SCENE_UNDERSTANDING,
    "sweep_without_exceeding": SWEEP_WITHOUT_EXCEEDING,
    "pick_in_order_then_restore": PICK_IN_ORDER_THEN_RESTORE,
}


def find_task(task: str) -> TabletopTask:
    """Return the task of that name.

    Raises:
        UnknownNameError: If there is none.
    """
    for name, found in REGISTRY.items():
        if name == task:
            return found
    raise UnknownNameError("Task", task, TASKS)
