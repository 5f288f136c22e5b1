"""The shipped guard passes the check over every spec; each way to be a worse guard is named."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings

from heedful.checks import check_guard
from heedful.errors import InputError
from heedful.guards.guard import Command
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.load import load_spec, shipped_specs
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.decision import Decision
from heedful.trace.records import Reading
from tests.guards.specs import SpecPlan, spec_plans

SPEC = load_spec("iso10218-humanoid")
ALLOW = Decision("allow")
CALM: dict[str, Any] = {
    "camera.connected": True,
    "camera.frame_age": 0.0,
    "camera.frozen": False,
    "human.distance": 5.0,
    "battery.level": 80.0,
    "robot.x": 0.0,
    "robot.y": 0.0,
    "robot.yaw": 0.0,
}


@pytest.mark.parametrize("name", shipped_specs())
def test_shipped_guard_keeps_every_shipped_spec(name):
    check_guard(SpecGuard, load_spec(name))


@settings(max_examples=40)
@given(spec_plans())
def test_shipped_guard_keeps_generated_specs(plan: SpecPlan):
    check_guard(SpecGuard, plan.compiled())


class AllowsAll(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        return ALLOW


class RefusesAll(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        return Decision("deny", (), "no")


class RefusesStops(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        is_stop = command.tool == "stop" and now_s > 0
        return Decision("deny", (), "no") if is_stop else super().review(command, now_s)


class Raises(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        command.args.get("x")
        return super().review(command, now_s)


class AnswersNothing(SpecGuard):
    def review(self, command: Command, now_s: float) -> Any:
        decision = super().review(command, now_s)
        return None if decision.kind == "deny" else decision


class ClampsTooLow(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        decision = super().review(command, now_s)
        low = {name: value / 2 for name, value in decision.args.items()}
        return replace(decision, args=low)


class DeniesInsteadOfClamping(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        decision = super().review(command, now_s)
        return Decision("deny", decision.rules, "too fast") if decision.kind == "clamp" else decision


class TakesOldSamplesForNew(SpecGuard):
    def observe(self, readings: Mapping[str, Reading], now_s: float) -> None:
        super().observe({name: Reading(r.value, now_s) for name, r in readings.items()}, now_s)


class NeverForgets(SpecGuard):
    def observe(self, readings: Mapping[str, Reading], now_s: float) -> None:
        self.kept = {**getattr(self, "kept", {}), **readings}
        super().observe({name: Reading(r.value, now_s) for name, r in self.kept.items()}, now_s)


class TakesUnknownForCalm(SpecGuard):
    def observe(self, readings: Mapping[str, Reading], now_s: float) -> None:
        known = {
            name: r if r.value is not None and r.value == r.value else Reading(CALM[name], r.sampled_s)
            for name, r in readings.items()
        }
        super().observe(known, now_s)


class TrustsWhatToolsAreCalled(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        if command.tool_class in ("none", "protective"):
            return ALLOW
        return super().review(command, now_s)


class LetsUnknownToolsPass(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        return super().review(command, now_s) if command.tool in self.spec.document.tools else ALLOW


class ReadsText(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        args = dict(command.args)
        read = {name: float(v) if isinstance(v, str) and name != "hand" else v for name, v in args.items()}
        return super().review(replace(command, args=read), now_s)


class ForgetsTheDeadline(SpecGuard):
    def observe(self, readings: Mapping[str, Reading], now_s: float) -> None:
        is_low = readings["battery.level"].value == 7.5 if "battery.level" in readings else False
        super().observe({**readings, "battery.level": Reading(80.0, now_s)} if is_low else readings, now_s)


class ReleasesAtAnyCharge(SpecGuard):
    def reset(self, now_s: float) -> tuple[str, ...]:
        self._obligations._onsets.clear()
        return ()


class IgnoresTheBorder(SpecGuard):
    def _leaves(self, motion: Any) -> bool:
        return False


class IgnoresTheClock(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        return super().review(command, self._now if not now_s >= self._now else now_s)


def wary(spec: SafetySpec) -> SpecGuard:
    return SpecGuard(spec, GuardSettings({"human.distance": Margin(0.2)}))


class ForbidsTheLimitItself(SpecGuard):
    def review(self, command: Command, now_s: float) -> Decision:
        speed = command.args.get("speed_percent")
        faster = {**command.args, "speed_percent": math.nextafter(30.0, 100) + 1e-5}
        return super().review(replace(command, args=faster) if speed == 30.0 else command, now_s)


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        (AllowsAll, "walk_to before any sample is answered 'allow'"),
        (RefusesAll, "stop without samples is answered 'deny' instead of 'allow'"),
        (RefusesStops, "stop is answered 'deny' instead of 'allow'"),
        (Raises, r"walk_to with arguments that fail is answered 'error' \(RuntimeError: broken arguments\)"),
        (AnswersNothing, r"is answered 'error' \(NoneType is no Decision\)"),
        (ClampsTooLow, r"is clamped to 15.0 % instead of 30 %"),
        (DeniesInsteadOfClamping, "is answered 'deny' instead of 'clamp' to 30 %"),
        (TakesOldSamplesForNew, r"walk_to while camera.connected \(S1\) is frozen is answered 'allow'"),
        (NeverForgets, r"walk_to while camera.connected \(S1\) is too old is answered 'allow'"),
        (TakesUnknownForCalm, r"walk_to while camera.connected \(S1\) is unknown is answered 'allow'"),
        (TrustsWhatToolsAreCalled, "walk_to as none is answered 'allow' instead of 'deny'"),
        (LetsUnknownToolsPass, "walk_to_2 as locomotion is answered 'allow' instead of 'deny'"),
        (ReadsText, r"walk_to with \{.*'1'.*\} is answered 'allow' instead of 'deny'"),
        (ForgetsTheDeadline, "S4-deadline-.*: walk_to after the deadline, but it is answered 'allow'"),
        (ReleasesAtAnyCharge, "S4-release-.*after a reset .* is answered 'allow' instead of 'deny'"),
        (IgnoresTheBorder, "S5-target-.*: walk_to at .*outside, but it is answered 'allow'"),
        (IgnoresTheClock, "walk_to at no time is answered 'allow'"),
        (wary, "S2-trigger-.*: human.distance .* is .* the threshold 1, but .* is answered 'clamp'"),
        (ForbidsTheLimitItself, "S2-speed-.* is at the limit of S2, but it is answered 'clamp'"),
    ],
)
def test_guard_that_is_none_is_named(guard, message):
    with pytest.raises(InputError, match=message):
        check_guard(guard, SPEC)


def test_at_most_twenty_problems_are_listed():
    with pytest.raises(InputError) as caught:
        check_guard(AllowsAll, SPEC)
    lines = str(caught.value).splitlines()
    assert lines[0] == "The guard does not keep iso10218-humanoid:"
    assert 1 < len(lines) <= 21
