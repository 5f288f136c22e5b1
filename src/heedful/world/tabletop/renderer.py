"""Pictures of the table: colour, segmentation and depth of both views, from one context a process.

Nothing is smoothed, so that a pixel's id is that of one thing. Below: the model. Above: the bench and the
pictures of prompts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.observation import TableView
from heedful.state.tabletop.workspace import COLUMNS, ROWS, VIEWS, View
from heedful.world.drawing.offscreen import UNSMOOTHED, Offscreen, identities, switch_off
from heedful.world.tabletop.arm import Link, links
from heedful.world.tabletop.cameras import FAR_M, NEAR_M
from heedful.world.tabletop.description import BACKDROP
from heedful.world.tabletop.model import NO_ID, ROBOT_ID, TabletopModel
from heedful.world.tabletop.tools import BODIES, TOOL_GROUP

Arm = Literal["hidden", "visible"]
Backdrop = Literal["table", "nothing"]
Depth = NDArray[np.float32]
MAX_GEOMS = 200
LINK_RGBA = np.array([0.78, 0.79, 0.81, 1.0], np.float32)
JOINT_RGBA = np.array([0.36, 0.53, 0.69, 1.0], np.float32)
WHITE = 255
QUALITY = {**UNSMOOTHED, "numslices": 16, "numstacks": 4, "numquads": 1}
"""No smoothed edges, no shadow maps, and as few triangles of round things as do not show."""


@dataclass(frozen=True, slots=True)
class Look:
    """What of the model a picture shows."""

    arm: Arm = "hidden"
    backdrop: Backdrop = "table"
    """Table and ground; without them the background is white and has the id 255."""
    magnification: float = 1.0
    """How much larger than life everything is, about the middle of the table."""


PLAIN = Look()


class TabletopRenderer:
    """Draws the scene of a model.

    Args:
        table: The model; its scene may change between pictures.
        arm: Whether arm and tool are seen, in colour and segmentation alike.
    """

    def __init__(self, table: TabletopModel, arm: Arm = "hidden") -> None:
        self.table, self._look = table, Look(arm)
        self._scene = mujoco.MjvScene(table.model, maxgeom=MAX_GEOMS)
        switch_off(self._scene, "SHADOW", "REFLECTION", "HAZE", "FOG", "SKYBOX")
        self._option = mujoco.MjvOption()
        self._eyes = {view: _eye(table.model, view) for view in VIEWS}
        self._offscreen = Offscreen(table.model, COLUMNS, ROWS, QUALITY)

    def close(self) -> None:
        """Give the context back; a second call does nothing."""
        self._offscreen.close()

    def draw(self, view: View) -> TableView:
        """Return one view of the scene as it is now."""
        return self.draw_as(self._look, (view,))[view]

    def draw_views(self) -> dict[View, TableView]:
        """Return both views of the scene as it is now."""
        return self.draw_as(self._look)

    def draw_as(self, look: Look, views: Sequence[View] = VIEWS) -> dict[View, TableView]:
        """Return views of the scene that show what `look` says."""
        self._update(look)
        drawn = {}
        for view in views:
            self._aim(view, look.magnification)
            rgb = self._read()
            with identities(self._scene):
                segm = self._read()[..., 0] - np.uint8(1)
            if look.backdrop == "nothing":
                rgb[segm == NO_ID] = WHITE
            drawn[view] = TableView(rgb, segm)
        return drawn

    def depth(self, view: View) -> Depth:
        """Return how far things are from the camera's plane along its axis, shape (128, 256) [m]."""
        self._update(self._look)
        self._aim(view, 1.0)
        with identities(self._scene):
            self._offscreen.draw(self._scene)
        metres: Depth = np.float32(NEAR_M) + self._offscreen.read_depth() * np.float32(FAR_M - NEAR_M)
        return metres

    def _update(self, look: Look) -> None:
        """Take over what is where."""
        table, option = self.table, self._option
        option.geomgroup[TOOL_GROUP] = look.arm == "visible"
        option.geomgroup[BACKDROP] = look.backdrop == "table"
        mujoco.mjv_updateScene(
            table.model, table.data, option, None, self._eyes["top"], mujoco.mjtCatBit.mjCAT_ALL, self._scene
        )
        for geom in self._scene.geoms[: self._scene.ngeom]:
            geom.segid = int(table.ids[geom.objid])
        if look.arm == "visible":
            self._add_arm()

    def _add_arm(self) -> None:
        """Add the arm, which is no part of the model, to what is drawn."""
        body = self.table.data.body(BODIES[self.table.end_effector])
        x, y, z = body.xpos.tolist()
        for link in links((x, y, z)):
            self._add_link(link)

    def _add_link(self, link: Link) -> None:
        geom = self._scene.geoms[self._scene.ngeom]
        kind = mujoco.mjtGeom.mjGEOM_CAPSULE
        rgba = JOINT_RGBA if link.is_joint else LINK_RGBA
        mujoco.mjv_initGeom(geom, kind, np.zeros(3), np.zeros(3), np.eye(3).ravel(), rgba)
        mujoco.mjv_connector(geom, kind, link.radius, np.array(link.start), np.array(link.end))
        geom.segid = ROBOT_ID
        self._scene.ngeom += 1

    def _aim(self, view: View, magnification: float) -> None:
        mujoco.mjv_updateCamera(self.table.model, self.table.data, self._eyes[view], self._scene)
        if magnification != 1.0:
            for eye in self._scene.camera:
                _magnify(eye, magnification)

    def _read(self) -> NDArray[np.uint8]:
        """Draw and return the pixels, row 0 at the top."""
        self._offscreen.draw(self._scene)
        return self._offscreen.read_rgb().copy()


def _eye(model: Any, view: View) -> Any:
    eye = mujoco.MjvCamera()
    eye.type, eye.fixedcamid = mujoco.mjtCamera.mjCAMERA_FIXED, int(model.camera(view).id)
    return eye


def _magnify(eye: Any, magnification: float) -> None:
    """Narrow what a camera sees to around the table's middle, which stays where it appears."""
    offset = np.array(eye.pos) - (0.5, 0.0, 0.0)
    ahead = np.array(eye.forward)
    aside = offset - ahead * (offset @ ahead)
    eye.pos = np.array(eye.pos) - aside * (1.0 - 1.0 / magnification)
    for edge in ("frustum_top", "frustum_bottom", "frustum_width"):
        setattr(eye, edge, getattr(eye, edge) / magnification)
