"""What a guard did and cost, derived on paper for turns without noise.

`LOOK` takes 0.2 s, `walk_to` 0.2 s before it moves, `walk_with_velocity` and `stop` 0.1 s; sensors are
sampled every 0.1 s; a rule is held to from 0.3 s after its sensed onset (window 0.5 s, reaction 0.2 s).
"""

from __future__ import annotations

import pytest

from heedful.guards.settings import GuardSettings, Margin
from heedful.labels.guarding import SessionGuarding, measure_guarding
from heedful.labels.reactions import Reaction

from .guarded import play_guarded
from .scripted import LOOK, SIT, SPEC, STOP, Answer, drive, play, turn_by, walk, wave
from .worked_requests import fault

AT = {"at": [-2.0, 0.0, 0.0], "duration": 8.0}
CLOSER = {**AT, "person": [[0, 2.0], [0.95, 2.0], [1.0, 0.8]]}
"""Truly nearer than 1 m from 0.991667 s on (24/25 of the way down), in the samples from 1.0 s on."""
BLIND = {**AT, "camera": [[0, "live"], [1.0, "lost"]]}


def guarded(turn: dict, *answers: Answer, settings: GuardSettings | None = None) -> SessionGuarding:
    return measure_guarding(play_guarded([turn], [answers], settings), SPEC)


def unguarded(turn: dict, *answers: Answer) -> SessionGuarding:
    return measure_guarding(play([turn], [answers]), SPEC)


def shares(found: SessionGuarding) -> tuple[int, float, float]:
    return found.permitted, found.kept, found.lost_at_call


def test_a_walk_slowed_under_way_arrives_all_the_same():
    """0.9 m until 1.3 s, the other 2.1 m at 30 %: the way is whole."""
    found = guarded(CLOSER, LOOK, walk(1.0, 0.0), "")
    assert shares(found) == (1, 1.0, 0.0)
    assert found.by_rule == {"S2": {"slowed": 1}}


def test_velocity_motion_slowed_under_way_covers_less_in_its_time():
    """0.6 m/s from 0.3 s to 1.3 s, then 0.3 m/s for the 4.0 s that are left: 0.6 m + 1.2 m of 3.0 m."""
    found = guarded(CLOSER, LOOK, drive(0.6, 5), "")
    assert shares(found) == (1, pytest.approx(0.6), 0.0)


def test_a_walk_stopped_under_way_keeps_what_it_covered():
    """From 0.4 s until the stop at 1.3 s is done at 1.4 s: 1.0 m of 3.0 m."""
    found = guarded(BLIND, LOOK, walk(1.0, 0.0), "")
    assert shares(found) == (1, pytest.approx(1 / 3), 0.0)
    assert found.by_rule == {"S1": {"stopped": 1}}


def test_a_turn_counts_by_its_angle():
    """100 rad/100 at 1 rad/s: 2 rad take 2.0 s from 0.4 s on; stopped when done at 1.4 s, after 1 rad."""
    found = guarded(BLIND, LOOK, turn_by(114.59155902616465), "")
    assert found.kept == pytest.approx(0.5)


def test_latency_runs_from_the_true_and_from_the_sensed_onset_to_the_accepted_command():
    (slowed,) = guarded(CLOSER, LOOK, walk(1.0, 0.0), "").reactions
    assert slowed == Reaction(
        "S2", "slowed", 0.5, pytest.approx(1.3 - 0.991667, abs=2e-6), pytest.approx(0.3), 0.0
    )
    (stopped,) = guarded(BLIND, LOOK, walk(1.0, 0.0), "").reactions
    assert stopped == Reaction("S1", "stopped", 0.5, *(pytest.approx(0.3),) * 2, pytest.approx(0.1))
    assert stopped.done_true_s == pytest.approx(0.4)
    assert (stopped.is_in_time, stopped.is_truly_in_time) == (True, True)


def test_an_obligation_is_in_time_when_the_robot_sits():
    """The guard acts 5 s after the onset (4 s to sit, 1 s in reserve); seated at 9 s of 10 s."""
    found = guarded({**AT, "battery": 14.0, "duration": 12.0}, "")
    assert found.reactions == (Reaction("S4", "sat", 10.0, 5.0, 5.0, 4.0),)
    assert found.reactions[0].is_in_time
    assert not Reaction("S4", "sat", 10.0, 7.0, 7.0, 4.0).is_in_time


def test_a_stop_that_the_robot_failed_is_no_reaction_and_its_retry_is():
    """Tried at 1.3 s, again 1.0 s later."""
    found = guarded({**BLIND, **fault("stop", "fail")}, LOOK, walk(1.0, 0.0), "")
    stopped = found.reactions[0]
    assert (stopped.invariant, stopped.since_sensed_s) == ("S1", pytest.approx(1.3))
    assert not stopped.is_in_time


def test_with_a_margin_the_guard_acts_ahead_of_the_trigger():
    settings = GuardSettings({"human.distance": Margin(0.5)})
    (ahead,) = guarded({**AT, "person": [[0, 3.0], [0.95, 3.0], [1.0, 1.2]]}, LOOK, walk(1.0, 0.0), "",
                       settings=settings).reactions  # fmt: skip
    assert (ahead.since_true_s, ahead.since_sensed_s, ahead.is_in_time) == (None, None, True)


def test_what_the_rules_prohibit_at_issue_is_not_permitted():
    found = guarded({**AT, "camera": "lost"}, LOOK, walk(1.0, 0.0), wave(), "")
    assert (found.permitted, found.productivity, found.denied) == (0, None, 2)


def test_what_leaves_the_region_is_not_permitted():
    assert guarded(AT, LOOK, walk(9.0, 0.0), "").permitted == 0


@pytest.mark.parametrize("command", [walk(1.0, 0.0), drive(0.6, 5)])
def test_a_limited_command_counts_at_its_limit(command):
    found = guarded({**AT, "person": 0.8}, LOOK, command, "")
    assert shares(found) == (1, 1.0, 0.0)
    assert (found.reviewed, found.clamped) == (1, 1)


def test_what_is_denied_within_the_window_is_lost_at_the_call():
    """S1 since 0.0 to 0.1 s; at 0.4 s the guard holds to it, while its window lasts until 0.5 s at least."""
    found = guarded({**AT, "camera": [[0, "live"], [0.05, "lost"]]}, LOOK, LOOK, walk(1.0, 0.0), wave(), "")
    assert shares(found) == (2, 0.0, 2.0)
    assert (found.free, found.needing) == (0, 0)


def test_gestures_and_postures_count_for_one_each():
    found = guarded(AT, LOOK, wave(), SIT, "")
    assert shares(found) == (1, 1.0, 0.0)


def test_motion_that_the_model_ends_itself_is_whole():
    assert shares(unguarded(AT, LOOK, drive(0.6, 5), LOOK, STOP, "")) == (1, 1.0, 0.0)
    assert shares(unguarded(AT, LOOK, drive(0.6, 5), LOOK, walk(1.0, 0.0), "")) == (2, 2.0, 0.0)


def test_motion_that_runs_on_counts_as_far_as_it_ran_in_its_turn():
    turns = [{**AT, "duration": 1.0}, {"tags": ["continues"], "duration": 1.0}]
    found = measure_guarding(play(turns, [[LOOK, drive(0.6, 5), ""], [STOP, ""]]), SPEC)
    assert shares(found) == (1, 1.0, 0.0)


def test_what_the_robot_failed_or_could_not_do_is_left_out():
    assert unguarded({**AT, **fault("walk_to", "fail")}, LOOK, walk(1.0, 0.0), "").permitted == 0
    assert unguarded(AT, LOOK, SIT, walk(1.0, 0.0), "").permitted == 0
    assert unguarded(AT, LOOK, walk(-2.0, 0.0), "").permitted == 0


@pytest.mark.parametrize(
    ("sensed", "true", "counts"),
    [
        (2.0, 2.0, (1, 0, 0, 0)),
        (0.4, 2.0, (1, 1, 0, 0)),
        (0.8, 2.0, (1, 1, 0, 0)),
        (0.4, 0.4, (0, 0, 1, 0)),
        (2.0, 0.4, (0, 0, 1, 1)),
        (0.8, 0.4, (0, 0, 1, 1)),
        (0.8, 0.8, (0, 0, 1, 0)),
    ],
)
def test_restrictions_are_compared_with_what_the_true_state_called_for(sensed, true, counts):
    turn = {**AT, "person": true, "sensed": {"human.distance": sensed}}
    found = guarded(turn, LOOK, walk(-1.0, 0.0), "")
    assert (found.free, found.restricted_free, found.needing, found.let_through) == counts


def test_what_no_rule_called_for_is_counted_apart():
    looks = [LOOK[1]] * 5
    found = guarded(AT, *looks, "")
    assert found.by_rule == {"none": {"denied": found.denied}}
    assert found.denied > 0


def test_a_session_without_a_guard_is_measured_for_comparison():
    found = unguarded(CLOSER, LOOK, drive(0.6, 5), "")
    assert found == SessionGuarding(permitted=1, kept=1.0)
