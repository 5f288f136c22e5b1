"""A guard on the bench: states to put it in, commands to ask about, and what the spec says of each."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from heedful.guards.guard import Command, Guard
from heedful.spec.boundary.sides import find_harmless_command, find_sides
from heedful.spec.boundary.states import States
from heedful.spec.command import MOTION_CLASSES
from heedful.spec.conditions import COMMAND_FIELDS
from heedful.spec.rule import SPEED_TOLERANCE
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Point, Pose
from heedful.state.motion import plan_motion
from heedful.state.series import Value
from heedful.trace.records import Reading

PERIOD_S = 0.1
SPARE_S = 0.5
"""How long a rule is active beyond its window before a guard is asked [s]."""
POSITION = ("robot.x", "robot.y")
HEADING = "robot.yaw"
STEP_M = 0.05
FAST = 100.0
WITH_KNOWN_PATH = ("walk_to", "turn", "walk_with_velocity")


class SensingGuard(Guard, Protocol):
    """A guard that is given the sensors' samples."""

    def observe(self, readings: Mapping[str, Reading], now_s: float) -> None:
        """Take the newest samples; a signal that is not among them keeps its last one until it is too old."""
        ...


MakeGuard = Callable[[SafetySpec], SensingGuard]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a guard made of a command."""

    kind: str
    """The decision's kind, or `error` when the guard raised one."""
    args: Mapping[str, Any] = field(default_factory=dict)
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Expected:
    """What the spec makes of a command."""

    kind: str
    max_percent: float = math.inf
    """For `clamp`: the highest speed that is permitted [%]."""

    def why_not(self, answer: Answer) -> str | None:
        """Return what is wrong with an answer; None when it is right."""
        told = answer.args.get("speed_percent")
        if answer.kind != self.kind:
            limit = f" to {self.max_percent:g} %" if self.kind == "clamp" else ""
            return f"is answered {answer.kind!r}{answer.detail} instead of {self.kind!r}{limit}"
        if self.kind == "clamp" and told != self.max_percent:
            return f"is clamped to {told} % instead of {self.max_percent:g} %"
        return None


ALLOWED = Expected("allow")
DENIED = Expected("deny")


class Bench:
    """One spec's states and commands, and guards made for it."""

    def __init__(self, make_guard: MakeGuard, spec: SafetySpec) -> None:
        self.spec = spec
        self._make = make_guard
        sides = find_sides(spec)
        self.states = States(spec, find_harmless_command(spec, sides))
        side = max(sides, key=lambda s: s.room_m)
        self._inside = side.point(side.room_m)
        self.quiet = self.placed(signals_of(self.states.neutral))
        self.settle_s = SPARE_S + max(rule.window_s for rule in spec.rules)
        self.motions = [t for t, its in spec.document.tools.items() if _is_known(t, its)]
        """The tools that move the robot and whose arguments are known here."""

    def placed(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return values with the robot well inside the workspace, unless a rule reads where it is."""
        if any(name in self.spec.state_signals for name in POSITION):
            return dict(values)
        return {**values, **dict(zip(POSITION, self._inside, strict=True))}

    def fed(self, values: Mapping[str, Value], seconds: float) -> tuple[SensingGuard, float]:
        """Return a new guard that was given these values for so long, and the time."""
        guard = self._make(self.spec)
        return guard, self.feed(guard, values, 0.0, seconds)

    def feed(self, guard: SensingGuard, values: Mapping[str, Value], now_s: float, seconds: float) -> float:
        """Give a guard the same values, each sampled anew, and return the time at the end."""
        for k in range(math.ceil(seconds / PERIOD_S) + 1):
            t = now_s + min(seconds, k * PERIOD_S)
            guard.observe({name: Reading(value, t) for name, value in {HEADING: 0.0, **values}.items()}, t)
        return now_s + seconds

    def fresh(self) -> SensingGuard:
        """Return a guard that was given nothing."""
        return self._make(self.spec)

    def command(self, tool: str, speed_percent: float, at: Point) -> Command:
        """Return a command that stays where it is, or close to it."""
        share = speed_percent / 100
        args: dict[str, Any] = {}
        if tool == "walk_to":
            args = {"x": at[0], "y": at[1], "speed_percent": speed_percent}
            step = {**args, "x": at[0] + STEP_M}
            is_free = not self._leaves(tool, step, at)
            args = step if is_free else args
        elif tool == "turn":
            args = {"angle_deg": 10.0, "speed_percent": speed_percent}
        elif tool == "walk_with_velocity":
            rate = self.spec.limits.w_max_rad_s * share
            args = {"linear_x": 0.0, "linear_y": 0.0, "angular_z": rate, "duration": 0.5}
            args["speed_percent"] = speed_percent
        elif tool == "wave_hand":
            args = {"hand": "right"}
        return Command(tool, self.spec.tool_class(tool), args, "speed_percent" in args)

    def probes(self, values: Mapping[str, Value]) -> list[Command]:
        """Return a fast command of each tool that moves the robot."""
        return [self.command(tool, FAST, position_in(values)) for tool in self.motions]

    def expected(self, command: Command, active: Collection[str], values: Mapping[str, Value]) -> Expected:
        """Return what the spec makes of a command while rules are active.

        Args:
            command: The command.
            active: Keys of the active rules.
            values: Where the robot is.
        """
        tool, at = command.tool, position_in(values)
        allowed = self.spec.admission(tool, frozenset(active))
        if allowed.is_prohibited or self._is_unplaced(command, values):
            return Expected("deny")
        args = command.args
        speed = self._speed(tool, args)
        is_fast = speed > allowed.max_percent + SPEED_TOLERANCE
        if is_fast:
            args = {**args, "speed_percent": allowed.max_percent}
        if self.spec.bounds and self._leaves(tool, args, at):
            return Expected("deny")
        return Expected("clamp", allowed.max_percent) if is_fast else Expected("allow")

    def keys(self, rule_ids: Collection[str], values: Mapping[str, Value]) -> set[str]:
        """Return the keys that active invariants are enforced by; none for an obligation of known state."""
        screened, obliged = self.screened(values), self.spec.obligation_keys
        known = {i for i in rule_ids if i in obliged and not self.spec.is_unknown_for(i, screened)}
        return {f"{i}/after" if i in obliged else i for i in set(rule_ids) - known}

    def screened(self, values: Mapping[str, Value]) -> dict[str, Value]:
        """Return values as the signals' declarations read them."""
        return {name: self.spec.screen(name, value) for name, value in values.items()}

    def is_unsure(self, command: Command, values: Mapping[str, Value]) -> bool:
        """Return whether an obligation may restrict a command, at a time of the guard's own choice."""
        active = self.spec.active(self.screened(values))
        after = [
            self.spec.by_key[f"{rule.key}/after"] for rule in self.spec.obligations if rule.key in active
        ]
        return any(rule.covers(command.tool, command.tool_class) for rule in after)

    def _is_unplaced(self, command: Command, values: Mapping[str, Value]) -> bool:
        if not self.spec.bounds or command.tool_class != "locomotion":
            return False
        return any(self.spec.screen(name, values.get(name)) is None for name in POSITION)

    def _leaves(self, tool: str, args: Mapping[str, Any], at: Point) -> bool:
        return self.spec.leaves_region(plan_motion(tool, args, Pose(*at), self.spec.limits))

    def _speed(self, tool: str, args: Mapping[str, Any]) -> float:
        motion = plan_motion(tool, args, Pose(0.0, 0.0), self.spec.limits)
        return 0.0 if motion is None else motion.speed_percent


def _is_known(tool: str, tool_class: str) -> bool:
    return tool_class in MOTION_CLASSES and (tool_class != "locomotion" or tool in WITH_KNOWN_PATH)


def ask(guard: Guard, command: Command, now_s: float) -> Answer:
    """Return a guard's answer, errors included."""
    try:
        decision = guard.review(command, now_s)
    except Exception as error:
        return Answer("error", detail=f" ({type(error).__name__}: {error})")
    kind, args = getattr(decision, "kind", "error"), getattr(decision, "args", {})
    return Answer(kind, args, "" if kind != "error" else f" ({type(decision).__name__} is no Decision)")


def signals_of(state: Mapping[str, Value]) -> dict[str, Value]:
    """Return a state's signals, without its command."""
    return {name: value for name, value in state.items() if name not in COMMAND_FIELDS}


def position_in(values: Mapping[str, Value]) -> Point:
    """Return where the values say that the robot is [m]; the origin where they do not."""
    return number(values.get("robot.x")), number(values.get("robot.y"))


def number(value: Value) -> float:
    """Return a number as it is, anything else as 0."""
    return float(value) if isinstance(value, int | float) else 0.0


def named(what: str, why: str | None) -> Iterator[str]:
    """Yield a problem where there is one."""
    if why is not None:
        yield f"{what} {why}"
