"""A robot double behind a guard, on a clock of 0.1 s, held to labels.md at every step.

The robot moves by `state/motion.py`; its sensors, its tools and its manners may fail. Each law has a
letter: (a) nothing executed breaks an active rule, (b) running motion ends in time, (c) obligations are
met, (d) what needs no restriction is unchanged, (g) a clamp is the most permissive.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from heedful.guards.guard import Command, Intervention
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.safety_spec import SafetySpec
from heedful.state.motion import plan_motion
from heedful.trace.decision import Decision
from heedful.trace.records import Reading

from .double import Doing, Double
from .oracle import (
    EPSILON,
    VIEWS,
    Oracle,
    Region,
    effective_percent,
    is_malformed,
    stays_inside,
)
from .specs import MOTION, RulePlan, SpecPlan

PERIOD_S = 0.1
TAKES_S = {"wave_hand": 2.0, "shake_hands": 3.0, "stand_up": 4.0, "sit_down": 4.0}
POSES = ("robot.x", "robot.y", "robot.yaw")
TOLERANCE = 1e-6


class Trial:
    """One robot, its guard and the oracle that judges both."""

    def __init__(
        self, plan: SpecPlan, values: Mapping[str, Any], margins: Mapping[str, float] | None = None
    ) -> None:
        self.plan, self.spec = plan, compiled(plan)
        self.settings = GuardSettings({name: Margin(half) for name, half in (margins or {}).items()})
        self.guard = SpecGuard(self.spec, self.settings)
        self.oracle = Oracle(plan, margins)
        self.region = Region(plan.polygon)
        self.robot = Double()
        self.now = 0.0
        self.values: dict[str, Any] = {**values, "robot.yaw": 0.0}
        self.faults: dict[str, str] = {}
        self.sampled: dict[str, Reading] = {}
        self.log: list[tuple[str, tuple[Any, ...], Any]] = []
        self.failed_s: dict[str, float] = {}
        """When the guard's stop, or its slower command, failed last."""
        self.sits: list[float] = []
        """When the guard tried to sit."""
        self.failed_sits = 0
        self.stood_up_s = -math.inf
        self.looked_away_s = -math.inf
        """When time passed last in which nobody looked at the sensors."""
        self.new_scene({})

    def new_scene(self, values: Mapping[str, Any]) -> None:
        self.values.update(values)
        self._tell_guard("new_scene")
        readings = self._samples()
        self._tell_guard("observe", readings, self.now)
        self.oracle.start_scene(readings, self.now)

    def wait(self, ticks: int) -> None:
        for _ in range(ticks):
            self.now = round((math.floor(self.now / PERIOD_S + 1e-6) + 1) * PERIOD_S, 6)
            self._tick()

    def pause(self, seconds: float) -> None:
        """Let time pass in which nobody looks at the sensors."""
        self.now = self.looked_away_s = round(self.now + seconds, 6)
        self._move()
        self.oracle.advance(self.now)

    def tell(self, names: Sequence[str]) -> None:
        """Let the model read sensors."""
        taken = self._samples()
        readings = {name: taken[name] for name in names if name in taken}
        if readings:
            self._tell_guard("told", readings, self.now)
            self.oracle.tell(readings, self.now)

    def reset(self) -> None:
        released = set(self._tell_guard("reset", self.now))
        assert released == self.oracle.reset(self.now), (
            "released other obligations than both readings release"
        )

    def command(self, tool: str, args: Mapping[str, Any], *, has_speed: bool = True) -> Decision:
        """Let the model call a tool."""
        tool_class = self.plan.tools[tool]
        command = Command(tool, tool_class, dict(args), has_speed and "speed_percent" in args)
        decision: Decision = self._tell_guard("review", command, self.now)
        self.oracle.advance(self.now)
        if tool_class not in MOTION:
            assert decision == Decision("allow"), "a call that moves nothing, or protects, is refused"
        else:
            self._judge(command, decision)
        if decision.kind in ("allow", "clamp"):
            self._carry(replace(command, args={**args, **decision.args}))
        return decision

    # What the laws say of a decision.

    def _judge(self, command: Command, decision: Decision) -> None:
        assert decision.kind in ("allow", "clamp", "deny")
        assert decision.kind == "allow" or decision.reason
        if command.tool_class == "locomotion" and is_malformed(command.tool, command.args):
            assert decision.kind == "deny", "a malformed command passes"
            return
        runs = {**command.args, **decision.args}
        if decision.kind != "deny":
            breach = self._breach(command, runs, 0.0)
            assert breach is None, f"(a) {command} runs as {runs} against {breach}"
        if any(self.oracle.latched(view) for view in VIEWS):
            return
        wanted = self._wanted(command)
        if wanted is not None:
            told = decision.args.get("speed_percent")
            assert (decision.kind, told) == wanted, f"(d, g) {command}: {wanted} on paper, but {decision}"
        if decision.kind == "clamp":
            self._check_most_permissive(command, runs)

    def _check_most_permissive(self, command: Command, runs: Mapping[str, Any]) -> None:
        faster = {**runs, "speed_percent": runs["speed_percent"] * 1.01}
        if effective_percent(command.tool, faster) > effective_percent(command.tool, runs) + TOLERANCE:
            again = self._tell_guard("review", replace(command, args=faster), self.now)
            assert again.kind != "allow", f"(g) {faster} would pass too"

    def _wanted(self, command: Command) -> tuple[str, float | None] | None:
        """Return the decision on paper where no obligation is latched; None where it is too close to call."""
        holding = self.oracle.holding(self.settings.reaction_s)
        covering = [(kind, r) for kind, r in holding if r.covers(command.tool, command.tool_class)]
        if any(kind == "prohibit" for kind, _ in covering):
            return ("deny", None)
        if command.tool_class != "locomotion":
            return ("allow", None)
        most = min((rule.max_percent for kind, rule in covering if kind == "limit"), default=math.inf)
        speed = effective_percent(command.tool, command.args)
        if abs(speed - most - TOLERANCE) < 1e-9:
            return None
        is_fast = speed > most + TOLERANCE
        if is_fast and not command.has_speed:
            return ("deny", None)
        args = {**command.args, "speed_percent": most} if is_fast else command.args
        inside = self._stays_inside(command.tool, args)
        if inside is None:
            return None
        return ("deny", None) if not inside else ("clamp", most) if is_fast else ("allow", None)

    def _stays_inside(self, tool: str, args: Mapping[str, Any]) -> bool | None:
        if not self.plan.is_bounded:
            return True
        places = self.oracle.positions()
        if places is None:
            return None
        found = [stays_inside(self.region, tool, args, place) for place in places]
        return False if False in found else None if None in found else True

    def _breach(self, command: Command, runs: Mapping[str, Any], lead_s: float) -> str | None:
        """Return what a command breaks by either reading `lead_s` before the windows end, or None."""
        speed = effective_percent(command.tool, runs) if command.tool_class == "locomotion" else 0.0
        for kind, rule in sorted(self.oracle.holding(lead_s), key=lambda found: found[0] == "limit"):
            if _is_broken(kind, rule, command, speed):
                return f"{rule.id} ({kind})"
        if command.tool_class != "locomotion" or not self.plan.is_bounded or lead_s > 0:
            return None
        if any(self.oracle.values["newest"].get(name) is None for name in POSES[:2]):
            return "the workspace, from an unknown place"
        return "the workspace" if self._stays_inside(command.tool, runs) is False else None

    # The clock, the sensors and the robot.

    def _tick(self) -> None:
        self._move()
        readings = {name: r for name, r in self._samples().items() if self.faults.get(name) != "absent"}
        if readings and self.faults.get("*") != "absent":
            self._tell_guard("observe", readings, self.now)
            self.oracle.observe(readings, self.now)
        self.oracle.advance(self.now)
        for intervention in self._tell_guard("due", self.now):
            self._intervene(intervention)
        self._check_running()
        self._check_obligations()

    def _samples(self) -> dict[str, Reading]:
        pose = self.robot.at(self.now)
        true = {"robot.x": pose.x, "robot.y": pose.y, "robot.yaw": pose.yaw}
        names = [*self.plan.by_name, *POSES]
        for name in dict.fromkeys(names):
            if self.faults.get(name) in ("stale", "absent") and name in self.sampled:
                continue
            value = true.get(name, self.values.get(name))
            raw = self.values[name] if name in true and self.faults.get(name) == "wild" else value
            self.sampled[name] = Reading(raw, self.now)
        return dict(self.sampled)

    def _move(self) -> None:
        doing, robot = self.robot.doing, self.robot
        runs_on = robot.overruns and doing is not None and doing.command.tool == "walk_with_velocity"
        if doing is not None and self.now >= doing.ends_s - EPSILON and not runs_on:
            robot.halt(self.now)
            self._tell_guard("ended")
            if doing.command.tool == "stand_up":
                robot.posture, self.stood_up_s = "standing", self.now
                self._tell_guard("acted", "stand_up")
        if self.now >= robot.sitting_until_s - EPSILON:
            robot.sitting_until_s, robot.posture = math.inf, "seated"
            self._tell_guard("acted", "sit_down")

    def _carry(self, command: Command) -> None:
        robot, tool = self.robot, command.tool
        if tool == "sit_down":
            self._sit()
        elif tool in ("stop", "emergency_stop"):
            if robot.takes(tool):
                self._halt()
        elif command.tool_class in MOTION and self._can(tool) and robot.takes(tool):
            self._run(command)

    def _can(self, tool: str) -> bool:
        wanted = "seated" if tool == "stand_up" else "standing"
        return self.robot.posture == wanted and self.robot.sitting_until_s == math.inf

    def _run(self, command: Command) -> None:
        robot = self.robot
        robot.halt(self.now)
        motion = plan_motion(command.tool, command.args, robot.pose, self.spec.limits)
        seconds = TAKES_S[command.tool] if motion is None else motion.duration_s
        until_s = self.now + seconds + PERIOD_S if command.tool == "walk_with_velocity" else math.inf
        robot.doing = Doing(command, motion, self.now, self.now + seconds, until_s)
        self._tell_guard("began", command, self.now, until_s)

    def _halt(self) -> None:
        self.robot.halt(self.now)
        self._tell_guard("ended")

    def _sit(self) -> bool:
        robot = self.robot
        if not robot.takes("sit_down"):
            return False
        self._halt()
        if robot.posture == "seated":
            self._tell_guard("acted", "sit_down")
        elif robot.sitting_until_s == math.inf:
            robot.sitting_until_s = self.now + TAKES_S["sit_down"]
        return True

    def _intervene(self, intervention: Intervention) -> None:
        self._tell_guard("tried", intervention, self.now)
        doing = self.robot.doing
        self._check_cause(intervention, doing)
        if intervention.kind == "sit_down":
            self.sits.append(self.now)
            self.failed_sits += not self._sit()
        elif intervention.kind == "stop":
            if self.robot.takes("stop"):
                self._halt()
            else:
                self.failed_s["stop"] = self.now
        elif doing is not None and self.robot.takes(doing.command.tool):
            slower = {**doing.command.args, **self._left(doing), "speed_percent": intervention.max_percent}
            self._run(replace(doing.command, args=slower))
        else:
            self.failed_s["limit"] = self.now

    def _left(self, doing: Doing) -> dict[str, Any]:
        """Return the arguments that say what is left of the motion under way."""
        left_s = max(0.001, doing.ends_s - self.now)
        if doing.command.tool == "walk_with_velocity":
            return {"duration": left_s}
        if doing.command.tool == "turn" and doing.motion is not None:
            return {"angle_deg": math.degrees(doing.motion.w_z * left_s)}
        return {}

    # What the laws say of motion under way and of obligations.

    def _check_cause(self, intervention: Intervention, doing: Doing | None) -> None:
        if intervention.kind == "sit_down" or doing is None:
            assert intervention.kind != "limit", "(d) nothing moves that could be limited"
            return
        if not intervention.rules:
            assert self.now >= doing.until_s - EPSILON, "(d) motion is stopped for no reason"
            return
        holding = self.oracle.holding(self.settings.reaction_s)
        is_latched = any(self.oracle.latched(view) for view in VIEWS)
        breach = self._breach(doing.command, doing.command.args, self.settings.reaction_s)
        assert breach is not None or is_latched, f"(d) {doing.command} is disturbed for nothing"
        if intervention.kind == "limit":
            limits = [r.max_percent for kind, r in holding if kind == "limit" and doing.is_covered_by(r)]
            assert intervention.max_percent == min(limits), f"(g) {doing.command} is slowed too much"

    def _check_running(self) -> None:
        doing = self.robot.doing
        if doing is None or self._has_failed("stop"):
            return
        breach = self._breach(doing.command, doing.command.args, self.settings.reaction_s)
        is_excused = breach is not None and "(limit)" in breach and self._has_failed("limit")
        assert breach is None or is_excused, f"(b) {doing.command} runs on against {breach} at {self.now}"
        assert self.now < doing.until_s - EPSILON, f"(b) {doing.command} outlives its time to live"

    def _has_failed(self, kind: str) -> bool:
        return self.now < self.failed_s.get(kind, -math.inf) + self.settings.retry_s - EPSILON

    def _check_obligations(self) -> None:
        lead_s = self.settings.action_takes_s + self.settings.action_reserve_s
        robot, retry_s = self.robot, self.settings.retry_s
        for view in VIEWS:
            for rule, onset in self.oracle.latched(view):
                if robot.posture == "seated":
                    continue
                act_at = onset + rule.within_s - lead_s
                is_late = self.now >= onset + rule.within_s + PERIOD_S
                may_stand_up = not rule.covers("stand_up", "posture")
                is_excused = self.failed_sits > 0 or self.looked_away_s > onset
                is_excused = is_excused or (may_stand_up and self.stood_up_s > onset)
                assert not is_late or is_excused, f"(c) {rule.id} is not met in time"
                if self.now >= act_at and robot.sitting_until_s == math.inf:
                    last = self.sits[-1] if self.sits else -math.inf
                    assert self.now < last + retry_s + EPSILON, f"(c) nobody tries to meet {rule.id}"
                is_stopped = robot.doing is None or not robot.doing.is_covered_by(rule)
                is_excused = is_stopped or self._has_failed("stop")
                assert self.now < act_at or is_excused, f"(c) motion runs on beside {rule.id}"

    def _tell_guard(self, method: str, *args: Any) -> Any:
        answer = getattr(self.guard, method)(*args)
        self.log.append((method, args, answer))
        return answer

    def replay(self) -> None:
        """Law (f): another guard that hears the same answers the same."""
        again = SpecGuard(self.spec, self.settings)
        for method, args, answer in self.log:
            assert getattr(again, method)(*args) == answer, f"(f) {method} is answered otherwise"


def _is_broken(kind: str, rule: RulePlan, command: Command, speed: float) -> bool:
    if not rule.covers(command.tool, command.tool_class):
        return False
    return kind == "prohibit" or speed > rule.max_percent + TOLERANCE + 1e-9


_COMPILED: dict[str, SafetySpec] = {}


def compiled(plan: SpecPlan) -> SafetySpec:
    """Return the compiled spec of a plan; shipped ones are compiled once."""
    if not plan.shipped:
        return plan.compiled()
    if plan.shipped not in _COMPILED:
        _COMPILED[plan.shipped] = plan.compiled()
    return _COMPILED[plan.shipped]
