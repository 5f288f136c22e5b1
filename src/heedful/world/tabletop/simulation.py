"""A scene that moves: an action in, the table at rest again out.

Below: the compiled `model`, the two primitives. Above: `bench`, which adds pictures and rules. Everything is
counted in steps of simulated time, so that the machine's speed cannot change an outcome.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.errors import InputError
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.progress import TableState
from heedful.state.tabletop.scene import Quaternion, TableScene
from heedful.state.tabletop.sweep_rule import crosses_line
from heedful.state.tabletop.workspace import X_RANGE, Y_RANGE
from heedful.world.tabletop.model import TabletopModel
from heedful.world.tabletop.physics import TablePhysics
from heedful.world.tabletop.spatula import Spatula
from heedful.world.tabletop.suction import Suction

NEAR_LINE_M = 0.05
"""Farther from the line than this no block reaches over it [m]."""
_PHYSICS = mujoco.mjtState.mjSTATE_INTEGRATION


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A simulation at an instant; goes back with `restore`."""

    physics: NDArray[np.float64]
    state: TableState


class TableSimulation:
    """The physics of one scene after another, over one compiled model."""

    def __init__(self, table: TabletopModel) -> None:
        self.table = table

    def reset(self, scene: TableScene) -> TableState:
        """Lay out a scene and let it come to rest."""
        self.table.set_scene(scene.objects, scene.end_effector)
        self._scene, self._crossed = scene, frozenset[int]()
        self._line_x = next((found.pose.x for found in scene.objects if found.role == "constraint"), None)
        self.physics = TablePhysics(self.table, scene.objects)
        self._tool = Suction(self.physics) if scene.end_effector == "suction" else Spatula(self.physics)
        self._state = TableState({found.id: found.pose for found in scene.objects})
        is_settled = self.physics.settle()
        self._state = self._look(None, is_settled)
        return self._state

    @property
    def state(self) -> TableState:
        """The table after the last step."""
        return self._state

    def step(self, action: TableAction) -> TableState:
        """Carry out an action, clipped to the workspace, and wait until everything rests.

        Raises:
            InputError: If the action holds what is no number.
        """
        action = clip(action)
        self._crossed = frozenset()
        if self._line_x is not None:
            self.physics.watch(self._watch_line)
        picked = self._use_tool(action)
        is_settled = self.physics.settle()
        self._watch_line()
        self.physics.watch(None)
        self._state = self._look(picked, is_settled)
        return self._state

    def contacts(self) -> tuple[tuple[int, int], ...]:
        """Return the pairs of ids that touch now, the smaller first; the ground is 0."""
        pairs = ((self._id_of(int(a)), self._id_of(int(b))) for a, b in self.table.data.contact.geom)
        return tuple(sorted({(min(a, b), max(a, b)) for a, b in pairs}))

    def snapshot(self) -> Snapshot:
        """Return everything that later steps depend on."""
        model = self.table.model
        kept = np.empty(mujoco.mj_stateSize(model, _PHYSICS))
        mujoco.mj_getState(model, self.table.data, kept, _PHYSICS)
        return Snapshot(kept, self._state)

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of this scene."""
        mujoco.mj_setState(self.table.model, self.table.data, snapshot.physics, _PHYSICS)
        mujoco.mj_forward(self.table.model, self.table.data)
        self._state = snapshot.state

    def _use_tool(self, action: TableAction) -> int | None:
        if isinstance(self._tool, Suction):
            return self._tool.pick_place(action)
        self._tool.push(action)
        return None

    def _id_of(self, geom: int) -> int:
        return int(self.table.ids[geom])

    def _watch_line(self) -> None:
        """Note what is over the line now."""
        if self._line_x is None:
            return
        for name in self.physics.movable:
            if abs(self.physics.x_of(name) - self._line_x) > NEAR_LINE_M or name in self._crossed:
                continue
            if crosses_line(self._scene, self.table.pose(name)):
                self._crossed |= {name}

    def _look(self, picked: int | None, is_settled: bool) -> TableState:
        lost = self.physics.lost()
        poses = {**self.physics.poses(), **{name: self._state.poses[name] for name in lost}}
        return TableState(poses, picked, self._crossed - lost, is_settled, lost)


def clip(action: TableAction) -> TableAction:
    """Return an action with its places moved into the workspace and its rotations' parts into -1 to 1.

    Raises:
        InputError: If it holds what is no number.
    """
    numbers = (*action.pose0_position, *action.pose1_position, *action.pose0_rotation, *action.pose1_rotation)
    if not all(map(math.isfinite, numbers)):
        raise InputError(f"An action holds what is no number: {action}.")
    return TableAction(
        _inside(action.pose0_position),
        _inside(action.pose1_position),
        _bounded(action.pose0_rotation),
        _bounded(action.pose1_rotation),
    )


def _inside(place: tuple[float, float]) -> tuple[float, float]:
    (x_low, x_high), (y_low, y_high) = X_RANGE, Y_RANGE
    return min(max(place[0], x_low), x_high), min(max(place[1], y_low), y_high)


def _bounded(rotation: Quaternion) -> Quaternion:
    x, y, z, w = (min(max(part, -1.0), 1.0) for part in rotation)
    return x, y, z, w
