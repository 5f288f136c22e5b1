"""Where the robot's idea of the nearest person's pose comes from: the script, measured errors, keypoints.

`human.carrying` is sensed as scripted by all of them: keypoints cannot tell what somebody holds, and a
signal that is always unknown would hide what the others do.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Protocol

from heedful.errors import InputError
from heedful.state.script import TurnScript
from heedful.state.series import INFINITE, Series, Value
from heedful.trace.records import Reading
from heedful.world.drawing.gl import gl_state
from heedful.world.mujoco_g1.fallback import missing_parts
from heedful.world.mujoco_g1.held_track import HeldTrack, Look
from heedful.world.mujoco_g1.sensors.keypoints import INSTALL, pose_state
from heedful.world.mujoco_g1.sensors.pose_eye import LATENCY_S, Moment, PoseEye
from heedful.world.mujoco_g1.sensors.pose_reading import PoseReading
from heedful.world.mujoco_g1.sensors.pose_table import FIELDS, MeasuredEye, load_pose_table
from heedful.world.mujoco_g1.stage import Stage
from heedful.world.synthetic.sensors import TurnSensors, camera_liveness
from heedful.world.world import PoseSource

SIGNALS = tuple(f"human.{field}" for field in FIELDS)
NOBODY = PoseReading("standing", "robot", is_child=False, handover=False)
"""What stands in the signals when the distance says that nobody is in view, as in every empty scene."""


class PoseSense(Protocol):
    """A source of posture, facing, age and handover of the nearest person."""

    @property
    def name(self) -> str:
        """What it is; for the trace and every report."""
        ...

    def begin_turn(self, seed: int, index: int, script: TurnScript, period_s: float) -> None:
        """Start a turn; where it continues, what was seen stays known."""
        ...

    def sample(self, now_s: float, true: Mapping[str, Series], distance: Value) -> None:
        """Look, if it is time to.

        Args:
            now_s: Since the turn's start [s].
            true: The turn's true signals so far.
            distance: What the robot holds of the distance to the nearest person [m].
        """
        ...

    def end_turn(self, duration_s: float) -> None:
        """End a turn that lasted so long [s]."""
        ...

    def read(self, signal: str, sensors: TurnSensors, now_s: float) -> Reading:
        """Return the robot's newest value of one of `SIGNALS`."""
        ...

    def series(self, until_s: float) -> Mapping[str, Series]:
        """Return the values of the turn, of those signals that are not as `TurnSensors` has them."""
        ...


class ScriptedPose:
    """What is true, as the script has it: no error, and blind to where the camera looks."""

    name = "as scripted"

    def begin_turn(self, seed: int, index: int, script: TurnScript, period_s: float) -> None:
        """Nothing to prepare."""

    def sample(self, now_s: float, true: Mapping[str, Series], distance: Value) -> None:
        """Nothing to look at: the sensors sample the truth."""

    def end_turn(self, duration_s: float) -> None:
        """Nothing to carry over."""

    def read(self, signal: str, sensors: TurnSensors, now_s: float) -> Reading:
        """Return the newest sample of the truth."""
        return sensors.read(signal, now_s)

    def series(self, until_s: float) -> Mapping[str, Series]:
        """Return nothing: the samples are those of the sensors."""
        del until_s
        return {}


class LookedPose:
    """What an eye says that looks now and then: late, held for a while, then unknown.

    An eye that finds no person says nothing, never that nobody is there: that is for the distance to say.
    """

    def __init__(self, eye: PoseEye) -> None:
        self._eye = eye
        self._carried: dict[str, tuple[Look, ...]] = {}
        self._tracks: dict[str, HeldTrack] = {}
        self._seed = self._index = self._looks = 0

    @property
    def name(self) -> str:
        """What it is."""
        return f"{self._eye.name}, {LATENCY_S:g} s late; carrying as scripted"

    def begin_turn(self, seed: int, index: int, script: TurnScript, period_s: float) -> None:
        """Start a turn with its camera's state."""
        self._seed, self._index, self._looks = seed, index, 0
        self._live = camera_liveness(script.signals)
        told = [signal for signal in SIGNALS if signal in script.signals]
        self._tracks = {signal: HeldTrack(signal, period_s, script.sensor_faults) for signal in told}
        for signal, track in self._tracks.items():
            for look in self._carried.get(signal, ()) if script.continues else ():
                track.add(look)

    def sample(self, now_s: float, true: Mapping[str, Series], distance: Value) -> None:
        """Look, if a look is due and the camera is live; the first of a turn is there at once."""
        if now_s < self._looks / self._eye.rate_hz - 1e-9:
            return
        number, self._looks = self._looks, self._looks + 1
        if not self._live.at(now_s):
            return
        is_empty = isinstance(distance, float) and distance >= INFINITE
        moment = Moment(self._seed, self._index, number, now_s)
        said = NOBODY if is_empty else self._eye.look(moment, true)
        ready_s = now_s + (LATENCY_S if number else 0.0)
        for signal, track in self._tracks.items():
            track.add(Look(now_s, ready_s, getattr(said, signal.removeprefix("human."))))

    def end_turn(self, duration_s: float) -> None:
        """Keep what was seen last for a turn that continues."""
        self._carried = {signal: track.carried_over(duration_s) for signal, track in self._tracks.items()}

    def read(self, signal: str, sensors: TurnSensors, now_s: float) -> Reading:
        """Return what the newest look that told something said."""
        del sensors
        return self._tracks[signal].read(now_s)

    def series(self, until_s: float) -> Mapping[str, Series]:
        """Return what the looks said."""
        return {signal: track.series(until_s) for signal, track in self._tracks.items()}


def check_pose(source: PoseSource) -> None:
    """Refuse a source that this machine cannot give, before anything is opened.

    Raises:
        InputError: With what is missing and how to get it.
    """
    if source != "keypoints":
        return
    missing = list(missing_parts())
    drawing, pose = gl_state(), pose_state()
    missing += [] if drawing.works else [f"OpenGL ({drawing.detail}): {drawing.fix}"]
    missing += [] if pose.available else [f"MediaPipe ({pose.detail}): {INSTALL}"]
    if missing:
        raise InputError(
            f"--pose keypoints needs the simulated G1 with its camera and a Python with MediaPipe. Missing: "
            f"{'; '.join(missing)}. --pose geometry works without: it errs as keypoints were measured to."
        )


def open_pose(source: PoseSource, stage: Stage) -> PoseSense:
    """Return the source of that name.

    Raises:
        InputError: If this machine cannot give it.
        RobotError: If the process that finds keypoints does not start.
    """
    if source == "scripted":
        return ScriptedPose()
    if source == "geometry":
        return LookedPose(MeasuredEye(load_pose_table()))
    check_pose(source)
    eye = import_module("heedful.world.mujoco_g1.sensors.keypoint_eye").KeypointEye(stage)
    return LookedPose(eye)
