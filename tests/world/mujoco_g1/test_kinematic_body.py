"""The stand-in follows tasks exactly, refuses and stops like the simulated robot, and needs no MuJoCo."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.state.geometry import Pose, distance
from heedful.world.mujoco_g1.body import STEP_S, Posture, run_task
from heedful.world.mujoco_g1.kinematic_body import CHANGE_S, KinematicBody
from heedful.world.mujoco_g1.tasks import (
    Outcome,
    SitDown,
    StandUp,
    Task,
    TaskEnd,
    Turn,
    WalkTo,
    WalkWithVelocity,
    WaveHand,
)
from heedful.world.mujoco_g1.velocity import STILL

COORDINATE = st.floats(-5, 5)


def test_it_names_itself() -> None:
    assert KinematicBody().name == "kinematic"
    assert KinematicBody().facts == {"body": "kinematic"}


@settings(max_examples=30)
@given(COORDINATE, COORDINATE, st.floats(5, 100))
def test_a_walk_ends_at_its_point(x: float, y: float, speed_percent: float) -> None:
    body = KinematicBody()
    outcome = run_task(body, WalkTo(x, y, speed_percent))
    assert outcome.end is TaskEnd.DONE
    assert distance(body.state.pose.point, (x, y)) <= 0.08
    assert outcome.commanded_m_s <= speed_percent / 100 + 1e-6


@given(st.floats(-12, 12), st.floats(10, 100))
def test_a_turn_ends_at_its_angle_whole_turns_included(angle: float, speed_percent: float) -> None:
    body = KinematicBody()
    outcome = run_task(body, Turn(angle, speed_percent))
    assert outcome.end is TaskEnd.DONE
    assert abs(math.remainder(body.state.pose.yaw - angle, math.tau)) < 0.06
    assert outcome.duration_s >= abs(angle) - 0.1


def test_a_velocity_runs_for_its_duration() -> None:
    body = KinematicBody()
    outcome = run_task(body, WalkWithVelocity(0.3, 0.4, 0.0, 2.0))
    assert outcome == Outcome(WalkWithVelocity(0.3, 0.4, 0.0, 2.0), TaskEnd.DONE, 0.0, 2.0, 0.5, 0.5, 0.5)
    assert body.state.pose == Pose(0.6, 0.8, 0.0)


def test_a_velocity_above_the_limits_is_held_to_them() -> None:
    body = KinematicBody()
    body.begin(WalkWithVelocity(3.0, 4.0, 9.0, 1.0))
    body.advance(STEP_S)
    assert body.state.velocity.speed_m_s == pytest.approx(1.0)
    assert body.state.velocity.w_z == 1.0


def test_sitting_and_standing_take_their_time() -> None:
    body = KinematicBody()
    sat = run_task(body, SitDown())
    assert (sat.end, body.state.posture) == (TaskEnd.DONE, Posture.SEATED)
    assert sat.duration_s == pytest.approx(CHANGE_S, abs=0.1)
    stood = run_task(body, StandUp())
    assert (stood.end, body.state.posture) == (TaskEnd.DONE, Posture.STANDING)


@pytest.mark.parametrize("task", [WalkTo(1, 0, 30), Turn(1, 30), WalkWithVelocity(1, 0, 0, 1), WaveHand()])
def test_motion_is_refused_while_seated(task: Task) -> None:
    body = KinematicBody()
    body.place(Pose(1.0, 2.0, 0.5), Posture.SEATED)
    before = body.state
    outcome = run_task(body, task)
    assert outcome == Outcome(task, TaskEnd.REFUSED, 0.0, 0.0, reason="the robot is seated")
    assert body.state == before


def test_stop_ends_a_walk_at_once() -> None:
    body = KinematicBody()
    body.begin(WalkTo(3, 0, 100))
    body.advance(1.0)
    body.stop()
    body.advance(1.0)
    assert (body.task, body.command) == (None, STILL)
    assert body.last_outcome is not None
    assert body.last_outcome.end is TaskEnd.STOPPED
    assert body.state.pose == Pose(1.0, 0.0, 0.0)


def test_stop_lets_sitting_down_go_on_and_holds_standing_up() -> None:
    body = KinematicBody()
    body.begin(SitDown())
    body.advance(0.5)
    body.stop()
    body.advance(5.0)
    assert body.state.posture is Posture.SEATED
    body.begin(StandUp())
    body.advance(1.0)
    body.stop()
    held = body.state.height_m
    body.advance(5.0)
    assert (body.state.posture, body.state.height_m) == (Posture.CHANGING, held)
    assert run_task(body, WaveHand()).reason == "the robot is between sitting and standing"
    assert run_task(body, StandUp()).end is TaskEnd.DONE


def test_another_task_replaces_the_one_under_way() -> None:
    body = KinematicBody()
    body.begin(WalkTo(3, 0, 100))
    body.advance(0.5)
    body.begin(Turn(1.0, 50))
    assert body.last_outcome is not None
    assert body.last_outcome.end is TaskEnd.REPLACED
    assert body.task == Turn(1.0, 50)


def test_a_task_that_runs_too_long_is_stopped() -> None:
    body = KinematicBody()
    assert run_task(body, WalkTo(50, 0, 100), limit_s=1.0).end is TaskEnd.STOPPED


def test_less_than_a_step_is_owed_to_the_next_call() -> None:
    body = KinematicBody()
    for _ in range(10):
        body.advance(STEP_S / 4)
    assert body.state.time_s == pytest.approx(2 * STEP_S)


def test_a_wave_moves_nobody() -> None:
    body = KinematicBody()
    outcome = run_task(body, WaveHand("left", 2))
    assert (outcome.end, body.state.pose) == (TaskEnd.DONE, Pose(0.0, 0.0))
    assert outcome.duration_s == pytest.approx(3.6, abs=0.5)
