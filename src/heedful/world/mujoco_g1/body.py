"""The role of a robot's body: a clock, a state, and tasks that run while time passes.

A body knows no sensors, no rules and no protocol. Two members: `G1Body` (physics and a walking policy)
and `KinematicBody` (moves exactly as told, when the files or MuJoCo are absent). Each names itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from heedful.state.geometry import Pose
from heedful.state.motion import RobotLimits
from heedful.world.mujoco_g1.tasks import Outcome, Task
from heedful.world.mujoco_g1.velocity import Velocity

STEP_S = 0.02
"""A body decides this often [s]; a task begins and ends on this grid."""
G1_LIMITS = RobotLimits()
"""What the simulated G1 declares, as the robot of the text layer does. 100 % commands 1.0 m/s; the gait
reaches less (`speed_table`), so that a command's whole way, coasting included, ends within 0.1 m of what
its plan and the declared deceleration say (measured: docs/guides/simulation.md)."""


class Posture(Enum):
    """How the body holds itself."""

    STANDING = "standing"
    SEATED = "seated"
    CHANGING = "changing"
    """On the way between the two."""
    FALLEN = "fallen"


@dataclass(frozen=True, slots=True)
class BodyState:
    """The body at one instant."""

    time_s: float
    """The body's clock [s]."""
    pose: Pose
    """Pelvis over the floor, map frame."""
    velocity: Velocity
    """Of the pelvis, body frame."""
    posture: Posture
    height_m: float
    """Of the pelvis above the floor [m]."""
    upright: float
    """Cosine of the trunk's tilt: 1 is upright, 0 lies."""


class Body(Protocol):
    """A robot's body in a simulated room."""

    limits: RobotLimits

    @property
    def name(self) -> str:
        """What moves: for the trace and every report."""
        ...

    @property
    def facts(self) -> Mapping[str, str]:
        """What its figures depend on: name, versions, hash of the fetched files; for the trace."""
        ...

    @property
    def state(self) -> BodyState:
        """The body now."""
        ...

    @property
    def task(self) -> Task | None:
        """What it is doing; None when it only holds itself."""
        ...

    @property
    def command(self) -> Velocity:
        """The velocity commanded now."""
        ...

    @property
    def last_outcome(self) -> Outcome | None:
        """How the last task ended; None before the first."""
        ...

    @property
    def rest_since_s(self) -> float | None:
        """Since when it has been standing still, by the body's clock [s]; None while it moves."""
        ...

    def place(self, pose: Pose, posture: Posture) -> None:
        """Put the body somewhere at rest, standing or seated, on its feet again if it fell."""
        ...

    def begin(self, task: Task) -> Outcome | None:
        """Begin a task instead of any other; return the refusal, or None when it runs."""
        ...

    def stop(self) -> None:
        """End any motion and stand; a squat on its way down goes on, one on its way up holds."""
        ...

    def advance(self, seconds: float) -> None:
        """Let time pass [s], in whole steps; what is less than a step is owed to the next call."""
        ...


def run_task(body: Body, task: Task, limit_s: float = 3600.0) -> Outcome:
    """Let a task run to its end, or stop it after `limit_s`; return how it ended."""
    refusal = body.begin(task)
    if refusal is not None:
        return refusal
    latest_s = body.state.time_s + limit_s
    while body.task is not None and body.state.time_s < latest_s:
        body.advance(STEP_S)
    if body.task is not None:
        body.stop()
    outcome = body.last_outcome
    assert outcome is not None, "a task that ran has ended"  # noqa: S101 - impossible
    return outcome
