"""People in a MuJoCo model: ghosts that touch nothing, each one mocap body with a shape for every part.

Shapes are moved and resized in the compiled model, which one body costs the physics least; what is not seen
lies in a group that is neither drawn nor measured.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from heedful.errors import InputError
from heedful.world.mujoco_g1.people.build import ADULT, Build, build_of
from heedful.world.mujoco_g1.people.figure import MEASURED, figure_of, seen_of, sizes_of
from heedful.world.mujoco_g1.people.gap import Floats, Ids, Surface, surface_of
from heedful.world.mujoco_g1.people.parts import PARTS, SHIRT, SHIRTS, Kind, Part
from heedful.world.mujoco_g1.people.person import Appearance, PersonPose

SEEN_GROUP, HIDDEN_GROUP = 1, 5
"""Groups of people's shapes: MuJoCo draws the first and leaves out the other unless it is told to."""
BACKSTAGE: tuple[float, float, float] = (0.0, 0.0, -20.0)
"""Where nobody stands: below the floor, hidden as well."""
KINDS = {
    Kind.CAPSULE: mujoco.mjtGeom.mjGEOM_CAPSULE,
    Kind.CYLINDER: mujoco.mjtGeom.mjGEOM_CYLINDER,
    Kind.ELLIPSOID: mujoco.mjtGeom.mjGEOM_ELLIPSOID,
    Kind.BOX: mujoco.mjtGeom.mjGEOM_BOX,
}


def body_name(person: int) -> str:
    """Return the name of a person's body in the model; its shapes are `<body>/<part>`."""
    return f"person_{person}"


def add_people(spec: Any, people: int) -> None:
    """Add so many hidden people to a description, before it is compiled."""
    for person in range(people):
        body = spec.worldbody.add_body(name=body_name(person), mocap=True, pos=list(BACKSTAGE))
        for part, size in zip(PARTS, sizes_of(ADULT), strict=True):
            body.add_geom(
                name=f"{body_name(person)}/{part.name}",
                type=KINDS[part.kind],
                size=size.tolist(),
                # a shape in its body's own frame would be compiled as one that never leaves it
                pos=[0.01, 0.02, 0.03],
                quat=[0.8, 0.1, 0.2, 0.3],
                rgba=list(_colour(part, person)),
                group=HIDDEN_GROUP,
                contype=0,
                conaffinity=0,
                mass=0.0,
            )


@dataclass
class _Actor:
    """One person of the model, and what it looks like there now."""

    mocap: int
    shapes: Ids
    build: Build | None = None
    look: tuple[Appearance, float, float] | None = None
    """Appearance, stride and speed; None is hidden."""
    surface: Surface | None = None


class Cast:
    """The people of a compiled model."""

    def __init__(self, model: Any, people: int) -> None:
        self._model = model
        self._actors = [_find_actor(model, person) for person in range(people)]

    def show(self, data: Any, people: Sequence[PersonPose]) -> None:
        """Put people where they belong and hide the rest; `data` then needs its kinematics again."""
        for person, actor in enumerate(self._actors):
            if person < len(people):
                self._place(data, actor, people[person])
            else:
                self._hide(data, actor)

    def surface(self, person: int) -> Surface:
        """Return the surface of a shown person: body and load.

        Raises:
            InputError: If that person is not shown.
        """
        surface = self._actors[person].surface if 0 <= person < len(self._actors) else None
        if surface is None:
            raise InputError(f"Person {person} is not shown.")
        return surface

    def _place(self, data: Any, actor: _Actor, pose: PersonPose) -> None:
        data.mocap_pos[actor.mocap] = (pose.x, pose.y, 0.0)
        data.mocap_quat[actor.mocap] = (math.cos(pose.yaw / 2), 0.0, 0.0, math.sin(pose.yaw / 2))
        look = (pose.appearance, pose.stride_m, pose.speed_m_s)
        if look == actor.look:
            return
        if actor.look is None or actor.look[0] != pose.appearance:
            self._dress(actor, pose.appearance)
            seen = actor.shapes[seen_of(pose.appearance) & MEASURED]
            actor.surface = surface_of(self._model, seen)
        figure = figure_of(*look)
        self._model.geom_pos[actor.shapes] = figure.positions
        self._model.geom_quat[actor.shapes] = figure.rotations
        actor.look = look

    def _dress(self, actor: _Actor, appearance: Appearance) -> None:
        groups = np.where(seen_of(appearance), SEEN_GROUP, HIDDEN_GROUP)
        self._model.geom_group[actor.shapes] = groups
        build = build_of(appearance)
        if build is not actor.build:
            self._resize(actor, sizes_of(build))
            actor.build = build

    def _resize(self, actor: _Actor, sizes: Floats) -> None:
        """Give an actor's shapes their sizes, and the boxes and spheres around them."""
        boxes = _boxes(sizes)
        self._model.geom_size[actor.shapes] = sizes
        self._model.geom_aabb[actor.shapes] = np.concatenate((np.zeros_like(boxes), boxes), axis=1)
        self._model.geom_rbound[actor.shapes] = _bounds(boxes)

    def _hide(self, data: Any, actor: _Actor) -> None:
        data.mocap_pos[actor.mocap] = BACKSTAGE
        self._model.geom_group[actor.shapes] = HIDDEN_GROUP
        actor.look = actor.surface = None


def _find_actor(model: Any, person: int) -> _Actor:
    body = model.body(body_name(person))
    first = int(body.geomadr[0])
    shapes = np.arange(first, first + len(PARTS), dtype=np.intp)
    return _Actor(int(body.mocapid[0]), shapes)


def _colour(part: Part, person: int) -> tuple[float, float, float, float]:
    return SHIRTS[person % len(SHIRTS)] if part.colour == SHIRT else part.colour


def _boxes(sizes: Floats) -> Floats:
    """Return the half sides of the box around each shape, in its own frame, shape (n, 3) [m]."""
    return np.array([_box(part.kind, *size) for part, size in zip(PARTS, sizes.tolist(), strict=True)])


def _box(kind: Kind, a: float, b: float, c: float) -> tuple[float, float, float]:
    if kind is Kind.CAPSULE:
        return (a, a, a + b)
    return (a, a, b) if kind is Kind.CYLINDER else (a, b, c)


def _bounds(boxes: Floats) -> Floats:
    """Return the radius of the sphere around each shape, shape (n,) [m]."""
    kinds = np.array([part.kind.value for part in PARTS])
    around = np.where(kinds == Kind.BOX.value, np.linalg.norm(boxes, axis=1), boxes.max(axis=1))
    return np.where(kinds == Kind.CYLINDER.value, np.hypot(boxes[:, 0], boxes[:, 2]), around)
