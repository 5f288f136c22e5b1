"""Triangles of the shapes: every face flat, with texture coordinates in metres of its own plane.

Below: the convex pieces of the catalogue. Above: `model`, which compiles them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.pieces import Piece

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mesh:
    """Triangles that share no vertex across an edge, so that edges stay sharp."""

    vertices: Floats
    """Shape (n, 3) [m], body frame."""
    normals: Floats
    """Shape (n, 3), unit."""
    texcoords: Floats
    """Shape (n, 2), 1 for each repetition of the texture."""
    faces: NDArray[np.int32]
    """Shape (m, 3), counter-clockwise from outside."""


def look(pieces: Iterable[Piece], tile_m: float) -> Mesh:
    """Return what is seen of pieces; what lies inside others is drawn too and stays hidden.

    Args:
        pieces: Of one shape.
        tile_m: Side of one repetition of the texture [m]; one is centred on the origin.
    """
    parts = [face for piece in pieces for face in _faces(piece)]
    fans, count = [], 0
    for corners in parts:
        inner = np.arange(1, len(corners) - 1, dtype=np.int32)
        fans.append(count + np.stack((np.zeros_like(inner), inner, inner + 1), axis=1))
        count += len(corners)
    normals = np.concatenate([np.tile(_normal(corners), (len(corners), 1)) for corners in parts])
    vertices = np.concatenate(parts)
    return Mesh(vertices, normals, _texcoords(vertices, normals, tile_m), np.concatenate(fans))


def corners(piece: Piece) -> Floats:
    """Return the corners of a piece, shape (n, 3) [m]."""
    return np.concatenate((_level(piece.bottom, piece.z_bottom), _level(piece.top, piece.z_top)))


def _faces(piece: Piece) -> list[Floats]:
    bottom, top = _level(piece.bottom, piece.z_bottom), _level(piece.top, piece.z_top)
    count = len(bottom)
    sides = [
        np.stack((bottom[k], bottom[(k + 1) % count], top[(k + 1) % count], top[k])) for k in range(count)
    ]
    return [bottom[::-1], top, *sides]


def _level(outline: tuple[tuple[float, float], ...], z: float) -> Floats:
    return np.array([(x, y, z) for x, y in outline])


def _normal(face: Floats) -> Floats:
    across = np.cross(face[1] - face[0], face[2] - face[0])
    unit: Floats = across / np.linalg.norm(across)
    return unit


def _texcoords(vertices: Floats, normals: Floats, tile_m: float) -> Floats:
    """Return coordinates by the axis that each face looks along most: x and y, y and z, or x and z."""
    axis = np.abs(normals).argmax(axis=1)
    axis[np.abs(normals[:, 2]) > 0.5] = 2
    across = np.where(axis == 0, vertices[:, 1], vertices[:, 0])
    up = np.where(axis == 2, vertices[:, 1], vertices[:, 2])
    return np.stack((across, up), axis=1) / tile_m + 0.5
