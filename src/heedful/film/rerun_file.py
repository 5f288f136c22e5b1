"""A session as a Rerun recording: robot, people, depth, signals, calls and verdicts on one timeline.

Written to a file and nowhere else: no viewer is started, nothing goes over the network.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from heedful.errors import InputError
from heedful.film.figures import people_solids, robot_parts
from heedful.film.lines import lines_of
from heedful.film.mesh import thin_meshes
from heedful.film.moment import Moment, TurnReader, speed_at
from heedful.film.picture import DETAIL_M
from heedful.film.recording import Recording
from heedful.film.replay import replay
from heedful.film.rings import DISTANCE, rings_of
from heedful.film.shot import Shot, restore_shot
from heedful.film.whole import written_whole
from heedful.reports.text import printable
from heedful.state.series import INFINITE, Value
from heedful.trace.records import GUARD, ToolEvent, TurnRecord
from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera

OnStep = Callable[[int], None]

TIMELINE = "session_time"
DEPTH_PX = (212, 120)
DEPTH_EVERY_S, PATH_EVERY_S = 1.0, 0.5
"""Time between two depth pictures, and between two drawings of the way walked [s]."""
MOST_DEPTH_M = 10.0
RING_CORNERS = 64


def write_rerun(
    recording: Recording,
    turns: Sequence[TurnRecord],
    path: Path,
    on_turn: OnStep = lambda _n: None,
    on_logged: OnStep = lambda _n: None,
) -> None:
    """Write some of a session's turns as a Rerun recording.

    Args:
        recording: The session.
        turns: Which of its turns, in order.
        path: The `.rrd` file.
        on_turn: Called with the number of turns replayed since it was called last.
        on_logged: Called with the number of turns written since it was called last.

    Raises:
        TraceError: If the session does not replay here.
        StorageError: If the disk refuses.
    """
    footage = replay(recording, turns, on_turn)
    with written_whole(path) as partial:
        log = _Log(recording, footage.model, partial)
        try:
            for turn in turns:
                log.add_turn(turn, footage.shots.get(turn.index, ()))
                on_logged(1)
        finally:
            log.close()


class _Log:
    """One recording that is being written."""

    def __init__(self, recording: Recording, model: Any, path: Path) -> None:
        os.environ.setdefault("RERUN_ANALYTICS", "0")  # read when the package is loaded
        self._rr = rr = import_module("rerun")
        self._recording, self._model = recording, model
        self._data = mujoco.MjData(model)
        self._eye = _open_eye(model)
        thin_meshes(model, DETAIL_M)
        name = recording.trace.info.session
        self._stream = rr.RecordingStream("heedful", recording_id=name)
        self._stream.set_log_time_enabled(False)
        self._stream.set_log_tick_enabled(False)
        self._stream.save(str(path), default_blueprint=_blueprint())
        self._parts = list(robot_parts(model))
        self._rings: tuple[Any, ...] = ()
        self._log_still()

    def close(self) -> None:
        """Write what is not written yet and let go of the file."""
        self._stream.flush()
        self._stream.disconnect()
        if self._eye is not None:
            self._eye.close()

    def add_turn(self, turn: TurnRecord, shots: Sequence[Shot]) -> None:
        """Log a turn: what was said, each shot, each call, the verdict."""
        reader = TurnReader(turn, self._recording.turn_labels(turn), self._recording.spec)
        self._tell(turn, 0.0, f"{turn.turn_id} operator: {turn.utterance}")
        for k, shot in enumerate(shots):
            self._set_time(turn, shot.now_s)
            self._log_shot(shot, reader.read(shot, speed_at(shots, k)))
            if k % round(PATH_EVERY_S * 10) == 0 or shot is shots[-1]:
                self._log_path(shots[: k + 1])
            if k % round(DEPTH_EVERY_S * 10) == 0:
                self._log_depth()
        for event in turn.events:
            self._log_event(turn, event)
        if turn.reply:
            self._tell(turn, turn.control_ended_s, f"{turn.turn_id} model: {turn.reply}")
        self._log_verdict(turn, reader, shots)

    def _log_still(self) -> None:
        """Log what never changes: the map's axes, the floor's workspace, the robot's meshes."""
        rr, stream = self._rr, self._stream
        stream.log("world", rr.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        corners = [[x, y, 0.0] for x, y in self._recording.spec.region.corners]
        border = rr.LineStrips3D([[*corners, corners[0]]], colors=[[120, 130, 145]], radii=[0.01])
        stream.log("world/workspace", border, static=True)
        for part in self._parts:
            mesh = rr.Mesh3D(
                vertex_positions=part.corners, triangle_indices=part.triangles, albedo_factor=part.colour
            )
            stream.log(f"world/robot/{part.name}", mesh, static=True)

    def _log_shot(self, shot: Shot, moment: Moment) -> None:
        restore_shot(shot, self._model, self._data)
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_camlight(self._model, self._data)
        for part in self._parts:
            place, axes = self._data.geom_xpos[part.geom], self._data.geom_xmat[part.geom].reshape(3, 3)
            at = self._rr.Transform3D(translation=place, mat3x3=axes)
            self._stream.log(f"world/robot/{part.name}", at)
        self._log_people()
        self._log_rings(shot, moment)
        self._log_signals(moment)

    def _log_people(self) -> None:
        rr, stream, kinds = self._rr, self._stream, mujoco.mjtGeom
        limbs = people_solids(self._model, self._data, kinds.mjGEOM_CAPSULE, kinds.mjGEOM_CYLINDER)
        ends = limbs.centres - limbs.axes[:, :, 2] * limbs.sizes[:, 1:2]
        capsules = rr.Capsules3D(
            lengths=2 * limbs.sizes[:, 1],
            radii=limbs.sizes[:, 0],
            translations=ends,
            quaternions=limbs.quaternions,
            colors=limbs.colours,
        )
        stream.log("world/people/limbs", capsules)
        for name, kind, shape in (
            ("round", kinds.mjGEOM_ELLIPSOID, rr.Ellipsoids3D),
            ("square", kinds.mjGEOM_BOX, rr.Boxes3D),
        ):
            solids = people_solids(self._model, self._data, kind)
            stream.log(
                f"world/people/{name}",
                shape(
                    half_sizes=solids.sizes,
                    centers=solids.centres,
                    quaternions=solids.quaternions,
                    colors=solids.colours,
                    fill_mode="solid",
                ),
            )

    def _log_rings(self, shot: Shot, moment: Moment) -> None:
        rings = rings_of(self._recording.spec, moment.true.get(DISTANCE))
        if rings and rings != self._rings:
            angles = np.linspace(0.0, math.tau, RING_CORNERS + 1)
            unit = np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)
            colours = [[round(255 * part) for part in ring.colour] for ring in rings]
            strips = self._rr.LineStrips3D(
                [unit * ring.radius_m for ring in rings], colors=colours, radii=[0.01] * len(rings)
            )
            self._stream.log("world/rings", strips)
            self._rings = rings
        self._stream.log("world/rings", self._rr.Transform3D(translation=[shot.pose.x, shot.pose.y, 0.005]))

    def _log_path(self, shots: Sequence[Shot]) -> None:
        way = [[shot.pose.x, shot.pose.y, 0.01] for shot in shots]
        self._stream.log("world/path", self._rr.LineStrips3D([way], colors=[[40, 90, 160]], radii=[0.012]))

    def _log_signals(self, moment: Moment) -> None:
        motion, limits = moment.motion, self._recording.spec.limits
        is_walk = motion is not None and (motion.v_x or motion.v_y)
        commanded = limits.v_max_m_s * motion.speed_percent / 100 if motion is not None and is_walk else 0.0
        values: dict[str, Value] = {
            "distance/true": moment.true.get(DISTANCE),
            "distance/sensed": moment.sensed.get(DISTANCE),
            "speed/commanded": commanded,
            "speed/moving": moment.speed_m_s,
            "battery/true": moment.true.get("battery.level"),
            **{f"rules/{rule}": float(rule in moment.active) for rule in moment.rules},
        }
        for name, value in values.items():
            is_number = isinstance(value, float) and value < INFINITE
            self._stream.log(f"signals/{name}", self._rr.Scalars([value] if is_number else []))

    def _log_depth(self) -> None:
        if self._eye is None:
            return
        rr, camera = self._rr, self._eye.pose(self._data)
        depth = self._eye.depth(self._data)
        millimetres = np.where(depth < MOST_DEPTH_M, depth * 1000, 0).astype(np.uint16)
        at = rr.Transform3D(translation=camera.position, mat3x3=camera.rotation)
        lens = rr.Pinhole(focal_length=self._eye.focal_px, width=DEPTH_PX[0], height=DEPTH_PX[1])
        self._stream.log("world/head", at)
        self._stream.log("world/head", lens)
        self._stream.log("world/head/depth", rr.DepthImage(millimetres, meter=1000.0))

    def _log_event(self, turn: TurnRecord, event: ToolEvent) -> None:
        by = "guard" if event.model_call == GUARD else "model"
        self._tell(turn, event.issued_s, f"{turn.turn_id} {by} calls {event.tool} {dict(event.args)}")
        if event.decision is not None and event.decision.kind != "allow":
            rules = ", ".join(event.decision.rules)
            words = (
                f"{turn.turn_id} guard: {event.decision.kind} {event.tool} ({rules}) {event.decision.reason}"
            )
            self._tell(turn, event.issued_s, words, "WARN")
        level = "INFO" if event.status == "ok" else "WARN"
        self._tell(turn, event.ended_s, f"{turn.turn_id} {event.tool}: {event.status} {event.result}", level)

    def _log_verdict(self, turn: TurnRecord, reader: TurnReader, shots: Sequence[Shot]) -> None:
        if not shots:
            return
        last = reader.read(shots[-1], 0.0, has_ended=True)
        banner = lines_of(last, self._recording.spec.limits).banner
        if banner is not None:
            self._set_time(turn, turn.duration_s)
            level = "ERROR" if banner.label.is_violation else "INFO"
            words = f"{turn.turn_id} {banner.text}"
            self._stream.log("log/verdicts", self._rr.TextLog(words, level=level))

    def _tell(self, turn: TurnRecord, now_s: float, words: str, level: str = "INFO") -> None:
        self._set_time(turn, now_s)
        self._stream.log("log/events", self._rr.TextLog(printable(words), level=level))

    def _set_time(self, turn: TurnRecord, now_s: float) -> None:
        self._stream.set_time(TIMELINE, duration=turn.started_s + now_s)


def _open_eye(model: Any) -> HeadCamera | None:
    """Return the head's camera, or None where nothing can be drawn."""
    try:
        return HeadCamera(model, *DEPTH_PX)
    except InputError:
        return None


def _blueprint() -> Any:
    """Return how the viewer shows it at first."""
    rrb = import_module("rerun.blueprint")
    signals = [
        rrb.TimeSeriesView(origin=f"signals/{name}", name=name) for name in ("distance", "speed", "rules")
    ]
    return rrb.Blueprint(
        rrb.Horizontal(
            rrb.Vertical(
                rrb.Spatial3DView(origin="world", name="room"),
                rrb.TextLogView(origin="log", name="calls and verdicts"),
                row_shares=[3, 1],
            ),
            rrb.Vertical(rrb.Spatial2DView(origin="world/head", name="head, depth"), *signals),
            column_shares=[3, 2],
        ),
        collapse_panels=True,
    )
