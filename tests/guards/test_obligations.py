"""Obligations derived on paper: S4 asks for `sit_down` within 10 s of its onset and forbids motion after.

With the default settings a sit takes 4 s and 1 s is kept in reserve: the guard acts 5 s after the onset.
"""

from __future__ import annotations

from typing import Any

import pytest

from heedful.guards.guard import Command, Due, Intervention
from heedful.guards.settings import GuardSettings
from heedful.guards.spec_guard import SpecGuard
from heedful.state.geometry import Pose
from heedful.trace.records import Reading
from tests.spec.samples import SIT, rule, small_spec

from .specs import HUMANOID, calm_values
from .trial import Trial, compiled

CALM: dict[str, Any] = {**calm_values(HUMANOID), "human.distance": 5.0, "battery.level": 80.0}
WALK = {"x": 1.0, "y": 0.5, "speed_percent": 50.0}
ROAM = {"linear_x": 0.05, "linear_y": 0.0, "angular_z": 0.0, "duration": 10.0, "speed_percent": 100.0}
SIT_DUE = Intervention("sit_down", ("S4",), "S4: sit_down is due within 10 s of its onset")


def low_at_one() -> Trial:
    """Return a trial whose battery falls to 14 % at 1.0 s."""
    trial = Trial(HUMANOID, CALM)
    trial.wait(9)
    trial.values["battery.level"] = 14.0
    trial.wait(1)
    return trial


def test_low_battery_cancels_the_mission_seats_the_robot_in_time_and_refuses_new_moves():
    """Thread 13: onset 1.0 s, the guard acts at 6.0 s, the robot sits at 10.0 s, 1 s before its deadline."""
    trial = low_at_one()
    trial.wait(45)
    assert trial.command("walk_with_velocity", ROAM).kind == "allow"
    trial.wait(5)
    assert trial.now == 6.0
    assert trial.robot.doing is None
    assert trial.sits == [6.0]
    trial.wait(40)
    assert (trial.now, trial.robot.posture) == (10.0, "seated")
    for tool, args in (("walk_to", WALK), ("wave_hand", {}), ("stand_up", {}), ("walk_with_velocity", ROAM)):
        assert trial.command(tool, args).rules == ("S4",)


def test_docking_is_motion_unless_the_rule_excepts_it():
    """Thread 13: going to the dock is allowed only if the rule says so."""
    dock = {"battery.level": Reading(14.0, 0.0)}
    for spared, kind in (((), "deny"), (("shake_hands",), "allow")):
        then = {"kind": "prohibit", "except_tools": list(spared)}
        guard = SpecGuard(small_spec(rule("B1", "battery.level < 15.0", {**SIT, "then": then})))
        guard.observe(dock, 0.0)
        guard.observe({"battery.level": Reading(14.0, 6.0)}, 6.0)
        assert guard.review(Command("shake_hands", "gesture"), 6.0).kind == kind
        assert guard.review(Command("wave_hand", "gesture"), 6.0).kind == "deny"


def test_obligation_is_recorded_with_its_times():
    trial = low_at_one()
    assert trial.guard.state(1.0).obligations == (Due("S4", "sit_down", 1.0, 6.0, 11.0, False),)
    trial.wait(90)
    assert trial.guard.state(10.0).obligations == (Due("S4", "sit_down", 1.0, 6.0, 11.0, True),)


def test_model_that_sits_leaves_the_guard_nothing_to_do():
    trial = low_at_one()
    trial.command("sit_down", {})
    trial.wait(100)
    assert (trial.robot.posture, trial.sits) == ("seated", [])


@pytest.mark.parametrize("tool", ["stand_up", "walk_to"])
def test_what_was_done_for_an_obligation_is_not_undone(tool):
    trial = low_at_one()
    trial.command("sit_down", {})
    trial.wait(41)
    assert trial.now < 6.0
    assert trial.command(tool, WALK if tool == "walk_to" else {}).rules == ("S4",)


def test_standing_up_that_is_under_way_at_the_onset_costs_no_deadline():
    """It gets up from 4.5 to 8.5 s; onset 4.7 s: it sits from 9.7 to 13.7 s, in time for 14.7 s."""
    trial = Trial(HUMANOID, CALM)
    trial.command("sit_down", {})
    trial.wait(45)
    trial.command("stand_up", {})
    trial.wait(1)
    trial.values["battery.level"] = 14.0
    trial.wait(90)
    assert (trial.now, trial.sits[0], trial.robot.posture) == (13.6, 9.7, "standing")
    trial.wait(1)
    assert trial.robot.posture == "seated"


def test_getting_up_whose_end_nobody_reports_does_not_count_as_sitting():
    """The call is cut off and never acknowledged; the guard sits all the same when the time has come."""
    guard = SpecGuard(compiled(HUMANOID))
    guard.acted("sit_down")
    guard.began(Command("stand_up", "posture"), 0.0)
    guard.ended()
    values = {**CALM, "battery.level": 14.0, "robot.yaw": 0.0}
    guard.observe({name: Reading(value, 0.0) for name, value in values.items()}, 0.0)
    assert guard.due(5.0)[-1:] == (SIT_DUE,)


def test_failed_sits_are_tried_again_every_second():
    trial = low_at_one()
    trial.robot.fails["sit_down"] = 3
    trial.wait(85)
    assert trial.sits == [6.0, 7.0, 8.0, 9.0]


def test_one_failed_sit_still_meets_the_deadline():
    """The second try begins at 7.0 s and is done at 11.0 s: the deadline itself."""
    trial = low_at_one()
    trial.robot.fails["sit_down"] = 1
    trial.wait(100)
    assert trial.now == 11.0
    assert trial.robot.posture == "seated"


def test_short_dip_latches_until_the_operator_releases():
    trial = low_at_one()
    trial.values["battery.level"] = 80.0
    trial.wait(10)
    assert len(trial.guard.state(trial.now).obligations) == 1
    trial.reset()
    assert trial.guard.state(trial.now).obligations == ()


@pytest.mark.parametrize(("level", "released"), [(19.9, ()), (20.0, ("S4",)), (None, ()), (101.0, ())])
def test_release_needs_a_known_charge_of_20_percent_and_a_reset(level, released):
    trial = low_at_one()
    trial.values["battery.level"] = level
    trial.wait(1)
    assert trial.guard.reset(trial.now) == released


def test_release_heeds_what_the_model_was_told_too():
    trial = low_at_one()
    trial.tell(["battery.level"])
    trial.values["battery.level"] = 80.0
    trial.wait(1)
    assert trial.guard.reset(trial.now) == ()
    trial.new_scene({})
    assert trial.guard.reset(trial.now) == ("S4",)


def test_release_may_read_a_signal_that_no_rule_reads():
    latch = {"release_when": 'human.posture == "standing"'}
    spec = small_spec(rule("B1", "battery.level < 15.0", {**SIT, "latch": latch}))
    guard = SpecGuard(spec)
    guard.observe({"battery.level": Reading(14.0, 0.0)}, 0.0)
    assert guard.reset(0.1) == ()
    guard.observe({"battery.level": Reading(50.0, 0.2), "human.posture": Reading("standing", 0.2)}, 0.2)
    assert guard.reset(0.2) == ("B1",)


def test_unknown_charge_forbids_new_motion_and_makes_no_obligation():
    trial = Trial(HUMANOID, CALM)
    trial.wait(5)
    trial.values["battery.level"] = None
    trial.wait(6)
    assert trial.guard.state(trial.now).obligations == ()
    assert trial.command("walk_to", WALK).rules == ("S4",)
    trial.wait(200)
    assert trial.sits == []


def test_deadline_runs_from_the_first_reading_that_says_so():
    """The model is told 14 % at 0.5 s; the stream itself never says so."""
    trial = Trial(HUMANOID, CALM)
    trial.wait(5)
    trial.guard.told({"battery.level": Reading(14.0, 0.4)}, 0.5)
    assert trial.guard.state(0.5).obligations == (Due("S4", "sit_down", 0.5, 5.5, 10.5, False),)


def test_two_obligations_are_met_by_the_earlier():
    rules = (
        rule("B1", "battery.level < 15.0", SIT),
        rule("B2", "battery.level < 10.0", {**SIT, "within_s": 6}),
    )
    guard = SpecGuard(small_spec(*rules))
    guard.observe({"battery.level": Reading(9.0, 0.0)}, 0.0)
    assert guard.due(0.9) == ()
    assert [(i.kind, i.rules) for i in guard.due(1.0)] == [("sit_down", ("B2",))]
    guard.tried(guard.due(1.0)[0], 1.0)
    guard.acted("sit_down")
    assert guard.due(9.0) == ()


def test_slower_robot_is_told_to_sit_earlier():
    guard = SpecGuard(compiled(HUMANOID), GuardSettings(action_takes_s=7.5, action_reserve_s=2.0))
    values = {**CALM, "battery.level": 14.0, "robot.yaw": 0.0}
    guard.observe({name: Reading(value, 0.0) for name, value in values.items()}, 0.0)
    assert guard.due(0.4) == ()
    assert guard.due(0.5) == (SIT_DUE,)


def test_stop_comes_before_the_sit():
    trial = low_at_one()
    trial.robot.pose = Pose(0.0, 0.0)
    trial.wait(40)
    trial.command("walk_with_velocity", ROAM)
    found = trial.guard.due(6.0)
    assert [(i.kind, i.rules) for i in found] == [("stop", ("S4",)), ("sit_down", ("S4",))]
