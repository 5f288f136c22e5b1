"""Pose by real keypoints of the simulated person, and the table measured with them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest
import yaml

from heedful.world.mujoco_g1.people.person import Appearance
from heedful.world.mujoco_g1.sensors.keypoints import VARIABLE
from heedful.world.mujoco_g1.sensors.pose_eye import Moment
from heedful.world.mujoco_g1.sensors.pose_reading import NOT_FOUND, PoseReading
from heedful.world.mujoco_g1.sensors.pose_table import FIELDS, load_pose_table
from tests.world.mujoco_g1.sensors.conftest import facing

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_stage import G1Stage
    from heedful.world.mujoco_g1.sensors.keypoint_eye import KeypointEye

needs_mediapipe = pytest.mark.skipif(not os.environ.get(VARIABLE), reason=f"needs {VARIABLE}")


@pytest.fixture(scope="module")
def eye(shared_stage: G1Stage, drawing: None) -> Iterator[KeypointEye]:
    module = pytest.importorskip("heedful.world.mujoco_g1.sensors.keypoint_eye")
    opened: KeypointEye = module.KeypointEye(shared_stage)
    yield opened
    opened.close()


@needs_mediapipe
@pytest.mark.parametrize(
    ("who", "said"),
    [
        (Appearance(), PoseReading("standing", "robot", is_child=False, handover=False)),
        (Appearance("seated", handover=True), PoseReading("seated", "robot", is_child=False, handover=True)),
        (
            Appearance("kneeling", is_child=True),
            PoseReading("kneeling", "robot", is_child=True, handover=False),
        ),
    ],
)
def test_the_simulated_person_is_read(
    stage: G1Stage, eye: KeypointEye, who: Appearance, said: PoseReading
) -> None:
    stage.show([facing(2.2, who=who)])
    assert eye.look(Moment(7, 0, 0, 0.0), {}) == said
    assert eye.look(Moment(7, 0, 0, 0.0), {}) == said


@needs_mediapipe
def test_an_empty_room_says_nothing(stage: G1Stage, eye: KeypointEye) -> None:
    assert eye.see(np.random.default_rng(0)) == NOT_FOUND


def test_a_table_is_written_as_it_is_read() -> None:
    measuring = pytest.importorskip("heedful.world.mujoco_g1.sensors.pose_error")
    shipped = load_pose_table()
    raw = yaml.safe_load(measuring.to_yaml(shipped))
    assert raw["bands_m"] == list(shipped.bands_m)
    for row, bands in zip(raw["rows"], shipped.rows.values(), strict=True):
        assert [[band[field] for field in FIELDS] for band in row["bands"]] == [
            [dict(said.of[field]) for field in FIELDS] for said in bands
        ]


def test_looks_are_counted_by_what_they_said() -> None:
    measuring = pytest.importorskip("heedful.world.mujoco_g1.sensors.pose_error")
    half = PoseReading("standing", None, is_child=False, handover=None)
    said = measuring.tally(
        [NOT_FOUND, half, half, PoseReading("seated", "robot", is_child=True, handover=True)]
    )
    assert (said.looks, said.lost) == (4, 1)
    assert said.of == {
        "posture": {"standing": 2, "seated": 1},
        "facing": {None: 2, "robot": 1},
        "is_child": {False: 2, True: 1},
        "handover": {None: 2, True: 1},
    }
