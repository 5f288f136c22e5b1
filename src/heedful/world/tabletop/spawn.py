"""Drawing scenes: the same seed gives the same scene, whatever was drawn before.

Below: `tasks`, which draw what is on the table and where. Above: the bench. Of a scene that could not be
played fairly, `sound` draws the places anew and keeps the objects, so that no shape or texture becomes rarer;
every redraw is counted in the scene, by cause. `original` leaves such scenes as they are, and draws anew only
where the original raises an error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal, get_args

import numpy as np

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.footprint import do_overlap, footprint
from heedful.state.tabletop.levels import Partition, find_partition
from heedful.state.tabletop.progress import Rule, TableState
from heedful.state.tabletop.rules import begin, judge
from heedful.state.tabletop.scene import TASKS, TableObject, TableScene, Task
from heedful.state.tabletop.workspace import is_inside
from heedful.world.tabletop.tasks.registry import find_task
from heedful.world.tabletop.tasks.task import Cast

Spawn = Literal["sound", "original"]
"""Whether scenes that could not be played are drawn anew, or left as the original leaves them."""
Cause = Literal["", "no_room", "overlap", "outside", "born_failed", "born_solved"]
"""Why a draw was begun anew: an object found no place; two footprints overlap; a footprint leaves the
workspace; the task is lost, or partly solved, before the first action."""
CASTS = 100
"""How many sets of objects are drawn at most."""


def draw_scene(task: Task, level: str | Partition, seed: int, spawn: Spawn = "sound") -> TableScene:
    """Return the scene of a seed.

    Args:
        task: One of the four tasks.
        level: A shipped level's name, or any partition.
        seed: Not negative.
        spawn: `sound` or `original`.

    Raises:
        UnknownNameError: If a name is not known.
        InputError: If the level has no such task, the seed is negative, or no scene can be laid out.
    """
    found = find_task(task)
    if spawn not in get_args(Spawn):
        raise UnknownNameError("Spawn", spawn, get_args(Spawn))
    if seed < 0:
        raise InputError(f"Seed {seed} is negative; seeds are 0 or more.")
    partition = find_partition(level) if isinstance(level, str) else level
    pools = partition.pools_of(task)
    rng = np.random.default_rng((seed, TASKS.index(task)))
    redraws: Counter[str] = Counter()
    for _ in range(CASTS):
        cast = found.cast(rng, pools)
        for _ in range(LAYOUTS[spawn]):
            laid = found.lay(rng, cast)
            scene = None if laid is None else _scene(task, partition.name, seed, laid)
            cause = "no_room" if scene is None else FAULTS[spawn](scene)
            if scene is not None and not cause:
                return replace(scene, redraws=dict(sorted(redraws.items())))
            redraws[cause] += 1
    raise InputError(f"{task} at level {partition.name!r}: no scene could be laid out from seed {seed}.")


def _scene(task: Task, level: str, seed: int, cast: Cast) -> TableScene:
    return TableScene(
        task, level, seed, cast.end_effector, cast.objects, cast.prompt, cast.goals, cast.oracle_steps
    )


def find_fault(scene: TableScene) -> Cause:
    """Return why a scene could not be played fairly, or nothing."""
    pictures = [image.objects for image in scene.prompt.images.values() if image.kind == "scene"]
    for objects in (scene.objects, *pictures):
        cause = _misplaced(scene.task, objects)
        if cause:
            return cause
    state = TableState({found.id: found.pose for found in scene.objects})
    for rule in get_args(Rule):
        progress = judge(scene, begin(scene), state, rule)
        if progress.failure:
            return "born_failed"
        if progress.reached:
            return "born_solved"
    return ""


def _misplaced(task: Task, objects: Sequence[TableObject]) -> Cause:
    """Return what is wrong with the places of a table's objects; marks are painted and may be anywhere."""
    solid = [found for found in objects if find_shape(found.name).kind != "mark"]
    prints = [footprint(found, found.pose) for found in solid]
    if not all(is_inside(x, y) for corners in prints for x, y in corners.tolist()):
        return "outside"
    for (a, a_print), (b, b_print) in combinations(zip(solid, prints, strict=True), 2):
        may_touch = task == "pick_in_order_then_restore" and a.is_fixed != b.is_fixed
        if not may_touch and do_overlap(a_print, b_print):
            return "overlap"
    return ""


def _no_fault(scene: TableScene) -> Cause:
    del scene
    return ""


LAYOUTS: dict[Spawn, int] = {"sound": 200, "original": 1}
"""How many layouts are tried before other objects are drawn."""
FAULTS: dict[Spawn, Callable[[TableScene], Cause]] = {"sound": find_fault, "original": _no_fault}
