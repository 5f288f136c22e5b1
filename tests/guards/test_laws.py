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
from hypothesis import HealthCheck, assume, given, settings
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

from .oracle import ARGUMENTS
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

BAD_NUMBERS = [float("nan"), float("inf"), -float("inf"), True, "30", None, [1.0], 10**400]
SPEEDS = st.sampled_from([1.0, 10, 29.0, 30.0, 30.0000005, 30.00001, 31.0, 60.0, 100.0]) | st.integers(1, 100)
SPIN = (
    "walk_with_velocity",
    {"linear_x": 0.0, "linear_y": 0.0, "angular_z": 1.0, "duration": 20.0, "speed_percent": 100},
)
TICKS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 8, 12])
TIMES = st.lists(TICKS, min_size=1, max_size=4)
ACTS = ["wave_hand", "shake_hands", "stand_up", "stop", "sit_down", "speak"]
BREAKABLE = ["stop", "sit_down", "walk_to", "walk_with_velocity"]


@st.composite
def locomotion(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """Return a walk or a turn, mostly well-formed."""
    tool = draw(st.sampled_from(sorted(ARGUMENTS)))
    args: dict[str, Any] = {"speed_percent": draw(SPEEDS)}
    if tool == "walk_to":
        args |= {"x": draw(hundredths(-4, 4)), "y": draw(hundredths(-4, 4))}
    elif tool == "turn":
        args |= {"angle_deg": draw(st.integers(-180, 180)) * 1.0}
    else:
        speeds = st.sampled_from([0.0, 0.05, 0.3, -0.3, 0.6, 1.0, 1.5])
        args |= {name: draw(speeds) for name in ("linear_x", "linear_y", "angular_z")}
        args |= {"duration": draw(st.sampled_from([0.2, 1.0, 3.0, 20.0]))}
    if draw(st.integers(0, 7)) == 0:
        _spoil(draw, args)
    return tool, args


def _spoil(draw: st.DrawFn, args: dict[str, Any]) -> None:
    name = draw(st.sampled_from(sorted(args)))
    how = draw(st.sampled_from(["value", "missing", "alias", "extra", "range"]))
    if how == "value":
        args[name] = draw(st.sampled_from(BAD_NUMBERS))
    elif how == "extra":
        args["X"] = 9.0
    elif how == "range":
        args["speed_percent"] = draw(st.sampled_from([0, -5.0, 100.5, 1e300]))
    else:
        kept = args.pop(name)
        if how == "alias":
            args[{"x": "X", "y": "position"}.get(name, "goal")] = kept


class Guarded(RuleBasedStateMachine):
    """A model, its robot and the world, all of them capricious."""

    plans: ClassVar[st.SearchStrategy[SpecPlan]]

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        self.plan = data.draw(self.plans)
        self.calm = calm_values(self.plan)
        numbers = [name for name in self.plan.margin_names if data.draw(st.integers(0, 3)) == 0]
        self.trial = Trial(self.plan, self.calm, {name: data.draw(hundredths(0, 0.5)) for name in numbers})

    @rule(data=st.data(), command=locomotion(), ticks=TICKS, later=TICKS, calm=st.booleans())
    def sense_and_move(
        self, data: st.DataObject, command: tuple[str, dict[str, Any]], ticks: int, later: int, calm: bool
    ) -> None:
        if calm:
            self.calm_down()
        self.sense(data)
        self.trial.wait(ticks)
        self.trial.command(*command)
        self.trial.wait(later)

    @rule(data=st.data(), command=locomotion(), ticks=TICKS, later=TICKS)
    def move_and_sense(
        self, data: st.DataObject, command: tuple[str, dict[str, Any]], ticks: int, later: int
    ) -> None:
        self.calm_down()
        self.trial.wait(6)
        self.trial.command(*command, has_speed=ticks != 1)
        self.trial.wait(ticks)
        self.sense(data)
        self.trial.wait(later)
        self.trial.command(*command)

    @rule(data=st.data(), command=locomotion(), calm=st.booleans(), ticks=TICKS)
    def read_and_move(
        self, data: st.DataObject, command: tuple[str, dict[str, Any]], calm: bool, ticks: int
    ) -> None:
        self.sense(data)
        names = [signal.name for signal in self.plan.signals]
        self.trial.tell(data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)))
        if calm:
            self.calm_down()
        self.trial.wait(ticks)
        self.trial.command(*command)

    @rule(data=st.data(), fails=st.sampled_from(["", "", "stop", SPIN[0]]), times=TIMES)
    def keep_turning(self, data: st.DataObject, fails: str, times: list[int]) -> None:
        self.calm_down()
        self.trial.wait(6)
        self.trial.command(*SPIN)
        self.trial.robot.fails[fails] = 1
        for ticks in times:
            self.sense(data)
            self.trial.wait(ticks)

    @rule(data=st.data(), ticks=st.sampled_from([1, 5, 20, 35]))
    def stand_up_and_sense(self, data: st.DataObject, ticks: int) -> None:
        self.trial.command("sit_down", {})
        self.trial.wait(41)
        self.calm_down()
        self.trial.wait(6)
        self.trial.command("stand_up", {})
        self.trial.wait(ticks)
        self.sense(data)
        self.trial.wait(60)

    @rule(tool=st.sampled_from(ACTS), ticks=TICKS)
    def act(self, tool: str, ticks: int) -> None:
        self.trial.command(tool, {"hand": "left"} if tool == "wave_hand" else {})
        self.trial.wait(ticks)

    @rule(seconds=st.sampled_from([0.03, 0.07, 0.4, 1.3, 7.0]), ticks=st.sampled_from([0, 1, 60, 110]))
    def let_time_pass(self, seconds: float, ticks: int) -> None:
        self.trial.pause(seconds)
        self.trial.wait(ticks)

    @rule(data=st.data(), fault=st.sampled_from(["stale", "absent"]), ticks=TICKS)
    def break_sensor(self, data: st.DataObject, fault: str, ticks: int) -> None:
        name = data.draw(st.sampled_from([*self.plan.by_name, "*"]))
        self.trial.faults[name] = fault
        self.trial.wait(ticks)

    @rule(tool=st.sampled_from(BREAKABLE), count=st.integers(0, 3))
    def break_tool(self, tool: str, count: int) -> None:
        self.trial.robot.fails[tool] = count

    @rule(overruns=st.booleans())
    def break_manners(self, overruns: bool) -> None:
        self.trial.robot.overruns = overruns

    @rule(data=st.data(), resets=st.booleans(), calm=st.booleans())
    def another_scene(self, data: st.DataObject, resets: bool, calm: bool) -> None:
        if calm:
            self.calm_down()
        self.sense(data)
        self.trial.new_scene({})
        if resets:
            self.trial.reset()

    @rule(is_told=st.booleans())
    def recover(self, is_told: bool) -> None:
        if is_told:
            self.trial.tell([signal.name for signal in self.plan.signals])
        self.calm_down()
        self.trial.wait(11)
        self.trial.reset()
        self.trial.command("stand_up", {})
        self.trial.wait(41)

    def sense(self, data: st.DataObject) -> None:
        """Let one sensor say something else, mostly something that it may say."""
        signal = data.draw(st.sampled_from(self.plan.signals))
        is_bad = data.draw(st.integers(0, 5)) == 5
        values = st.sampled_from(bad_values(signal)) if is_bad else good_values(self.plan, signal)
        self.trial.values[signal.name] = data.draw(values)
        if signal.name in POSES:
            self.trial.faults[signal.name] = "wild"

    def calm_down(self) -> None:
        self.trial.values.update(self.calm)
        self.trial.faults.clear()

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
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("machine", [GuardedShipped, GuardedGenerated])
def test_laws_hold_in_ten_thousand_examples(machine):
    run(machine, 10_000)


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
