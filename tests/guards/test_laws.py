"""The guard's laws over arbitrary commands, sensor streams and faults, for shipped and generated specs.

`trial.py` holds every step to labels.md: (a) nothing executed breaks an active rule by either reading of
the sensors; (b) running motion ends in time; (c) obligations are met; (d) what needs no restriction is
executed unchanged; (e) what is unknown is active; (f) the same stream gives the same decisions; (g) a
clamp is the most permissive. Each machine runs all of them at each step; (e) has tests of its own too.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from heedful.guards.guard import Command
from heedful.guards.spec_guard import SpecGuard
from heedful.trace.records import Reading

from .commands import SPIN, motions, places
from .specs import (
    CONTEXT,
    HUMANOID,
    POSES,
    RulePlan,
    SpecPlan,
    bad_values,
    calm_values,
    good_values,
    hundredths,
    spec_plans,
)
from .trial import Trial, compiled

TICKS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 8, 12, 30])
TIMES = st.lists(TICKS, min_size=1, max_size=4)
ACTS = ["wave_hand", "shake_hands", "stand_up", "stop", "sit_down", "speak"]
BREAKABLE = ["stop", "sit_down", "walk_to", "walk_with_velocity"]


class Guarded(RuleBasedStateMachine):
    """A model, its robot and the world, all of them capricious."""

    plans: ClassVar[st.SearchStrategy[SpecPlan]]

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.plan = data.draw(self.plans)
        self.calm = calm_values(self.plan)
        numbers = [name for name in self.plan.margin_names if data.draw(st.integers(0, 3)) == 0]
        self.trial = Trial(self.plan, self.calm, {name: data.draw(hundredths(0, 0.5)) for name in numbers})

    @rule(data=st.data(), ticks=TICKS, later=TICKS, calm=st.booleans())
    def sense_and_move(self, data: st.DataObject, ticks: int, later: int, calm: bool) -> None:
        if calm:
            self.calm_down()
        self.sense(data)
        self.trial.wait(ticks)
        self.move(data)
        self.trial.wait(later)

    @rule(data=st.data(), ticks=TICKS, has_speed=st.sampled_from([True, True, False]))
    def move_and_sense(self, data: st.DataObject, ticks: int, has_speed: bool) -> None:
        self.calm_down()
        self.trial.wait(6)
        self.move(data, has_speed=has_speed)
        self.trial.wait(ticks)
        self.sense(data)
        self.trial.wait(6)
        self.move(data)

    @rule(data=st.data(), calm=st.booleans(), ticks=TICKS)
    def read_and_move(self, data: st.DataObject, calm: bool, ticks: int) -> None:
        sensed = self.sense(data)
        names = [signal.name for signal in self.plan.signals]
        self.trial.tell([sensed, *data.draw(st.lists(st.sampled_from(names), max_size=2))])
        if calm:
            self.calm_down()
        self.trial.wait(ticks)
        self.move(data)

    @rule(data=st.data(), seconds=st.sampled_from([0.07, 0.4, 1.3, 7.0]), ticks=TICKS)
    def look_away_and_move(self, data: st.DataObject, seconds: float, ticks: int) -> None:
        self.calm_down()
        self.trial.wait(6)
        self.trial.pause(seconds)
        self.move(data)
        self.trial.wait(ticks)

    @rule(data=st.data(), fails=st.sampled_from(["", "", "stop", SPIN[0]]), times=TIMES)
    def keep_turning(self, data: st.DataObject, fails: str, times: list[int]) -> None:
        self.calm_down()
        self.trial.wait(6)
        self.trial.command(*SPIN)
        self.trial.robot.fails[fails] = 1
        for ticks in times:
            self.sense(data)
            self.trial.wait(ticks)

    @rule(data=st.data(), ticks=st.sampled_from([1, 5, 20, 35]), is_early=st.booleans())
    def sit_and_stand_up(self, data: st.DataObject, ticks: int, is_early: bool) -> None:
        self.calm_down()
        self.trial.wait(6)
        self.trial.command("sit_down", {})
        self.trial.wait(41)
        if is_early:
            self.lower(data)
            self.trial.wait(1)
        self.trial.command("stand_up", {})
        self.trial.wait(ticks)
        self.lower(data)
        self.trial.wait(60)

    @rule(data=st.data(), fails=st.integers(0, 3), ticks=st.sampled_from([1, 20, 60, 110]))
    def oblige(self, data: st.DataObject, fails: int, ticks: int) -> None:
        self.calm_down()
        self.trial.wait(6)
        self.trial.robot.fails["sit_down"] = fails
        self.lower(data)
        self.trial.wait(1)
        self.move(data)
        self.trial.wait(ticks)
        self.move(data)

    @rule(data=st.data(), is_told=st.booleans(), ticks=TICKS)
    def recover(self, data: st.DataObject, is_told: bool, ticks: int) -> None:
        self.lower(data)
        self.trial.wait(1)
        if is_told:
            self.trial.tell([signal.name for signal in self.plan.signals])
        self.calm_down()
        self.trial.wait(ticks)
        self.trial.reset()
        self.trial.command("stand_up", {})
        self.trial.wait(41)

    @rule(data=st.data(), resets=st.booleans(), calm=st.booleans(), ticks=TICKS)
    def another_scene(self, data: st.DataObject, resets: bool, calm: bool, ticks: int) -> None:
        if calm:
            self.calm_down()
        self.sense(data)
        self.trial.new_scene({})
        if resets:
            self.trial.reset()
        self.move(data)
        self.trial.wait(ticks)

    @rule(tool=st.sampled_from(ACTS), ticks=TICKS)
    def act(self, tool: str, ticks: int) -> None:
        self.trial.command(tool, {"hand": "left"} if tool == "wave_hand" else {})
        self.trial.wait(ticks)

    @rule(data=st.data(), fault=st.sampled_from(["stale", "absent"]), ticks=TICKS)
    def break_sensor(self, data: st.DataObject, fault: str, ticks: int) -> None:
        name = data.draw(st.sampled_from([*self.plan.by_name, "*"]))
        self.trial.faults[name] = fault
        self.trial.wait(ticks)

    @rule(tool=st.sampled_from(BREAKABLE), count=st.integers(0, 3), overruns=st.booleans())
    def break_robot(self, tool: str, count: int, overruns: bool) -> None:
        self.trial.robot.fails[tool] = count
        self.trial.robot.overruns = overruns

    def move(self, data: st.DataObject, *, has_speed: bool = True) -> None:
        self.trial.command(*data.draw(motions(self.plan)), has_speed=has_speed)

    def sense(self, data: st.DataObject) -> str:
        """Let one sensor say something else, mostly something that it may say; return its name."""
        read = [self.plan.by_name[name] for r in self.plan.state_rules for name in sorted(r.when.names())]
        signal = data.draw(st.sampled_from([*read, *self.plan.signals]))
        values = st.sampled_from(bad_values(signal))
        if data.draw(st.integers(0, 5)) < 5:
            values = good_values(self.plan, signal)
            if signal.name in POSES[:2]:
                values = places(self.plan).map(lambda place: place[POSES.index(signal.name)])
        self.trial.values[signal.name] = data.draw(values)
        if signal.name in POSES:
            self.trial.faults[signal.name] = "wild"
        return signal.name

    def lower(self, data: st.DataObject) -> None:
        """Let the number that an obligation is about fall to its lowest."""
        obligations = [r for r in self.plan.state_rules if r.kind == "require"]
        if obligations:
            name = min(data.draw(st.sampled_from(obligations)).when.names())
            self.trial.values[name] = self.plan.by_name[name].span[0]

    def calm_down(self) -> None:
        """Let every sensor say something harmless, and the operator have the robot stand up again."""
        self.trial.values.update(self.calm)
        self.trial.faults.clear()
        if self.trial.robot.posture == "seated":
            self.trial.new_scene({})
            self.trial.reset()
            self.trial.command("stand_up", {})
            self.trial.wait(41)

    def teardown(self) -> None:
        if hasattr(self, "trial"):
            self.trial.replay()


class GuardedShipped(Guarded):
    plans = st.sampled_from([HUMANOID, HUMANOID, CONTEXT])


class GuardedGenerated(Guarded):
    plans = spec_plans()


def run(machine: type[Guarded], examples: int, steps: int = 20) -> None:
    profile = settings(
        max_examples=examples,
        stateful_step_count=steps,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )
    run_state_machine_as_test(machine, settings=profile)


@pytest.mark.parametrize("machine", [GuardedShipped, GuardedGenerated])
def test_laws_hold_at_every_step(machine):
    run(machine, 50)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("machine", [GuardedShipped, GuardedGenerated])
def test_laws_hold_in_ten_times_a_thousand_examples(machine, part):
    run(seed(part)(type(f"{machine.__name__}{part}", (machine,), {})), 1000)


@st.composite
def unknowns(draw: st.DrawFn) -> tuple[SpecPlan, RulePlan, str, str, Any]:
    """Return a spec, a rule, a signal that it reads, and how that signal is unknown."""
    plan = draw(st.sampled_from([HUMANOID, CONTEXT]) | spec_plans())
    assume(plan.state_rules)
    rule = draw(st.sampled_from(plan.state_rules))
    name = draw(st.sampled_from(sorted(rule.when.names())))
    how = draw(st.sampled_from(["absent", "value", "stale", "frozen", "ahead"]))
    return plan, rule, name, how, draw(st.sampled_from(bad_values(plan.by_name[name])))


def check_unknown_is_active(case: tuple[SpecPlan, RulePlan, str, str, Any]) -> None:
    """Law (e): a rule that reads what is unknown restricts what it covers, whatever else is known."""
    plan, rule, name, how, bad = case
    guard, values, end_s = SpecGuard(compiled(plan)), calm_values(plan), plan.by_name[name].max_age_s + 1.1
    for k in range(math.ceil(end_s * 10) + 1):
        t = k / 10
        readings = {n: Reading(v, t) for n, v in {**values, "robot.yaw": 0.0}.items()}
        good = values[name]
        spoilt = {"value": Reading(bad, t), "frozen": Reading(good, 0.0), "ahead": Reading(good, t + 5)}
        if how == "absent" or (how == "stale" and k > 0):
            del readings[name]
        elif how in spoilt:
            readings[name] = spoilt[how]
        guard.observe(readings, t)
    assert rule.id in guard.state(t).active
    for tool, tool_class in plan.tools.items():
        args = SPIN[1] if tool == SPIN[0] else {}
        if rule.covers(tool, tool_class) and (args or tool_class != "locomotion"):
            decision = guard.review(Command(tool, tool_class, args, bool(args)), t)
            has_say = rule.kind != "limit" or bool(args)
            assert not has_say or decision.kind != "allow", f"{tool} passes"


@given(unknowns())
def test_what_is_unknown_is_active(case):
    check_unknown_is_active(case)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@settings(max_examples=10_000)
@given(unknowns())
def test_what_is_unknown_is_active_in_ten_thousand_examples(case):
    check_unknown_is_active(case)
