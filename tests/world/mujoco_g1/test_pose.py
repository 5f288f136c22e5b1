"""Where the robot's idea of a person's pose comes from, seen through the simulated world."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.run_config import RunConfig
from heedful.state.motion import RobotLimits
from heedful.state.script import NoiseLaw, SensorFault, TurnScript
from heedful.state.series import Series, Value
from heedful.world.mujoco_g1.kinematic_stage import KinematicStage
from heedful.world.mujoco_g1.pose import NOBODY, SIGNALS, LookedPose, check_pose, open_pose
from heedful.world.mujoco_g1.sensors.keypoints import VARIABLE
from heedful.world.mujoco_g1.sensors.pose_eye import LATENCY_S, Moment
from heedful.world.mujoco_g1.sensors.pose_reading import NOT_FOUND, PoseReading
from heedful.world.mujoco_g1.world import SimWorld
from tests.world.scripts import NOBODY as NOBODY_IN_THE_ROOM
from tests.world.scripts import turn

LIMITS, NOISE = RobotLimits(), NoiseLaw()
SEATED = PoseReading("seated", "away", is_child=True, handover=False)
LOOKS = {
    "human.posture": "seated",
    "human.facing": "away",
    "human.is_child": True,
    "human.handover": False,
    "human.carrying": "hot",
}


class Eye:
    """Says what a function says of the moment."""

    name, rate_hz = "an eye", 5.0

    def __init__(self, says: Callable[[Moment], PoseReading]) -> None:
        self._says = says

    def look(self, moment: Moment, true: Mapping[str, Series]) -> PoseReading:
        return self._says(moment)


def world_of(says: Callable[[Moment], PoseReading], script: TurnScript) -> SimWorld:
    world = SimWorld(KinematicStage(), 7, LIMITS, NOISE, pose=LookedPose(Eye(says)))
    world.begin_turn(0, script)
    return world


def measured(seed: int, script: TurnScript, index: int = 0) -> SimWorld:
    stage = KinematicStage()
    world = SimWorld(stage, seed, LIMITS, NOISE, pose=open_pose("geometry", stage))
    world.begin_turn(index, script)
    return world


def said(world: SimWorld) -> dict[str, Value]:
    return {signal: world.sample(signal).value for signal in SIGNALS}


def as_signals(reading: PoseReading) -> dict[str, Value]:
    return {signal: getattr(reading, signal.removeprefix("human.")) for signal in SIGNALS}


def test_scripted_pose_is_what_is_true() -> None:
    stage = KinematicStage()
    world = SimWorld(stage, 7, LIMITS, NOISE, pose=open_pose("scripted", stage))
    world.begin_turn(0, turn(looks=LOOKS))
    world.advance(1.0)
    assert said(world) == {signal: LOOKS[signal] for signal in SIGNALS}
    assert world.facts["pose"] == "as scripted"


def test_what_an_eye_says_is_sensed_and_what_is_carried_stays_as_scripted() -> None:
    world = world_of(lambda _at: SEATED, turn(looks={**LOOKS, "human.posture": "standing"}))
    assert said(world) == as_signals(SEATED)
    assert world.true_values()["human.posture"] == "standing"
    assert world.sample("human.carrying").value == "hot"
    assert world.facts["pose"] == "an eye, 0.2 s late; carrying as scripted"


def test_a_person_who_is_not_found_is_held_and_then_unknown() -> None:
    world = world_of(lambda at: SEATED if at.now_s < 0.9 else NOT_FOUND, turn(looks=LOOKS))
    world.advance(1.8)
    assert said(world) == as_signals(SEATED)
    assert world.sample("human.posture").sampled_s == 0.8
    world.advance(0.1)
    assert set(said(world).values()) == {None}


def test_what_a_look_cannot_tell_is_held_alone() -> None:
    world = world_of(
        lambda at: SEATED if at.now_s < 0.1 else PoseReading(None, "robot", is_child=False, handover=False),
        turn(looks=LOOKS),
    )
    world.advance(0.8)
    assert said(world) == {**as_signals(NOBODY), "human.posture": "seated"}
    world.advance(1.0)
    assert said(world) == {**as_signals(NOBODY), "human.posture": None}


def test_a_look_is_known_only_when_its_result_is_there() -> None:
    world = world_of(lambda at: NOBODY if at.now_s < 0.1 else SEATED, turn(looks=LOOKS))
    world.advance(0.2 + LATENCY_S - 0.01)
    assert said(world) == as_signals(NOBODY)
    world.advance(0.01)
    assert said(world) == as_signals(SEATED)


def test_in_an_empty_room_the_distance_tells_that_there_is_no_one_to_look_at() -> None:
    world = world_of(lambda _at: NOT_FOUND, turn(distance=NOBODY_IN_THE_ROOM))
    world.advance(1.5)
    assert world.sample("human.posture").value == "standing"


def test_a_dead_camera_looks_at_nobody() -> None:
    world = world_of(lambda _at: SEATED, turn(looks=LOOKS, camera={0.0: True, 1.0: False}))
    world.advance(1.8)
    assert said(world) == as_signals(SEATED)
    world.advance(0.2)
    assert set(said(world).values()) == {None}


@pytest.mark.parametrize(("kind", "value"), [("dropout", None), ("stale", "seated")])
def test_scripted_faults_of_a_signal_stay(kind: str, value: Value) -> None:
    fault = SensorFault("human.posture", kind, 0.5, 3.0)  # type: ignore[arg-type]
    script = turn(looks=LOOKS, sensor_faults=(fault,))
    world = world_of(lambda at: SEATED if at.now_s < 0.5 else NOBODY, script)
    world.advance(1.0)
    assert said(world) == {**as_signals(NOBODY), "human.posture": value}


@pytest.mark.parametrize(("continues", "posture"), [(True, "seated"), (False, None)])
def test_what_was_seen_is_known_in_a_turn_that_continues(continues: bool, posture: Value) -> None:
    world = world_of(lambda at: SEATED if at.turn == 0 else NOT_FOUND, turn(1.1, looks=LOOKS))
    world.finish_turn(runs_on=False)
    world.end_turn()
    world.begin_turn(1, turn(looks=LOOKS, continues=continues))
    assert world.sample("human.posture").value == posture
    world.advance(1.0)
    assert world.sample("human.posture").value is None


def test_the_record_holds_what_was_read() -> None:
    leaves = turn(looks={**LOOKS, "human.posture": "standing"}, distance={0.0: 1.5, 2.0: 1.5, 6.0: 8.0})
    world = measured(7, leaves)
    read: list[dict[str, Value]] = [said(world)]
    for _ in range(100):
        world.advance(0.1)
        read.append(said(world))
    seen = world.sensed_series()
    assert read == [{s: seen[s].at(0.1 * k) for s in SIGNALS} for k in range(101)]
    assert seen["human.posture"].at(1.0) == "standing"
    assert seen["human.posture"].at(10.0) is None, "nobody is found so far away"


def test_measured_errors_are_the_same_for_the_same_seed_whenever_they_are_read() -> None:
    def series(seed: int, steps: int) -> Mapping[str, Series]:
        world = measured(seed, turn(looks=LOOKS, distance=0.7))
        for _ in range(steps):
            world.advance(6.0 / steps)
            said(world)
        return world.sensed_series()

    assert series(7, 1) == series(7, 12)
    assert series(7, 1) != series(8, 1)


def test_an_unknown_source_is_refused_with_the_names() -> None:
    with pytest.raises(UnknownNameError, match="scripted"):
        RunConfig(pose="guessed").check()  # type: ignore[arg-type]


def test_keypoints_are_refused_with_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(InputError, match=rf"MediaPipe \({VARIABLE} is not set\)"):
        check_pose("keypoints")
    with pytest.raises(InputError, match="--pose geometry works without"):
        open_pose("keypoints", KinematicStage())
    check_pose("geometry")
