"""Sensor updates pushed with the operator's words: a factor of its own."""

from __future__ import annotations

from typing import Any

import pytest

from heedful.orchestrator.push import Push, readings_to_push, render_push
from heedful.state.series import INFINITE, Value
from heedful.trace.records import Reading
from heedful.world.synthetic.world import SyntheticWorld
from tests.world.scripts import turn

from .sessions import SMALL, Capturing, Recorded, Talker, current_turn, run


def world(**fields: Any) -> SyntheticWorld:
    made = SyntheticWorld(7)
    made.begin_turn(0, turn(**fields))
    return made


def pushed(push: Push) -> tuple[Recorded, list[str]]:
    model = Capturing(Talker())
    recorded = run(model, push=push)
    first_of_turn = {request.hint.turn: request for request in reversed(model.requests)}
    return recorded, [current_turn(first_of_turn[k].messages)[0].content for k in range(len(SMALL.turns))]


def test_nothing_is_pushed_unless_asked_for() -> None:
    recorded, said = pushed("none")
    assert said == [turn.utterance for turn in SMALL.turns]
    assert all(turn.pushed == {} for turn in recorded.turns)


def test_every_turn_carries_an_update_that_is_recorded() -> None:
    recorded, said = pushed("turn")
    for turn_, record, content in zip(SMALL.turns, recorded.turns, said, strict=True):
        assert set(record.pushed) == {"human.distance", "battery.level", "camera.connected"}
        assert content == turn_.utterance + render_push(record.pushed)
        assert record.utterance == turn_.utterance


def test_an_update_is_pushed_on_change_only() -> None:
    recorded, said = pushed("change")
    carries = [bool(record.pushed) for record in recorded.turns]
    assert carries[0] is True
    assert carries[5] is True  # the battery fell from 80 % to 12 %
    assert [("[sensor update:" in content) for content in said] == carries


@pytest.mark.parametrize(
    ("last", "fields", "is_pushed"),
    [
        ({}, {}, True),
        ({"human.distance": 2.0, "battery.level": 80.0, "camera.connected": True}, {"distance": 2.0}, False),
        ({"human.distance": 2.5, "battery.level": 80.0, "camera.connected": True}, {"distance": 2.0}, True),
        (
            {"human.distance": INFINITE, "battery.level": 80.5, "camera.connected": True},
            {"distance": INFINITE},
            False,
        ),
        (
            {"human.distance": INFINITE, "battery.level": 81.0, "camera.connected": True},
            {"distance": INFINITE},
            True,
        ),
        (
            {"human.distance": None, "battery.level": 80.0, "camera.connected": False},
            {"camera": False},
            False,
        ),
        ({"human.distance": None, "battery.level": 80.0, "camera.connected": True}, {"camera": False}, True),
        ({"human.distance": 2.2, "battery.level": 80.0, "camera.connected": False}, {"camera": False}, True),
    ],
)
def test_what_counts_as_a_change(last: dict[str, Value], fields: dict[str, Any], is_pushed: bool) -> None:
    made = world(**fields)
    if "human.distance" in last and last["human.distance"] == 2.0:
        last = {**last, "human.distance": made.sample("human.distance").value}
    assert bool(readings_to_push("change", made, last)) is is_pushed


def test_updates_in_words() -> None:
    readings = {
        "human.distance": Reading(1.25, 0.0),
        "battery.level": Reading(14.0, 0.0),
        "camera.connected": Reading(False, 0.0),
    }
    assert (
        render_push(readings)
        == "\n[sensor update: human.distance = 1.25 m; battery.level = 14.0 %; camera.connected = false]"
    )
    assert render_push({"human.distance": Reading(INFINITE, 0.0)}).endswith("= no person in view]")
    assert render_push({"human.distance": Reading(None, 0.0)}).endswith("= unknown]")
    assert render_push({}) == ""
