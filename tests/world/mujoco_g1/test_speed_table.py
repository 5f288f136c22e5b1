"""The shipped table of what the gait reaches."""

from __future__ import annotations

from itertools import pairwise
from typing import cast

import pytest

from heedful.errors import UnknownNameError
from heedful.world.mujoco_g1.speed_table import Direction, SpeedRow, SpeedTable, load_speed_table

TABLE = SpeedTable("p", {"forward": (SpeedRow(0.2, 0.1), SpeedRow(0.6, 0.5))})


@pytest.mark.parametrize(
    ("commanded", "achieved"), [(0.0, 0.0), (0.1, 0.05), (0.2, 0.1), (0.4, 0.3), (0.6, 0.5), (1.0, 0.5)]
)
def test_speeds_between_rows_are_interpolated_and_held_at_the_last(commanded: float, achieved: float) -> None:
    assert TABLE.achieved("forward", commanded) == pytest.approx(achieved)


def test_an_unknown_direction_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'forward'"):
        TABLE.achieved(cast(Direction, "forwards"), 0.1)


def test_the_shipped_table_covers_every_direction_up_to_full_speed() -> None:
    table = load_speed_table()
    assert set(table.rows) == {"forward", "backward", "sideways", "turn"}
    for rows in table.rows.values():
        assert rows[-1].commanded == 1.0
        assert all(low.commanded < high.commanded for low, high in pairwise(rows))
        assert all(0 < row.achieved <= row.commanded * 1.25 for row in rows)


def test_a_thirty_percent_walk_stays_below_thirty_percent() -> None:
    assert load_speed_table().achieved("forward", 0.3) < 0.3
