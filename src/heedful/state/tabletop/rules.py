"""When an episode is won or lost: the rules of the four tasks as pure functions of what lies where.

Rule `centre` is the original's: a body's origin nearer than a limit to its goal's. Rule `strict` replaces
that test by containment: the whole footprint inside the container's opening, or inside the zone; whatever
else ends an episode is the same for both. The world asks these functions whether to stop, and the judge asks
them again from the trace. Source: VIMA-Bench's four tasks (Jiang et al. 2023). Where it is silent, we read: a
goal reached is no longer looked at, so success comes before failure; in the sweep, failure before success.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from heedful.state.tabletop.footprint import footprint, inner_region, is_within
from heedful.state.tabletop.progress import Progress, Reason, Rule, TableState
from heedful.state.tabletop.scene import Goal, ObjectPose, TableObject, TableScene
from heedful.state.tabletop.sweep_rule import crosses_line, is_still_inside, judge_sweep

__all__ = [
    "MOVED_M",
    "ORDER_M",
    "PLACE_M",
    "REASONS",
    "begin",
    "crosses_line",
    "distance",
    "judge",
    "lies_at",
]

PLACE_M, ORDER_M = 0.10, 0.05
"""How near an origin has to be to its goal's: placing; placing in order [m]."""
MOVED_M = 0.01
"""From this far on something counts as displaced [m]."""

REASONS: Mapping[Reason, str] = {
    "wrong_object": "A distractor lies where the goal's object belongs, because the cup carried or the "
    "spatula swept it there; or, at the end of time, the last attempt lifted what no goal asks for.",
    "wrong_place": "The goal's object was put next to a distractor; or, at the end of time, the last attempt "
    "moved it somewhere that is no goal.",
    "missed_grasp": "Time ran out and the last attempt lifted nothing.",
    "wrong_order": "The object lies at a later goal while an earlier one is open; the container in which it "
    "began is allowed.",
    "wrong_count": "More objects are in the zone than asked for; or, at the end of time, some but too few.",
    "line_crossed": "A sample point of an object to be swept was over the line, at any time in the step.",
    "distractor_moved": "A distractor was displaced by 1 cm or more, not by being carried, and now lies "
    "within the limit of the goal or of the goal's object.",
    "out_of_workspace": "The origin of an object that is still wanted is beyond the workspace's edge, or the "
    "object is lost.",
    "no_progress": "Time ran out and nothing was attempted; in the sweep, no wanted object was displaced by "
    "1 cm.",
}
"""What each reason says, exactly. Those at the end of time are found by `labels.episode`."""


def begin(scene: TableScene) -> Progress:
    """Return the progress of a scene in which nothing was done yet."""
    del scene
    return Progress()


def judge(scene: TableScene, progress: Progress, state: TableState, rule: Rule) -> Progress:
    """Return how far an episode has come after one more step.

    Args:
        scene: The scene as it was drawn.
        progress: How far it had come before the step; what is over stays as it is.
        state: The table after the step.
        rule: `centre` or `strict`.
    """
    if progress.is_over:
        return progress
    if scene.task == "sweep_without_exceeding":
        return judge_sweep(scene, progress, state, rule)
    if scene.task == "pick_in_order_then_restore":
        return _judge_order(scene, progress, state, rule)
    return _judge_place(scene, progress, state, rule)


def distance(a: ObjectPose, b: ObjectPose) -> float:
    """Return how far apart two origins are on the table [m]; heights do not count."""
    return math.hypot(a.x - b.x, a.y - b.y)


def lies_at(scene: TableScene, state: TableState, object_id: int, target: int, rule: Rule) -> bool:
    """Return whether an object is at a goal, by the rule; a goal is where the scene put it."""
    if object_id in state.lost:
        return False
    found, goal, pose = scene.object(object_id), scene.object(target), state.poses[object_id]
    limit = ORDER_M if scene.task == "pick_in_order_then_restore" else PLACE_M
    if rule == "centre":
        return distance(pose, goal.pose) < limit
    opening = inner_region(goal, goal.pose)
    return opening is not None and is_within(footprint(found, pose), opening)


def _judge_place(scene: TableScene, progress: Progress, state: TableState, rule: Rule) -> Progress:
    """Visual Manipulation and Scene Understanding: every dragged object at its base, in any order."""
    found = tuple(
        position
        for position, goal in enumerate(scene.goals)
        if position not in progress.reached and _is_reached(scene, state, goal, rule)
    )
    reached = (*progress.reached, *found)
    if len(reached) == len(scene.goals):
        return replace(progress, reached=reached, is_success=True)
    remaining = [goal for position, goal in enumerate(scene.goals) if position not in reached]
    return replace(progress, reached=reached, failure=_placing_failure(scene, state, remaining))


def _is_reached(scene: TableScene, state: TableState, goal: Goal, rule: Rule) -> bool:
    return all(lies_at(scene, state, wanted, goal.target, rule) for wanted in goal.objects)


def _placing_failure(scene: TableScene, state: TableState, remaining: Sequence[Goal]) -> Reason:
    if _is_any_outside(state, remaining):
        return "out_of_workspace"
    bases = [scene.object(goal.target).pose for goal in scene.goals]
    wanted = [state.poses[object_id] for goal in remaining for object_id in goal.objects]
    for distractor in scene.objects:
        if distractor.role != "distractor" or distractor.id in state.lost:
            continue
        pose = state.poses[distractor.id]
        is_at_base = any(distance(pose, base) < PLACE_M for base in bases)
        if is_at_base or any(distance(pose, other) < PLACE_M for other in wanted):
            return _why_near(distractor, state)
    return ""


def _why_near(distractor: TableObject, state: TableState) -> Reason:
    """Return the reason of a distractor that lies too near to the goal or to the goal's object."""
    if state.picked == distractor.id:
        return "wrong_object"
    moved = distance(distractor.pose, state.poses[distractor.id]) >= MOVED_M
    return "distractor_moved" if moved else "wrong_place"


def _judge_order(scene: TableScene, progress: Progress, state: TableState, rule: Rule) -> Progress:
    """Pick in order then Restore: one goal a step, the nearest first."""
    position = len(progress.reached)
    nearest, later = scene.goals[position], scene.goals[position + 1 :]
    if _is_any_outside(state, [nearest]):
        return replace(progress, failure="out_of_workspace")
    if _is_reached(scene, state, nearest, rule):
        reached = (*progress.reached, position)
        return replace(progress, reached=reached, is_success=len(reached) == len(scene.goals))
    early = [goal for goal in later if not _is_origin(scene, goal)]
    if any(_is_reached(scene, state, goal, rule) for goal in early):
        return replace(progress, failure="wrong_order")
    return progress


def _is_origin(scene: TableScene, goal: Goal) -> bool:
    """Return whether a goal is the container in which its object began."""
    target = scene.object(goal.target).pose
    return all(distance(scene.object(wanted).pose, target) < ORDER_M for wanted in goal.objects)


def _is_any_outside(state: TableState, goals: Sequence[Goal]) -> bool:
    wanted = [object_id for goal in goals for object_id in goal.objects]
    return not all(is_still_inside(state, object_id) for object_id in wanted)
