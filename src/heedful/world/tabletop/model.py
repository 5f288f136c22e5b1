"""The tabletop as one compiled MuJoCo model, in which a scene is laid out by changing numbers alone.

Bodies are slots: some can move, some are bolted down. A slot that no object uses floats far away without
weight, unseen and untouchable. Below: the library of forms. Above: physics and pictures.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import mujoco
import numpy as np

from heedful.errors import InputError
from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.scene import EndEffector, ObjectPose, TableObject
from heedful.state.tabletop.textures import TEXTURES, find_texture
from heedful.world.tabletop import tools
from heedful.world.tabletop.description import FIXED, MOVABLE, describe
from heedful.world.tabletop.library import Library
from heedful.world.tabletop.slot import Slot

PLANE_ID, TABLE_ID, ROBOT_ID, NO_ID = 0, 1, 2, 255
"""Ids in segmentation: ground, table, arm, and where nothing was drawn."""


class TabletopModel:
    """One compiled model and its state; an episode lays out a scene in it.

    Compiling takes a moment, so have one a process.
    """

    def __init__(self) -> None:
        self._library = Library()
        self.model: Any = describe().compile()
        """MuJoCo's model; scenes change its numbers."""
        self.data: Any = mujoco.MjData(self.model)
        """MuJoCo's state."""
        self._movable = [Slot(self.model, f"movable {k}") for k in range(MOVABLE)]
        self._fixed = [Slot(self.model, f"fixed {k}") for k in range(FIXED)]
        self._materials = {name: int(self.model.material(name).id) for name in TEXTURES}
        self._used: dict[int, Slot] = {}
        self._spare = mujoco.MjData(self.model)
        self.ids = np.full(self.model.ngeom, NO_ID, np.uint8)
        """The id under which each geom appears in segmentation."""
        self.objects: tuple[TableObject, ...] = ()
        """The scene's objects."""
        self.end_effector: EndEffector = "suction"
        self.set_scene((), "suction")

    def set_scene(self, objects: Sequence[TableObject], end_effector: EndEffector) -> None:
        """Lay out objects, put everything else away, and bring the tool to rest over the table.

        Raises:
            InputError: If there are more objects than slots, or one that cannot move is said to be loose.
            UnknownNameError: If a shape or texture is not known.
        """
        slots = self._assign(objects)
        mujoco.mj_resetData(self.model, self.data)
        for slot in (*self._movable, *self._fixed):
            slot.clear(self.model, self.data)
        self._used = slots
        self.objects, self.end_effector = tuple(objects), end_effector
        tools.choose(self.model, self.data, end_effector)
        self._number_backdrop()
        for shown in objects:
            self._lay(shown, slots[shown.id])
        mujoco.mj_forward(self.model, self.data)

    @contextmanager
    def lent(self) -> Iterator[None]:
        """Let other scenes be laid out for a while; afterwards everything is as it was, to the last bit."""
        objects, end_effector = self.objects, self.end_effector
        mujoco.mj_copyData(self._spare, self.model, self.data)
        try:
            yield
        finally:
            self.set_scene(objects, end_effector)
            mujoco.mj_copyData(self.data, self.model, self._spare)

    def pose(self, object_id: int) -> ObjectPose:
        """Return where an object's body is."""
        body = self._used[object_id].body
        x, y, z = self.data.xpos[body].tolist()
        qw, qx, qy, qz = self.data.xquat[body].tolist()
        return ObjectPose(x, y, z, (qx, qy, qz, qw))

    def body(self, object_id: int) -> int:
        """Return MuJoCo's number of an object's body."""
        return self._used[object_id].body

    def geoms(self, object_id: int) -> tuple[int, ...]:
        """Return the geoms of an object, the one that is drawn first."""
        return self._used[object_id].used

    def _assign(self, objects: Sequence[TableObject]) -> dict[int, Slot]:
        loose, bolted = iter(self._movable), iter(self._fixed)
        slots: dict[int, Slot] = {}
        for shown in objects:
            shape = find_shape(shown.name)
            find_texture(shown.texture)
            if shape.kind != "dragged" and not shown.is_fixed:
                raise InputError(f"Object {shown.id}, a {shape.name}, has to be fixed: it cannot be moved.")
            slot = next(bolted if shown.is_fixed else loose, None)
            if slot is None:
                raise InputError(f"A scene has at most {MOVABLE} loose and {FIXED} fixed objects.")
            if shown.id in slots:
                raise InputError(f"Two objects of a scene have the id {shown.id}.")
            slots[shown.id] = slot
        return slots

    def _lay(self, shown: TableObject, slot: Slot) -> None:
        form = self._library.form(find_shape(shown.name), shown)
        slot.take(self.model, form, self._materials[shown.texture])
        slot.place(self.model, self.data, shown.pose)
        self.ids[list(slot.used)] = shown.id

    def _number_backdrop(self) -> None:
        self.ids[:] = NO_ID
        self.ids[self.model.geom("ground").id] = self.ids[self.model.geom("backdrop").id] = PLANE_ID
        self.ids[self.model.geom("sheet").id] = TABLE_ID
        for geom, number in tools.numbers(self.model, self.end_effector).items():
            self.ids[geom] = number
