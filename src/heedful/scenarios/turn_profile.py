"""What a scenario's turns hold by script: which rules are active when, and how near to a threshold.

Pure functions over a scenario and a spec, before anything runs. `profile.py` builds on them to say
whether a scenario keeps its promises. Nothing here knows a world, a robot's server or a model; the
robot is taken to stand where the script puts it, and the person where the keyframes say.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from heedful.scenarios.scenario import Scenario, Turn
from heedful.spec.command import Step
from heedful.spec.conditions import COMPARISONS
from heedful.spec.reference import Reference, binding_rules, respond
from heedful.spec.safety_spec import SafetySpec
from heedful.spec.syntax import Call, Constant, Name, walk
from heedful.state.geometry import Pose
from heedful.state.motion import Motion, plan_motion
from heedful.state.script import NoiseLaw
from heedful.state.series import INFINITE, Value

GRID_S = 0.05
"""Step between two looks at a turn whose signals change [s]."""
SETTLE_S = 3.0
"""How long after the last keyframe something can still change, e.g. a frame growing old [s]."""
JUST = 1e-6

States = frozenset[str]


@dataclass(frozen=True, slots=True)
class TurnProfile:
    """One turn as the script has it; sets hold invariant ids.

    "Any time" is from the start until the slowest admitted walk would have ended, at least the
    declared duration.
    """

    turn_id: str
    index: int
    """Position in the scenario, from 0."""
    at_start: States
    """Active by true state when the operator speaks; bounds if the request leaves the region."""
    ever: States
    """Active by true state at any time."""
    throughout: States
    """Active by true state at all times."""
    together: frozenset[States]
    """Every true set of active invariants that the turn goes through."""
    sensed_differs: bool
    """Whether some admissible sensed state has another set of active invariants than the truth."""
    margins: Mapping[str, float]
    """Smallest distance of each number to a threshold at any time, crossings included."""
    reference: Reference
    """The reference response by true state at the start."""
    binding: tuple[str, ...]
    """Ids of the invariants that bind it."""
    is_clamp: bool
    """Whether one limit is all that is active, by truth and by any sensed state, at all times, and the
    request is one walk to a point, faster than the limit and inside the region."""


def profile_scenario(scenario: Scenario, spec: SafetySpec) -> tuple[TurnProfile, ...]:
    """Return the profile of every turn, latches carried from turn to turn."""
    profiler = _Profiler(spec, scenario.noise_law())
    return tuple(profiler.profile(turn, index) for index, turn in enumerate(scenario.turns))


def thresholds(spec: SafetySpec) -> dict[str, tuple[float, ...]]:
    """Return the numbers that each signal is compared with in the spec's conditions."""
    cuts: dict[str, set[float]] = {}
    for condition in spec.conditions.values():
        for node in walk(condition.tree):
            if isinstance(node, Call) and node.function in COMPARISONS:
                names = [a.name for a in node.args if isinstance(a, Name)]
                values = [a.value for a in node.args if isinstance(a, Constant)]
                if names and values and isinstance(values[0], float):
                    cuts.setdefault(names[0], set()).add(values[0])
    return {name: tuple(sorted(values)) for name, values in cuts.items()}


def instants(turn: Turn, horizon_s: float) -> tuple[float, ...]:
    """Return the times that show everything a turn's signals do up to `horizon_s`."""
    knots = {t for series in turn.script.signals.values() for t in series.times if 0 < t <= horizon_s}
    if not knots:
        return (0.0,)
    last = min(max(knots) + SETTLE_S, horizon_s)
    grid = {round(k * GRID_S, 6) for k in range(int(last / GRID_S) + 1)}
    return tuple(sorted(knots | grid | {horizon_s}))


def true_values(spec: SafetySpec, turn: Turn, times: Sequence[float]) -> list[dict[str, Value]]:
    """Return the true signals at each time of a turn, the robot where the script puts it."""
    declared = spec.document.signals
    pose = turn.script.pose
    series = {name: s for name, s in turn.script.signals.items() if name in declared}
    steady: dict[str, Value] = {**dict.fromkeys(declared), "robot.x": pose.x, "robot.y": pose.y}
    steady |= {name: s.values[0] for name, s in series.items() if len(s.times) == 1}
    fixed = {name: spec.screen(name, value) for name, value in steady.items() if name in declared}
    moving = [(name, s) for name, s in series.items() if len(s.times) > 1]
    return [{**fixed, **{name: spec.screen(name, s.at(t)) for name, s in moving}} for t in times]


def sensed_states(
    values: Mapping[str, Value], noise: NoiseLaw, cuts: Mapping[str, Sequence[float]]
) -> Iterator[dict[str, Value]]:
    """Yield a true state as sensors may report it: at the ends of the noise and around each threshold."""
    choices = {name: _stray(values[name], name, noise, cuts[name]) for name in cuts if name in values}
    for picked in itertools.product(*choices.values()):
        yield {**values, **dict(zip(choices, picked, strict=True))}


def requested_motions(turn: Turn, spec: SafetySpec) -> tuple[Motion | None, ...]:
    """Return what each requested step would do, each from where the one before ends."""
    return _motions(turn, spec, 100.0)


def horizon_s(turn: Turn, spec: SafetySpec) -> float:
    """Return how long a turn may last: its declared time, or its request at the lowest limit [s]."""
    slowest = min((r.max_percent for r in spec.rules if r.kind == "limit"), default=100.0)
    moving = sum(m.duration_s for m in _motions(turn, spec, slowest) if m is not None)
    return max(turn.script.duration_s, moving + 1.0)


class Latches:
    """Obligations under way, and the prohibitions that follow them, over a session."""

    def __init__(self, spec: SafetySpec) -> None:
        self._spec = spec
        self._left_s: dict[str, float] = {}

    @property
    def held(self) -> States:
        """Ids of the invariants that an earlier turn left active."""
        return frozenset(self._left_s)

    def begin_turn(self, turn: Turn) -> None:
        """Release what the operator resets in a state that allows it."""
        if turn.script.resets:
            values = true_values(self._spec, turn, (0.0,))[0]
            released = [i for i in self._left_s if self._spec.releases[i].holds(values)]
            self._left_s = {i: left for i, left in self._left_s.items() if i not in released}

    def end_turn(self, turn: Turn, times: Sequence[float], states: Sequence[States]) -> None:
        """Let the turn's declared time pass and keep what began in it."""
        duration = turn.script.duration_s
        begun: dict[str, float] = {}
        for rule in (r for r in self._spec.rules if r.kind == "require"):
            active = (t for t, state in zip(times, states, strict=True) if rule.invariant in state)
            onset = next(active, duration + 1.0)
            if onset <= duration:
                begun[rule.invariant] = rule.within_s + onset
        self._left_s = {i: left - duration for i, left in {**begun, **self._left_s}.items()}

    def keys(self, active: States) -> frozenset[str]:
        """Return the rules behind active invariants: an obligation, or what follows its deadline."""
        over = {i for i, left in self._left_s.items() if left <= 0}
        due = (r for r in self._spec.rules if r.invariant in active)
        return frozenset(r.key for r in due if (r.latched if r.invariant in over else not r.latched))


class _Profiler:
    """Profiles turns in order under one spec and one noise law."""

    def __init__(self, spec: SafetySpec, noise: NoiseLaw) -> None:
        self._spec, self._noise = spec, noise
        self._cuts = thresholds(spec)
        self._latches = Latches(spec)

    def profile(self, turn: Turn, index: int) -> TurnProfile:
        """Return the profile of the next turn."""
        self._latches.begin_turn(turn)
        times = instants(turn, horizon_s(turn, self._spec))
        truths = true_values(self._spec, turn, times)
        held = self._latches.held
        states = [self._spec.active(values) | held for values in truths]
        asked, reference, binding = self._answer(turn, truths[0], states[0])
        differs = any(self._is_mistakable(v, s - held) for v, s in zip(truths, states, strict=True))
        together = frozenset(state | asked for state in states)
        ever, throughout = frozenset.union(*together), frozenset.intersection(*together)
        self._latches.end_turn(turn, times, states)
        return TurnProfile(
            turn.turn_id,
            index,
            states[0] | asked,
            ever,
            throughout,
            together,
            differs,
            self._margins(truths),
            reference,
            binding,
            not differs and ever == throughout and self._asks_clamp(turn, ever),
        )

    def _answer(
        self, turn: Turn, values: Mapping[str, Value], state: States
    ) -> tuple[States, Reference, tuple[str, ...]]:
        """Return what the request itself activates, the reference, and the invariants that bind it."""
        motions = requested_motions(turn, self._spec)
        pose = turn.script.pose
        by_step = [
            self._activated(step, motion, values, pose)
            for step, motion in zip(turn.request.steps, motions, strict=True)
        ]
        keys = [self._latches.keys(state | asked) for asked in by_step]
        reference = respond(self._spec, turn.request, pose, keys)
        rules = binding_rules(self._spec, turn.request, pose, keys, reference)
        asked = frozenset[str]().union(*by_step)
        return asked, reference, tuple(dict.fromkeys(rule.invariant for rule in rules))

    def _activated(
        self, step: Step, motion: Motion | None, values: Mapping[str, Value], pose: Pose
    ) -> States:
        target = pose if motion is None else motion.end
        command: dict[str, Value] = {
            "command.tool": step.tool,
            "command.class": self._spec.tool_class(step.tool),
            "command.speed_percent": 0.0 if motion is None else motion.speed_percent,
            "command.target_x": target.x,
            "command.target_y": target.y,
            "command.leaves_workspace": self._spec.leaves_region(motion),
        }
        conditions = self._spec.conditions.items()
        return frozenset(i for i, c in conditions if c.reads_command and c.holds(values, command))

    def _is_mistakable(self, values: Mapping[str, Value], active: States) -> bool:
        sensed = sensed_states(values, self._noise, self._cuts)
        return any(not active ^ self._spec.active(state) <= self._latches.held for state in sensed)

    def _margins(self, truths: Sequence[Mapping[str, Value]]) -> dict[str, float]:
        found = {}
        for name, cuts in self._cuts.items():
            met = [
                v for v in (values.get(name) for values in truths) if isinstance(v, float) and v < INFINITE
            ]
            if met:
                found[name] = round(min(abs(v - c) for v in met for c in cuts), 6)
        return found

    def _asks_clamp(self, turn: Turn, active: States) -> bool:
        limit = next((r for r in self._spec.rules if r.kind == "limit" and active == {r.invariant}), None)
        steps = turn.request.steps
        if limit is None or len(steps) != 1 or steps[0].tool != "walk_to" or turn.script.sensor_faults:
            return False
        return limit.covers("walk_to", "locomotion") and steps[0].args["speed_percent"] > limit.max_percent


def _motions(turn: Turn, spec: SafetySpec, top_percent: float) -> tuple[Motion | None, ...]:
    pose, motions = turn.script.pose, []
    for step in turn.request.steps:
        percent = min(float(step.args.get("speed_percent", 100.0)), top_percent)
        motion = plan_motion(step.tool, {**step.args, "speed_percent": percent}, pose, spec.limits)
        motions.append(motion)
        pose = pose if motion is None else motion.end
    return tuple(motions)


def _stray(value: Value, name: str, noise: NoiseLaw, cuts: Sequence[float]) -> list[Value]:
    half = noise.half_width.get(name, 0.0)
    if not half or not isinstance(value, float) or value >= INFINITE:
        return [value]
    half += 0.5 / steps if (steps := noise.steps_per_unit.get(name)) else 0.0
    low, high = max(0.0, value - half), value + half
    return [low, value, high, *(c + d for c in cuts for d in (-JUST, 0.0, JUST) if low <= c + d <= high)]
