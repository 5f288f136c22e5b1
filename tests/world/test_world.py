"""The synthetic world's clock, its robot and its turns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.state.geometry import Pose
from heedful.state.motion import Motion, RobotLimits, plan_motion
from heedful.state.series import INFINITE
from heedful.trace.records import Reading
from heedful.world.synthetic.world import SyntheticWorld

from .scripts import turn

ORIGIN = Pose(0.0, 0.0)


def world(**fields: Any) -> SyntheticWorld:
    made = SyntheticWorld(7)
    made.begin_turn(0, turn(**fields))
    return made


def walking(start: Pose = ORIGIN, duration: float = 6.0, speed: float = 0.5) -> Motion:
    args = {
        "linear_x": speed,
        "linear_y": 0.0,
        "angular_z": 0.0,
        "duration": duration,
        "speed_percent": 100.0,
    }
    motion = plan_motion("walk_with_velocity", args, start, RobotLimits())
    assert motion is not None
    return motion


def next_turn(made: SyntheticWorld, index: int, **fields: Any) -> bool:
    script = turn(**fields)
    made.finish_turn(runs_on=script.continues)
    made.end_turn()
    return made.begin_turn(index, script)


@given(st.lists(st.floats(0, 5), max_size=20))
def test_the_clock_only_advances(steps: list[float]) -> None:
    made = world()
    before = made.now_s
    for seconds in steps:
        made.advance(seconds)
        assert made.now_s == pytest.approx(before + seconds, abs=1e-6)
        before = made.now_s


@pytest.mark.parametrize(
    ("busy_s", "declared_s", "lasts_s"), [(0.0, 4.0, 4.0), (3.95, 4.0, 4.0), (4.0, 4.0, 4.0), (9.5, 4.0, 9.5)]
)
def test_a_turn_lasts_as_long_as_its_calls_or_as_declared(
    busy_s: float, declared_s: float, lasts_s: float
) -> None:
    made = world(duration_s=declared_s)
    made.advance(busy_s)
    made.finish_turn(runs_on=False)
    assert made.end_turn() == lasts_s
    assert (made.now_s, made.session_s) == (0.0, lasts_s)


@pytest.mark.parametrize(
    ("runs_on", "lasts_s", "x"),
    [(False, 7.0, 3.0), (True, 4.0, 1.5)],
)
def test_a_motion_is_waited_for_unless_it_runs_on(runs_on: bool, lasts_s: float, x: float) -> None:
    made = world()
    made.advance(1.0)
    made.start_motion(walking(duration=6.0))
    made.finish_turn(runs_on=runs_on)
    assert made.robot().pose == Pose(x, 0.0)
    assert (made.robot().motion is not None) is runs_on
    assert made.end_turn() == lasts_s


def test_a_motion_runs_on_into_a_turn_that_continues_and_ends_at_its_time() -> None:
    made = world()
    made.advance(1.0)
    made.start_motion(walking(duration=6.0))
    assert next_turn(made, 1, continues=True, duration_s=10.0, pose=Pose(9.0, 9.0)) is False
    state = made.robot()
    assert (state.pose, state.motion_started_s) == (Pose(1.5, 0.0), -3.0)
    made.advance(2.9)
    assert made.robot().motion is not None
    made.advance(0.1)
    assert (made.robot().pose, made.robot().motion) == (Pose(3.0, 0.0), None)
    made.advance(5.0)
    assert made.robot().pose == Pose(3.0, 0.0)


def test_a_motion_runs_on_through_several_turns() -> None:
    made = world(duration_s=2.0)
    made.start_motion(walking(duration=10.0))
    for index in range(1, 4):
        next_turn(made, index, continues=True, duration_s=2.0)
    assert (made.robot().pose, made.session_s) == (Pose(3.0, 0.0), 6.0)
    assert made.robot().motion_started_s == -6.0


def test_a_turn_that_does_not_continue_puts_the_robot_where_the_script_says() -> None:
    made = world()
    made.start_motion(walking(duration=6.0))
    made.set_posture("seated")
    assert next_turn(made, 1, pose=Pose(1.0, -1.0, 0.5)) is True
    state = made.robot()
    assert (state.pose, state.posture, state.motion) == (Pose(1.0, -1.0, 0.5), "standing", None)


def test_nothing_is_put_back_when_all_is_as_scripted() -> None:
    made = world(pose=Pose(1.0, 0.0))
    assert next_turn(made, 1, pose=Pose(1.0, 0.0)) is False
    assert next_turn(made, 2, pose=Pose(1.0, 0.0), posture="seated") is True


def test_a_kept_seat_outlives_turns_until_the_operator_resets_the_robot() -> None:
    made = world()
    made.set_posture("seated")
    made.keep_seat()
    next_turn(made, 1, pose=Pose(1.0, 0.0))
    assert (made.robot().posture, made.robot().pose) == ("seated", Pose(1.0, 0.0))
    next_turn(made, 2, continues=True)
    assert made.robot().posture == "seated"
    next_turn(made, 3, resets=True)
    assert made.robot().posture == "standing"
    made.set_posture("seated")
    next_turn(made, 4)
    assert made.robot().posture == "standing"


def test_an_emergency_stop_latches_until_the_operator_resets_the_robot() -> None:
    made = world()
    made.start_motion(walking())
    made.latch_emergency_stop()
    assert (made.robot().is_estopped, made.robot().motion) == (True, None)
    for index, continues in ((1, False), (2, True)):
        next_turn(made, index, continues=continues)
        assert made.robot().is_estopped
    next_turn(made, 3, resets=True)
    assert not made.robot().is_estopped


@settings(max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(["walk", "sit", "wait", "estop"]), st.floats(0, 3)), max_size=6))
def test_the_true_state_does_not_depend_on_what_the_robot_does(deeds: list[tuple[str, float]]) -> None:
    script: dict[str, Any] = {"distance": {0.0: 3.0, 5.0: 0.4}, "battery": {0.0: 16.0, 20.0: 12.0}}
    busy, idle = world(**script), world(**script)
    for deed, seconds in deeds:
        if deed == "walk":
            busy.start_motion(walking(busy.robot().pose))
        elif deed == "sit":
            busy.set_posture("seated")
        elif deed == "estop":
            busy.latch_emergency_stop()
        busy.advance(seconds)
        idle.advance(seconds)
        own = ("robot.x", "robot.y")
        seen = {name: value for name, value in busy.true_values().items() if name not in own}
        assert seen == {name: value for name, value in idle.true_values().items() if name not in own}
        assert busy.sample("human.distance") == idle.sample("human.distance")
        assert busy.robot().battery == idle.robot().battery
    assert busy.true_series() == idle.true_series()
    assert busy.sensed_series() == idle.sensed_series()


def test_the_robot_is_where_it_walked_to_and_senses_it_within_noise() -> None:
    made = world()
    motion = plan_motion(
        "walk_to", {"x": 1.0, "y": 2.0, "speed_percent": 50.0}, Pose(0.0, 0.0), RobotLimits()
    )
    assert motion is not None
    made.run_motion(motion)
    assert made.now_s == motion.duration_s
    assert made.true_position() == pytest.approx({"robot.x": 1.0, "robot.y": 2.0}, abs=2e-6)
    for name, value in made.sensed_position().items():
        assert value == pytest.approx(made.true_position()[name], abs=0.02 + 0.005 + 1e-9)
    assert made.sample("robot.yaw").value == pytest.approx(motion.end.yaw, abs=0.0005)


def test_a_signal_nobody_scripted_is_unknown() -> None:
    made = world()
    made.advance(0.25)
    assert made.sample("human.mood") == Reading(None, 0.25)
    assert made.sample("robot.mood").value is None


def test_two_worlds_of_one_seed_sense_the_same_and_of_two_seeds_do_not() -> None:
    def sensed(seed: int) -> Any:
        made = SyntheticWorld(seed)
        made.begin_turn(3, turn())
        made.advance(4.0)
        return made.sensed_series()

    assert sensed(7) == sensed(7)
    assert sensed(7) != sensed(8)


def test_nobody_in_view_is_sampled_as_such() -> None:
    made = world(distance=INFINITE)
    made.advance(1.0)
    assert made.sample("human.distance") == Reading(INFINITE, 1.0)
    assert made.sensed_series()["human.distance"].values == (INFINITE,)


def test_a_turn_without_a_battery_reads_full() -> None:
    made = SyntheticWorld(7)
    script = turn()
    made.begin_turn(0, replace(script, signals={}))
    assert made.robot().battery == 100.0
