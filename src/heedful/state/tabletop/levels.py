"""Levels: which shapes and textures each task draws from, at each step away from training.

Below: the names of `catalogue` and `textures`. Above: `level_file`, by which users add levels, and the world,
which draws scenes. Source: VIMA-Bench's partitions; placement holds what its training partition holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.scene import LEVELS, TASKS, Level, Task
from heedful.state.tabletop.textures import CONTAINER_TEXTURES, DRAGGED_TEXTURES

SET_A = (
    "red",
    "green",
    "yellow",
    "granite",
    "polka dot",
    "tiger",
    "rainbow",
    "red and yellow stripe",
    "yellow and green stripe",
    "red and yellow polka dot",
    "red and green polka dot",
    "red and blue polka dot",
    "yellow and blue polka dot",
    "green and blue polka dot",
    "red swirl",
    "green swirl",
    "red paisley",
    "yellow paisley",
    "green paisley",
)
"""Textures of dragged objects in training."""
SET_B = (
    "blue",
    "purple",
    "cyan",
    "olive",
    "tiles",
    "wooden",
    "plastic",
    "checkerboard",
    "red and blue stripe",
    "yellow and blue stripe",
    "red and purple stripe",
    "yellow and purple stripe",
    "green and purple stripe",
    "blue and purple stripe",
    "yellow and purple polka dot",
    "green and purple polka dot",
    "blue and purple polka dot",
    "purple swirl",
    "blue swirl",
    "blue paisley",
)
"""Textures of containers in training."""
DRAGGED = (
    *(f"letter {letter}" for letter in "AEGMTV"),
    "block",
    "cross",
    "triangle",
    "flower",
    "heart",
    "ring",
    "pentagon",
    "L-shaped block",
)
"""Shapes dragged in training."""
CONTAINERS = ("bowl", "frame", "container", "square")
"""Containers in training."""
HELD_OUT_DRAGGED = ("letter R", "diamond", "hexagon", "round", "star")
HELD_OUT_CONTAINERS = ("pallet", "pan")
SWEPT, ZONE, LINE = "small block", "three-sided rectangle", "line"
"""The shapes of the sweep, the same at every level."""


@dataclass(frozen=True, slots=True)
class Pools:
    """What one task draws from; order counts, since a draw is a place in it."""

    dragged: tuple[str, ...]
    containers: tuple[str, ...]
    """Where things go; for the sweep, the zone."""
    dragged_textures: tuple[str, ...]
    container_textures: tuple[str, ...]
    """For the sweep, of the zone and of the line."""

    @property
    def shapes(self) -> tuple[str, ...]:
        """Every shape, dragged ones first."""
        return tuple(dict.fromkeys((*self.dragged, *self.containers)))

    @property
    def textures(self) -> tuple[str, ...]:
        """Every texture, those of dragged objects first."""
        return tuple(dict.fromkeys((*self.dragged_textures, *self.container_textures)))


@dataclass(frozen=True, slots=True)
class Partition:
    """A level: the pools of the tasks that it has."""

    name: str
    pools: Mapping[Task, Pools]
    """A task that is absent is not applicable."""

    def has(self, task: Task) -> bool:
        """Return whether the level has the task; where not, its outcome is `NOT_APPLICABLE`."""
        return task in self.pools

    def pools_of(self, task: Task) -> Pools:
        """Return what a task draws from.

        Raises:
            InputError: If the level has no such task.
        """
        found = self.pools.get(task)
        if found is None:
            allowed = ", ".join(self.pools)
            raise InputError(f"{task} does not apply at level {self.name!r}, which has {allowed}.")
        return found


def default_pools(task: Task) -> Pools:
    """Return what a task draws from where a partition says nothing."""
    if task == "sweep_without_exceeding":
        return Pools((SWEPT,), (ZONE,), DRAGGED_TEXTURES, CONTAINER_TEXTURES)
    dragged = (*DRAGGED, *HELD_OUT_DRAGGED)
    if task == "pick_in_order_then_restore":
        dragged = tuple(shape for shape in dragged if shape != "block")
    return Pools(dragged, (*CONTAINERS, *HELD_OUT_CONTAINERS), DRAGGED_TEXTURES, CONTAINER_TEXTURES)


def _trained(dragged_textures: tuple[str, ...], container_textures: tuple[str, ...]) -> Mapping[Task, Pools]:
    shapes = Pools(DRAGGED, CONTAINERS, dragged_textures, container_textures)
    sweep = replace(shapes, dragged=(SWEPT,), containers=(ZONE,))
    return {task: sweep if task == "sweep_without_exceeding" else shapes for task in TASKS}


def _novel() -> Mapping[Task, Pools]:
    shapes = Pools(HELD_OUT_DRAGGED, HELD_OUT_CONTAINERS, DRAGGED_TEXTURES, CONTAINER_TEXTURES)
    return {
        "visual_manipulation": shapes,
        "scene_understanding": shapes,
        "pick_in_order_then_restore": replace(shapes, containers=("pallet",)),
    }


PARTITIONS: Mapping[Level, Partition] = {
    "placement": Partition("placement", _trained(SET_A, SET_B)),
    "combinatorial": Partition("combinatorial", _trained(SET_B, SET_A)),
    "novel_object": Partition("novel_object", _novel()),
}
"""The shipped levels: new places; textures swapped; shapes and textures never seen."""


def find_partition(level: str) -> Partition:
    """Return the shipped level of that name.

    Raises:
        UnknownNameError: If there is none.
    """
    for name in LEVELS:
        if name == level:
            return PARTITIONS[name]
    raise UnknownNameError("Level", level, LEVELS)
