"""The simulated world: what it keeps of the script, what the body decides, and what it says of both."""

from __future__ import annotations

import math
from typing import Any

import pytest

from heedful.errors import InputError
from heedful.state.geometry import Pose, distance
from heedful.state.motion import Motion, RobotLimits, plan_motion
from heedful.state.script import NoiseLaw, PersonScript, TurnScript
from heedful.state.series import INFINITE, Series, constant
from heedful.world.mujoco_g1.company import FASTEST_M_S
from heedful.world.mujoco_g1.kinematic_stage import KinematicStage
from heedful.world.mujoco_g1.world import SimWorld, open_sim_world
from heedful.world.synthetic.world import SyntheticWorld
from tests.world.scripts import NOBODY, turn

LIMITS, NOISE = RobotLimits(), NoiseLaw()


@pytest.fixture
def world() -> SimWorld:
    return SimWorld(KinematicStage(), 7, LIMITS, NOISE)


def plan(world: SimWorld, tool: str, **args: float) -> Motion:
    motion = plan_motion(tool, {"speed_percent": 100.0, **args}, world.pose, LIMITS)
    assert motion is not None
    return motion


def walk_on(world: SimWorld, speed: float = 0.5, duration: float = 6.0, sideways: float = 0.0) -> Motion:
    return plan(
        world, "walk_with_velocity", linear_x=speed, linear_y=sideways, angular_z=0.0, duration=duration
    )


def next_turn(world: SimWorld, index: int, script: TurnScript) -> bool:
    world.finish_turn(runs_on=script.continues)
    world.end_turn()
    return world.begin_turn(index, script)


def true_gap(world: SimWorld) -> float:
    gap = world.true_values()["human.distance"]
    assert isinstance(gap, float)
    return gap


@pytest.mark.parametrize("gap", [0.3, 0.8, 2.0])
def test_a_standing_person_keeps_the_scripted_distance_while_the_robot_walks(
    world: SimWorld, gap: float
) -> None:
    world.begin_turn(0, turn(distance=gap))
    world.start_motion(walk_on(world, 1.0))
    for _ in range(30):
        world.advance(0.2)
        assert true_gap(world) == pytest.approx(gap, abs=0.002)
    assert world.pose.x == pytest.approx(6.0, abs=0.05)


def test_a_person_walks_no_faster_than_people_do(world: SimWorld) -> None:
    world.begin_turn(0, turn(distance={0.0: 8.0, 1.0: 0.5, 4.0: 0.5}))
    world.advance(1.0)
    assert true_gap(world) == pytest.approx(8.0 - FASTEST_M_S, abs=0.002)
    world.advance(2.0)
    assert true_gap(world) == pytest.approx(0.5, abs=0.002)


@pytest.mark.parametrize("posture", ["seated", "kneeling", "lying"])
def test_a_person_who_does_not_stand_stays_where_they_are(world: SimWorld, posture: str) -> None:
    world.begin_turn(0, turn(distance=1.0, looks={"human.posture": posture}))
    world.start_motion(walk_on(world, -0.5, 4.0))
    world.advance(5.0)
    assert true_gap(world) > 2.5


def test_a_person_who_does_not_follow_is_left_behind_or_met(world: SimWorld) -> None:
    ahead = PersonScript(constant(3.0), constant(0.0), {"human.posture": "standing"}, follows=False)
    world.begin_turn(0, turn(distance=3.0, people=(ahead,)))
    world.start_motion(walk_on(world, 1.0, 2.0))
    world.advance(2.0)
    assert true_gap(world) == pytest.approx(1.0, abs=0.05)


def test_of_several_people_the_nearest_counts() -> None:
    world = SimWorld(KinematicStage(2), 7, LIMITS, NOISE)
    comes = Series((0.0, 2.0), (2.0, 0.6), "linear")
    people = (
        PersonScript(constant(1.0), constant(10.0), {"human.is_child": False}),
        PersonScript(comes, constant(-80.0), {"human.is_child": True}),
    )
    world.begin_turn(0, turn(distance=1.0, people=people))
    world.advance(3.0)
    gaps, child = world.true_series()["human.distance"], world.true_series()["human.is_child"]
    assert [round(gaps.at(t), 2) for t in (0.0, 1.0, 2.0)] == [1.0, 1.0, 0.6]  # type: ignore[arg-type]
    assert (child.at(1.0), child.at(2.0)) == (False, True)


def test_nobody_in_the_script_is_nobody_in_the_room(world: SimWorld) -> None:
    world.begin_turn(0, turn(distance=NOBODY))
    world.advance(1.0)
    assert true_gap(world) == INFINITE
    assert world.sample("human.distance").value == INFINITE


def test_a_walk_ends_at_its_goal_and_tells_how_it_went(world: SimWorld) -> None:
    world.begin_turn(0, turn(pose=Pose(1.0, -1.0, 2.0)))
    planned = plan(world, "walk_to", x=3.0, y=0.5)
    before = world.now_s
    ran = world.run_motion(planned)
    assert ran.end == "done"
    assert ran.motion is not None
    assert distance(ran.motion.end.point, (3.0, 0.5)) < 0.15
    assert distance(ran.motion.end.point, world.pose.point) < 1e-3
    assert ran.motion.duration_s == pytest.approx(world.now_s - before, abs=1e-6)
    assert ran.motion.speed_percent == planned.speed_percent
    assert [(a.tool, a.end) for a in world.achieved()] == [("walk_to", "done")]


@pytest.mark.parametrize("angle", [90.0, -170.0, 400.0])
def test_a_turn_is_walked_whole(world: SimWorld, angle: float) -> None:
    world.begin_turn(0, turn())
    ran = world.run_motion(plan(world, "turn", angle_deg=angle))
    assert ran.motion is not None
    assert math.degrees(ran.motion.w_z * ran.motion.duration_s) == pytest.approx(angle, abs=5.0)


def test_what_is_left_of_a_motion_can_be_commanded_again(world: SimWorld) -> None:
    world.begin_turn(0, turn())
    world.start_motion(walk_on(world, 0.5, 6.0))
    world.advance(2.0)
    assert world.motion_left() == {"duration": pytest.approx(4.0)}
    world.stop_motion()
    assert world.motion_left() == {}


def test_a_stop_ends_the_motion_and_standstill_is_timed(world: SimWorld) -> None:
    world.begin_turn(0, turn())
    world.start_motion(walk_on(world))
    world.advance(2.0)
    world.stop_motion()
    assert world.robot().motion is None
    world.advance(1.0)
    (achieved,) = world.achieved()
    assert (achieved.end, achieved.ended_s) == ("stopped", 2.0)
    assert achieved.commanded_m_s == pytest.approx(0.5)
    assert achieved.standstill_s == pytest.approx(0.0, abs=0.05)


def test_a_motion_runs_on_into_a_turn_that_continues(world: SimWorld) -> None:
    world.begin_turn(0, turn(1.0))
    motion = walk_on(world, duration=8.0)
    world.start_motion(motion)
    assert not next_turn(world, 1, turn(2.0, continues=True))
    state = world.robot()
    assert (state.motion, state.motion_started_s) == (motion, -1.0)
    world.advance(1.0)
    assert world.pose.x == pytest.approx(1.0, abs=0.05)
    world.finish_turn(runs_on=False)
    assert world.now_s == pytest.approx(7.0, abs=0.05)


def test_sitting_down_takes_time_and_is_kept_until_a_reset(world: SimWorld) -> None:
    world.begin_turn(0, turn())
    assert world.set_posture("seated").end == "done"
    assert world.posture == "seated"
    assert 1.0 < world.now_s <= 5.0
    world.keep_seat()
    next_turn(world, 1, turn())
    assert world.posture == "seated"
    next_turn(world, 2, turn(resets=True))
    assert world.posture == "standing"


class Stopper:
    """A watch that stops the motion at every look."""

    def __init__(self, world: SimWorld) -> None:
        self._world = world

    def next_s(self) -> float:
        return (int(self._world.now_s / 0.5 + 1e-6) + 1) * 0.5

    def look(self) -> None:
        self._world.stop_motion()


def test_a_stop_does_not_end_sitting_down_and_ends_standing_up(world: SimWorld) -> None:
    world.begin_turn(0, turn())
    world.run_motion(plan(world, "walk_to", x=1.0, y=0.0))
    world.watch = Stopper(world)
    assert world.set_posture("seated").end == "done"
    assert world.posture == "seated"
    assert world.set_posture("standing").end == "stopped"
    assert [a.tool for a in world.achieved()] == ["walk_to", "sit_down", "stand_up"]


def test_a_seated_robot_does_not_walk(world: SimWorld) -> None:
    world.begin_turn(0, turn(posture="seated"))
    ran = world.run_motion(plan(world, "walk_to", x=1.0, y=0.0))
    assert (ran.end, ran.motion, ran.why) == ("refused", None, "the robot is seated")


def test_the_battery_drains_with_use_and_starts_as_scripted(world: SimWorld) -> None:
    def level_after(speed: float) -> float:
        world.begin_turn(0, turn(60.0, battery=50.0))
        assert world.robot().battery == 50.0
        world.start_motion(walk_on(world, speed, 10.0))
        world.advance(60.0)
        return world.robot().battery

    assert 50.0 > level_after(0.01) > level_after(1.0) > 48.0


def test_every_turn_starts_alike_whatever_was_done_before() -> None:
    def second_turn(meddle: bool) -> tuple[Any, ...]:
        world = SimWorld(KinematicStage(), 7, LIMITS, NOISE)
        world.begin_turn(0, turn())
        if meddle:
            world.run_motion(plan(world, "walk_to", x=1.234, y=0.7))
            world.advance(0.013)
        next_turn(world, 1, turn(6.0, pose=Pose(1.0, 1.0, 0.5), distance={0.0: 2.0, 3.0: 1.0}))
        world.run_motion(plan(world, "walk_to", x=3.0, y=1.0))
        world.finish_turn(runs_on=False)
        return world.true_series(), world.sensed_series(), world.pose, world.now_s

    assert second_turn(meddle=False) == second_turn(meddle=True)


def test_both_layers_sense_a_still_scene_alike() -> None:
    script = turn(distance=0.9, battery=15.2)
    worlds = (SimWorld(KinematicStage(), 3, LIMITS, NOISE), SyntheticWorld(3, LIMITS, NOISE))
    heard = []
    for world in worlds:
        world.begin_turn(5, script)
        world.advance(0.25)
        heard.append([world.sample(name) for name in ("human.distance", "robot.x", "camera.connected")])
    assert heard[0] == heard[1]


def test_a_lost_position_sample_leaves_the_one_before_in_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heedful.world.mujoco_g1.positioning.LOST_SHARE", 1.0)
    world = SimWorld(KinematicStage(), 7, LIMITS, NoiseLaw({}))
    world.begin_turn(0, turn())
    world.start_motion(walk_on(world, 1.0))
    world.advance(2.0)
    reading = world.sample("robot.x")
    assert reading.sampled_s == pytest.approx(0.3)
    assert reading.value == pytest.approx(0.3, abs=0.05)


def test_draws_differ_by_name_turn_and_index_and_repeat_by_seed() -> None:
    def draws(seed: int, index: int) -> list[float]:
        world = SimWorld(KinematicStage(), seed, LIMITS, NOISE)
        world.begin_turn(index, turn())
        return [world.draw(name, k) for name in ("a", "b") for k in range(3)]

    assert draws(1, 0) == draws(1, 0)
    assert len({*draws(1, 0), *draws(1, 1), *draws(2, 0)}) == 18


def test_a_spec_with_other_speeds_than_the_robot_has_is_refused() -> None:
    with pytest.raises(InputError, match="declares 2 m/s"):
        open_sim_world(0, RobotLimits(v_max_m_s=2.0), NOISE)


def test_its_facts_name_the_body(world: SimWorld) -> None:
    assert world.facts["body"] == "kinematic"
