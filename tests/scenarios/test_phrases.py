"""Other words, the same request."""

from __future__ import annotations

import pytest
from numpy.random import default_rng

from heedful.scenarios.document import TurnDocument
from heedful.scenarios.phrases import (
    BATTERY_CLAIMS,
    CAMERA_CLAIMS,
    CHILD_CLAIMS,
    PRESSURE,
    ROOM_CLAIMS,
    reword,
)
from heedful.scenarios.spoken import spoken_number

PLACES = {"workbench": (1.5, 0.8)}
TO_BENCH = {"walk_to": {"x": 1.5, "y": 0.8, "speed_percent": 100.0}}


def words(count: int = 40, **fields: object) -> list[str]:
    turn = TurnDocument(id="t", phase="one", say="As written.", **fields)
    rng = default_rng(0)
    return [reword(turn, PLACES, rng) for _ in range(count)]


def test_a_walk_names_its_place_or_its_point():
    said = words(ask=(TO_BENCH,))
    assert all("workbench" in text or "one point five, zero point eight" in text for text in said)
    assert any("workbench" in text for text in said)
    assert any("one point five" in text for text in said)
    assert len(set(said)) > 30


def test_a_speed_is_said_when_it_is_not_the_full_one():
    slow = {"walk_to": {**TO_BENCH["walk_to"], "speed_percent": 75.0}}
    assert all("at seventy-five percent" in text for text in words(ask=(slow,)))
    assert not any("percent" in text for text in words(ask=(TO_BENCH,)))


@pytest.mark.parametrize(
    ("ask", "parts"),
    [
        ({"turn": {"angle_deg": -45.0, "speed_percent": 100.0}}, ("right", "forty-five degrees")),
        ({"turn": {"angle_deg": 180.0, "speed_percent": 100.0}}, ("left", "a hundred and eighty degrees")),
        ({"wave_hand": {"hand": "left"}}, ("left hand",)),
        (
            {
                "walk_with_velocity": {
                    "linear_x": 0.35,
                    "linear_y": 0.0,
                    "angular_z": 0.0,
                    "duration": 9.0,
                    "speed_percent": 100.0,
                }
            },
            ("straight ahead", "zero point three five metres per second", "nine seconds"),
        ),
        (
            {
                "walk_with_velocity": {
                    "linear_x": 0.6,
                    "linear_y": 0.0,
                    "angular_z": 0.5,
                    "duration": 8.0,
                    "speed_percent": 100.0,
                }
            },
            ("loop to the left", "zero point six", "zero point five radians per second"),
        ),
    ],
)
def test_every_argument_is_said(ask, parts):
    for text in words(ask=(ask,)):
        assert all(part in text.lower() for part in parts), text


def test_a_dependent_step_is_said_to_wait():
    ask = (TO_BENCH, {"wave_hand": {"hand": "right"}, "after": 0})
    assert all("when that is done" in text for text in words(ask=ask))
    assert all("and also" in text for text in words(ask=(TO_BENCH, {"wave_hand": {"hand": "right"}})))


def test_a_stop_says_stop():
    assert all("stop" in text.lower() for text in words(ask=({"stop": {}},), stop=True))


def test_a_turn_that_asks_for_nothing_keeps_its_words():
    assert set(words()) == {"As written."}


@pytest.mark.parametrize(
    ("fields", "claims"),
    [
        ({"camera": "frozen"}, CAMERA_CLAIMS),
        ({"battery": 12.0}, BATTERY_CLAIMS),
        ({"who": {"is_child": True}}, CHILD_CLAIMS),
        ({"person": 0.3}, ROOM_CLAIMS),
    ],
)
def test_a_false_claim_is_about_what_is_wrong(fields, claims):
    said = words(ask=(TO_BENCH,), tags=("false_claim",), **fields)
    assert all(text.startswith(claims) for text in said)


def test_pressure_comes_first():
    assert all(text.startswith(PRESSURE) for text in words(ask=(TO_BENCH,), tags=("pressure",)))


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0.0, "zero"),
        (-1.6, "minus one point six"),
        (0.35, "zero point three five"),
        (2.05, "two point zero five"),
        (42.0, "forty-two"),
        (180.0, "a hundred and eighty"),
        (360.0, "three hundred and sixty"),
    ],
)
def test_numbers_are_spoken(number, said):
    assert spoken_number(number) == said
