from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.errors import InputError, UnknownNameError
from heedful.guards.tool_map.actions import scale_of
from heedful.guards.tool_map.units import UNITS, base_unit, check_dimension, conversion
from heedful.state.motion import RobotLimits

from .tool_maps import LIMITS

ROBOT = RobotLimits(*LIMITS.values())
PAIRS = [(a.symbol, b.symbol) for a in UNITS.values() for b in UNITS.values() if a.dimension == b.dimension]


@pytest.mark.parametrize(
    ("unit", "to", "factor"),
    [
        ("cm", "m", 0.01),
        ("ft", "m", 0.3048),
        ("km/h", "m/s", 1 / 3.6),
        ("deg", "rad", math.pi / 180),
        ("deg/s", "rad/s", math.pi / 180),
        ("ms", "s", 0.001),
        ("fraction", "%", 100.0),
        ("deg", "deg", 1.0),
    ],
)
def test_factors_are_those_of_the_definitions(unit, to, factor):
    assert conversion(unit, to) == factor


@given(st.sampled_from(PAIRS), st.floats(-1e6, 1e6))
def test_there_and_back_is_the_same_value(pair, value):
    there, back = conversion(*pair), conversion(*reversed(pair))
    assert math.isclose(value * there * back, value, rel_tol=1e-12, abs_tol=1e-300)


@pytest.mark.parametrize("symbol", UNITS)
def test_every_unit_has_a_base_unit_of_the_same_dimension(symbol):
    assert UNITS[base_unit(symbol)].dimension == UNITS[symbol].dimension
    assert UNITS[base_unit(symbol)].scale == 1.0


def test_unlike_quantities_do_not_convert():
    with pytest.raises(InputError, match="'deg' measures angle, 'm' measures length"):
        conversion("deg", "m")


def test_unknown_unit_names_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean 'm/s'"):
        conversion("m/sec", "m/s")


def test_an_angle_where_a_rate_is_needed_is_told_the_rate():
    with pytest.raises(InputError, match=r"Did you mean 'deg/s'\? Allowed: rad/s, deg/s, rpm"):
        check_dimension("deg", "angular_z", ("rate",))


@pytest.mark.parametrize(
    ("meaning", "unit", "scale"),
    [
        ("target_x", "mm", 0.001),
        ("linear_x", "%", 0.02),
        ("linear_y", "fraction", 2.0),
        ("angular_z", "fraction", 4.0),
        ("angular_z", "deg/s", math.pi / 180),
        ("speed", "m/s", 50.0),
        ("speed", "rad/s", 25.0),
        ("speed", "fraction", 100.0),
        ("speed", "%", 1.0),
        ("angle", "deg", 1.0),
        ("angle", "rad", 180 / math.pi),
        ("duration", "ms", 0.001),
    ],
)
def test_arguments_are_counted_by_what_the_robot_declares(meaning, unit, scale):
    assert math.isclose(scale_of(meaning, unit, ROBOT), scale, rel_tol=1e-12)
