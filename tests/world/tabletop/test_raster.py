from __future__ import annotations

import math

import numpy as np
import pytest

from heedful.state.tabletop.scene import ObjectPose, TableObject
from heedful.world.tabletop.raster import CELL_M, CELLS, draw_pose, free_cells

BLOCK = (0.07, 0.07, 0.07)


def block(x: float, y: float, size: tuple[float, float, float] = BLOCK) -> TableObject:
    return TableObject(5, "block", "red", "dragged", size, ObjectPose(x, y, 0.035))


def middles() -> tuple[np.ndarray, np.ndarray]:
    rows, columns = np.indices(CELLS)
    return 0.25 + CELL_M * (rows + 0.5), -0.5 + CELL_M * (columns + 0.5)


def test_a_free_cell_is_free_all_over_the_square_around_it() -> None:
    """Against the definition, cell by cell: side round(0.0990 / 0.003125) = 32, of which 16 before."""
    x, y = middles()
    taken = (abs(x - 0.5) < 0.035) & (abs(y - 0.1) < 0.035)
    taken[[0, -1], :] = taken[:, [0, -1]] = True
    expected = np.zeros(CELLS, dtype=bool)
    for row, column in np.ndindex(*CELLS):
        window = taken[max(row - 16, 0) : row + 16, max(column - 16, 0) : column + 16]
        expected[row, column] = not window.any()
    assert (free_cells(BLOCK, [block(0.5, 0.1)]) == expected).all()


def test_an_empty_table_is_free_up_to_half_a_diagonal_from_its_edge() -> None:
    x, y = middles()
    free = free_cells(BLOCK, [])
    assert x[free].min() == pytest.approx(0.25 + 17.5 * CELL_M)
    assert x[free].max() == pytest.approx(0.75 - 16.5 * CELL_M)
    assert y[free].min() == pytest.approx(-0.5 + 17.5 * CELL_M)


def test_places_are_uniform_over_the_free_cells_and_all_yaws() -> None:
    rng = np.random.default_rng(1)
    poses = [pose for _ in range(4000) if (pose := draw_pose(rng, BLOCK, []))]
    xs, ys = np.array([pose.x for pose in poses]), np.array([pose.y for pose in poses])
    for values in (xs, ys):
        counts, _ = np.histogram(values, bins=8)
        assert ((counts - 500) ** 2 / 500).sum() < 26  # chi-square, 7 degrees of freedom: p about 0.0005
    turns = np.array([2 * math.atan2(pose.rotation[2], pose.rotation[3]) % math.tau for pose in poses])
    counts, _ = np.histogram(turns, bins=8, range=(0, math.tau))
    assert ((counts - 500) ** 2 / 500).sum() < 26
    assert {pose.z for pose in poses} == {0.035}


def test_nothing_starts_inside_a_hollow_container() -> None:
    """A frame leaves its middle free for the raster; the extra rule keeps 0.1575 m away."""
    frame = TableObject(5, "frame", "red", "base", (0.225, 0.225, 0.0), ObjectPose(0.5, 0.0, 0.0), True)
    small = (0.03, 0.03, 0.03)
    assert free_cells(small, [frame])[80, 160]
    rng = np.random.default_rng(2)
    places = [pose for _ in range(500) if (pose := draw_pose(rng, small, [frame]))]
    assert len(places) > 490
    assert min(math.hypot(pose.x - 0.5, pose.y) for pose in places) > (0.225 + 0.03) / 2 + 0.01


def test_a_full_table_has_no_room() -> None:
    crowd = [block(x, y) for x in np.arange(0.29, 0.75, 0.1) for y in np.arange(-0.45, 0.5, 0.1)]
    assert draw_pose(np.random.default_rng(0), (0.225, 0.225, 0.0), crowd) is None
