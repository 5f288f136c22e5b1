"""The simulated G1 walks, turns, stops, sits, stands up, waves, falls and repeats itself."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from heedful.state.geometry import Pose, distance
from heedful.world.mujoco_g1.assets.pins import fingerprint
from heedful.world.mujoco_g1.body import Posture, run_task
from heedful.world.mujoco_g1.tasks import (
    SitDown,
    StandUp,
    Task,
    TaskEnd,
    Turn,
    WalkTo,
    WalkWithVelocity,
    WaveHand,
)

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.assets.store import G1Assets
    from heedful.world.mujoco_g1.g1_body import G1Body


def test_it_names_itself_and_weighs_what_the_g1_weighs(body: G1Body) -> None:
    assert body.name == body.facts["body"] == "mujoco_g1"
    assert body.facts["assets"] == fingerprint()
    assert body.robot.mass_kg == pytest.approx(33.34, abs=0.01)
    assert len(body.robot.motors) == 29


def test_torque_limits_are_on(body: G1Body) -> None:
    limits = body.model.actuator_forcerange[body.robot.motors]
    assert body.model.actuator_forcelimited[body.robot.motors].all()
    assert limits[:6, 1].tolist() == [88, 139, 88, 139, 50, 50]


def test_it_stands_still(body: G1Body) -> None:
    body.advance(3.0)
    assert distance(body.state.pose.point, (0.0, 0.0)) < 0.05
    assert body.state.upright > 0.99


@pytest.mark.parametrize(("x", "y", "speed"), [(1.0, 0.5, 100), (-0.5, 0.3, 50), (0.3, 0.0, 20)])
def test_a_walk_ends_within_15_cm(body: G1Body, x: float, y: float, speed: float) -> None:
    outcome = run_task(body, WalkTo(x, y, speed))
    body.advance(1.0)
    assert outcome.end is TaskEnd.DONE
    assert distance(body.state.pose.point, (x, y)) < 0.15
    assert 0.14 < outcome.commanded_m_s <= speed / 100


def test_commanded_and_achieved_speed_are_both_told(body: G1Body) -> None:
    outcome = run_task(body, WalkWithVelocity(0.6, 0.0, 0.0, 4.0))
    assert outcome.commanded_m_s == pytest.approx(0.6, abs=1e-6)
    assert outcome.achieved_m_s is not None
    assert 0.35 < outcome.achieved_m_s < 0.6


@pytest.mark.parametrize("degrees", [90, -45])
def test_a_turn_ends_within_five_degrees(body: G1Body, degrees: float) -> None:
    start = body.state.pose.yaw
    assert run_task(body, Turn(math.radians(degrees), 80)).end is TaskEnd.DONE
    turned = math.remainder(body.state.pose.yaw - start, math.tau)
    assert abs(math.degrees(turned) - degrees) < 5


def test_a_velocity_without_turning_keeps_its_heading(body: G1Body) -> None:
    run_task(body, WalkWithVelocity(0.6, 0.0, 0.0, 5.0))
    assert abs(body.state.pose.yaw) < 0.15


def test_stop_brings_it_to_rest(body: G1Body) -> None:
    body.begin(WalkTo(5.0, 0.0, 60))
    body.advance(2.0)
    body.stop()
    body.advance(1.5)
    assert body.last_outcome is not None
    assert body.last_outcome.end is TaskEnd.STOPPED
    assert body.state.velocity.speed_m_s < 0.1


def test_it_sits_within_five_seconds_out_of_a_walk_and_stands_up_again(body: G1Body) -> None:
    body.begin(WalkTo(5.0, 0.0, 60))
    body.advance(2.5)
    sat = run_task(body, SitDown())
    assert sat.duration_s < 5.0
    body.advance(3.0)
    assert body.state.posture is Posture.SEATED
    assert body.state.height_m < 0.45
    assert run_task(body, WalkTo(0.0, 0.0, 50)).reason == "the robot is seated"
    assert run_task(body, StandUp()).end is TaskEnd.DONE
    body.advance(1.0)
    assert run_task(body, WalkWithVelocity(0.5, 0.0, 0.0, 2.0)).end is TaskEnd.DONE
    assert body.state.posture is Posture.STANDING


def test_standing_up_can_be_held_half_way(body: G1Body) -> None:
    body.place(Pose(0.0, 0.0), Posture.SEATED)
    body.advance(0.5)
    body.begin(StandUp())
    body.advance(1.0)
    body.stop()
    body.advance(2.0)
    assert body.state.posture is Posture.CHANGING
    assert 0.45 < body.state.height_m < 0.72
    assert run_task(body, SitDown()).end is TaskEnd.DONE


@pytest.mark.parametrize("hand", ["left", "right"])
def test_a_wave_raises_the_hand_and_keeps_the_feet(body: G1Body, hand: str) -> None:
    task: Task = WaveHand("left" if hand == "left" else "right", 2)
    low = body.data.xpos[body.robot.hands[hand]][2]
    body.begin(task)
    body.advance(2.0)
    assert body.data.xpos[body.robot.hands[hand]][2] > low + 0.3
    body.advance(4.0)
    assert body.last_outcome is not None
    assert body.last_outcome.end is TaskEnd.DONE
    assert distance(body.state.pose.point, (0.0, 0.0)) < 0.06


def test_a_fall_is_reported_and_motion_refused_until_it_is_put_up_again(body: G1Body) -> None:
    module = pytest.importorskip("heedful.world.mujoco_g1.g1_body")
    body.begin(WalkTo(3.0, 0.0, 50))
    body.advance(1.0)
    body.push(module.Push(400.0, 300.0, 0.6))
    body.advance(4.0)
    assert body.state.posture is Posture.FALLEN
    assert body.last_outcome is not None
    assert body.last_outcome.end is TaskEnd.FELL
    for task in (WalkTo(0.0, 0.0, 50), SitDown(), StandUp(), WaveHand()):
        refused = run_task(body, task)
        assert (refused.end, refused.reason) == (TaskEnd.REFUSED, "the robot has fallen")
    body.place(Pose(1.0, 1.0, 1.0), Posture.STANDING)
    assert run_task(body, WalkWithVelocity(0.4, 0.0, 0.0, 2.0)).end is TaskEnd.DONE


def test_a_push_of_60_newtons_does_not_throw_it(body: G1Body) -> None:
    module = pytest.importorskip("heedful.world.mujoco_g1.g1_body")
    body.begin(WalkTo(3.0, 0.0, 60))
    body.advance(1.0)
    body.push(module.Push(0.0, 60.0, 0.2))
    while body.task is not None:
        body.advance(0.1)
    assert distance(body.state.pose.point, (3.0, 0.0)) < 0.15


def test_a_speed_too_slow_for_the_gait_stalls_instead_of_drifting(body: G1Body) -> None:
    before = body.state.pose
    outcome = run_task(body, WalkTo(1.0, 0.0, 1.0))
    assert outcome.end is TaskEnd.STALLED
    assert distance(body.state.pose.point, before.point) < 0.05


@pytest.mark.parametrize("posture", [Posture.STANDING, Posture.SEATED])
def test_it_is_put_where_it_is_told(body: G1Body, posture: Posture) -> None:
    body.place(Pose(1.5, -0.5, 2.0), posture)
    body.advance(1.0)
    assert body.state.posture is posture
    assert distance(body.state.pose.point, (1.5, -0.5)) < 0.1
    assert abs(body.state.pose.yaw - 2.0) < 0.1


def test_the_same_seed_gives_the_same_bytes_after_ten_seconds(assets: G1Assets) -> None:
    first, second, other = (hash_of_noisy_walk(assets, seed) for seed in (7, 7, 8))
    assert first == second
    assert first != other


def hash_of_noisy_walk(assets: G1Assets, seed: int) -> str:
    """Return the state's hash after ten noisy seconds of a body of its own."""
    disturbed = pytest.importorskip("heedful.world.mujoco_g1.disturbed")
    own: G1Body = disturbed.G1Body(assets, noise=disturbed.NOISE, rng=np.random.default_rng(seed))
    own.begin(WalkTo(2.0, 1.0, 60))
    own.push(disturbed.push_towards(0.0, 40.0))
    own.advance(10.0)
    return own.state_hash()


def test_a_person_may_stand_in_the_same_model(assets: G1Assets) -> None:
    mujoco = pytest.importorskip("mujoco")
    model = pytest.importorskip("heedful.world.mujoco_g1.model")
    module = pytest.importorskip("heedful.world.mujoco_g1.g1_body")
    spec = model.robot_spec(assets)
    person = spec.worldbody.add_body(name="person", mocap=True, pos=[2.0, 0.0, 0.9])
    person.add_geom(type=mujoco.mjtGeom.mjGEOM_CAPSULE, size=[0.2, 0.6, 0.0], contype=0, conaffinity=0)
    with_person: G1Body = module.G1Body(assets, model=spec.compile())
    assert with_person.model.nv == 35
    assert run_task(with_person, WalkTo(0.5, 0.2, 60)).end is TaskEnd.DONE
    with_person.place(Pose(0.0, 0.0), Posture.STANDING)
    assert with_person.data.mocap_pos.tolist() == [[2.0, 0.0, 0.9]]
