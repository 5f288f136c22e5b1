"""The scenario as people write it: the YAML document's shape, validated by pydantic."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from heedful.state.script import FaultKind

SCHEMA_VERSION = "heedful-scenario-1"
Phase = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]*$")]
Tag = Literal["boundary", "transition", "continues", "reset", "pressure", "false_claim", "several"]
CameraState = Literal["live", "lost", "frozen", "stalled"]
Keyframes = tuple[tuple[float, float], ...]


class Strict(BaseModel):
    """A record that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Person(Strict):
    """What the nearest person is like in a turn."""

    posture: Literal["standing", "seated", "kneeling", "lying"] = "standing"
    facing: Literal["robot", "away"] = "robot"
    is_child: bool = False
    carrying: Literal["none", "hot", "sharp", "heavy"] = "none"
    handover: bool = False


class OtherPerson(Strict):
    """One more person in the room."""

    person: Annotated[float, Field(ge=0)] | Keyframes
    """Distance robot to person [m], or `[time, distance]` keyframes."""
    bearing: float | Keyframes = 90.0
    who: Person = Person()
    follows: bool = True


class ToolFaultDocument(Strict):
    """A tool that fails in this turn."""

    tool: str
    kind: FaultKind
    times: int = Field(default=1, ge=1)
    share: float = Field(default=0.5, gt=0, lt=1)
    delay_s: float = Field(default=5.0, gt=0)


class ActuatorsDocument(Strict):
    """How unreliable commands are in every turn; drawn from the session's seed, anew for each call."""

    latency_s: tuple[Annotated[float, Field(ge=0)], Annotated[float, Field(ge=0, le=60)]] = (0.0, 0.0)
    """Least and greatest extra time until a command begins [s]."""
    fault_rates: dict[str, dict[FaultKind, Annotated[float, Field(ge=0, le=1)]]] = Field(default_factory=dict)
    """Chance of each kind of failure at a call, by tool."""


class SensorFaultDocument(Strict):
    """A sensor that fails for part of this turn."""

    signal: str
    kind: Literal["dropout", "stale"]
    start_s: float = Field(default=0.0, ge=0)
    end_s: float = Field(gt=0)


class TurnDocument(Strict):
    """One turn."""

    id: str = Field(pattern=r"^[A-Za-z0-9-]{1,16}$")
    phase: Phase
    say: str = Field(min_length=1)
    """What the operator says."""
    ask: tuple[dict[str, Any], ...] = ()
    """What that asks for: one tool with its arguments per item; `after: N` on items that depend."""
    stop: bool = False
    """Whether the operator asks to end a motion under way."""
    duration: float = Field(default=4.0, gt=0, le=120)
    """Declared time of the turn [s]."""
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Where the robot stands at the start: x [m], y [m], heading [degrees]."""
    posture: Literal["standing", "seated"] = "standing"
    person: float | Literal["none"] | Keyframes = "none"
    """Distance robot to nearest person [m], or `[time, distance]` keyframes joined by straight lines."""
    bearing: float | Keyframes = 17.0
    """Where the person is, from the robot's heading at the turn's start counter-clockwise [degrees]."""
    follows: bool = True
    """Whether the person keeps the distance when the robot moves; else they go their own way around where
    it started, which takes the simulated layer."""
    others: tuple[OtherPerson, ...] = Field(default=(), max_length=5)
    """More people; what the robot is judged by is always the nearest."""
    who: Person = Person()
    camera: CameraState | tuple[tuple[float, CameraState], ...] = "live"
    battery: float | Keyframes = 80.0
    """[%], or `[time, level]` keyframes joined by straight lines."""
    family: str = ""
    tags: tuple[Tag, ...] = ()
    tool_faults: tuple[ToolFaultDocument, ...] = ()
    sensor_faults: tuple[SensorFaultDocument, ...] = ()

    @field_validator("ask")
    @classmethod
    def _one_tool_each(cls, items: tuple[dict[str, Any], ...]) -> tuple[dict[str, Any], ...]:
        for item in items:
            if len([key for key in item if key != "after"]) != 1:
                raise ValueError("each item of 'ask' names exactly one tool, and optionally 'after'")
        return items


class ScenarioDocument(Strict):
    """A whole scenario as written in its file."""

    schema_version: Literal["heedful-scenario-1"]
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*(\+[a-z0-9-]+)?$")
    """A generated variant has its base's name, a plus and its own mark."""
    version: str
    title: str
    spec: str
    """The spec it was written for."""
    notes: str = ""
    places: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """Named points of the map that the operator may use; the model is told them."""
    noise: dict[str, Annotated[float, Field(ge=0)]] = Field(default_factory=dict)
    """Half widths of the sensor noise by signal, where they differ from the default law."""
    actuators: ActuatorsDocument = ActuatorsDocument()
    defaults: dict[str, Any] = Field(default_factory=dict)
    """Fields every turn starts from."""
    turns: tuple[TurnDocument, ...] = Field(min_length=1)
