"""Where the robot's distance to the nearest person comes from: the geometry of the scene, or its camera."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Protocol

import numpy as np

from heedful.errors import InputError
from heedful.state.script import TurnScript
from heedful.state.series import Series
from heedful.trace.records import Reading
from heedful.world.mujoco_g1.depth_track import DepthTrack, Frame
from heedful.world.mujoco_g1.held_track import Look
from heedful.world.mujoco_g1.stage import Stage
from heedful.world.synthetic.sensors import TurnSensors, camera_liveness
from heedful.world.world import ProximitySource

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_stage import G1Stage

DISTANCE = "human.distance"
RATE_HZ, LATENCY_S = 5.0, 0.1
"""Frames that are looked at in a second, and the declared time from a frame to its result [s]."""
SIZE_PX = (424, 240)


class Proximity(Protocol):
    """A source of `human.distance`."""

    @property
    def name(self) -> str:
        """What it is; for the trace and every report."""
        ...

    def begin_turn(self, seed: int, index: int, script: TurnScript, period_s: float) -> None:
        """Start a turn; where it continues, what was seen stays known."""
        ...

    def sample(self, now_s: float) -> None:
        """Look, if it is time to."""
        ...

    def end_turn(self, duration_s: float) -> None:
        """End a turn that lasted so long [s]."""
        ...

    def read(self, sensors: TurnSensors, now_s: float) -> Reading:
        """Return the robot's newest value."""
        ...

    def series(self, sensors: TurnSensors, until_s: float) -> Series | None:
        """Return the values of the turn; None where they are those of `sensors`."""
        ...


class GeometricProximity:
    """The true distance with the scenario's noise: fast, and blind to where the camera looks."""

    name = "geometry with the scenario's noise"

    def begin_turn(self, seed: int, index: int, script: TurnScript, period_s: float) -> None:
        """Nothing to prepare."""

    def sample(self, now_s: float) -> None:
        """Nothing to look at: the sensors sample the truth."""

    def end_turn(self, duration_s: float) -> None:
        """Nothing to carry over."""

    def read(self, sensors: TurnSensors, now_s: float) -> Reading:
        """Return the newest sample of the true distance."""
        return sensors.read(DISTANCE, now_s)

    def series(self, sensors: TurnSensors, until_s: float) -> Series | None:
        """Return None: the samples are those of the sensors."""
        del sensors, until_s
        return None


class CameraProximity:
    """Distances from the head camera's depth, as its noise and its field of view have them."""

    def __init__(self, stage: G1Stage) -> None:
        """Open the camera.

        Raises:
            InputError: If nothing can be drawn on this machine.
        """
        sensors = "heedful.world.mujoco_g1.sensors"
        camera = import_module(f"{sensors}.head_camera").HeadCamera(stage.model, *SIZE_PX)
        noise = import_module(f"{sensors}.depth_noise").D435Noise()
        looking = import_module(f"{sensors}.depth_proximity").DepthProximity
        self._stage = stage
        self._looking = looking(stage.model, stage.body.robot, camera, noise)
        self._track = DepthTrack(1.0)
        self._carried: tuple[Look, ...] = ()
        self._seed = self._index = self._frames = 0

    @property
    def name(self) -> str:
        """What it is."""
        width, height = SIZE_PX
        return f"depth {width}x{height} at {RATE_HZ:g} Hz, {LATENCY_S:g} s late, noise of a D435"

    def begin_turn(self, seed: int, index: int, script: TurnScript, period_s: float) -> None:
        """Start a turn with its camera's state."""
        self._seed, self._index, self._frames = seed, index, 0
        self._live = camera_liveness(script.signals)
        self._track = DepthTrack(period_s, script.sensor_faults)
        if script.continues:
            self._track.carry_on(self._carried)

    def sample(self, now_s: float) -> None:
        """Take a frame, if one is due and the camera is live; the first of a turn is there at once."""
        if now_s < self._frames / RATE_HZ - 1e-9:
            return
        number, self._frames = self._frames, self._frames + 1
        if not self._live.at(now_s):
            return
        rng = np.random.default_rng([self._seed, self._index, number])
        sighting = self._looking.look(self._stage.data, rng)
        late = LATENCY_S if number else 0.0
        self._track.add(Frame(now_s, now_s + late, sighting.distance_m))

    def end_turn(self, duration_s: float) -> None:
        """Keep what was seen last for a turn that continues."""
        self._carried = self._track.carried_over(duration_s)

    def read(self, sensors: TurnSensors, now_s: float) -> Reading:
        """Return what the newest frame says."""
        del sensors
        return self._track.read(now_s)

    def series(self, sensors: TurnSensors, until_s: float) -> Series | None:
        """Return what the frames said."""
        del sensors
        return self._track.series(until_s)


def open_proximity(source: ProximitySource, stage: Stage) -> Proximity:
    """Return the source of that name.

    Raises:
        InputError: If the stage has nothing to look at, or nothing can be drawn here.
    """
    if source == "geometry":
        return GeometricProximity()
    if stage.body.name != "mujoco_g1":
        raise InputError(
            "--proximity depth needs the simulated G1 with its camera; this machine has only the kinematic "
            "stand-in. `heedful doctor` says what is missing; --proximity geometry works without."
        )
    return CameraProximity(stage)  # type: ignore[arg-type]
