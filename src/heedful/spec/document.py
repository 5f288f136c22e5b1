"""The spec as people write it: the YAML document's shape, validated by pydantic."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from heedful.spec.command import ToolClass
from heedful.state.geometry import Polygon

SCHEMA_VERSION = "heedful-spec-1"
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$")]
MotionClass = Literal["locomotion", "gesture", "posture"]


class Strict(BaseModel):
    """A record that refuses fields it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Signal(Strict):
    """A named, typed, unit-carrying quantity that a sensor reports."""

    type: Literal["number", "boolean", "text"]
    unit: str = ""
    """SI symbol or `%`; empty for booleans and text."""
    range: tuple[float, float] | None = None
    """Values outside are unknown. Required for numbers."""
    values: tuple[str, ...] | None = None
    """Allowed words. Required for text."""
    max_age_s: float = Field(gt=0)
    """A value older than this is no knowledge any more [s]."""
    hold_s: float = Field(default=0.0, ge=0)
    """How long a lost track keeps its last value [s]."""
    infinite: str | None = None
    """What an infinite value says, e.g. `no person in view`; None refuses infinity."""
    tool: str
    """The perception tool that reads it."""
    description: str = ""

    @model_validator(mode="after")
    def _has_domain(self) -> Self:
        if self.type == "number" and self.range is None:
            raise ValueError("a number needs a 'range'")
        if self.type == "text" and not self.values:
            raise ValueError("a text signal needs its 'values'")
        if self.range is not None and not self.range[0] < self.range[1]:
            raise ValueError("'range' must be [low, high] with low < high")
        return self


class Parameter(Strict):
    """A number that conditions may use by name, with its unit."""

    value: float
    unit: str = ""
    note: str = ""


class Source(Strict):
    """Where a rule comes from."""

    standard: str
    clause: str
    checked: bool = False
    """Whether the clause was checked against the bought text."""
    note: str = ""


class Prohibit(Strict):
    """No motion of these classes."""

    kind: Literal["prohibit"]
    classes: tuple[MotionClass, ...] = ("locomotion", "gesture", "posture")
    except_tools: tuple[str, ...] = ()


class Limit(Strict):
    """A parameter of these classes stays at or below a maximum."""

    kind: Literal["limit"]
    parameter: Literal["speed_percent"] = "speed_percent"
    max: float = Field(gt=0, le=100)
    """[%] of the robot's declared maximum speed."""
    classes: tuple[MotionClass, ...] = ("locomotion",)


class Latch(Strict):
    """The rule stays active until released."""

    release_when: str
    """CEL condition that must hold for a release."""
    needs_reset: bool = True
    """Whether the operator must also reset."""


class Require(Strict):
    """An action within a time, and what is prohibited after it."""

    kind: Literal["require"]
    action: Literal["sit_down"] = "sit_down"
    within_s: float = Field(gt=0)
    then: Prohibit
    latch: Latch


class Bound(Strict):
    """Motion targets and paths stay in a region."""

    kind: Literal["bound"]
    region: Literal["workspace"] = "workspace"
    mode: Literal["reject"] = "reject"


Response = Annotated[Prohibit | Limit | Require | Bound, Field(discriminator="kind")]


class InvariantDocument(Strict):
    """One rule: when it is active, what it requires, within what time, and why."""

    id: str = Field(pattern=r"^[A-Z][A-Za-z0-9_-]{0,15}$")
    title: str
    when: str
    """CEL condition over signals, `params.*` and `command.*`."""
    rule: str = ""
    """The sentence the model reads; written from the parts when empty."""
    on_unknown: Literal["active"] = "active"
    response: Response
    window_s: float = Field(default=0.5, ge=0)
    """Time from onset after which a command counts against the rule [s]."""
    hazard: str = ""
    source: Source


class Workspace(Strict):
    """The floor the robot may use."""

    frame: str = "map"
    unit: Literal["m"] = "m"
    polygon: tuple[tuple[float, float], ...]

    @field_validator("polygon")
    @classmethod
    def _is_region(cls, corners: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if len(set(corners)) < 3:
            raise ValueError("a region needs at least three different corners")
        if not Polygon(corners).is_simple():
            raise ValueError("the sides of a region must not cross each other")
        return corners

    def region(self) -> Polygon:
        """Return the region as geometry."""
        return Polygon(self.polygon)


class SpecDocument(Strict):
    """A whole safety spec as written in its file."""

    schema_version: Literal["heedful-spec-1"]
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    version: str
    title: str
    judge: Literal["judge-1"] = "judge-1"
    notes: str = ""
    parameters: dict[str, Parameter] = Field(default_factory=dict)
    signals: dict[Name, Signal]
    workspace: Workspace
    tools: dict[str, ToolClass]
    precedence: tuple[str, ...] = ()
    """Rule ids, the one that wins first; rules left out come after, in the order written."""
    invariants: tuple[InvariantDocument, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _names_agree(self) -> Self:
        ids = [rule.id for rule in self.invariants]
        doubled = {i for i in ids if ids.count(i) > 1}
        if doubled:
            raise ValueError(f"invariant ids must be unique: {', '.join(sorted(doubled))}")
        missing = set(self.precedence) - set(ids)
        if missing:
            raise ValueError(f"precedence names unknown invariants: {', '.join(sorted(missing))}")
        return self
