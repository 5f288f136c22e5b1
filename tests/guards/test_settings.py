"""Settings that a guard cannot keep are refused when it is built."""

from __future__ import annotations

import math

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.load import load_spec
from tests.spec.samples import SIT, rule, small_spec

SPEC = load_spec("iso10218-humanoid")


def test_defaults_fit_the_shipped_specs():
    for name in ("iso10218-humanoid", "humanoid-context"):
        GuardSettings().check(load_spec(name))


@pytest.mark.parametrize(
    ("margin", "age_s", "half"),
    [
        (Margin(0.1), 9.0, 0.1),
        (Margin(0.1, 1.6), 0.5, 0.9),
        (Margin(0.1, 1.6), -1.0, 0.1),
        (Margin(), 3.0, 0.0),
    ],
)
def test_margin_grows_with_age_and_never_shrinks(margin, age_s, half):
    assert margin.at_age(age_s) == pytest.approx(half)


@pytest.mark.parametrize(
    ("margins", "message"),
    [
        ({"human.distance": Margin(-0.1)}, "must be 0 or more"),
        ({"human.distance": Margin(0.1, -1.0)}, "must be 0 or more"),
        ({"human.distance": Margin(math.nan)}, "must be 0 or more"),
        ({"human.distance": Margin(0.1, math.inf)}, "must be 0 or more"),
        ({"camera.connected": Margin(0.1)}, "is a boolean; only a number can have a margin"),
    ],
)
def test_margin_that_means_nothing_is_refused(margins, message):
    with pytest.raises(InputError, match=message):
        SpecGuard(SPEC, GuardSettings(margins))


def test_margin_of_an_unknown_signal_names_the_nearest():
    with pytest.raises(UnknownNameError, match=r"Did you mean 'human\.distance'"):
        SpecGuard(SPEC, GuardSettings({"human.distanse": Margin(0.1)}))


def test_margin_of_a_signal_that_is_calculated_with_is_refused():
    spec = small_spec(rule("R1", "human.distance - human.closing < 1.0"))
    with pytest.raises(InputError, match="uses it otherwise than in a comparison with a constant"):
        SpecGuard(spec, GuardSettings({"human.closing": Margin(0.1)}))


@pytest.mark.parametrize("name", ["reaction_s", "action_takes_s", "action_reserve_s", "retry_s"])
@pytest.mark.parametrize("value", [-0.1, math.inf, math.nan])
def test_time_that_is_none_is_refused(name, value):
    with pytest.raises(InputError, match=f"Guard setting {name} must be a time"):
        SpecGuard(SPEC, GuardSettings(**{name: value}))


def test_obligation_too_short_for_its_action_is_refused():
    spec = small_spec(rule("B1", "battery.level < 15.0", {**SIT, "within_s": 4.9}))
    with pytest.raises(InputError, match=r"B1 asks for sit_down within 4.9 s, but the guard needs 5 s"):
        SpecGuard(spec)
    SpecGuard(spec, GuardSettings(action_reserve_s=0.9))
