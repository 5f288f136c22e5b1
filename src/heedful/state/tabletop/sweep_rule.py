"""The sweep's rule: exactly so many blocks in the zone, none of them over the line, no other in it.

A block is judged by eight sample points, placed off its centre as in the original. Source: VIMA-Bench, Sweep
without Exceeding.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.footprint import footprint, placed_points
from heedful.state.tabletop.progress import Progress, Reason, Rule, TableState
from heedful.state.tabletop.scene import Goal, ObjectPose, TableObject, TableScene
from heedful.state.tabletop.workspace import Z_TOP, is_inside

ZONE_X, ZONE_SIDE = 0.41, 0.27
"""Middle and side of the zone [m]; it is open towards +x."""
LINE_LENGTH, LINE_WIDTH = 0.3375, 0.04
"""Of the line, long along y [m]."""
ZONE_SHIFT = 0.015
"""How far the original's zone is shifted out of the opening [m]."""
OFFSETS_M = (-0.015, 0.005)
REACH_M = 0.0261
"""No sample point is farther from its block's origin [m]."""
_POINTS = np.array(list(itertools.product(OFFSETS_M, repeat=3)))


@dataclass(frozen=True, slots=True)
class Region:
    """A box of the table, its edges in x included, those in y not [m]."""

    x_low: float
    x_high: float
    y_half: float

    def holds(self, points: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which points, shape (n, 2 or more), are in it."""
        x, y = points[:, 0], points[:, 1]
        return (x >= self.x_low) & (x <= self.x_high) & (np.abs(y) < self.y_half)


def sample_points(pose: ObjectPose) -> NDArray[np.float64]:
    """Return the eight points by which a block at a pose is judged, shape (8, 3) [m], world frame."""
    return placed_points(_POINTS, pose)


def line_region(scene: TableScene) -> Region:
    """Return what the line covers."""
    x = _line(scene).pose.x
    return Region(x - LINE_WIDTH / 2, x + LINE_WIDTH / 2, LINE_LENGTH / 2)


def success_region(scene: TableScene, rule: Rule) -> Region:
    """Return where a block counts: from the line to the opening; by `centre`, shifted 15 mm outwards."""
    shift = ZONE_SHIFT if rule == "centre" else 0.0
    low, high = _line(scene).pose.x + LINE_WIDTH / 2, ZONE_X + ZONE_SIDE / 2
    return Region(low + shift, high + shift, ZONE_SIDE / 2)


def crosses_line(scene: TableScene, pose: ObjectPose) -> bool:
    """Return whether a block at a pose has a sample point over the line."""
    region = line_region(scene)
    if not region.x_low - REACH_M < pose.x < region.x_high + REACH_M:
        return False
    return bool(region.holds(sample_points(pose)).any())


def is_still_inside(state: TableState, object_id: int) -> bool:
    """Return whether an object is neither lost nor outside the workspace."""
    pose = state.poses[object_id]
    return object_id not in state.lost and is_inside(pose.x, pose.y)


def counts(scene: TableScene, block: TableObject, pose: ObjectPose, rule: Rule) -> bool:
    """Return whether a block at a pose is in the zone: all its sample points, or its whole footprint."""
    points = sample_points(pose)
    if not (points[:, 2] < Z_TOP).all():
        return False
    inside = points if rule == "centre" else footprint(block, pose)
    return bool(success_region(scene, rule).holds(inside).all())


def judge_sweep(scene: TableScene, progress: Progress, state: TableState, rule: Rule) -> Progress:
    """Return how far a sweep has come; what counted once goes on counting."""
    goal = scene.goals[0]
    new = (
        wanted
        for wanted in goal.objects
        if wanted not in {*progress.reached, *state.lost}
        and counts(scene, scene.object(wanted), state.poses[wanted], rule)
    )
    reached = (*progress.reached, *new)
    failure = _failure(scene, state, goal, reached)
    is_success = not failure and len(reached) == goal.count
    return replace(progress, reached=reached, failure=failure, is_success=is_success)


def _failure(scene: TableScene, state: TableState, goal: Goal, reached: tuple[int, ...]) -> Reason:
    if state.crossed & set(goal.objects):
        return "line_crossed"
    if any(_is_in_zone(scene, state, found) for found in scene.objects if found.role == "distractor"):
        return "wrong_object"
    if len(reached) > goal.count:
        return "wrong_count"
    remaining = (wanted for wanted in goal.objects if wanted not in reached)
    return "" if all(is_still_inside(state, wanted) for wanted in remaining) else "out_of_workspace"


def _is_in_zone(scene: TableScene, state: TableState, distractor: TableObject) -> bool:
    """Return whether any sample point of a distractor is in the original's zone."""
    if distractor.id in state.lost:
        return False
    points = sample_points(state.poses[distractor.id])
    inside = success_region(scene, "centre").holds(points) & (points[:, 2] < Z_TOP)
    return bool(inside.any())


def _line(scene: TableScene) -> TableObject:
    return next(found for found in scene.objects if found.role == "constraint")
