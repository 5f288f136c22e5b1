"""Keypoints from a process of another Python: by a stand-in, and by MediaPipe where there is one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from heedful.errors import InputError, RobotError
from heedful.world.mujoco_g1.sensors.keypoints import VARIABLE, Keypoint, PoseProcess, pose_state
from tests.world.mujoco_g1.sensors.conftest import facing

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_stage import G1Stage
    from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera

STAND_IN = """
import json, sys, time
def send(message):
    text = json.dumps(message).encode()
    sys.stdout.buffer.write(len(text).to_bytes(4, "little") + text)
    sys.stdout.buffer.flush()
send({"ready": "stand-in 1", "points": ["nose", "left_wrist"]})
while size := sys.stdin.buffer.read(4):
    asked = json.loads(sys.stdin.buffer.read(int.from_bytes(size, "little")))
    rgb = sys.stdin.buffer.read(asked["width"] * asked["height"] * 3)
    if rgb[0] == 1:
        send({"found": []})
    elif rgb[0] == 2:
        send({"error": "too dark"})
    elif rgb[0] == 3:
        sys.exit("out of memory")
    elif rgb[0] == 4:
        time.sleep(1000)
    else:
        send({"found": [[asked["width"], asked["height"], 0.5], [rgb[-3], rgb[-2], rgb[-1]]]})
"""


@pytest.fixture
def stand_in(tmp_path: Path) -> Path:
    script = tmp_path / "stand_in.py"
    script.write_text(STAND_IN)
    return script


def picture(first: int = 0, width: int = 424, height: int = 240) -> np.ndarray:
    rgb = np.zeros((height, width, 3), np.uint8)
    rgb[0, 0, 0] = first
    rgb[-1, -1] = (7, 8, 9)
    return rgb


def test_points_are_named_and_the_picture_arrives_whole(stand_in: Path) -> None:
    with PoseProcess(sys.executable, stand_in) as pose:
        assert (pose.name, pose.points) == ("stand-in 1", ("nose", "left_wrist"))
        expected = (Keypoint("nose", 424.0, 240.0, 0.5), Keypoint("left_wrist", 7.0, 8.0, 9.0))
        assert pose.find(picture()) == expected
        upside_down = picture()[::-1, ::-1]
        assert pose.find(np.flip(upside_down, (0, 1))) == expected
        assert pose.find(picture(width=640, height=480))[0].u == 640.0


def test_nobody_found_is_no_keypoint(stand_in: Path) -> None:
    with PoseProcess(sys.executable, stand_in) as pose:
        assert pose.find(picture(1)) == ()


def test_a_picture_that_cannot_be_read_does_not_end_the_process(stand_in: Path) -> None:
    with PoseProcess(sys.executable, stand_in) as pose:
        with pytest.raises(RobotError, match="could not read the picture: too dark"):
            pose.find(picture(2))
        assert pose.find(picture(1)) == ()


def test_a_process_that_dies_says_its_last_words(stand_in: Path) -> None:
    with PoseProcess(sys.executable, stand_in) as pose:
        with pytest.raises(RobotError, match=r"it ended\. It said: out of memory"):
            pose.find(picture(3))
        with pytest.raises(RobotError, match="has ended; open another"):
            pose.find(picture())


def test_no_answer_in_time_ends_the_process(stand_in: Path) -> None:
    with (
        PoseProcess(sys.executable, stand_in, answer_limit_s=0.2) as pose,
        pytest.raises(RobotError, match=r"no answer within 0\.2 s"),
    ):
        pose.find(picture(4))


@pytest.mark.parametrize("script", ["print('hello, world')", "raise SystemExit('no module named mediapipe')"])
def test_a_process_that_is_never_ready_is_told(tmp_path: Path, script: str) -> None:
    (tmp_path / "other.py").write_text(script)
    with pytest.raises(RobotError, match="The pose process failed"):
        PoseProcess(sys.executable, tmp_path / "other.py", start_limit_s=30.0)


def test_without_a_python_the_error_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(InputError, match=r"pip install mediapipe==0\.10\.21"):
        PoseProcess()
    assert pose_state().detail == "HEEDFUL_POSE_PYTHON is not set"
    monkeypatch.setenv(VARIABLE, "/nowhere/python")
    with pytest.raises(InputError, match="cannot be run"):
        PoseProcess()
    assert not pose_state().available


def test_a_python_without_mediapipe_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, sys.executable)
    assert pose_state().detail == f"{sys.executable} has no mediapipe"


@pytest.mark.skipif(not os.environ.get(VARIABLE), reason=f"needs {VARIABLE}")
def test_mediapipe_finds_the_simulated_person_and_nobody_in_an_empty_room(
    stage: G1Stage, camera: HeadCamera
) -> None:
    assert pose_state().available
    with PoseProcess() as pose:
        assert len(pose.points) == 33
        assert pose.find(camera.rgb(stage.data)) == ()
        stage.show([facing(2.5)])
        points = {point.name: point for point in pose.find(camera.rgb(stage.data))}
    shoulders = (points["left_shoulder"].u + points["right_shoulder"].u) / 2
    assert shoulders == pytest.approx(camera.width / 2, abs=15)
    assert points["left_shoulder"].u > points["right_shoulder"].u, "the person faces the camera"
    assert points["left_hip"].v > points["left_shoulder"].v
