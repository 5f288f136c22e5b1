"""Fewer triangles for the same robot: what is smaller than a pixel costs most of the drawing."""

from __future__ import annotations

from typing import Any

import numpy as np


def thin_meshes(model: Any, detail_m: float) -> None:
    """Drop the triangles of a compiled model that lie within one cell of a grid of `detail_m` [m].

    Corners of one cell become one. Corners stay where they are, and so do the hulls that distances are
    measured between; only what is drawn changes. A model that was thinned out before is left as it is.
    """
    for mesh in range(model.nmesh):
        corners = slice(
            int(model.mesh_vertadr[mesh]), int(model.mesh_vertadr[mesh] + model.mesh_vertnum[mesh])
        )
        first = int(model.mesh_faceadr[mesh])
        faces = slice(first, first + int(model.mesh_facenum[mesh]))
        cells = np.floor(model.mesh_vert[corners] / detail_m).astype(np.int64)
        _, chosen, cell_of = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        drawn = chosen[cell_of.ravel()][model.mesh_face[faces]]
        kept = _distinct(drawn)
        last = first + len(kept)
        model.mesh_face[first:last] = drawn[kept]
        model.mesh_facenormal[first:last] = model.mesh_facenormal[faces][kept]
        model.mesh_facenum[mesh] = len(kept)


def _distinct(faces: Any) -> Any:
    """Return which triangles have three corners and are no other's double, in their order."""
    a, b, c = faces.T
    whole = np.flatnonzero((a != b) & (b != c) & (a != c))
    _, first = np.unique(np.sort(faces[whole], axis=1), axis=0, return_index=True)
    return whole[np.sort(first)]
