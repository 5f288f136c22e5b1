"""The simulated world of a session: a body that takes its time, people around it, sensors that look at both.

It runs the same scripts as the text layer. The script says how far the nearest person is, what the camera
does and how full the battery is at the start; the scene decides what becomes of it: the true distance is
measured between the bodies, motions take the body's time, the battery drains with use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from heedful.errors import InputError
from heedful.state.geometry import Pose, rounded
from heedful.state.motion import Motion, RobotLimits
from heedful.state.script import NoiseLaw, TurnScript
from heedful.state.series import Series, Value
from heedful.trace.records import Achieved, Reading, RobotState
from heedful.world.mujoco_g1.battery import Drain
from heedful.world.mujoco_g1.body import STEP_S, Posture
from heedful.world.mujoco_g1.company import Company, Nearest
from heedful.world.mujoco_g1.fallback import open_stage
from heedful.world.mujoco_g1.orders import MOTION_ENDS, Underway, task_for
from heedful.world.mujoco_g1.pose import SIGNALS, PoseSense, ScriptedPose, open_pose
from heedful.world.mujoco_g1.positioning import Positioning
from heedful.world.mujoco_g1.proximity import (
    DISTANCE,
    GeometricProximity,
    Proximity,
    open_proximity,
)
from heedful.world.mujoco_g1.stage import Stage
from heedful.world.mujoco_g1.tasks import Outcome, ShakeHands, SitDown, StandUp, Task, TaskEnd, WaveHand
from heedful.world.mujoco_g1.truth import Truth
from heedful.world.played_world import PlayedWorld
from heedful.world.synthetic.sensors import TurnSensors
from heedful.world.world import PoseSource, ProximitySource, Ran

LONGEST_CHANGE_S = 12.0
"""A change of posture that takes longer is given up [s]."""
POSTURES = {Posture.SEATED: "seated", Posture.FALLEN: "fallen"}
POSITION = {"robot.x": "x", "robot.y": "y", "robot.yaw": "yaw"}


def open_sim_world(
    seed: int,
    limits: RobotLimits,
    noise: NoiseLaw,
    people: int = 1,
    source: ProximitySource = "geometry",
    pose: PoseSource = "scripted",
) -> SimWorld:
    """Return a world around the best body that this machine has.

    Args:
        seed: The session's seed.
        limits: What the spec says the robot declares.
        noise: How far samples stray.
        people: How many people the scenario has in a turn at most.
        source: Where the distance to the nearest person comes from.
        pose: Where that person's posture, facing, age and handover come from.

    Raises:
        InputError: If a fetched file is there and is not the pinned one, or the spec declares other speeds
            for 100 % than the simulated robot has, or depth or keypoints cannot be had here.
    """
    stage = open_stage(people)
    body = stage.body.limits
    if (limits.v_max_m_s, limits.w_max_rad_s) != (body.v_max_m_s, body.w_max_rad_s):
        raise InputError(
            f"the spec declares {limits.v_max_m_s:g} m/s and {limits.w_max_rad_s:g} rad/s at 100 %; the "
            f"simulated G1 has {body.v_max_m_s:g} m/s and {body.w_max_rad_s:g} rad/s."
        )
    return SimWorld(stage, seed, limits, noise, open_proximity(source, stage), open_pose(pose, stage))


class SimWorld(PlayedWorld):
    """True state by simulation; sensed state by seeded sampling of it."""

    has_body = True

    def __init__(
        self,
        stage: Stage,
        seed: int,
        limits: RobotLimits,
        noise: NoiseLaw,
        proximity: Proximity | None = None,
        pose: PoseSense | None = None,
    ) -> None:
        super().__init__(seed, limits, noise)
        self.spectator: Callable[[], None] = _look_away
        """Called after every sample of the turn: for whoever films it."""
        self.stage = stage
        self._body = stage.body
        self._company = Company(stage)
        self._proximity = proximity or GeometricProximity()
        self._pose_sense = pose or ScriptedPose()
        self._underway: Underway | None = None
        self._coasting: Underway | None = None
        """What ended last and has not come to a stand."""
        self._achieved: list[Achieved] = []
        self._begin()

    @property
    def facts(self) -> Mapping[str, str]:
        """What moves and senses here, and in which versions."""
        return {**self.stage.facts, "proximity": self._proximity.name, "pose": self._pose_sense.name}

    @property
    def pose(self) -> Pose:
        """Where the robot truly is."""
        return self._body.state.pose

    @property
    def posture(self) -> str:
        """How the robot holds itself: `standing`, `seated`, or `fallen`."""
        return POSTURES.get(self._body.state.posture, "standing")

    def begin_turn(self, index: int, script: TurnScript) -> bool:
        """Start a turn; return whether the robot was put back to its scripted pose and posture."""
        self._take_script(index, script)
        before = (self.pose, self.posture)
        if not script.continues:
            seated = script.posture == "seated" or (self._kept_seat and self.posture == "seated")
            self._body.place(script.pose, Posture.SEATED if seated else Posture.STANDING)
            self._underway = self._coasting = None
        self._begin()
        return before != (self.pose, self.posture)

    def finish_turn(self, *, runs_on: bool) -> None:
        """Let the rest of the turn pass: motions that end with it, then its declared duration."""
        while self._underway is not None and not runs_on:
            self.advance(STEP_S)
        self.advance(max(0.0, self._script.duration_s - self._now))

    def end_turn(self) -> float:
        """Move the clock's origin to this instant; return the turn's duration [s]."""
        duration = self._turn_clock_back()
        if self._underway is not None:
            self._underway.began_s = rounded(self._underway.began_s - duration)
        self._proximity.end_turn(duration)
        self._pose_sense.end_turn(duration)
        return duration

    def robot(self) -> RobotState:
        """Return the robot's true state now."""
        underway = self._underway
        motion = None if underway is None else underway.motion
        began = 0.0 if underway is None or motion is None else underway.began_s
        return RobotState(self.pose, self.posture, self._truth.level(), self._estopped, motion, began)

    def run_motion(self, motion: Motion) -> Ran:
        """Let a blocking motion run to its end, or until it is stopped; return what ran of it."""
        return self._finish(self._start(motion.tool, task_for(motion), motion))

    def start_motion(self, motion: Motion) -> Ran:
        """Start a motion that goes on while time passes, instead of any other."""
        underway = self._start(motion.tool, task_for(motion), motion)
        return Ran(motion) if underway.outcome is None else _refused(underway.outcome)

    def stop_motion(self) -> None:
        """End the motion under way; the body then comes to a stand. Sitting down goes on to its end."""
        underway = self._underway
        if underway is None:
            return
        self._body.stop()
        if self._body.task is not underway.task:
            self._note_end()

    def motion_left(self) -> Mapping[str, Any]:
        """Return the arguments that say what is left of the motion under way."""
        return {} if self._underway is None else self._underway.left(self._now)

    def set_posture(self, posture: str) -> Ran:
        """Sit down or stand up."""
        is_down = posture == "seated"
        underway = self._start(
            "sit_down" if is_down else "stand_up", SitDown() if is_down else StandUp(), None
        )
        return self._finish(underway, LONGEST_CHANGE_S)

    def gesture(self, tool: str, hand: str) -> Ran:
        """Wave a hand or offer it."""
        wave = WaveHand("left" if hand == "left" else "right", times=2)
        task = ShakeHands() if tool == "shake_hands" else wave
        return self._finish(self._start(tool, task, None))

    def latch_emergency_stop(self) -> None:
        """Refuse motion until the scenario resets the robot."""
        self.stop_motion()
        self._estopped = True

    def true_values(self) -> dict[str, Value]:
        """Return every true signal now."""
        values = {name: series.at(self._now) for name, series in self._truth.signals().items()}
        return values | self.true_position()

    def sample(self, signal: str) -> Reading:
        """Return the robot's current sample of a signal."""
        if signal in POSITION:
            return self._sample_position(signal)
        if signal not in self._truth.signals():
            return Reading(None, self._now)
        if signal == DISTANCE:
            return self._proximity.read(self._sensors, self._now)
        if signal in SIGNALS:
            return self._pose_sense.read(signal, self._sensors, self._now)
        return self._sensors.read(signal, self._now)

    def true_series(self) -> Mapping[str, Series]:
        """Return the true signals over the turn so far."""
        return dict(self._truth.signals())

    def sensed_series(self) -> Mapping[str, Series]:
        """Return the samples over the turn so far."""
        self._truth.signals()
        seen = self._proximity.series(self._sensors, self._now)
        near = {} if seen is None else {DISTANCE: seen}
        return {**self._sensors.series(self._now), **near, **self._pose_sense.series(self._now)}

    def achieved(self) -> tuple[Achieved, ...]:
        """Return what the body made of each motion that ended in the turn so far."""
        self._note_stand(is_over=True)
        return tuple(self._achieved)

    def _begin(self) -> None:
        index, script = self._turn, self._script
        self._achieved = []
        self._drain = Drain()
        self._truth = Truth(script, self._noise.period_s)
        self._positioning = Positioning(self._seed, index)
        self._sensors = TurnSensors(
            self._seed, index, self._truth.signals(), self._noise, script.sensor_faults
        )
        self._proximity.begin_turn(self._seed, index, script, self._noise.period_s)
        self._pose_sense.begin_turn(self._seed, index, script, self._noise.period_s)
        self._take(self._company.begin_turn(script, self.pose))

    def _start(self, tool: str, task: Task, motion: Motion | None) -> Underway:
        underway = Underway(tool, task, motion, self._body.state, self._now)
        refusal = self._body.begin(task)
        if refusal is not None:
            underway.close(refusal, self.pose, self._now)
            return underway
        self._note_end()
        self._note_stand(is_over=True)
        self._underway = underway
        return underway

    def _finish(self, underway: Underway, limit_s: float = float("inf")) -> Ran:
        """Let what was begun run to its end; say what ran."""
        while underway.outcome is None:
            if self._now - underway.began_s > limit_s:
                self.stop_motion()
                return Ran(underway.ran(), "stalled")
            self.advance(STEP_S)
        if underway.outcome.end is TaskEnd.REFUSED:
            return _refused(underway.outcome)
        return Ran(underway.ran(), MOTION_ENDS[underway.outcome.end])

    def _pass_until(self, end_s: float) -> None:
        while (at := self._truth.next_s) <= end_s + 1e-9:
            self._move_until(at)
            self._take(self._company.follow(self.pose, at))
            self.spectator()
        self._move_until(end_s)

    def _take(self, nearest: Nearest) -> None:
        """Take the sample that is due."""
        now_s = self._truth.next_s
        self._truth.add(nearest, self._drain.used_percent, self.pose)
        true = self._truth.signals()
        self._proximity.sample(now_s)
        distance = self._proximity.read(self._sensors, now_s).value
        self._pose_sense.sample(now_s, true, distance)

    def _move_until(self, end_s: float) -> None:
        seconds = end_s - self._now
        if seconds <= 0:
            return
        self._body.advance(seconds)
        self._drain.pass_time(seconds, self._body.state)
        self._now = end_s
        if self._underway is not None:
            self._underway.follow(self._body.state)
            if self._body.task is not self._underway.task:
                self._note_end()
        self._note_stand(is_over=False)

    def _note_end(self) -> None:
        """Note that what was under way has ended."""
        underway, outcome = self._underway, self._body.last_outcome
        if underway is None or outcome is None:
            return
        self._note_stand(is_over=True)
        underway.close(outcome, self.pose, self._now)
        self._underway, self._coasting = None, underway

    def _note_stand(self, *, is_over: bool) -> None:
        """Record what ended last, when the body has come to a stand or something else began."""
        ended, rest_since_s = self._coasting, self._body.rest_since_s
        if ended is None or (rest_since_s is None and not is_over):
            return
        stand = None
        if rest_since_s is not None:
            stand = (self._now - (self._body.state.time_s - rest_since_s), self.pose)
        self._achieved.append(ended.achieved(stand))
        self._coasting = None

    def _sample_position(self, signal: str) -> Reading:
        index = self._positioning.newest(self._sensors.sample_index(self._now))
        taken_s, pose = self._truth.pose_at(index * self._noise.period_s)
        return self._sensors.add_noise(signal, getattr(pose, POSITION[signal]), taken_s)


def _look_away() -> None:
    """Film nothing."""


def _refused(outcome: Outcome) -> Ran:
    return Ran(None, "refused", outcome.reason)
