"""Every form of every shape as MuJoCo compiles it once: what its geoms are, its mass and its inertia.

A scene's bodies are empty slots; to show a shape, the slot's geoms take over the numbers kept here. So no
episode compiles anything. Below: meshes of the catalogue. Above: `model`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.catalogue import SHAPES, Shape
from heedful.state.tabletop.pieces import Piece, bounds, hull
from heedful.state.tabletop.scene import TableObject
from heedful.world.tabletop.meshes import corners, look

GEOM_FIELDS = ("geom_type", "geom_dataid", "geom_size", "geom_pos", "geom_quat", "geom_aabb", "geom_rbound")
"""What makes a geom's form and its place in the body."""
BODY_FIELDS = ("body_mass", "body_inertia", "body_ipos", "body_iquat")
MOST_PIECES = max(len(form) for shape in SHAPES.values() for form in shape.forms)
MOST_MOVABLE_PIECES = max(
    len(form) for shape in SHAPES.values() if shape.kind == "dragged" for form in shape.forms
)
TILE_M = 0.1
"""Side of one repetition of a texture on most shapes [m]."""
SMALLEST_TILE_M = 0.06


@dataclass(frozen=True, slots=True)
class Form:
    """A compiled shape: row 0 of each array is what is seen, the others are what is touched."""

    geoms: dict[str, NDArray[Any]]
    """By the name of the model's array, in the order of `GEOM_FIELDS`."""
    body: dict[str, NDArray[Any]]
    """By the name of the model's array, of shape (1, ...)."""
    friction: float
    is_solid: bool
    """Whether anything can touch it."""
    feet: tuple[int, ...]
    """Places among the geoms of those that the ground touches: together they have the hull's corners."""


class Library:
    """The forms, read from a compiled model that holds them all on bodies of their own."""

    def __init__(self) -> None:
        spec = mujoco.MjSpec()
        for shape in SHAPES.values():
            for form in range(len(shape.forms)):
                add_meshes(spec, shape, form)
                _add_body(spec, shape, form)
        model = spec.compile()
        self._forms = {
            (shape.name, form): _read(model, shape, form)
            for shape in SHAPES.values()
            for form in range(len(shape.forms))
        }

    def form(self, shape: Shape, shown: TableObject) -> Form:
        """Return the form that an object of that shape has at its size."""
        return self._forms[shape.name, shape.form(shown.size)]


def add_meshes(spec: Any, shape: Shape, form: int) -> None:
    """Add a form's meshes to a description, in an order that depends on the catalogue alone."""
    pieces = shape.forms[form]
    seen = look(pieces, tile(shape))
    mesh = spec.add_mesh(name=_name(shape, form, 0), inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL)
    mesh.uservert, mesh.userface = seen.vertices.ravel(), seen.faces.ravel()
    mesh.usernormal, mesh.userfacenormal = seen.normals.ravel(), seen.faces.ravel()
    mesh.usertexcoord, mesh.userfacetexcoord = seen.texcoords.ravel(), seen.faces.ravel()
    for k, piece in _hulls(shape, form):
        spec.add_mesh(name=_name(shape, form, k)).uservert = corners(piece).ravel()


def hull_names() -> list[str]:
    """Return the names of all meshes that something can touch."""
    return [
        _name(shape, form, k)
        for shape in SHAPES.values()
        for form in range(len(shape.forms))
        for k, _ in _hulls(shape, form)
    ]


def tile(shape: Shape) -> float:
    """Return how large one repetition of the texture is on a shape [m]."""
    width, height, _ = shape.extent.size
    return min(max(width, height, SMALLEST_TILE_M), TILE_M)


def _hulls(shape: Shape, form: int) -> Iterator[tuple[int, Piece]]:
    """Yield the pieces that touch and are no boxes, with their places among the form's geoms."""
    if shape.kind != "mark":
        yield from ((k, piece) for k, piece in enumerate(shape.forms[form], start=1) if not piece.is_box)


def _name(shape: Shape, form: int, k: int) -> str:
    return f"{shape.name}/{form}/{k}"


def _add_body(spec: Any, shape: Shape, form: int) -> None:
    body = spec.worldbody.add_body(name=_name(shape, form, 0))
    body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=_name(shape, form, 0), mass=0.0)
    if shape.kind == "mark":
        return
    for k, piece in enumerate(shape.forms[form], start=1):
        if piece.is_box:
            box = bounds([piece])
            middle = [(low + high) / 2 for low, high in zip(box.low, box.high, strict=True)]
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, pos=middle, size=[edge / 2 for edge in box.size])
        else:
            body.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=_name(shape, form, k))


def _read(model: Any, shape: Shape, form: int) -> Form:
    body = int(model.body(_name(shape, form, 0)).id)
    first, count = int(model.body_geomadr[body]), int(model.body_geomnum[body])
    geoms = {name: getattr(model, name)[first : first + count].copy() for name in GEOM_FIELDS}
    own = {name: getattr(model, name)[body : body + 1].copy() for name in BODY_FIELDS}
    if own["body_mass"][0] > 0.0:
        own["body_inertia"] *= shape.mass_kg / own["body_mass"][0]
        own["body_mass"][0] = shape.mass_kg
    return Form(geoms, own, shape.friction, shape.kind != "mark", _feet(shape.forms[form]))


def _feet(pieces: tuple[Piece, ...]) -> tuple[int, ...]:
    """Return few pieces, counted from 1, that share all corners of the hull: the ground needs no others."""
    left = set(hull(corner for piece in pieces for corner in piece.outline))
    feet: list[int] = []
    while left:
        best = max(range(len(pieces)), key=lambda k: len(left.intersection(pieces[k].outline)))
        left -= set(pieces[best].outline)
        feet.append(best + 1)
    return tuple(feet)


def inverse_weight(form: Form) -> NDArray[np.float64]:
    """Return how easily a free body of that form is moved and turned, shape (2,) [1/kg, 1/(kg m^2)]."""
    return np.array([1.0 / form.body["body_mass"][0], (1.0 / form.body["body_inertia"][0]).mean()])
