"""Scripted policies that know the truth: what a perfect policy would do, and the source of demonstrations."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType

import cv2
import numpy as np
from numpy.typing import NDArray

from heedful.errors import InputError
from heedful.policies.policy import Planner, PolicyStep
from heedful.policies.sweep_plan import plan_push
from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.observation import ShownPrompt, TableObservation
from heedful.state.tabletop.scene import ObjectPose, Quaternion
from heedful.state.tabletop.workspace import Pixel, to_place

PushPlan = Callable[[Planner], TableAction]


class Grasp(StrEnum):
    """Which visible pixel of an object the cup goes for."""

    DRAWN = "drawn"
    """Any, evenly, that is not on the object's edge."""
    DEEPEST = "deepest"
    """The one farthest from the object's edge."""


class OraclePolicy:
    """Picks what the next goal asks for and puts its origin on the target; sweeps by a plan of pushes.

    Args:
        grasp: Where to pick.
        push: How to sweep.
    """

    facts: Mapping[str, str] = MappingProxyType({})

    def __init__(self, grasp: Grasp = Grasp.DRAWN, push: PushPlan = plan_push) -> None:
        self.grasp, self.push = grasp, push
        self._planner: Planner | None = None
        self._rng = np.random.default_rng(0)

    def reset(
        self,
        prompt: ShownPrompt,  # noqa: ARG002 - the protocol's
        planner: Planner | None = None,
        rng: np.random.Generator | None = None,
    ) -> None:
        """Begin an episode; the prompt is not read.

        Raises:
            InputError: If there is no planner to ask.
        """
        if planner is None:
            raise InputError("An oracle needs a planner: it does not see, it knows.")
        self._planner, self._rng = planner, rng if rng is not None else np.random.default_rng(0)

    def act(self, observation: TableObservation) -> PolicyStep:
        """Return what brings the episode nearest to success."""
        if self._planner is None:
            raise InputError("An oracle must be reset before it acts.")
        if observation.end_effector == "spatula":
            return PolicyStep(self.push(self._planner))
        return PolicyStep(self._move(self._planner, observation))

    def _move(self, planner: Planner, observation: TableObservation) -> TableAction:
        goals = enumerate(planner.scene.goals)
        goal = next(goal for place, goal in goals if place not in planner.progress.reached)
        wanted = goal.objects[0]
        place = self._choose_place(observation.views["top"].segm == wanted, planner.state.poses[wanted])
        return carry(planner.state.poses[wanted], planner.scene.object(goal.target).pose, place)

    def _choose_place(self, mask: NDArray[np.bool_], pose: ObjectPose) -> tuple[float, float]:
        """Return where to pick an object: on a visible pixel, or at its origin if none is visible."""
        depth = cv2.distanceTransform(np.pad(mask, 1).astype(np.uint8), cv2.DIST_L2, 5)[1:-1, 1:-1]
        if not mask.any():
            return pose.x, pose.y
        if self.grasp is Grasp.DEEPEST:
            allowed = np.argwhere(depth == depth.max())
            row, column = allowed[len(allowed) // 2]
        else:
            inner = depth > EDGE_PX
            allowed = np.argwhere(inner if inner.any() else mask)
            row, column = allowed[self._rng.integers(len(allowed))]
        return to_place(Pixel(float(row), float(column)))


EDGE_PX = 1.5
"""Pixels nearer to the edge of an object than this are only partly the object."""


def carry(start: ObjectPose, target: ObjectPose, pick: tuple[float, float]) -> TableAction:
    """Return the action that, picking there, turns and moves an object onto a target's pose."""
    turn = _yaw(target.rotation) - _yaw(start.rotation)
    dx, dy = pick[0] - start.x, pick[1] - start.y
    cos, sin = math.cos(turn), math.sin(turn)
    place = (target.x + cos * dx - sin * dy, target.y + sin * dx + cos * dy)
    return TableAction(pick, place, pose1_rotation=(0.0, 0.0, math.sin(turn / 2), math.cos(turn / 2)))


def _yaw(rotation: Quaternion) -> float:
    x, y, z, w = rotation
    return math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
