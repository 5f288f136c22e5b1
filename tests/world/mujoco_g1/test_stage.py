"""The stage without MuJoCo, and which stage a machine gives."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from heedful.errors import InputError
from heedful.state.geometry import Pose
from heedful.world.mujoco_g1.body import Posture, run_task
from heedful.world.mujoco_g1.fallback import open_stage
from heedful.world.mujoco_g1.kinematic_stage import (
    CHILD_RADIUS_M,
    PERSON_RADIUS_M,
    ROBOT_RADIUS_M,
    KinematicStage,
)
from heedful.world.mujoco_g1.people.person import Appearance, PersonPose
from heedful.world.mujoco_g1.tasks import WalkTo


def test_without_files_the_stand_in_measures_cylinders_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_DATA", str(tmp_path))
    stage = open_stage()
    assert stage.facts == {
        "body": "kinematic",
        "people": "upright cylinders of declared radii: robot 0.25, adult 0.25, child 0.17 m",
    }


@pytest.mark.parametrize(
    ("is_child", "radius"), [(False, PERSON_RADIUS_M), (True, CHILD_RADIUS_M)], ids=["adult", "child"]
)
def test_the_gap_is_that_of_the_cylinders(is_child: bool, radius: float) -> None:
    stage = KinematicStage()
    stage.body.place(Pose(1.0, 2.0, 0.7), Posture.STANDING)
    stage.show([PersonPose(4.0, 6.0, 0.0, appearance=Appearance(is_child=is_child))])
    assert stage.gap_m(0) == pytest.approx(5.0 - ROBOT_RADIUS_M - radius)


def test_the_gap_follows_the_robot_and_is_negative_inside() -> None:
    stage = KinematicStage()
    stage.show([PersonPose(2.0, 0.0, math.pi)])
    run_task(stage.body, WalkTo(1.9, 0.0, 100))
    apart = math.dist(stage.body.state.pose.point, (2.0, 0.0))
    assert stage.gap_m(0) == pytest.approx(apart - ROBOT_RADIUS_M - PERSON_RADIUS_M, abs=1e-6)
    assert stage.gap_m(0) < -0.2


def test_people_are_counted_and_told_apart() -> None:
    stage = KinematicStage(2)
    stage.show([PersonPose(1.0, 0.0, 0.0), PersonPose(0.0, 3.0, 0.0)])
    assert [stage.gap_m(0), stage.gap_m(1)] == pytest.approx([0.5, 2.5])
    with pytest.raises(InputError, match=r"3 people were to be shown; .* opened for 2: open_stage\(3\)"):
        stage.show([PersonPose(1.0, 0.0, 0.0)] * 3)
    stage.show([])
    with pytest.raises(InputError, match="Person 0 is not shown; allowed: none"):
        stage.gap_m(0)


def test_a_negative_number_of_people_is_refused() -> None:
    with pytest.raises(InputError, match="allowed: 0 and more"):
        open_stage(-1)
