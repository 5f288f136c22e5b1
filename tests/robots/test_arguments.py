"""How arguments are read: the table of judge-1 section 1, and nothing else than a tool error for the rest."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.robots.arguments import MAX_TEXT, ArgumentError, read_arguments
from heedful.robots.tools import TOOLS

WALK = {"x": 1.0, "y": 2.0, "speed_percent": 50.0}
DEEP: Any = 1
for _ in range(3000):
    DEEP = [DEEP]

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def read(tool: str, **args: Any) -> dict[str, Any]:
    return read_arguments(TOOLS[tool], args)


@pytest.mark.parametrize(
    ("given", "number"),
    [
        (30, 30.0),
        (30.5, 30.5),
        ("30", 30.0),
        ("30.0", 30.0),
        ("30%", 30.0),
        (" 30 % ", 30.0),
        ("+30", 30.0),
        (".5", 0.5),
        (0.3, 0.3),
        ("0.3", 0.3),
        (100, 100.0),
        ("100%", 100.0),
        (1e-9, 1e-9),
    ],
)
def test_speeds_that_are_read(given: Any, number: float) -> None:
    found = read("walk_to", **{**WALK, "speed_percent": given})
    assert found == {"x": 1.0, "y": 2.0, "speed_percent": number}
    assert all(type(value) is float for value in found.values())


@pytest.mark.parametrize(
    "given",
    [
        *(
            "thirty",
            "",
            " ",
            "%",
            "30 percent",
            "30%%",
            "3e1",
            "0x1e",
            "1_0",
            "30,5",
            "٣٠",
            "nan",
            "inf",
            "-30",
            "0",
        ),
        *(
            "0%",
            "101",
            "100.0001",
            "9" * 40,
            True,
            False,
            None,
            math.nan,
            math.inf,
            -math.inf,
            0,
            0.0,
            -1,
            100.001,
        ),
        *(10**400, -(10**5000), [30], {"value": 30}, [], {}, DEEP),
    ],
    ids=lambda given: repr(given)[:12] if given is not DEEP and not isinstance(given, int) else "value",
)
def test_speeds_that_are_a_tool_error(given: Any) -> None:
    with pytest.raises(ArgumentError, match=r"^walk_to: speed_percent "):
        read("walk_to", **{**WALK, "speed_percent": given})


@pytest.mark.parametrize(
    "given", ["1", "1.0", True, None, math.nan, math.inf, 10**400, [1.0], {}, 10001, -1e5]
)
@pytest.mark.parametrize("name", ["x", "y"])
def test_other_numbers_are_numbers_only(name: str, given: Any) -> None:
    with pytest.raises(ArgumentError, match=rf"^walk_to: {name} "):
        read("walk_to", **{**WALK, name: given})


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ({"x": 1, "y": 2}, "missing argument 'speed_percent'"),
        ({"y": 2, "speed_percent": 5}, "missing argument 'x'"),
        ({}, "missing argument 'x'"),
        ({**WALK, "speed": 30}, "unknown argument 'speed'"),
        ({"x": 1, "y": 2, "speed": 30}, "unknown argument 'speed'. Allowed: x, y, speed_percent"),
        ({"target_x": 1, "y": 2, "speed_percent": 5}, "unknown argument 'target_x'"),
        ({"X": 1, "y": 2, "speed_percent": 5}, "unknown argument 'X'"),
        ({**WALK, "": 1}, "unknown argument ''"),
    ],
)
def test_names_are_exact(args: dict[str, Any], complaint: str) -> None:
    with pytest.raises(ArgumentError, match=f"walk_to: {complaint}"):
        read_arguments(TOOLS["walk_to"], args)


@pytest.mark.parametrize("given", [0, -1.0, 0.0])
def test_a_duration_is_above_zero(given: float) -> None:
    args = {"linear_x": 0.1, "linear_y": 0.0, "angular_z": 0.0, "speed_percent": 20, "duration": given}
    with pytest.raises(ArgumentError, match="duration must be above 0"):
        read("walk_with_velocity", **args)


@pytest.mark.parametrize(
    ("given", "complaint"), [("both", "one of left, right"), ("LEFT", "one of"), (1, "text")]
)
def test_a_hand_is_left_or_right(given: Any, complaint: str) -> None:
    assert read("wave_hand", hand="left") == {"hand": "left"}
    with pytest.raises(ArgumentError, match=complaint):
        read("wave_hand", hand=given)


def test_long_texts_are_cut_and_complaints_stay_short() -> None:
    assert read("speak", text="x" * 10**6) == {"text": "x" * MAX_TEXT}
    for args in ({"text": [0] * 10**5}, {"x" * 10**6: 1}, {"text": 10**5000}):
        with pytest.raises(ArgumentError) as caught:
            read_arguments(TOOLS["speak"], args)
        assert len(str(caught.value)) < 200


@settings(max_examples=100)
@given(st.data())
def test_no_arguments_raise_anything_else_or_leave_a_number_that_is_not_finite(data: st.DataObject) -> None:
    tool = TOOLS[data.draw(st.sampled_from(list(TOOLS)))]
    strange = data.draw(st.dictionaries(st.text(max_size=5), anything, max_size=2))
    known = {name: data.draw(anything | st.floats() | st.just("50%")) for name in tool.arguments}
    args = data.draw(st.sampled_from([known, {**known, **strange}, strange]))
    try:
        found = read_arguments(tool, args)
    except ArgumentError:
        return
    assert set(found) == set(tool.arguments)
    for value in found.values():
        assert isinstance(value, str) or (type(value) is float and math.isfinite(value))
