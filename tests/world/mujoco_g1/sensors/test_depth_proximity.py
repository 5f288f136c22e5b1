"""How near people are by depth."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from heedful.state.geometry import Pose
from heedful.state.series import INFINITE
from heedful.world.mujoco_g1.body import Posture
from heedful.world.mujoco_g1.people.person import Appearance
from heedful.world.mujoco_g1.sensors.depth_noise import D435Noise
from heedful.world.mujoco_g1.tasks import WalkWithVelocity
from tests.world.mujoco_g1.sensors.conftest import facing

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_stage import G1Stage
    from heedful.world.mujoco_g1.sensors.depth_proximity import DepthProximity
    from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera


@pytest.fixture(scope="module")
def proximity(shared_stage: G1Stage, camera: HeadCamera) -> DepthProximity:
    module = pytest.importorskip("heedful.world.mujoco_g1.sensors.depth_proximity")
    found: DepthProximity = module.DepthProximity(
        shared_stage.model, shared_stage.body.robot, camera, D435Noise()
    )
    return found


def errors(stage: G1Stage, proximity: DepthProximity, looks: int = 5) -> list[float]:
    rng = np.random.default_rng(1)
    true = stage.gap_m(0)
    sensed = [proximity.look(stage.data, rng).distance_m for _ in range(looks)]
    return [math.nan if value is None else value - true for value in sensed]


@pytest.mark.parametrize("x", [0.75, 1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("bearing_deg", [-25, 0, 15])
@pytest.mark.parametrize("who", [Appearance(), Appearance(is_child=True)], ids=["adult", "child"])
def test_distance_is_within_six_centimetres_up_to_three_metres(
    stage: G1Stage, proximity: DepthProximity, x: float, bearing_deg: float, who: Appearance
) -> None:
    angle = math.radians(bearing_deg)
    stage.show([facing(x * math.cos(angle), x * math.sin(angle), who)])
    found = errors(stage, proximity)
    assert all(abs(error) < 0.06 for error in found), found
    assert abs(float(np.mean(found))) < 0.03, found


def test_the_nearest_of_a_person_is_what_it_holds_out(stage: G1Stage, proximity: DepthProximity) -> None:
    stage.show([facing(1.5)])
    plain = proximity.look(stage.data, np.random.default_rng(0)).distance_m
    stage.show([facing(1.5, who=Appearance(handover=True))])
    reaching = proximity.look(stage.data, np.random.default_rng(0)).distance_m
    assert plain is not None
    assert reaching is not None
    assert plain - reaching > 0.3


def test_an_empty_room_shows_nobody_under_any_noise(stage: G1Stage, proximity: DepthProximity) -> None:
    for seed in range(40):
        seen = proximity.look(stage.data, np.random.default_rng(seed))
        assert seen.distance_m == INFINITE, (seed, seen)
        assert seen.valid_share > 0.95
        assert seen.point is None


def test_an_empty_room_shows_nobody_while_the_robot_walks_and_sits(
    stage: G1Stage, proximity: DepthProximity
) -> None:
    rng = np.random.default_rng(0)
    stage.body.begin(WalkWithVelocity(0.8, 0.0, 0.5, 3.0))
    for _ in range(12):
        stage.body.advance(0.26)
        assert proximity.look(stage.data, rng).distance_m == INFINITE
    stage.body.place(Pose(0.0, 0.0), Posture.SEATED)
    assert proximity.look(stage.data, rng).distance_m == INFINITE
    stage.body.place(Pose(0.0, 0.0), Posture.STANDING)


def test_a_near_person_is_never_far_and_never_nobody(stage: G1Stage, proximity: DepthProximity) -> None:
    for x in np.arange(0.16, 0.62, 0.02).tolist():
        for carrying in ("none", "heavy"):
            stage.show([facing(x, who=Appearance(carrying=carrying))])
            seen = proximity.look(stage.data, np.random.default_rng(0))
            assert seen.distance_m is None or seen.distance_m < 0.5, (x, carrying, seen)


def test_a_view_blocked_from_near_by_is_unknown(stage: G1Stage, proximity: DepthProximity) -> None:
    stage.show([facing(0.45, who=Appearance(carrying="heavy"))])
    seen = proximity.look(stage.data, np.random.default_rng(0))
    assert seen.distance_m is None
    assert 0.0 < seen.valid_share < 0.7


@pytest.mark.parametrize("blind", [0.0, np.inf])
def test_a_picture_without_depth_is_unknown(stage: G1Stage, proximity: DepthProximity, blind: float) -> None:
    seen = proximity.judge(np.full((240, 424), blind, np.float32), stage.data)
    assert (seen.distance_m, seen.valid_share) == (None, 0.0)


def test_a_fallen_robot_that_sees_no_floor_cannot_tell(stage: G1Stage, proximity: DepthProximity) -> None:
    data: Any = stage.data
    body, start = stage.body, stage.body.robot.base_position
    kept = body.data.qpos.copy()
    body.data.qpos[start : start + 7] = (0.0, 0.0, 0.2, math.sqrt(0.5), 0.0, -math.sqrt(0.5), 0.0)
    data = stage.data
    seen = proximity.look(data, np.random.default_rng(0))
    body.data.qpos[:] = kept
    assert seen.distance_m is None


def test_the_point_lies_on_the_person(stage: G1Stage, proximity: DepthProximity) -> None:
    stage.show([facing(1.5, 0.5)])
    point = proximity.look(stage.data, np.random.default_rng(0)).point
    assert point is not None
    assert math.hypot(point.x - 1.5, point.y - 0.5) < 0.35
    assert 0.05 < point.z < 1.8


def test_same_seed_same_answer(stage: G1Stage, proximity: DepthProximity) -> None:
    stage.show([facing(1.2)])
    first, second = (proximity.look(stage.data, np.random.default_rng(7)) for _ in range(2))
    assert first == second
    assert proximity.look(stage.data, np.random.default_rng(8)) != first


def test_a_large_picture_gives_the_same_distance(stage: G1Stage, proximity: DepthProximity) -> None:
    cameras = pytest.importorskip("heedful.world.mujoco_g1.sensors.head_camera")
    stage.show([facing(1.2)])
    with cameras.HeadCamera(stage.model, 640, 480) as large:
        other = type(proximity)(stage.model, stage.body.robot, large, None)
        true = other.look(stage.data, np.random.default_rng(0)).distance_m
    assert true == pytest.approx(stage.gap_m(0), abs=0.02)


def test_the_table_of_errors_counts_every_look(stage: G1Stage, proximity: DepthProximity) -> None:
    measuring = pytest.importorskip("heedful.world.mujoco_g1.sensors.proximity_error")
    found = measuring.measure_errors(stage, proximity, Appearance(), 1.0, np.random.default_rng(0))
    assert len(found.errors_m) + found.unknown + found.missed == 30
    assert 0.0 < abs(found.bias_m) < 0.03
    assert found.within_m < 0.06
    text = measuring.render({"adult": [found] * len(measuring.GAPS_M)})
    assert f"| 1.0 m | {found.bias_m:+.3f} / {found.within_m:.3f} |" in text
