"""The shapes of a compiled model as plain arrays: the robot's meshes once, people at each instant."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.film.shot import people_shapes
from heedful.world.mujoco_g1.people.cast import SEEN_GROUP
from heedful.world.mujoco_g1.people.gap import ROBOT_GROUP

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Part:
    """One seen mesh of the robot."""

    geom: int
    name: str
    """Of the link it belongs to; numbered where a link has several."""
    corners: Floats
    """Shape (n, 3), in the mesh's own frame [m]."""
    triangles: NDArray[np.int32]
    """Shape (m, 3)."""
    colour: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Solids:
    """People's shapes of one kind at one instant, map frame."""

    sizes: Floats
    """Half sizes as MuJoCo has them, shape (n, 3) [m]."""
    centres: Floats
    """Shape (n, 3) [m]."""
    axes: Floats
    """Their own axes as columns, shape (n, 3, 3)."""
    colours: NDArray[np.uint8]
    """Shape (n, 4)."""

    @property
    def quaternions(self) -> Floats:
        """How they are turned, x y z w, shape (n, 4)."""
        turned = np.empty((len(self.axes), 4))
        for row, matrix in zip(turned, self.axes, strict=True):
            mujoco.mju_mat2Quat(row, matrix.ravel())
        return np.roll(turned, -1, axis=1)


def robot_parts(model: Any) -> Iterator[Part]:
    """Yield the robot's seen meshes with only the corners that their triangles use."""
    seen: dict[str, int] = {}
    for geom in np.flatnonzero(model.geom_group == ROBOT_GROUP).tolist():
        mesh = int(model.geom_dataid[geom])
        if mesh < 0:
            continue
        link = str(model.body(int(model.geom_bodyid[geom])).name)
        seen[link] = seen.get(link, 0) + 1
        name = link if seen[link] == 1 else f"{link}_{seen[link]}"
        first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        used, triangles = np.unique(model.mesh_face[first : first + count], return_inverse=True)
        corners = model.mesh_vert[int(model.mesh_vertadr[mesh]) + used]
        yield Part(geom, name, corners, triangles.reshape(-1, 3).astype(np.int32), _rgba(model, geom))


def people_solids(model: Any, data: Any, *kinds: Any) -> Solids:
    """Return the seen shapes of everybody in the room that are of some MuJoCo kinds."""
    shapes = people_shapes(model)
    is_seen = (model.geom_group[shapes] == SEEN_GROUP) & np.isin(model.geom_type[shapes], kinds)
    chosen = shapes[is_seen]
    return Solids(
        model.geom_size[chosen].copy(),
        data.geom_xpos[chosen].copy(),
        data.geom_xmat[chosen].reshape(-1, 3, 3).copy(),
        np.round(model.geom_rgba[chosen] * 255).astype(np.uint8),
    )


def _rgba(model: Any, geom: int) -> tuple[int, int, int, int]:
    material = int(model.geom_matid[geom])
    rgba = model.geom_rgba[geom] if material < 0 else model.mat_rgba[material]
    r, g, b, a = (round(255 * float(part)) for part in rgba)
    return r, g, b, a
