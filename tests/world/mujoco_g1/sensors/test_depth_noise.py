"""The camera's errors."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from heedful.world.mujoco_g1.sensors.depth_noise import D435Noise

FOCAL_PX = 216.5
NOISE = D435Noise()


def wall(range_m: float) -> NDArray[np.float32]:
    return np.full((240, 424), range_m, np.float32)


def sensed(true: NDArray[np.float32], seed: int = 0, noise: D435Noise = NOISE) -> NDArray[np.float32]:
    return noise.apply(true, FOCAL_PX, np.random.default_rng(seed))


@pytest.mark.parametrize(("range_m", "error_m"), [(1.0, 0.0038), (2.0, 0.015), (3.0, 0.034), (5.0, 0.094)])
def test_error_of_the_full_picture_is_the_published_one(range_m: float, error_m: float) -> None:
    assert NOISE.rms_m(range_m, focal_px=424.0) == pytest.approx(error_m, rel=0.02)


@pytest.mark.parametrize("range_m", [0.5, 1.0, 2.0, 4.0])
def test_a_walls_error_is_the_stated_one_without_bias(range_m: float) -> None:
    seen = sensed(wall(range_m))
    errors = seen[seen > 0] - range_m
    rms = NOISE.rms_m(range_m, FOCAL_PX)
    assert errors.std() == pytest.approx(rms, rel=0.03)
    assert abs(errors.mean()) < 0.03 * rms


def test_neighbours_err_alike() -> None:
    errors = sensed(wall(2.0), noise=D435Noise(hole_share=0.0, far_hole_share=0.0)) - 2.0
    pairs = np.corrcoef(errors[:, 0:-1:2].ravel(), errors[:, 1::2].ravel())[0, 1]
    apart = np.corrcoef(errors[:, :-4].ravel(), errors[:, 4:].ravel())[0, 1]
    assert pairs > 0.99
    assert abs(apart) < 0.05


@pytest.mark.parametrize("range_m", [0.1, 0.27, 10.5, np.inf])
def test_too_near_and_too_far_has_no_depth(range_m: float) -> None:
    seen = sensed(wall(range_m))
    assert (seen == 0.0).mean() > 0.7
    assert seen.max() < NOISE.maximum_m
    if range_m < 1.0:
        assert not seen.any()


def test_holes_grow_with_range() -> None:
    shares = [(sensed(wall(range_m)) == 0.0).mean() for range_m in (1.0, 4.0, 7.0)]
    assert shares[0] < 0.01 < shares[1] < shares[2] < 0.2


def test_a_surface_seen_edge_on_has_more_holes() -> None:
    steep = np.broadcast_to(np.float32(1.05) ** np.arange(40, dtype=np.float32), (240, 40)).copy()
    level = np.full_like(steep, 3.0)
    assert (sensed(steep) == 0.0).mean() > 3 * (sensed(level) == 0.0).mean()


def test_an_edge_has_holes_and_pixels_between_but_none_before() -> None:
    true = wall(3.0)
    true[60:180, 150:250] = 1.0
    seen = sensed(true)
    five_rms = 5 * NOISE.rms_m(3.0, FOCAL_PX)
    between = (seen > 1.1) & (seen < 3.0 - five_rms)
    assert between.sum() > 50
    rows, columns = np.nonzero(between)
    assert ((np.abs(columns - 150) < 3) | (np.abs(columns - 249) < 3) | (rows == 59) | (rows == 179)).all()
    assert seen[seen > 0].min() > 1.0 - 5 * NOISE.rms_m(1.0, FOCAL_PX)


def test_a_near_surface_casts_a_shadow_to_its_left() -> None:
    true = wall(3.0)
    true[:, 200:] = 0.6
    seen = sensed(true)
    width = round(FOCAL_PX * NOISE.baseline_m * (1 / 0.6 - 1 / 3.0))
    assert width > 10
    assert not seen[:, 200 - width + 1 : 199].any()
    assert (seen[:, 150 : 200 - width - 1] > 0).mean() > 0.95
    mirrored = sensed(true[:, ::-1].copy())
    assert (mirrored[:, 230:260] > 0).mean() > 0.95


def test_same_seed_same_picture_and_the_truth_is_left_alone() -> None:
    true = wall(2.0)
    np.testing.assert_array_equal(sensed(true, seed=3), sensed(true, seed=3))
    assert (sensed(true, seed=3) != sensed(true, seed=4)).any()
    np.testing.assert_array_equal(true, wall(2.0))


def test_odd_sizes_are_kept() -> None:
    assert sensed(wall(2.0)[:239, :423]).shape == (239, 423)
