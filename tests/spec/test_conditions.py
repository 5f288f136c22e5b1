from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.errors import SpecError
from heedful.spec.conditions import COMMAND_FIELDS, Condition, ConditionSet, cell_of, is_unknown
from heedful.spec.document import Parameter

from .samples import rule, shipped, small_spec

SPEC = small_spec(rule("A", "true"))
SIGNALS, PARAMETERS = SPEC.document.signals, {"near": Parameter(value=1.0, unit="m")}
SHIPPED = shipped()
NAN = float("nan")

TEXTS = [
    "human.distance < 1.0",
    "human.distance <= 0.5 || camera.frozen",
    "human.distance > 2.0 && human.posture == 'seated'",
    "!camera.frozen && battery.level >= 15.0",
    "human.posture in ['seated', 'lying']",
    "human.distance - human.closing < 1.0",
    "camera.frozen ? human.distance < 2.0 : human.closing > 0.5",
    "human.distance < 1.0 || [2.0, 3.0].exists(t, human.distance == t)",
    "1.5 > human.distance && battery.level != 20.0",
]
CONDITIONS = [Condition(text, SIGNALS, PARAMETERS) for text in TEXTS]

numbers = st.one_of(
    st.none(),
    st.just(NAN),
    st.just(1e9),
    st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 15.0, 20.0]),
    st.floats(-5, 120),
)
states = st.fixed_dictionaries(
    {
        "human.distance": numbers,
        "human.closing": numbers,
        "battery.level": numbers,
        "camera.frozen": st.sampled_from([None, True, False]),
        "human.posture": st.sampled_from([None, "standing", "seated", "lying"]),
    }
)


@given(st.lists(states, max_size=8))
def test_remembered_answers_equal_direct_ones(several):
    together = ConditionSet(CONDITIONS)
    for state in several:
        assert together.evaluate(state) == tuple(c.holds(state) for c in CONDITIONS)
        assert together.evaluate(state) == tuple(c.holds(state) for c in CONDITIONS)


@given(st.lists(st.sampled_from([True, False, 1, 0, 1.0, 0.0, "x", None]), max_size=6))
def test_values_of_a_foreign_type_are_not_mistaken_for_others(several):
    together = ConditionSet([Condition("camera.frozen", SIGNALS, {})])
    direct = Condition("camera.frozen", SIGNALS, {})
    for value in several:
        assert together.evaluate({"camera.frozen": value}) == (direct.holds({"camera.frozen": value}),)


@given(states, st.sampled_from(CONDITIONS), st.sampled_from([None, NAN]), st.data())
def test_unknown_signal_makes_the_condition_hold(state, condition, unknown, data):
    name = data.draw(st.sampled_from(condition.signals))
    assert condition.holds({**state, name: unknown})
    assert condition.holds({k: v for k, v in state.items() if k != name})


def test_loop_that_reads_a_signal_is_active_when_the_signal_is_unknown():
    condition = Condition("[1.0].exists(t, human.distance < t)", SIGNALS, {})
    assert condition.signals == ("human.distance",)
    assert condition.holds({"human.distance": NAN})
    assert not condition.holds({"human.distance": 5.0})


def test_only_a_boolean_result_counts():
    condition = Condition("[camera.frozen][3]", SIGNALS, {})
    assert condition.holds({"camera.frozen": False})


def test_command_condition_without_a_command_holds():
    condition = Condition("command.leaves_workspace", SIGNALS, {})
    assert condition.reads_command
    assert condition.holds({})
    assert not condition.holds({}, {"command.leaves_workspace": False})
    assert condition.holds({}, {"command.leaves_workspace": None})


def test_parameter_stands_for_its_value_and_unit():
    condition = Condition("human.distance < params.near", SIGNALS, PARAMETERS)
    assert condition.holds({"human.distance": 0.99})
    assert not condition.holds({"human.distance": 1.0})
    with pytest.raises(SpecError, match="mixes units"):
        Condition("battery.level < params.near", SIGNALS, PARAMETERS)


@pytest.mark.parametrize(
    "text",
    [
        "human.distance < battery.level",
        "human.distance + battery.level < 1.0",
        "human.distance == command.speed_percent",
        "human.distance * human.closing < human.distance",
        "human.distance < (camera.frozen ? battery.level : 1.0)",
    ],
)
def test_mixed_units_are_refused(text):
    with pytest.raises(SpecError, match="mixes units"):
        Condition(text, SIGNALS, PARAMETERS)


@pytest.mark.parametrize(
    "text",
    [
        "human.distance * 2.0 < human.closing",
        "human.distance / human.closing < 2.0",
        "command.target_x - human.distance < 1.0",
    ],
)
def test_agreeing_units_are_accepted(text):
    assert Condition(text, SIGNALS, PARAMETERS).text == text


@pytest.mark.parametrize("text", ["human.distance <", "import os", "human.distance < 'x'", ""])
def test_what_is_no_cel_is_refused(text):
    with pytest.raises(SpecError, match="is not valid"):
        Condition(text, SIGNALS, PARAMETERS)


def test_every_command_field_compiles():
    literals = {"text": "'x'", "number": "1.0", "boolean": "true"}
    for name, (kind, _) in COMMAND_FIELDS.items():
        assert Condition(f"{name} == {literals[kind]}", SIGNALS, {}).reads_command


@given(st.floats(allow_nan=True), st.lists(st.floats(-9, 9), max_size=4, unique=True))
def test_values_in_one_cell_compare_alike_with_every_cut(value, cuts):
    ordered = tuple(sorted(cuts))
    cell = cell_of(value, ordered)
    assert (cell is None) == math.isnan(value)
    for other in (*ordered, value, 0.0):
        if cell_of(other, ordered) == cell and not math.isnan(value):
            assert [(other < c, other == c) for c in ordered] == [(value < c, value == c) for c in ordered]


def test_unknown_is_none_and_nan_only():
    assert [is_unknown(v) for v in (None, NAN, 0.0, False, "", 1e9)] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def outside(signal) -> list:
    if signal.type == "number":
        low, high = signal.range
        infinite = [] if signal.infinite else [math.inf, 1e9]
        return [None, NAN, low - 0.01, high + 0.01, -math.inf, "near", True, *infinite]
    return [None, NAN, 3.0, "no such word", 1]


@settings(max_examples=60)
@given(st.data())
def test_unusable_signal_activates_every_rule_that_reads_it(data):
    spec = SHIPPED
    name = data.draw(st.sampled_from(sorted({n for c in spec.conditions.values() for n in c.signals})))
    raw = {
        "camera.connected": True,
        "camera.frame_age": data.draw(st.floats(0, 3600)),
        "camera.frozen": data.draw(st.booleans()),
        "human.distance": data.draw(st.floats(0, 10)),
        "battery.level": data.draw(st.floats(0, 100)),
        name: data.draw(st.sampled_from(outside(spec.document.signals[name]))),
    }
    active = spec.active({n: spec.screen(n, v) for n, v in raw.items()})
    readers = {i for i, c in spec.conditions.items() if name in c.signals}
    assert readers
    assert readers <= active
