"""A body of the tabletop's model that can be any shape, or none.

To become a shape, its geoms take over numbers from the library; nothing is compiled. Above: `model`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from heedful.state.tabletop.scene import ObjectPose
from heedful.world.tabletop.description import GROUND_BIT, SEEN, SOLID_BIT, TOUCHED
from heedful.world.tabletop.library import GEOM_FIELDS, Form, inverse_weight


class Slot:
    """A body of the model; it floats far away without weight until it is used.

    MuJoCo is told that its frames differ, since it would else skip work for those that happened to agree when
    it was compiled.
    """

    def __init__(self, model: Any, name: str) -> None:
        self.body = int(model.body(name).id)
        self.first, self.count = int(model.body_geomadr[self.body]), int(model.body_geomnum[self.body])
        self.used: tuple[int, ...] = ()
        """Its geoms that are in use, the one that is drawn first."""
        model.body_sameframe[self.body] = 0
        model.geom_sameframe[self.first : self.first + self.count] = 0
        self._parked = model.body_pos[self.body].copy()
        joint = int(model.body_jntadr[self.body])
        self._position = int(model.jnt_qposadr[joint]) if joint >= 0 else None
        self._speed = int(model.jnt_dofadr[joint]) if joint >= 0 else None

    def clear(self, model: Any, data: Any) -> None:
        """Put it away; the state must have been reset before."""
        geoms = slice(self.first, self.first + self.count)
        model.geom_group[geoms] = TOUCHED
        model.geom_contype[geoms] = model.geom_conaffinity[geoms] = 0
        model.geom_rbound[geoms] = 0.0
        model.body_contype[self.body] = model.body_conaffinity[self.body] = 0
        model.body_gravcomp[self.body] = 1.0
        self.used = ()
        self._put(model, data, (*self._parked, 1.0, 0.0, 0.0, 0.0))

    def take(self, model: Any, form: Form, material: int) -> None:
        """Become a form, with a material."""
        count = len(form.geoms["geom_type"])
        geoms = slice(self.first, self.first + count)
        self.used = tuple(range(self.first, self.first + count))
        for name in GEOM_FIELDS:
            getattr(model, name)[geoms] = form.geoms[name]
        model.geom_matid[self.first] = material
        model.geom_group[self.first] = SEEN
        model.geom_friction[geoms, 0] = form.friction
        if form.is_solid:
            touching = slice(self.first + 1, self.first + count)
            model.geom_contype[touching] = model.geom_conaffinity[touching] = SOLID_BIT
            model.geom_contype[[self.first + foot for foot in form.feet]] |= GROUND_BIT
            model.body_contype[self.body] = SOLID_BIT | GROUND_BIT
            model.body_conaffinity[self.body] = SOLID_BIT
        if self._speed is not None:
            self._weigh(model, form, self._speed)

    def place(self, model: Any, data: Any, pose: ObjectPose) -> None:
        """Put it somewhere."""
        x, y, z, w = pose.rotation
        self._put(model, data, (pose.x, pose.y, pose.z, w, x, y, z))

    def _weigh(self, model: Any, form: Form, speed: int) -> None:
        for name, values in form.body.items():
            getattr(model, name)[self.body] = values[0]
        model.body_subtreemass[self.body] = form.body["body_mass"][0]
        weight = inverse_weight(form)
        model.body_invweight0[self.body] = weight
        model.dof_invweight0[speed : speed + 6] = np.repeat(weight, 3)
        model.body_gravcomp[self.body] = 0.0

    def _put(self, model: Any, data: Any, place: tuple[float, ...]) -> None:
        if self._position is None:
            model.body_pos[self.body], model.body_quat[self.body] = place[:3], place[3:]
        else:
            data.qpos[self._position : self._position + 7] = place
