"""A scenario ready to run: turns with structured requests and world scripts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from heedful.errors import ScenarioError, UnknownNameError
from heedful.scenarios.document import (
    ActuatorsDocument,
    OtherPerson,
    Person,
    ScenarioDocument,
    TurnDocument,
)
from heedful.scenarios.people import compile_person, keyframed, looks_of, nearest_signals
from heedful.spec.command import Request, Step
from heedful.state.geometry import Pose, rounded
from heedful.state.script import Actuators, NoiseLaw, PersonScript, SensorFault, ToolFault, TurnScript
from heedful.state.series import INFINITE, Series, Value, constant

LIVE_FRAME_AGE_S = 0.033
LONG_LOST_S = 60.0

ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "walk_to": ("x", "y", "speed_percent"),
    "walk_with_velocity": ("linear_x", "linear_y", "angular_z", "duration", "speed_percent"),
    "turn": ("angle_deg", "speed_percent"),
    "wave_hand": ("hand",),
    "shake_hands": (),
    "stand_up": (),
    "sit_down": (),
    "stop": (),
    "emergency_stop": (),
}
"""What a requested step may name, tool by tool."""

PERCEPTION = ("get_human_pose", "get_proximity", "get_camera_status", "get_battery", "get_position")
FAULTY_TOOLS = (*ARGUMENTS, "speak", *PERCEPTION)
"""The tools that a script can make fail."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance, what it asks for and what the world does meanwhile."""

    turn_id: str
    phase: str
    utterance: str
    request: Request
    script: TurnScript
    family: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    """A named, versioned session script."""

    name: str
    version: str
    title: str
    spec: str
    turns: tuple[Turn, ...]
    places: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    content_hash: str = ""
    noise: Mapping[str, float] = field(default_factory=dict)
    """Half widths that replace those of the default noise law, by signal."""

    def noise_law(self) -> NoiseLaw:
        """Return how far sensed values stray from true ones in this scenario."""
        law = NoiseLaw()
        return NoiseLaw({**law.half_width, **self.noise}, law.steps_per_unit, law.period_s)


def compile_scenario(document: ScenarioDocument, content_hash: str = "") -> Scenario:
    """Return the scenario that `document` describes.

    Raises:
        ScenarioError: If a turn asks for what no tool does or its keyframes make no sense.
    """
    actuators = _compile_actuators(document.actuators)
    turns = tuple(_compile_turn(turn, document.places, actuators) for turn in document.turns)
    ids = [turn.turn_id for turn in turns]
    doubled = sorted({i for i in ids if ids.count(i) > 1})
    if doubled:
        raise ScenarioError(f"Turn ids must be unique: {', '.join(doubled)}.")
    if turns[0].script.continues:
        raise ScenarioError(f"Turn {ids[0]} cannot continue: there is no turn before it.")
    return Scenario(
        document.name,
        document.version,
        document.title,
        document.spec,
        turns,
        document.places,
        content_hash,
        document.noise,
    )


def _compile_actuators(doc: ActuatorsDocument) -> Actuators:
    low, high = doc.latency_s
    if low > high:
        raise ScenarioError(f"'actuators': latency_s must not fall, from {low:g} to {high:g} s.")
    for tool, rates in doc.fault_rates.items():
        if tool not in FAULTY_TOOLS:
            raise UnknownNameError("Tool", tool, FAULTY_TOOLS, where="'fault_rates'")
        if sum(rates.values()) > 1:
            raise ScenarioError(f"'actuators': the fault rates of {tool} add up to more than 1.")
    return Actuators(doc.latency_s, doc.fault_rates)


def _compile_turn(doc: TurnDocument, places: Mapping[str, tuple[float, float]], actuators: Actuators) -> Turn:
    try:
        steps = tuple(_compile_step(item, k, places) for k, item in enumerate(doc.ask))
        script = _compile_script(doc, actuators)
    except (ScenarioError, UnknownNameError) as error:
        raise ScenarioError(f"Turn {doc.id}: {error}") from error
    return Turn(doc.id, doc.phase, doc.say, Request(steps, doc.stop), script, doc.family, doc.tags)


def _compile_step(item: Mapping[str, Any], position: int, places: Mapping[str, tuple[float, float]]) -> Step:
    tool = next(key for key in item if key != "after")
    if tool not in ARGUMENTS:
        raise UnknownNameError("Tool", tool, ARGUMENTS, where="'ask'")
    after = item.get("after")
    if after is not None and not (isinstance(after, int) and 0 <= after < position):
        raise ScenarioError(f"'after: {after}' must be the position of an earlier item.")
    return Step(tool, _step_args(tool, item[tool], places), after)


def _step_args(tool: str, given: Any, places: Mapping[str, tuple[float, float]]) -> dict[str, Any]:
    args: dict[str, Any] = dict(given) if isinstance(given, Mapping) else {}
    place = given if isinstance(given, str) else args.pop("place", None)
    if place is not None and tool == "walk_to":
        if place not in places:
            raise UnknownNameError("Place", str(place), places)
        args["x"], args["y"] = places[place]
    if "speed_percent" in ARGUMENTS[tool]:
        args.setdefault("speed_percent", 100.0)
    wrong = set(args) ^ set(ARGUMENTS[tool])
    if wrong:
        expected = ", ".join(ARGUMENTS[tool]) or "no arguments"
        raise ScenarioError(f"{tool} takes {expected}; wrong or missing: {', '.join(sorted(wrong))}.")
    return {name: args[name] if name == "hand" else float(args[name]) for name in ARGUMENTS[tool]}


def _compile_script(doc: TurnDocument, actuators: Actuators) -> TurnScript:
    x, y, heading = doc.at
    people = _people(doc)
    nearest = nearest_signals(people) or {"human.distance": constant(INFINITE), **_looks(doc.who)}
    signals = {
        "human.distance": nearest.pop("human.distance"),
        "battery.level": keyframed(doc.battery, "battery"),
        **_camera(doc),
        **nearest,
    }
    _check_faults(doc, signals)
    return TurnScript(
        doc.duration,
        signals,
        Pose(x, y, rounded(math.radians(heading))),
        doc.posture,
        "continues" in doc.tags,
        "reset" in doc.tags,
        tuple(ToolFault(f.tool, f.kind, f.times, f.share, f.delay_s) for f in doc.tool_faults),
        tuple(SensorFault(f.signal, f.kind, f.start_s, f.end_s) for f in doc.sensor_faults),
        actuators,
        people,
    )


def _people(doc: TurnDocument) -> tuple[PersonScript, ...]:
    if doc.person == "none":
        if doc.others:
            raise ScenarioError("'others' are more people than 'person', which says there is none.")
        return ()
    nearest = OtherPerson(person=doc.person, bearing=doc.bearing, who=doc.who, follows=doc.follows)
    return tuple(compile_person(person) for person in (nearest, *doc.others))


def _looks(who: Person) -> dict[str, Series]:
    return {name: constant(value) for name, value in looks_of(who).items()}


def _check_faults(doc: TurnDocument, signals: Mapping[str, Series]) -> None:
    for tool in (fault.tool for fault in doc.tool_faults):
        if tool not in FAULTY_TOOLS:
            raise UnknownNameError("Tool", tool, FAULTY_TOOLS, where="'tool_faults'")
    for fault in doc.sensor_faults:
        if fault.signal not in signals:
            raise UnknownNameError("Signal", fault.signal, signals, where="'sensor_faults'")
        if fault.end_s <= fault.start_s:
            raise ScenarioError(f"the fault of {fault.signal} must end after it starts.")


def _camera(doc: TurnDocument) -> dict[str, Series]:
    frames = ((0.0, doc.camera),) if isinstance(doc.camera, str) else doc.camera
    times = tuple(float(t) for t, _ in frames)
    if not times or times[0] != 0 or any(b <= a for a, b in itertools.pairwise(times)):
        raise ScenarioError("'camera' keyframes must start at time 0 and increase.")
    states = tuple(state for _, state in frames)
    return {
        "camera.connected": Series(times, tuple(state != "lost" for state in states)),
        "camera.frozen": Series(times, tuple(state == "frozen" for state in states)),
        "camera.frame_age": _frame_age(times, states),
    }


def _frame_age(times: tuple[float, ...], states: tuple[str, ...]) -> Series:
    """Frames of a lost or stalled camera grow old; what starts the turn so has been so for long."""
    points: list[tuple[float, Value]] = []
    for k, (t, state) in enumerate(zip(times, states, strict=True)):
        end = times[k + 1] if k + 1 < len(times) else t + 600.0
        if state in ("lost", "stalled"):
            age = LONG_LOST_S if t == 0 else LIVE_FRAME_AGE_S
            points += [(t, age), (rounded(end - 1e-3), rounded(age + end - 1e-3 - t))]
        else:
            points += [(t, LIVE_FRAME_AGE_S), (rounded(end - 1e-3), LIVE_FRAME_AGE_S)]
    if len(states) == 1 and states[0] in ("live", "frozen"):
        return constant(LIVE_FRAME_AGE_S)
    return Series(tuple(t for t, _ in points), tuple(v for _, v in points), "linear")
