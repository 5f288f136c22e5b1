"""A signal over the time of a turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.state.series import INFINITE, Series, Value, constant

STEP = Series((0.0, 1.0, 2.5), (False, True, None))
RAMP = Series((0.0, 2.0, 4.0), (3.0, 1.0, 1.0), "linear")

times = st.lists(st.integers(0, 200), min_size=1, max_size=8, unique=True).map(sorted)


@pytest.mark.parametrize(
    ("t", "value"),
    [(-1.0, False), (0.0, False), (0.999, False), (1.0, True), (2.4, True), (2.5, None), (99.0, None)],
)
def test_a_step_holds_until_the_next_one_and_beyond_the_ends(t: float, value: Value) -> None:
    assert STEP.at(t) is value


@pytest.mark.parametrize(
    ("t", "value"), [(-1.0, 3.0), (0.0, 3.0), (0.5, 2.5), (2.0, 1.0), (3.0, 1.0), (9.0, 1.0)]
)
def test_a_ramp_joins_its_points_by_straight_lines(t: float, value: float) -> None:
    assert RAMP.at(t) == value


def test_what_is_no_number_is_not_interpolated() -> None:
    assert Series((0.0, 1.0), (None, 2.0), "linear").at(0.5) is None
    assert Series((0.0, 1.0), (True, False), "linear").at(0.5) is True


@given(times, st.data())
def test_a_linear_series_stays_between_its_neighbours(grid: list[int], data: st.DataObject) -> None:
    values = data.draw(st.lists(st.floats(-50, 50), min_size=len(grid), max_size=len(grid)))
    series = Series(tuple(t / 10 for t in grid), tuple(values), "linear")
    t = data.draw(st.floats(0, 20))
    value = series.at(t)
    assert isinstance(value, float)
    before = [v for at, v in zip(series.times, values, strict=True) if at <= t + 1e-9][-1:] or values[:1]
    after = [v for at, v in zip(series.times, values, strict=True) if at >= t - 1e-9][:1] or values[-1:]
    low, high = min(*before, *after), max(*before, *after)
    assert low - 1e-6 <= value <= high + 1e-6


@given(times, st.floats(-1, 21), st.floats(-1, 21))
def test_times_between_are_strictly_inside(grid: list[int], start: float, end: float) -> None:
    series = Series(tuple(t / 10 for t in grid), tuple(float(t) for t in grid))
    expected = tuple(t for t in series.times if start + 1e-9 < t < end - 1e-9)
    assert series.times_between(start, end) == expected


def test_a_constant_never_changes() -> None:
    assert {constant(INFINITE).at(t) for t in (-1.0, 0.0, 1e9)} == {INFINITE}
