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
LOOK_STEPS = 4
"""Steps between two such looks."""
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
        model = table.model
        self.table, self.objects = table, tuple(objects)
        self.movable = tuple(found.id for found in objects if not found.is_fixed)
        self.ground = int(model.geom("ground").id)
        """The shape of the ground."""
        self._bodies = {found.id: table.body(found.id) for found in objects}
        can_touch = (model.geom_contype | model.geom_conaffinity) != 0
        self._solid = {
            found.id: tuple(geom for geom in table.geoms(found.id) if can_touch[geom]) for found in objects
        }
        joints = {name: int(model.body_jntadr[self._bodies[name]]) for name in self.movable}
        self._positions = {name: int(model.jnt_qposadr[joint]) for name, joint in joints.items()}
        self._speeds = {name: int(model.jnt_dofadr[joint]) for name, joint in joints.items()}
        starts = np.array([*self._speeds.values()], dtype=int)
        self._linear = starts[:, None] + np.arange(3)
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

    def is_still(self) -> bool:
        """Return whether every movable object is slower than `STILL_M_S`."""
        speeds = np.linalg.norm(self.table.data.qvel[self._linear], axis=1)
        return bool((speeds < STILL_M_S).all())

    def settle(self, limit: int = SETTLE_STEPS) -> bool:
        """Step until everything rests, or so many steps; return whether it does."""
        self.advance(FALL_STEPS)
        for _ in range(FALL_STEPS, limit, LOOK_STEPS):
            if self.is_still():
                return True
            self.advance(LOOK_STEPS)
        return self.is_still()

    def poses(self) -> dict[int, ObjectPose]:
        """Return where every object is."""
        return {found.id: self.table.pose(found.id) for found in self.objects}

    def x_of(self, object_id: int) -> float:
        """Return where along x a movable object is [m]."""
        return float(self.table.data.qpos[self._positions[object_id]])

    def lost(self) -> frozenset[int]:
        """Return the objects that have left the world, all of them if the simulation broke."""
        if np.any(self.table.data.warning.number):
            return frozenset(self.movable)
        return frozenset(name for name in self.movable if not self._is_in_world(name))

    def _is_in_world(self, name: int) -> bool:
        start = self._positions[name]
        place = self.table.data.qpos[start : start + 7]
        is_near = np.isfinite(place).all() and np.abs(place[:3]).max() < FARTHEST_M
        return bool(is_near and place[2] > LOWEST_M)

    def geoms(self, object_id: int) -> tuple[int, ...]:
        """Return the shapes of an object that can be touched."""
        return self._solid[object_id]

    def body(self, object_id: int) -> int:
        """Return an object's body."""
        return self._bodies[object_id]

    def owner(self, geom: int) -> int | None:
        """Return the object that a shape belongs to; None for the ground and the tools."""
        return next((name for name, geoms in self._solid.items() if geom in geoms), None)

    def carry(self, object_id: int, placement: Placement) -> None:
        """Put a movable object somewhere, at rest."""
        data = self.table.data
        start, speed = self._positions[object_id], self._speeds[object_id]
        data.qpos[start : start + 3], data.qpos[start + 3 : start + 7] = (
            placement.position,
            placement.rotation,
        )
        data.qvel[speed : speed + 6] = 0.0

    def displace(self, object_id: int, position: tuple[float, float, float]) -> None:
        """Put a movable object somewhere at once, whatever is there [m]."""
        start = self._positions[object_id]
        self.table.data.qpos[start : start + 3] = position

    def solid(self, without: int | None = None) -> tuple[int, ...]:
        """Return the shapes of all objects that can be touched, except one object's perhaps."""
        return tuple(geom for name, geoms in self._solid.items() if name != without for geom in geoms)
