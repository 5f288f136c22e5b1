"""A tool over the table: a body that goes where it is put, with the shapes that touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

UPRIGHT = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where something is: position [m] and rotation (w, x, y, z), in the world or as a tool sees it."""

    position: NDArray[np.float64]
    rotation: NDArray[np.float64]


class Tool:
    """A mocap body of a model; it rests where it is found at first."""

    def __init__(self, data: Any, name: str) -> None:
        model = data.model
        self.data, self.body = data, int(model.body(name).id)
        self._mocap = int(model.body_mocapid[self.body])
        self._home = self.position.copy()
        first, count = int(model.body_geomadr[self.body]), int(model.body_geomnum[self.body])
        self.geoms = tuple(
            geom
            for geom in range(first, first + count)
            if model.geom_contype[geom] or model.geom_conaffinity[geom]
        )
        """Its shapes that touch things."""
        some = list(self.geoms)
        self.edge = float((model.geom_pos[some, 2] - model.geom_aabb[some, 5]).min())
        """Height of its lower edge over its origin while it stands upright [m]."""

    @property
    def position(self) -> NDArray[np.float64]:
        """Where its origin is [m]."""
        found: NDArray[np.float64] = self.data.mocap_pos[self._mocap]
        return found

    @property
    def rotation(self) -> NDArray[np.float64]:
        """Its rotation (w, x, y, z)."""
        found: NDArray[np.float64] = self.data.mocap_quat[self._mocap]
        return found

    def turn(self, rotation: tuple[float, float, float, float] | NDArray[np.float64]) -> None:
        """Give it a rotation (w, x, y, z)."""
        self.data.mocap_quat[self._mocap] = rotation

    def move(self, place: tuple[float, float], height: float) -> None:
        """Put its origin somewhere [m]."""
        self.data.mocap_pos[self._mocap] = (*place, height)

    def rest(self) -> None:
        """Put it back to where it rests."""
        self.data.mocap_pos[self._mocap] = self._home
        self.turn(UPRIGHT)

    def seen(self, body: int) -> Placement:
        """Return where a body is as the tool sees it."""
        back, turn = np.zeros(3), np.zeros(4)
        mujoco.mju_negPose(back, turn, self.position, self.rotation)
        return _joined(back, turn, Placement(self.data.xpos[body], self.data.xquat[body]))

    def carried(self, seen: Placement) -> Placement:
        """Return where in the world something is that the tool sees there."""
        return _joined(self.position, self.rotation, seen)


def _joined(position: NDArray[np.float64], rotation: NDArray[np.float64], inner: Placement) -> Placement:
    offset, turn = np.zeros(3), np.zeros(4)
    mujoco.mju_mulPose(offset, turn, position, rotation, inner.position, inner.rotation)
    return Placement(offset, turn)
