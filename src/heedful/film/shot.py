"""What could be seen at one instant: robot and people as they stand in a compiled model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heedful.state.geometry import Point, Pose

Floats = NDArray[np.float64]
SHAPE_FIELDS = ("geom_pos", "geom_quat", "geom_size", "geom_group", "geom_rbound", "geom_aabb")
"""What of a person's shapes in the model follows its posture, gait and build."""
STAGE_M = -1.0
"""Bodies below this height are not in the room [m]."""


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """One instant of a turn, enough to draw it."""

    now_s: float
    """Time since the turn's start [s]."""
    pose: Pose
    """The robot's, map frame."""
    joints: Floats
    """Positions of all joints, shape (nq,)."""
    places: Floats
    """Where the people stand, shape (people, 3), map frame [m]."""
    turns: Floats
    """How they are turned, quaternions, shape (people, 4)."""
    shapes: tuple[NDArray[Any], ...]
    """Their shapes, one array for each of `SHAPE_FIELDS`."""

    @property
    def people(self) -> tuple[Point, ...]:
        """Where those in the room stand, map frame [m]."""
        return tuple((float(x), float(y)) for x, y, z in self.places if z > STAGE_M)


def take_shot(now_s: float, pose: Pose, model: Any, data: Any) -> Shot:
    """Return a copy of what `data` shows now."""
    shapes = people_shapes(model)
    return Shot(
        now_s,
        pose,
        data.qpos.copy(),
        data.mocap_pos.copy(),
        data.mocap_quat.copy(),
        tuple(getattr(model, name)[shapes] for name in SHAPE_FIELDS),
    )


def restore_shot(shot: Shot, model: Any, data: Any) -> None:
    """Put everything in `model` and `data` where it was; the kinematics are left to the caller."""
    shapes = people_shapes(model)
    data.qpos[:], data.mocap_pos[:], data.mocap_quat[:] = shot.joints, shot.places, shot.turns
    for name, values in zip(SHAPE_FIELDS, shot.shapes, strict=True):
        getattr(model, name)[shapes] = values


def people_shapes(model: Any) -> NDArray[np.intp]:
    """Return all people's shapes in the model: those of the bodies that are placed, not moved by forces."""
    return np.flatnonzero(model.body_mocapid[model.geom_bodyid] >= 0)
