"""What the camera in the robot's head sees."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from heedful.errors import InputError
from heedful.state.geometry import Pose
from heedful.world.mujoco_g1.body import Posture
from tests.world.mujoco_g1.sensors.conftest import facing

mujoco = pytest.importorskip("mujoco")

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_stage import G1Stage
    from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera


def body_names(stage: G1Stage, seen: Any) -> set[str]:
    """Return the bodies seen anywhere."""
    bodies = {int(stage.model.geom_bodyid[geom]) for geom in np.unique(seen) if geom >= 0}
    return {str(stage.model.body(body).name) for body in bodies}


@pytest.mark.parametrize("x", [0.6, 1.0, 2.0, 5.0])
def test_a_person_ahead_is_seen_and_the_robot_itself_never(
    stage: G1Stage, camera: HeadCamera, x: float
) -> None:
    assert body_names(stage, camera.segmentation(stage.data)) == {"world"}
    stage.show([facing(x)])
    seen = camera.segmentation(stage.data)
    assert body_names(stage, seen) == {"world", "person_0"}
    columns = np.flatnonzero((seen > 0).any(axis=0))
    assert abs(columns.mean() - camera.width / 2) < 0.15 * camera.width


def test_a_person_on_the_left_is_on_the_left_of_the_picture(stage: G1Stage, camera: HeadCamera) -> None:
    stage.show([facing(2.0, 1.0)])
    rows, columns = np.nonzero(camera.segmentation(stage.data) > 0)
    assert columns.max() < camera.width / 2
    assert rows.min() < 20 < camera.height - 20


def test_depth_is_the_distance_along_the_optical_axis(stage: G1Stage, camera: HeadCamera) -> None:
    data = stage.data
    depth, pose = camera.depth(data), camera.pose(data)
    rows, columns = np.indices(depth.shape) + 0.5
    right = (columns - camera.width / 2) / camera.focal_px
    down = (rows - camera.height / 2) / camera.focal_px
    directions = np.stack((right, down, np.ones_like(right)), axis=-1) @ pose.rotation.T
    floor = np.isfinite(depth)
    heights = pose.position[2] + directions[..., 2] * np.where(floor, depth, 0.0)
    near = floor & (depth < 8.0)
    assert near.mean() > 0.5
    assert np.abs(heights[near]).max() < 2e-3
    assert not floor[:40].any(), "above the horizon there is nothing"


def test_colour_and_depth_of_one_pass_equal_those_of_two(stage: G1Stage, camera: HeadCamera) -> None:
    stage.show([facing(1.5)])
    data = stage.data
    both = camera.rgbd(data)
    assert both.rgb.shape == (240, 424, 3)
    np.testing.assert_array_equal(both.rgb, camera.rgb(data))
    np.testing.assert_array_equal(both.depth, camera.depth(data))
    person = camera.segmentation(data) > 0
    assert both.rgb[person].std() > 10.0
    assert 0.9 < both.depth[person].min() < 1.5


def test_the_camera_moves_with_the_robot(stage: G1Stage, camera: HeadCamera) -> None:
    stage.show([facing(0.0, 2.0)])
    assert not (camera.segmentation(stage.data) > 0).any()
    before = camera.pose(stage.data).position
    stage.body.place(Pose(0.0, 0.0, math.pi / 2), Posture.SEATED)
    assert (camera.segmentation(stage.data) > 0).any()
    after = camera.pose(stage.data).position
    stage.body.place(Pose(0.0, 0.0), Posture.STANDING)
    assert before[2] - after[2] > 0.25


def test_nothing_near_is_cut_away(stage: G1Stage, camera: HeadCamera) -> None:
    stage.show([facing(0.27)])
    assert camera.depth(stage.data).min() < 0.15


def test_the_size_of_the_room_changes_nothing(stage: G1Stage, camera: HeadCamera) -> None:
    stage.show([facing(1.0)])
    before, extent = camera.depth(stage.data), stage.model.stat.extent
    stage.model.stat.extent = 10 * extent
    after = camera.depth(stage.data)
    stage.model.stat.extent = extent
    np.testing.assert_array_equal(before, after)


def test_two_sizes_can_be_open_at_once(stage: G1Stage, camera: HeadCamera) -> None:
    module = pytest.importorskip("heedful.world.mujoco_g1.sensors.head_camera")
    quality = stage.model.vis.quality.offsamples
    with module.HeadCamera(stage.model, 640, 480) as large:
        assert large.rgb(stage.data).shape == (480, 640, 3)
        assert camera.rgb(stage.data).shape == (240, 424, 3)
        middle = camera.depth(stage.data)[120, 212]
        assert large.depth(stage.data)[240, 320] == pytest.approx(middle, rel=0.01)
    large.close()
    with pytest.raises(InputError, match="closed"):
        large.rgb(stage.data)
    assert stage.model.vis.quality.offsamples == quality


def test_a_model_without_the_camera_is_refused() -> None:
    module = pytest.importorskip("heedful.world.mujoco_g1.sensors.head_camera")
    with pytest.raises(InputError, match="no camera 'head'"):
        module.HeadCamera(mujoco.MjModel.from_xml_string("<mujoco/>"))
