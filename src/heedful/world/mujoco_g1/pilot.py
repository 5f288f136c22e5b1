"""Runs one task at a time: from the body's state to what its legs, posture and arms are told now.

Knows no physics: both bodies follow the same pilot, so a task begins, ends and is refused alike in both.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

from heedful.state.geometry import Pose, distance, rounded
from heedful.state.motion import RobotLimits
from heedful.world.mujoco_g1.body import STEP_S, BodyState, Posture
from heedful.world.mujoco_g1.gesture import gesture_duration_s
from heedful.world.mujoco_g1.steering import Steering, build_steering
from heedful.world.mujoco_g1.tasks import (
    Gesture,
    Outcome,
    ShakeHands,
    SitDown,
    StandUp,
    Task,
    TaskEnd,
    Turn,
    WalkTo,
    WalkWithVelocity,
    WaveHand,
)
from heedful.world.mujoco_g1.velocity import STILL, Velocity

REST_WINDOW_S = 0.3
REST_M, REST_RAD = 0.015, 0.03
"""A body that moved less than this within the window stands still."""
STALL_S, STALL_PROGRESS = 8.0, 0.03
"""A walk that comes no nearer than this [m or rad] within the time is given up."""
MOST_TRIES = 3
"""A body that came to a stand beside its goal goes on, so often in all."""
GAIT_S = 1.0
"""Speeds are measured over a whole gait, so that its sway does not count [s]."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the body is told for the next step."""

    velocity: Velocity = STILL
    posture: Posture | None = None
    """Which posture to move towards; None holds the one it has."""
    gesture: Gesture | None = None
    gesture_s: float = 0.0
    """Time since the gesture began [s]."""


@dataclass
class _Run:
    """The task under way with what is measured of it."""

    task: Task
    started: BodyState
    steering: Steering | None
    settling: bool = False
    tries: int = 1
    nearest: float = math.inf
    nearest_s: float = 0.0
    commanded_m_s: float = 0.0
    fastest_m_s: float = 0.0
    speeds_m_s: float = 0.0
    """Sum of the measured speeds."""
    measured: int = 0
    places: deque[Pose] = field(default_factory=lambda: deque(maxlen=_steps(GAIT_S) + 1))


class Pilot:
    """Holds the task under way and turns it into orders, one a step."""

    def __init__(self, limits: RobotLimits) -> None:
        self._limits = limits
        self._run: _Run | None = None
        self._recent: deque[Pose] = deque(maxlen=_steps(REST_WINDOW_S) + 1)
        self.command = STILL
        """The velocity ordered last."""
        self.last_outcome: Outcome | None = None
        self.rest_since_s: float | None = None
        """Since when the body has been standing still; None while it moves."""

    @property
    def task(self) -> Task | None:
        """The task under way."""
        return self._run.task if self._run else None

    def reset(self) -> None:
        """Forget the task under way: the body was put somewhere else."""
        self._run = None
        self._recent.clear()
        self.rest_since_s = None
        self.command = STILL

    def begin(self, task: Task, state: BodyState) -> Outcome | None:
        """Begin a task instead of any other; return the refusal, or None when it runs."""
        reason = _why_not(task, state.posture)
        if reason:
            return Outcome(task, TaskEnd.REFUSED, state.time_s, state.time_s, reason=reason)
        self._end(TaskEnd.REPLACED, state)
        steering: Steering | None = None
        if isinstance(task, WalkTo | Turn | WalkWithVelocity):
            steering = build_steering(task, self._limits, state)
        self._run = _Run(task, state, steering, nearest_s=state.time_s)
        return None

    def stop(self, state: BodyState) -> None:
        """End the task under way, unless it sits the robot down."""
        if not isinstance(self.task, SitDown):
            self._end(TaskEnd.STOPPED, state)

    def fall(self, state: BodyState) -> None:
        """End the task under way because the body fell."""
        self._end(TaskEnd.FELL, state)

    def order(self, state: BodyState) -> Order:
        """Return what to do for the next step; ends the task when it is over."""
        self._recent.append(state.pose)
        if not self.is_at_rest():
            self.rest_since_s = None
        elif self.rest_since_s is None:
            self.rest_since_s = rounded(state.time_s - REST_WINDOW_S)
        order = self._order(state)
        self.command = order.velocity
        return order

    def is_at_rest(self) -> bool:
        """Return whether the body has hardly moved for 0.3 s."""
        if len(self._recent) < (self._recent.maxlen or 0):
            return False
        first = self._recent[0]
        return _is_beside(self._recent[-1], first) and all(_is_beside(pose, first) for pose in self._recent)

    def _order(self, state: BodyState) -> Order:
        run = self._run
        if run is None:
            return Order()
        if run.steering is not None:
            return Order(self._walk(run, run.steering, state))
        if isinstance(run.task, WaveHand | ShakeHands):
            return self._gesture(run, run.task, state)
        return self._change_posture(run, state)

    def _walk(self, run: _Run, steering: Steering, state: BodyState) -> Velocity:
        asked = None if run.settling else steering.velocity(state)
        if asked is not None and not self._is_stalled(run, steering, state):
            asked = asked.within(self._limits.v_max_m_s, self._limits.w_max_rad_s)
            _measure(run, asked, state)
            return asked
        run.settling = True
        if asked is not None:
            self._end(TaskEnd.STALLED, state)
        elif isinstance(run.task, WalkWithVelocity):
            self._end(TaskEnd.DONE, state)
        elif self.is_at_rest():
            self._arrive(run, steering, state)
        return STILL

    def _arrive(self, run: _Run, steering: Steering, state: BodyState) -> None:
        """End the task where the body came to a stand, or let it try again from there."""
        if run.tries < MOST_TRIES and steering.has_missed(state):
            run.tries += 1
            run.settling = False
            return
        self._end(TaskEnd.DONE, state)

    def _is_stalled(self, run: _Run, steering: Steering, state: BodyState) -> bool:
        left = steering.remaining(state)
        turning_to_it = isinstance(run.task, WalkTo) and not self.command.speed_m_s and self.command.w_z
        if left < run.nearest - STALL_PROGRESS or turning_to_it or isinstance(run.task, WalkWithVelocity):
            run.nearest = min(left, run.nearest)
            run.nearest_s = state.time_s
        return state.time_s - run.nearest_s > STALL_S

    def _gesture(self, run: _Run, task: Gesture, state: BodyState) -> Order:
        if not run.settling:
            run.settling = self.is_at_rest()
            run.nearest_s = state.time_s
            return Order()
        elapsed = state.time_s - run.nearest_s
        if elapsed >= gesture_duration_s(task):
            self._end(TaskEnd.DONE, state)
        return Order(gesture=task, gesture_s=elapsed)

    def _change_posture(self, run: _Run, state: BodyState) -> Order:
        goal = Posture.SEATED if isinstance(run.task, SitDown) else Posture.STANDING
        if state.posture is goal and (goal is Posture.SEATED or self.is_at_rest()):
            self._end(TaskEnd.DONE, state)
            return Order()
        return Order(posture=goal)

    def _end(self, end: TaskEnd, state: BodyState) -> None:
        run = self._run
        if run is None:
            return
        self._run = None
        self.command = STILL
        self.last_outcome = Outcome(
            run.task,
            end,
            run.started.time_s,
            state.time_s,
            commanded_m_s=rounded(run.commanded_m_s),
            achieved_m_s=rounded(run.speeds_m_s / run.measured) if run.measured else None,
            fastest_m_s=rounded(run.fastest_m_s) if run.measured else None,
        )


def _is_beside(pose: Pose, other: Pose) -> bool:
    """Return whether a body that went from one pose to the other counts as standing still."""
    is_near = distance(pose.point, other.point) < REST_M
    return is_near and abs(math.remainder(pose.yaw - other.yaw, math.tau)) < REST_RAD


def _why_not(task: Task, posture: Posture) -> str:
    """Return why a body in this posture cannot begin the task; empty when it can."""
    if posture is Posture.FALLEN:
        return "the robot has fallen"
    if isinstance(task, SitDown | StandUp) or posture is Posture.STANDING:
        return ""
    return f"the robot is {'seated' if posture is Posture.SEATED else 'between sitting and standing'}"


def _measure(run: _Run, asked: Velocity, state: BodyState) -> None:
    run.commanded_m_s = max(run.commanded_m_s, asked.speed_m_s)
    run.places.append(state.pose)
    if len(run.places) == run.places.maxlen:
        speed = distance(run.places[0].point, run.places[-1].point) / GAIT_S
        run.speeds_m_s += speed
        run.measured += 1
        run.fastest_m_s = max(run.fastest_m_s, speed)


def _steps(seconds: float) -> int:
    return round(seconds / STEP_S)
