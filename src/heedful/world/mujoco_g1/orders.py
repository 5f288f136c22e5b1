"""From a planned motion to a body's task, and from what the body did back to what the judge reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heedful.state.geometry import Pose, distance, rounded
from heedful.state.motion import MINIMUM_TRAVEL_M, Motion
from heedful.trace.records import Achieved, MotionEnd
from heedful.world.mujoco_g1.body import BodyState
from heedful.world.mujoco_g1.tasks import Outcome, Task, TaskEnd, Turn, WalkTo, WalkWithVelocity

MOTION_ENDS: Mapping[TaskEnd, MotionEnd] = {
    TaskEnd.DONE: "done",
    TaskEnd.STOPPED: "stopped",
    TaskEnd.REPLACED: "replaced",
    TaskEnd.STALLED: "stalled",
    TaskEnd.FELL: "fell",
    TaskEnd.REFUSED: "refused",
}


def task_for(motion: Motion) -> Task:
    """Return the task that carries a planned motion out."""
    if motion.tool == "walk_to":
        return WalkTo(motion.end.x, motion.end.y, motion.speed_percent)
    if motion.tool == "turn":
        return Turn(motion.w_z * motion.duration_s, motion.speed_percent)
    return WalkWithVelocity(motion.v_x, motion.v_y, motion.w_z, motion.duration_s)


@dataclass(slots=True, eq=False)
class Underway:
    """A command that the body carries out: what was planned and how far it came."""

    tool: str
    task: Task
    motion: Motion | None
    """The plan; None for postures and gestures."""
    start: BodyState
    began_s: float
    """In the turn's time [s]; negative when it began in an earlier turn."""
    turned_rad: float = 0.0
    """Angle turned since, whole turns included [rad]."""
    yaw: float = field(init=False)
    outcome: Outcome | None = None
    end_pose: Pose | None = None
    ended_s: float = 0.0

    def __post_init__(self) -> None:
        """Begin to count the angle."""
        self.yaw = self.start.pose.yaw

    def follow(self, state: BodyState) -> None:
        """Count the angle turned since the last look, less than half a turn ago."""
        self.turned_rad += math.remainder(state.pose.yaw - self.yaw, math.tau)
        self.yaw = state.pose.yaw

    def close(self, outcome: Outcome, pose: Pose, now_s: float) -> None:
        """Note how it ended."""
        self.outcome, self.end_pose, self.ended_s = outcome, pose, now_s

    def left(self, now_s: float) -> Mapping[str, Any]:
        """Return the arguments that say what is left of it; a walk to a point needs none."""
        if self.motion is None or isinstance(self.task, WalkTo):
            return {}
        if isinstance(self.task, Turn):
            left = self.task.angle_rad - self.turned_rad
            return {"angle_deg": rounded(math.degrees(left))}
        return {"duration": rounded(max(0.0, self.motion.duration_s - (now_s - self.began_s)))}

    def ran(self) -> Motion | None:
        """Return what ran: walks and turns as they went, at the commanded percent; velocity as commanded."""
        motion, end = self.motion, self.end_pose
        if motion is None or end is None or isinstance(self.task, WalkWithVelocity):
            return motion
        lasted = rounded(max(self.ended_s - self.began_s, 1e-6))
        if isinstance(self.task, Turn):
            return Motion(
                motion.tool,
                self.start.pose,
                0.0,
                0.0,
                rounded(self.turned_rad / lasted),
                lasted,
                motion.speed_percent,
            )
        start = self.start.pose
        way = distance(start.point, end.point)
        is_way = way >= MINIMUM_TRAVEL_M
        facing = math.atan2(end.y - start.y, end.x - start.x) if is_way else motion.start.yaw
        speed = way / lasted if is_way else 0.0
        from_here = Pose(start.x, start.y, rounded(facing))
        return Motion(motion.tool, from_here, rounded(speed), 0.0, 0.0, lasted, motion.speed_percent)

    def achieved(self, stand: tuple[float, Pose] | None) -> Achieved:
        """Return its record; `stand` is when and where the body came to a stand after it."""
        assert self.outcome is not None, "only what ended is recorded"  # noqa: S101 - impossible
        assert self.end_pose is not None, "only what ended is recorded"  # noqa: S101 - impossible
        outcome, pose = self.outcome, self.end_pose
        return Achieved(
            self.tool,
            rounded(self.began_s),
            rounded(self.ended_s),
            MOTION_ENDS[outcome.end],
            pose,
            outcome.commanded_m_s,
            outcome.achieved_m_s,
            outcome.fastest_m_s,
            None if stand is None else rounded(max(0.0, stand[0] - self.ended_s)),
            None if stand is None else rounded(distance(pose.point, stand[1].point)),
        )
