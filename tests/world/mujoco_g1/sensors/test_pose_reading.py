"""What keypoints say of a person, on skeletons of stick and point made by hand."""

from __future__ import annotations

import numpy as np
import pytest

from heedful.world.mujoco_g1.sensors.keypoints import Keypoint
from heedful.world.mujoco_g1.sensors.pose_reading import (
    CHILD_M,
    NOT_FOUND,
    SHOULDER_SHARE,
    Depth,
    Eye,
    PoseReading,
    read_pose,
)

AHEAD_M, EYE_M = 2.0, 1.0
FOCAL_PX, SHAPE = 400.0, (480, 640)
EYE = Eye(
    np.array([0.0, 0.0, EYE_M]), np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]]), FOCAL_PX
)
"""It looks along x, from the map's origin."""
Joints = dict[str, tuple[float, float, float]]
STANDING = {"shoulder": (0.0, 1.42), "hip": (0.0, 0.92), "knee": (0.0, 0.49), "wrist": (0.0, 0.87)}
SEATED = {"shoulder": (0.0, 1.05), "hip": (0.0, 0.55), "knee": (-0.4, 0.47), "wrist": (-0.25, 0.7)}
KNEELING = {"shoulder": (0.0, 1.0), "hip": (0.0, 0.5), "knee": (0.0, 0.08), "wrist": (0.0, 0.45)}
LYING = {"shoulder": (0.5, 0.15), "hip": (0.0, 0.2), "knee": (-0.4, 0.2), "wrist": (0.0, 0.2)}
"""How far behind the place where somebody is, and how high, each pair of joints is [m]."""


def joints(pairs: dict[str, tuple[float, float]], *, back: bool = False, scale: float = 1.0) -> Joints:
    """A body 2 m ahead that faces the eye, or shows its back with the same outline."""
    side = 0.15 * scale * (-1 if back else 1)
    return {
        f"{name}_{pair}": (AHEAD_M + scale * behind, lateral, scale * up)
        for pair, (behind, up) in pairs.items()
        for name, lateral in (("left", -side), ("right", side))
    }


def seen(body: Joints, visibility: float = 1.0) -> tuple[tuple[Keypoint, ...], Depth]:
    """Keypoints and a depth picture that is known around them only."""
    depth = np.zeros(SHAPE, np.float32)
    points = []
    for name, (x, y, z) in body.items():
        u, v = SHAPE[1] / 2 - FOCAL_PX * y / x, SHAPE[0] / 2 - FOCAL_PX * (z - EYE_M) / x
        points.append(Keypoint(name, u, v, visibility))
        if 0 <= v < SHAPE[0]:
            depth[max(int(v) - 3, 0) : int(v) + 4, int(u) - 3 : int(u) + 4] = x
    return tuple(points), depth


def said_of(body: Joints) -> PoseReading:
    return read_pose(*seen(body), EYE)


@pytest.mark.parametrize(
    ("pairs", "posture"),
    [(STANDING, "standing"), (SEATED, "seated"), (KNEELING, "kneeling"), (LYING, "lying")],
)
@pytest.mark.parametrize("back", [False, True])
def test_posture_and_facing_are_read(pairs: dict[str, tuple[float, float]], posture: str, back: bool) -> None:
    facing = "away" if back else "robot"
    assert said_of(joints(pairs, back=back)) == PoseReading(posture, facing, is_child=False, handover=False)


@pytest.mark.parametrize("pairs", [STANDING, SEATED, KNEELING, LYING])
def test_a_small_body_is_a_child_in_any_posture(pairs: dict[str, tuple[float, float]]) -> None:
    assert said_of(joints(pairs, scale=0.68)).is_child is True


@pytest.mark.parametrize(("height", "is_child"), [(CHILD_M - 0.02, True), (CHILD_M + 0.02, False)])
def test_a_standing_person_counts_as_a_child_by_its_height(height: float, is_child: bool) -> None:
    assert said_of(joints(STANDING, scale=height * SHOULDER_SHARE / 1.42)).is_child is is_child


@pytest.mark.parametrize(
    ("wrist", "handover"),
    [((-0.4, 1.3), True), ((0.0, 0.87), False), ((-0.25, 1.0), False), ((0.4, 1.3), False)],
    ids=["held out", "hanging", "holding before the body", "held out behind"],
)
@pytest.mark.parametrize("side", ["left", "right"])
def test_an_arm_held_out_is_a_handover(wrist: tuple[float, float], handover: bool, side: str) -> None:
    body = joints(STANDING)
    _, y, _ = body[f"{side}_wrist"]
    body[f"{side}_wrist"] = (AHEAD_M + wrist[0], y, wrist[1])
    assert said_of(body).handover is handover


def test_a_hand_out_of_view_may_be_held_out_unless_the_person_faces_away() -> None:
    hidden = {name: place for name, place in joints(STANDING).items() if name != "left_wrist"}
    assert said_of(hidden).handover is None
    behind = {name: place for name, place in joints(STANDING, back=True).items() if "wrist" not in name}
    assert said_of(behind).handover is False


def test_a_low_person_whose_knees_are_out_of_view_is_not_told_to_sit_or_kneel() -> None:
    low = {name: place for name, place in joints(SEATED).items() if "knee" not in name}
    assert said_of(low) == PoseReading(None, "robot", is_child=False, handover=False)


def test_a_tall_person_whose_legs_are_out_of_view_stands() -> None:
    tall = {name: place for name, place in joints(STANDING).items() if "knee" not in name}
    assert said_of(tall).posture == "standing"


def test_shoulders_and_hips_that_disagree_do_not_tell_the_facing() -> None:
    twisted = joints(STANDING)
    twisted["left_hip"], twisted["right_hip"] = twisted["right_hip"], twisted["left_hip"]
    assert said_of(twisted).facing is None


def test_without_depth_only_the_facing_is_told() -> None:
    points, depth = seen(joints(STANDING))
    assert read_pose(points, np.zeros_like(depth), EYE) == PoseReading(facing="robot")
    assert read_pose(points, np.full_like(depth, np.inf), EYE) == PoseReading(facing="robot")


def test_nobody_found_and_unsure_keypoints_say_nothing() -> None:
    points, depth = seen(joints(STANDING), visibility=0.4)
    assert read_pose((), depth, EYE) == NOT_FOUND
    assert read_pose(points, depth, EYE) == NOT_FOUND


def test_shoulders_above_the_picture_leave_the_posture_unknown() -> None:
    near = {name: (x - 1.4, y, z) for name, (x, y, z) in joints(STANDING).items()}
    assert said_of(near).posture is None
