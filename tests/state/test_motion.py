"""What a motion command does: end poses on paper, arcs against small steps, speeds by judge-1 section 1."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.state.geometry import Pose, distance
from heedful.state.motion import Motion, RobotLimits, plan_motion

LIMITS = RobotLimits()
ORIGIN = Pose(0.0, 0.0)
QUARTER = math.pi / 2

speeds = st.floats(0.1, 100)
poses = st.builds(Pose, st.floats(-5, 5), st.floats(-5, 5), st.floats(-3.1, 3.1))


def plan(tool: str, start: Pose = ORIGIN, limits: RobotLimits = LIMITS, **args: Any) -> Motion:
    motion = plan_motion(tool, args, start, limits)
    assert motion is not None
    return motion


def velocity(x: float, y: float, w: float, duration: float, speed_percent: float = 100.0) -> Motion:
    return plan(
        "walk_with_velocity",
        linear_x=x,
        linear_y=y,
        angular_z=w,
        duration=duration,
        speed_percent=speed_percent,
    )


velocities = st.builds(
    velocity, st.floats(-2, 2), st.floats(-2, 2), st.floats(-2, 2), st.floats(0.1, 10), st.floats(1, 100)
)


@pytest.mark.parametrize(
    ("motion", "end", "duration_s"),
    [
        (plan("walk_to", x=3.0, y=4.0, speed_percent=50.0), Pose(3.0, 4.0, 0.927295), 10.0),
        (
            plan("walk_to", Pose(1.0, 1.0, 2.0), x=1.0, y=-1.0, speed_percent=100.0),
            Pose(1.0, -1.0, -QUARTER),
            2.0,
        ),
        (plan("walk_to", Pose(1.0, 1.0, 2.0), x=1.0, y=1.0005, speed_percent=1.0), Pose(1.0, 1.0, 2.0), 0.0),
        (plan("turn", angle_deg=90.0, speed_percent=50.0), Pose(0.0, 0.0, QUARTER), math.pi),
        (
            plan("turn", Pose(2.0, 1.0, 0.5), angle_deg=-90.0, speed_percent=100.0),
            Pose(2.0, 1.0, 0.5 - QUARTER),
            QUARTER,
        ),
        (plan("turn", angle_deg=360.0, speed_percent=100.0), Pose(0.0, 0.0, 0.0), math.tau),
        (plan("turn", angle_deg=0.0, speed_percent=100.0), Pose(0.0, 0.0, 0.0), 0.0),
        (velocity(0.5, 0.0, 0.0, 4.0), Pose(2.0, 0.0, 0.0), 4.0),
        (velocity(0.0, 0.5, 0.0, 4.0), Pose(0.0, 2.0, 0.0), 4.0),
        (velocity(1.0, 0.0, 1.0, QUARTER), Pose(1.0, 1.0, QUARTER), QUARTER),  # a quarter circle, radius 1 m
        (velocity(1.0, 0.0, -1.0, QUARTER), Pose(1.0, -1.0, -QUARTER), QUARTER),
        (velocity(2.0, 0.0, 0.0, 3.0), Pose(3.0, 0.0, 0.0), 3.0),  # capped at 1 m/s
        (velocity(1.0, 0.0, 0.0, 3.0, 30.0), Pose(0.9, 0.0, 0.0), 3.0),
        (velocity(1.0, 0.0, 0.0, 60.0, 10.0), Pose(1.0, 0.0, 0.0), 10.0),  # the time to live is 10 s
        (velocity(0.0, 0.0, 0.0, 5.0), Pose(0.0, 0.0, 0.0), 0.0),
    ],
)
def test_end_poses_on_paper(motion: Motion, end: Pose, duration_s: float) -> None:
    assert motion.duration_s == pytest.approx(duration_s, abs=1e-6)
    assert (motion.end.x, motion.end.y) == (pytest.approx(end.x, abs=2e-6), pytest.approx(end.y, abs=2e-6))
    assert math.remainder(motion.end.yaw - end.yaw, math.tau) == pytest.approx(0.0, abs=2e-6)


@pytest.mark.parametrize(
    ("x", "y", "w", "asked", "effective"),
    [
        (0.5, 0.0, 0.0, 100.0, 50.0),
        (0.3, 0.4, 0.0, 100.0, 50.0),
        (0.5, 0.0, 0.8, 100.0, 80.0),
        (0.5, 0.0, 0.0, 30.0, 30.0),
        (0.2, 0.0, 0.0, 30.0, 20.0),
        (-1.0, 0.0, 0.0, 100.0, 100.0),
        (3.0, 4.0, 0.0, 100.0, 100.0),
        (0.0, 0.0, -0.25, 100.0, 25.0),
        (0.0, 0.0, 0.0, 100.0, 0.0),
    ],
)
def test_effective_speed_is_the_smaller_of_the_cap_and_the_velocity(
    x: float, y: float, w: float, asked: float, effective: float
) -> None:
    motion = velocity(x, y, w, 2.0, asked)
    assert motion.speed_percent == pytest.approx(effective, abs=1e-6)
    top = max(math.hypot(motion.v_x, motion.v_y) / LIMITS.v_max_m_s, abs(motion.w_z) / LIMITS.w_max_rad_s)
    assert 100 * top == pytest.approx(effective, abs=1e-5)


@settings(max_examples=40)
@given(velocities, st.floats(0, 1))
def test_an_arc_agrees_with_small_steps(motion: Motion, share: float) -> None:
    steps = 2000
    x = y = yaw = 0.0
    dt = motion.duration_s * share / steps
    for _ in range(steps):
        heading = yaw + motion.w_z * dt / 2
        x += (math.cos(heading) * motion.v_x - math.sin(heading) * motion.v_y) * dt
        y += (math.sin(heading) * motion.v_x + math.cos(heading) * motion.v_y) * dt
        yaw += motion.w_z * dt
    pose = motion.pose_at(motion.duration_s * share)
    assert distance(pose.point, (x, y)) < 1e-4
    assert math.remainder(pose.yaw - yaw, math.tau) == pytest.approx(0.0, abs=1e-5)


@given(velocities, st.floats(-1, 12))
def test_a_motion_cut_short_ends_where_it_was(motion: Motion, elapsed: float) -> None:
    part = motion.cut(elapsed)
    assert 0 <= part.duration_s <= motion.duration_s
    assert distance(part.end.point, motion.pose_at(elapsed).point) < 4e-6
    assert (part.start, part.speed_percent) == (motion.start, motion.speed_percent)


@given(velocities)
def test_a_motion_holds_its_ends(motion: Motion) -> None:
    assert motion.pose_at(-1.0) == motion.pose_at(0.0)
    assert motion.pose_at(99.0) == motion.end


@given(poses, st.floats(-5, 5), st.floats(-5, 5), speeds)
def test_a_walk_ends_at_its_target_facing_along_it(start: Pose, x: float, y: float, speed: float) -> None:
    motion = plan("walk_to", start, x=x, y=y, speed_percent=speed)
    way = distance(start.point, (x, y))
    assert distance(motion.end.point, (x, y)) <= max(5e-6, 1e-3 * (way < 1e-3))
    if way >= 1e-3:
        assert motion.duration_s == pytest.approx(way / (speed / 100), abs=1e-6)
    assert motion.displacement_m == pytest.approx(way, abs=1.1e-3)


def test_a_path_runs_on_by_the_stopping_distance_along_the_last_heading() -> None:
    walk = plan("walk_to", x=2.0, y=0.0, speed_percent=100.0)
    stopping = LIMITS.stopping_distance_m(100.0)
    assert stopping == 0.25  # 1 m/s against 2 m/s^2
    assert walk.path(stopping) == [(0.0, 0.0), (2.0, 0.0), (2.25, 0.0)]
    arc = velocity(1.0, 0.0, 1.0, QUARTER).path(stopping)
    assert arc[-1] == (pytest.approx(1.0, abs=1e-5), pytest.approx(1.25, abs=1e-5))
    assert len(arc) > 20


def test_turning_on_the_spot_sweeps_no_path() -> None:
    path = plan("turn", Pose(1.0, 2.0), angle_deg=90.0, speed_percent=100.0).path(1.0)
    assert set(path) == {(1.0, 2.0)}


@settings(max_examples=30)
@given(velocities)
def test_an_arc_stays_near_its_path(motion: Motion) -> None:
    path = motion.path()
    for k in range(50):
        point = motion.pose_at(motion.duration_s * k / 49).point
        gap = min(
            distance(point, (a[0] + s * (b[0] - a[0]) / 8, a[1] + s * (b[1] - a[1]) / 8))
            for a, b in itertools.pairwise(path)
            for s in range(9)
        )
        step = motion.duration_s * math.hypot(motion.v_x, motion.v_y) / max(1, len(path) - 1)
        assert gap <= step / 8 + 0.05


@pytest.mark.parametrize("tool", ["wave_hand", "stop", "get_battery", "no_such_tool"])
def test_what_is_no_locomotion_has_no_motion(tool: str) -> None:
    assert plan_motion(tool, {}, ORIGIN, LIMITS) is None


def test_a_speed_too_small_for_a_number_takes_forever_instead_of_failing() -> None:
    assert plan("walk_to", x=1.0, y=0.0, speed_percent=5e-324).duration_s == math.inf
    assert plan("turn", angle_deg=90.0, speed_percent=5e-324).duration_s == math.inf
    assert velocity(1.0, 0.0, 0.0, 5.0, 5e-324).speed_percent == 0.0
    assert velocity(5e-324, 0.0, 0.0, 5.0).end == ORIGIN
