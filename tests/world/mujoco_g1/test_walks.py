"""The promises about walking, with noise and pushes; slow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from heedful.state.geometry import Pose, distance
from heedful.world.mujoco_g1.body import G1_LIMITS, Posture, run_task
from heedful.world.mujoco_g1.speed_table import load_speed_table
from heedful.world.mujoco_g1.tasks import SitDown, TaskEnd, WalkTo, WalkWithVelocity

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_body import G1Body

pytestmark = pytest.mark.slow
POINTS = ((2.0, 1.0), (-1.0, 0.5), (0.4, 0.0), (0.0, -1.5))


@pytest.fixture
def noisy_body(body: G1Body) -> Iterator[G1Body]:
    """The shared robot with noise on what its policy senses."""
    disturbed = pytest.importorskip("heedful.world.mujoco_g1.disturbed")
    body.set_noise(disturbed.NOISE, np.random.default_rng(11))
    yield body
    body.set_noise(None)


def test_no_pushed_noisy_walk_of_32_ends_in_a_fall(body: G1Body) -> None:
    measure = pytest.importorskip("heedful.world.mujoco_g1.measure")
    assert len(measure.COMMANDS) * len(measure.SEEDS) == 32
    assert measure.measure_falls(body, noise_factor=1.0) == []


@pytest.mark.parametrize("speed", [20, 30, 60, 100])
def test_noisy_walks_end_within_15_cm(noisy_body: G1Body, speed: float) -> None:
    for x, y in POINTS:
        noisy_body.place(Pose(0.0, 0.0), Posture.STANDING)
        assert run_task(noisy_body, WalkTo(x, y, speed), limit_s=60.0).end is TaskEnd.DONE
        noisy_body.advance(1.0)
        assert distance(noisy_body.state.pose.point, (x, y)) < 0.15


@pytest.mark.parametrize("speed", [30, 60, 100])
def test_it_sits_within_five_seconds_from_any_instant_of_a_gait(body: G1Body, speed: float) -> None:
    for k in range(8):
        body.place(Pose(0.0, 0.0), Posture.STANDING)
        body.begin(WalkTo(9.0, 0.0, speed))
        body.advance(2.0 + k / 8)
        sat = run_task(body, SitDown(), limit_s=12.0)
        body.advance(2.0)
        assert (sat.end, body.state.posture) == (TaskEnd.DONE, Posture.SEATED)
        assert sat.duration_s <= 5.0


@pytest.mark.parametrize("way", [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
@pytest.mark.parametrize("speed", [0.05, 0.2, 0.6, 1.0])
def test_a_velocity_command_ends_within_a_decimetre_of_its_plan_and_stopping_distance(
    body: G1Body, way: tuple[float, float], speed: float
) -> None:
    for duration in (0.6, 1.5, 4.0):
        body.place(Pose(0.0, 0.0), Posture.STANDING)
        run_task(body, WalkWithVelocity(way[0] * speed, way[1] * speed, 0.0, duration))
        body.advance(2.5)
        went = body.state.pose.x * way[0] + body.state.pose.y * way[1]
        assert went <= speed * duration + G1_LIMITS.stopping_distance_m(100 * speed) + 0.1


@pytest.mark.parametrize("direction", ["forward", "backward", "sideways", "turn"])
def test_the_shipped_speed_table_is_what_is_measured(body: G1Body, direction: str) -> None:
    measure = pytest.importorskip("heedful.world.mujoco_g1.measure")
    unit = measure.DIRECTIONS[direction]
    for row in load_speed_table().rows[direction][2::2]:
        command = measure.Velocity(*(row.commanded * part for part in unit))
        assert measure.measure_speed(body, command) == pytest.approx(row.achieved, abs=0.03)
