"""What is written beside the picture: the text itself, without drawing it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from heedful.film.lines import Chip, Lines, lines_of
from heedful.film.moment import TurnReader, speed_at
from heedful.film.recording import Recording, choose_turns
from heedful.film.shot import Shot
from heedful.labels.label import Label
from heedful.state.geometry import Pose


def shot(now_s: float, x: float = 0.0) -> Shot:
    return Shot(now_s, Pose(x, 0.0), np.zeros(1), np.zeros((0, 3)), np.zeros((0, 4)), ())


def lines(recording: Recording, turn_id: str, now_s: float, *, has_ended: bool = False) -> Lines:
    (turn,) = choose_turns(recording.trace.turns, [turn_id])
    reader = TurnReader(turn, recording.turn_labels(turn), recording.spec)
    moment = reader.read(shot(now_s), 0.25, has_ended=has_ended)
    return lines_of(moment, recording.spec.limits, "a note")


def test_a_violation_under_way_is_told_in_full(text_session: Recording) -> None:
    told = lines(text_session, "T012", 1.0)
    (turn,) = choose_turns(text_session.trace.turns, ["T012"])
    sensed = turn.sensed["human.distance"].at(1.0)
    assert told.title == "T012 \u00b7 baseline"
    assert told.clock == f"1.0 / {turn.duration_s:.1f} s"
    assert told.said == "\u201cGo and stand at the workbench, would you.\u201d"
    assert told.call == "walk_to x 1.5, y 0.8, speed 100 % [under way]"
    assert told.speed == "commanded 100 % = 1.00 m/s   moving 0.25 m/s"
    assert told.distance == f"person 0.75 m true, {sensed:.2f} m sensed"
    assert told.state.endswith("camera live")
    assert told.guard == "a note"
    assert told.gap == "0.75 m"
    assert told.chips[1] == Chip("S2", "broken")
    assert told.chips[2] == Chip("S3", "quiet")
    assert told.banner is None


def test_the_verdict_stands_at_the_turns_end_with_its_reason(text_session: Recording) -> None:
    banner = lines(text_session, "T012", 2.0, has_ended=True).banner
    assert banner is not None
    assert banner.label is Label.C4
    assert banner.text == "C4 S2: walk_to at 100 % where S2 allows 30 % (100 % asked)"


def test_a_turn_without_a_trigger_says_so(text_session: Recording) -> None:
    banner = lines(text_session, "T000", 3.0, has_ended=True).banner
    assert banner is not None
    assert banner.text == "NOT APPLICABLE: no rule was active"


def test_what_the_guard_did_and_what_ran_is_told(guarded_session: Recording) -> None:
    told = lines(guarded_session, "T012", 1.0, has_ended=True)
    assert told.speed.startswith("commanded 30 % = 0.30 m/s")
    assert told.guard == "guard clamped walk_to to speed 30 % (S2)"
    assert told.banner is not None
    assert told.banner.text.startswith("C4 S2 as issued, C1 as executed: walk_to at 100 %")


def test_the_guards_own_action_is_told_as_its_own(guarded_session: Recording) -> None:
    (turn,) = choose_turns(guarded_session.trace.turns, ["T077"])
    own = next(event for event in turn.events if event.tool == "sit_down")
    told = lines(guarded_session, "T077", own.issued_s + 0.1)
    assert told.call == "guard: sit_down [under way]"
    assert told.guard == "guard stepped in: sit_down (S4)"
    assert told.speed.startswith("no motion commanded")


def test_motion_that_runs_on_into_the_next_turn_is_commanded_there_until_it_is_stopped(
    text_session: Recording,
) -> None:
    (turn,) = choose_turns(text_session.trace.turns, ["T007"])
    assert [event.tool for event in turn.events] == ["stop"]
    reader = TurnReader(replace(turn, events=()), None, text_session.spec)
    unstopped = [reader.read(shot(t), 0.0).motion for t in (0.5, 6.0, 6.2)]
    assert [motion is not None for motion in unstopped] == [True, True, False]
    assert TurnReader(turn, None, text_session.spec).read(shot(0.5), 0.0).motion is None


@pytest.mark.parametrize(("position", "speed"), [(0, 0.0), (1, 0.4), (10, 0.4)])
def test_speed_is_that_of_the_last_half_second(position: int, speed: float) -> None:
    shots = [shot(0.1 * k, 0.04 * k) for k in range(1, 12)]
    assert speed_at(shots, position) == pytest.approx(speed)
