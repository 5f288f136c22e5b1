"""Stepping the table: forward in time, until at rest, and noticing what leaves it.

Below: `model`. Above: the two primitives and `simulation`. Time is simulated time; limits are steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mujoco
import numpy as np

from heedful.state.tabletop.scene import ObjectPose, TableObject
from heedful.world.tabletop.model import TabletopModel
from heedful.world.tabletop.tool import Placement

STILL_M_S = 0.005
"""Below this speed a body counts as at rest. Source: VIMA-Bench."""
SETTLE_STEPS = 1000
"""Extra steps after an action in which everything has to come to rest. Source: VIMA-Bench."""
FALL_STEPS = 24
"""Steps before the first look whether everything rests: a body let go has no speed yet."""
SAMPLE_STEPS = 5
"""Steps between two looks at what lies where during a motion; the original looks every 25."""
LOWEST_M, FARTHEST_M = -0.05, 5.0
"""Beyond these a body has left the world: under the ground, or so far off [m]."""

Watch = Callable[[], None]


class TablePhysics:
    """The moving part of a scene.

    Args:
        table: The compiled model, its scene already set.
        objects: The scene's objects.
    """

    def __init__(self, table: TabletopModel, objects: Sequence[TableObject]) -> None:
        self.table, self.objects = table, tuple(objects)
        self.movable = tuple(found.id for found in objects if not found.is_fixed)
        self._geoms = {found.id: table.geoms(found.id) for found in objects}
        self._solid = {name: tuple(filter(self._can_touch, geoms)) for name, geoms in self._geoms.items()}
        self.ground = int(np.flatnonzero(table.model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE)[0])
        """The shape of the ground."""
        self._bodies = {found.id: table.body(found.id) for found in objects}
        joints = [int(table.model.body_jntadr[self._bodies[name]]) for name in self.movable]
        self._positions = {
            name: int(table.model.jnt_qposadr[joint]) for name, joint in zip(self.movable, joints, strict=True)
        }
        self._speeds = {
            name: int(table.model.jnt_dofadr[joint]) for name, joint in zip(self.movable, joints, strict=True)
        }
        self._linear = np.array(
            [[start, start + 1, start + 2] for start in self._speeds.values()], dtype=int
        ).reshape(-1, 3)
        self._watch: Watch | None = None
        self._since_watched = 0
        self.steps = 0
        """Steps simulated since the scene was set."""

    def watch(self, watch: Watch | None) -> None:
        """Call this every `SAMPLE_STEPS` steps from now on; None to stop."""
        self._watch, self._since_watched = watch, 0

    def advance(self, steps: int = 1) -> None:
        """Simulate so many steps."""
        model, data = self.table.model, self.table.data
        while steps > 0:
            some = steps if self._watch is None else min(steps, SAMPLE_STEPS - self._since_watched)
            mujoco.mj_step(model, data, some)
            steps, self.steps = steps - some, self.steps + some
            self._since_watched += some
            if self._watch is not None and self._since_watched >= SAMPLE_STEPS:
                self._since_watched = 0
                self._watch()

    def is_still(self, ignored: int | None = None) -> bool:
        """Return whether every movable object is slower than `STILL_M_S`, except one perhaps."""
        speeds = np.linalg.norm(self.table.data.qvel[self._linear], axis=1)
        if ignored is not None:
            speeds = speeds[[name != ignored for name in self.movable]]
        return bool((speeds < STILL_M_S).all())

    def settle(self, limit: int = SETTLE_STEPS, ignored: int | None = None) -> bool:
        """Step until everything rests, or so many steps; return whether it does."""
        self.advance(FALL_STEPS)
        for _ in range(0, limit - FALL_STEPS, 2):
            if self.is_still(ignored):
                return True
            self.advance(2)
        return self.is_still(ignored)

    def poses(self) -> dict[int, ObjectPose]:
        """Return where every object is."""
        return {found.id: self.table.pose(found.id) for found in self.objects}

    def lost(self) -> frozenset[int]:
        """Return the objects that have left the world, all of them if the simulation broke."""
        if any(int(warning.number) for warning in self.table.data.warning):
            return frozenset(self.movable)
        return frozenset(name for name in self.movable if not self._is_in_world(name))

    def _is_in_world(self, name: int) -> bool:
        start = self._positions[name]
        place = self.table.data.qpos[start : start + 7]
        is_near = np.isfinite(place).all() and np.abs(place[:3]).max() < FARTHEST_M
        return bool(is_near and place[2] > LOWEST_M)

    def _can_touch(self, geom: int) -> bool:
        model = self.table.model
        return bool(model.geom_contype[geom] or model.geom_conaffinity[geom])

    def geoms(self, object_id: int) -> tuple[int, ...]:
        """Return the shapes of an object that can be touched."""
        return self._solid[object_id]

    def body(self, object_id: int) -> int:
        """Return an object's body."""
        return self._bodies[object_id]

    def owner(self, geom: int) -> int | None:
        """Return the object that a shape belongs to; None for the ground and the tools."""
        return next((name for name, geoms in self._geoms.items() if geom in geoms), None)

    def carry(self, object_id: int, placement: Placement) -> None:
        """Put a movable object somewhere, at rest."""
        data = self.table.data
        start, speed = self._positions[object_id], self._speeds[object_id]
        data.qpos[start : start + 3], data.qpos[start + 3 : start + 7] = placement.position, placement.rotation
        data.qvel[speed : speed + 6] = 0.0

    def solid(self, without: int | None = None) -> tuple[int, ...]:
        """Return the shapes of all objects that can be touched, except one object's perhaps."""
        return tuple(geom for name, geoms in self._solid.items() if name != without for geom in geoms)
