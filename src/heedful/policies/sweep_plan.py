"""How a scripted policy sweeps: straight as the original does, or by pushes tried beforehand.

A push is tried in a copied state of the table. One that brings a wanted block into the zone and breaks no
rule is taken at once; without one, blocks are first pushed apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from heedful.policies.policy import Planner
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.progress import TableState
from heedful.state.tabletop.scene import ObjectPose, TableScene
from heedful.state.tabletop.sweep_rule import success_region

ENDS_Y_M = (0.0, -0.05, 0.05, -0.09, 0.09)
"""Places across the zone to push to; the first is its middle."""
DEPTHS_M = (0.0, 0.03, -0.03)
"""How much deeper than the zone's middle to push."""
APART_M = (0.08, 0.14)
"""How far blocks are pushed aside."""
DIRECTIONS = 8


def push_straight(planner: Planner) -> TableAction:
    """Return a push of the first block not yet in the zone towards the zone's middle."""
    return _push_into(planner.scene, planner.state.poses[_remaining(planner)[0]], 0.0, 0.0)


def plan_push(planner: Planner) -> TableAction:
    """Return a push that brings a block into the zone and breaks no rule, or one that prepares it."""
    for action in _pushes_in(planner):
        foreseen = planner.foresee(action).progress
        if foreseen.is_success or (
            not foreseen.failure and len(foreseen.reached) > len(planner.progress.reached)
        ):
            return action
    return _push_apart(planner) or push_straight(planner)


def _pushes_in(planner: Planner) -> Iterator[TableAction]:
    poses = planner.state.poses
    for deeper in DEPTHS_M:
        for y in ENDS_Y_M:
            for block in _remaining(planner):
                yield _push_into(planner.scene, poses[block], y, deeper)


def _push_apart(planner: Planner) -> TableAction | None:
    """Return the push aside after which a block to be swept stands freest; None if none helps."""
    best, freest = None, _freedom(planner, planner.state)
    for action in _pushes_aside(planner):
        foreseen = planner.foresee(action)
        if not foreseen.progress.failure and _freedom(planner, foreseen.state) > freest + 0.005:
            best, freest = action, _freedom(planner, foreseen.state)
    return best


def _pushes_aside(planner: Planner) -> Iterator[TableAction]:
    for block in _remaining(planner):
        pose = planner.state.poses[block]
        for turn in range(DIRECTIONS):
            angle = 2 * math.pi * turn / DIRECTIONS
            for far in APART_M:
                end = (pose.x + far * math.cos(angle), pose.y + far * math.sin(angle))
                yield TableAction((pose.x, pose.y), end)


def _freedom(planner: Planner, state: TableState) -> float:
    """Return how far the freest block to be swept is from any other block [m]."""
    blocks = [found.id for found in planner.scene.objects if found.role in {"dragged", "distractor"}]
    places = {name: (state.poses[name].x, state.poses[name].y) for name in blocks}
    return max(
        min(math.dist(places[name], places[other]) for other in blocks if other != name)
        for name in _remaining(planner)
    )


def _remaining(planner: Planner) -> list[int]:
    """Return the blocks not yet in the zone."""
    return [name for name in planner.scene.goals[0].objects if name not in planner.progress.reached]


def _push_into(scene: TableScene, pose: ObjectPose, y: float, deeper: float) -> TableAction:
    zone = success_region(scene, "centre")
    return TableAction((pose.x, pose.y), ((zone.x_low + zone.x_high) / 2 - deeper, y))
