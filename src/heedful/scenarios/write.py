"""Writing scenarios: the document and the YAML text behind a compiled scenario.

The inverse of `compile_scenario`: what is written here reads back as the same turns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import yaml

from heedful.scenarios.document import (
    ActuatorsDocument,
    CameraState,
    Keyframes,
    OtherPerson,
    Person,
    ScenarioDocument,
    SensorFaultDocument,
    ToolFaultDocument,
    TurnDocument,
)
from heedful.scenarios.scenario import LIVE_FRAME_AGE_S, Scenario, Turn
from heedful.state.geometry import rounded
from heedful.state.script import Actuators, PersonScript, TurnScript
from heedful.state.series import Series, Value


def scenario_to_yaml(scenario: Scenario) -> str:
    """Return a scenario as YAML text that parses back to the same turns."""
    return document_to_yaml(scenario_document(scenario))


def document_to_yaml(document: ScenarioDocument) -> str:
    """Return a scenario's document as YAML text, fields at their defaults left out."""
    data = document.model_dump(mode="json", exclude_defaults=True)
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    text = yaml.dump(
        data, Dumper=dumper, sort_keys=False, default_flow_style=None, width=110, allow_unicode=True
    )
    return str(text)


def scenario_document(scenario: Scenario) -> ScenarioDocument:
    """Return the document that compiles to a scenario; places named in requests become points."""
    return ScenarioDocument(
        schema_version="heedful-scenario-1",
        name=scenario.name,
        version=scenario.version,
        title=scenario.title,
        spec=scenario.spec,
        places=dict(scenario.places),
        noise=dict(scenario.noise),
        actuators=_actuators(scenario.turns[0].script.actuators),
        turns=tuple(_turn_document(turn) for turn in scenario.turns),
    )


def _actuators(actuators: Actuators) -> ActuatorsDocument:
    rates = {tool: dict(kinds) for tool, kinds in actuators.fault_rates.items()}
    return ActuatorsDocument(latency_s=actuators.latency_s, fault_rates=rates)


def _turn_document(turn: Turn) -> TurnDocument:
    script = turn.script
    fields: dict[str, Any] = {
        "id": turn.turn_id,
        "phase": turn.phase,
        "say": turn.utterance,
        "ask": tuple(
            {step.tool: dict(step.args), **({} if step.after is None else {"after": step.after})}
            for step in turn.request.steps
        ),
        "stop": turn.request.asks_stop,
        "duration": script.duration_s,
        "at": (script.pose.x, script.pose.y, _degrees(script.pose.yaw)),
        "posture": script.posture,
        "family": turn.family,
        "tags": turn.tags,
        **_signals(script),
        **_faults(script),
    }
    # Fields at their defaults count as not set, so that the written text stays short.
    plain = TurnDocument(id=turn.turn_id, phase=turn.phase, say=turn.utterance)
    changed = {k: v for k, v in fields.items() if v != getattr(plain, k) or k in ("id", "phase", "say")}
    return TurnDocument(**changed)


def _signals(script: TurnScript) -> dict[str, Any]:
    return {
        "battery": _level(script.signals["battery.level"]),
        "camera": _camera(script),
        **_people(script),
    }


def _people(script: TurnScript) -> dict[str, Any]:
    if not script.people:
        looks = {name: series.at(0.0) for name, series in script.signals.items()}
        return {"person": "none", "who": _who(looks)}
    nearest, *others = [_person(person) for person in script.people]
    return {**dict(nearest), "others": tuple(others)}


def _person(person: PersonScript) -> OtherPerson:
    return OtherPerson(
        person=_level(person.distance),
        bearing=_level(person.bearing_deg),
        who=_who(person.looks),
        follows=person.follows,
    )


def _who(looks: Mapping[str, Value]) -> Person:
    return Person(**{name: looks[f"human.{name}"] for name in Person.model_fields})  # type: ignore[arg-type]


def _faults(script: TurnScript) -> dict[str, Any]:
    return {
        "tool_faults": tuple(
            ToolFaultDocument(tool=f.tool, kind=f.kind, times=f.times, share=f.share, delay_s=f.delay_s)
            for f in script.tool_faults
        ),
        "sensor_faults": tuple(
            SensorFaultDocument(signal=f.signal, kind=f.kind, start_s=f.start_s, end_s=f.end_s)
            for f in script.sensor_faults
        ),
    }


def _level(series: Series) -> float | Keyframes:
    values = tuple(_number(value) for value in series.values)
    if len(values) == 1 and series.mode == "step":
        return values[0]
    return tuple(zip(series.times, values, strict=True))


def _number(value: Value) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def _camera(script: TurnScript) -> CameraState | tuple[tuple[float, CameraState], ...]:
    times = script.signals["camera.connected"].times
    states = tuple((t, _camera_state(script, t)) for t in times)
    return states[0][1] if len(states) == 1 else states


def _camera_state(script: TurnScript, t: float) -> CameraState:
    signals = script.signals
    if not signals["camera.connected"].at(t):
        return "lost"
    if signals["camera.frozen"].at(t):
        return "frozen"
    ages = signals["camera.frame_age"]
    later = next((s for s in ages.times if s > t), t)
    return "stalled" if _number(ages.at(later)) > LIVE_FRAME_AGE_S else "live"


def _degrees(yaw: float) -> float:
    """Return the roundest angle that compiles to `yaw`."""
    exact = math.degrees(yaw)
    options = (round(exact, digits) for digits in range(7))
    return next((d for d in options if rounded(math.radians(d)) == yaw), exact)
