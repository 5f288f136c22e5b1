"""Pick in order then Restore: from its container into a second, into a third, and home again.

Source: VIMA-Bench, pick_in_order_then_restore: six containers of one shape and six textures on a grid.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.footprint import Points, do_overlap, footprint, placed_points
from heedful.state.tabletop.levels import Pools
from heedful.state.tabletop.pieces import Piece
from heedful.state.tabletop.scene import Goal, ObjectPose, Prompt, TableObject
from heedful.world.tabletop.raster import yaw_rotation
from heedful.world.tabletop.tasks.task import Cast, TabletopTask, choose, choose_some, make_object, show

TEMPLATE = (
    "Put {dragged_obj} into {base_obj_1} then {base_obj_2}. Finally restore it into its original container."
)
HOME, FIRST, SECOND, DRAGGED, EMPTY = 5, 6, 7, 8, 9
"""Ids: the container in which the object begins, the two to visit, the object, the first of three others."""
GRID = tuple((x, y) for x in (0.375, 0.625) for y in (-0.25, 0.0, 0.25))
"""Middles of the containers, x and y [m]."""
CLEARANCE_M = 0.001
LEVELS_OF_WALL = (0.0, 0.25, 0.5, 0.75, 1.0)
ORACLE_STEPS = 4


def cast(rng: np.random.Generator, pools: Pools) -> Cast:
    """Draw the containers' shape and size, their textures, then the object."""
    shape, textures = choose(rng, pools.containers), choose_some(rng, pools.container_textures, len(GRID))
    home = make_object(rng, HOME, shape, textures[0], "base")
    first, second = (replace(home, id=HOME + k, texture=textures[k]) for k in (1, 2))
    empty = (replace(home, id=EMPTY + k, texture=textures[3 + k], role="distractor") for k in range(3))
    name, texture = choose(rng, pools.dragged), choose(rng, pools.dragged_textures)
    dragged = make_object(rng, DRAGGED, name, texture, "dragged")
    pictures = {"dragged_obj": show(dragged), "base_obj_1": show(first), "base_obj_2": show(second)}
    goals = tuple(Goal((DRAGGED,), target) for target in (FIRST, SECOND, HOME))
    return Cast((home, first, second, dragged, *empty), Prompt(TEMPLATE, pictures), goals, ORACLE_STEPS)


def lay(rng: np.random.Generator, cast: Cast) -> Cast:
    """Draw each container's cell; the object lies in its own, turned at random, on what is below it."""
    cells = iter(choose_some(rng, GRID, len(GRID)))
    placed = {
        found.id: replace(found, pose=ObjectPose(*next(cells), found.size[2] / 2))
        for found in cast.objects
        if found.role != "dragged"
    }
    yaw = rng.uniform(0.0, math.tau)
    for found in cast.objects:
        if found.role == "dragged":
            placed[found.id] = _put_into(found, placed[HOME], yaw)
    return replace(cast, objects=tuple(placed[found.id] for found in cast.objects))


def _put_into(found: TableObject, home: TableObject, yaw_rad: float) -> TableObject:
    """Return an object in the middle of a container, just above the first height at which it is free."""
    pose = ObjectPose(home.pose.x, home.pose.y, 0.0, yaw_rotation(yaw_rad))
    covered = footprint(found, pose)
    below = (_free_from(piece, home.pose, covered) for piece in find_shape(home.name).pieces(home.size))
    height = -find_shape(found.name).extent.low[2]
    return replace(found, pose=replace(pose, z=max(0.0, *below) + CLEARANCE_M + height))


def _free_from(piece: Piece, home: ObjectPose, covered: Points) -> float:
    """Return the height above which a container's piece leaves a footprint free [m]; walls lean outwards."""
    for share in LEVELS_OF_WALL:
        corners = [
            (x + share * (x_top - x), y + share * (y_top - y), 0.0)
            for (x, y), (x_top, y_top) in zip(piece.bottom, piece.top, strict=True)
        ]
        if not do_overlap(placed_points(np.array(corners), home)[:, :2], covered):
            return home.z + piece.z_bottom + share * (piece.z_top - piece.z_bottom) if share else 0.0
    return home.z + piece.z_top


PICK_IN_ORDER_THEN_RESTORE = TabletopTask(cast, lay)
