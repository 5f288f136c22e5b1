"""The tool map as people write it: the YAML document's shape, validated by pydantic."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, field_validator

from heedful.spec.command import ToolClass
from heedful.spec.document import Name, Strict
from heedful.state.motion import RobotLimits

SCHEMA_VERSION = "heedful-tool-map-1"

Scalar = StrictBool | StrictInt | StrictFloat | StrictStr
JsonType = Literal["text", "number", "integer", "boolean", "object", "array"]
ProtectiveAction = Literal["stop", "sit_down", "emergency_stop"]
Quantity = Literal["target_x", "target_y", "linear_x", "linear_y", "angular_z", "duration", "speed", "angle"]
Meaning = Quantity | Literal["hand", "text", "robot_id", "free"]


class After(Strict):
    """A place in a plain text: what follows these words on their line."""

    after: str = Field(min_length=1)


Path = StrictStr | tuple[StrictStr | StrictInt, ...] | After
"""`status.age_s`, or `[robot.x]` for keys that have dots in them; a number counts in a list."""


def _refuse_words(value: Any) -> Any:
    if isinstance(value, bool | str):
        raise ValueError(f"must be a number, not {value!r}")
    return value


Number = Annotated[float, BeforeValidator(_refuse_words)]


class Limits(Strict):
    """What the robot itself declares about its motion."""

    v_max_m_s: Number = Field(gt=0)
    """Speed at 100 % for walking [m/s]."""
    w_max_rad_s: Number = Field(gt=0)
    """Rate at 100 % for turning [rad/s]."""
    time_to_live_s: Number = Field(gt=0)
    """Longest time a velocity command runs without being renewed [s]."""
    deceleration_m_s2: Number = Field(gt=0)
    """Braking, for the stopping distance [m/s^2]."""

    def robot_limits(self) -> RobotLimits:
        """Return them as the rest of heedful knows them."""
        return RobotLimits(self.v_max_m_s, self.w_max_rad_s, self.time_to_live_s, self.deceleration_m_s2)


class Argument(Strict):
    """What one argument of the target's tool means."""

    meaning: Meaning | None = Field(default=None, alias="is")
    """What it is; left out where `equals` says all."""
    unit: str | None = None
    """For quantities: what the target counts it in."""
    frame: Literal["map", "robot"] | None = None
    """For targets: the map, or the robot where it stands (x ahead, y to the left)."""
    reverse: bool = False
    """Whether it counts the other way round: to the right, clockwise or backwards is positive."""
    type: JsonType | None = None
    """JSON type; required for `free`, a number otherwise unless `integer`."""
    default: Scalar | None = None
    """What the target takes when the caller leaves it out, in the target's own unit."""
    optional: bool = False
    """Whether the caller may leave it out although it has no default; not for quantities."""
    equals: Scalar | tuple[Scalar, ...] | None = None
    """The only value, or values, that pass."""
    values: tuple[StrictStr, ...] | None = None
    """For words: those that pass."""
    max: Number | None = Field(default=None, gt=0)
    """The largest amount that passes, whatever its sign, in the target's own unit."""
    zero_is_endless: bool = False
    """For a duration: 0 or less means until stopped, which is read as the robot's time to live."""


class Fixed(Strict):
    """A quantity that the target's tool does not take and always has."""

    value: Number
    unit: str


class Tool(Strict):
    """What one tool of the target does."""

    does: str | None = None
    """One of heedful's actions."""
    tool_class: ToolClass | None = Field(default=None, alias="class")
    """For what heedful has no word for: only its class."""
    args: dict[str, Argument] = Field(default_factory=dict)
    """By name; a dotted path (`msg.linear.x`) for what lies deeper, a number counts in a list."""
    fixed: dict[Quantity, Fixed] = Field(default_factory=dict)
    """Quantities it has without an argument, such as the speed it always walks at."""
    blocks: bool | None = None
    """Whether a call returns only when the action is done; as usual for the action when left out."""
    replaces: bool = False
    """Whether a new motion command replaces the one under way; else slowing down means stopping."""
    zero_stops: bool = False
    """Whether a velocity of zero is the target's way to stop."""
    note: str = ""


class Call(Strict):
    """A call of the target that does one of heedful's actions."""

    tool: str
    args: dict[str, Any] = Field(default_factory=dict)


class When(Strict):
    """A value at a path of a result that changes what the result says."""

    path: Path = ""
    equals: Scalar | tuple[Scalar, ...]
    """The value; `[]` is an empty list."""


class Signal(Strict):
    """Where one of the spec's signals comes from."""

    tool: str | None = None
    resource: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    reads: Literal["value", "present", "age", "unchanged", "heading"] = "value"
    """A value; whether something is there; how old it is [s]; whether it stays the same for too long; or the
    heading [rad] of a quaternion {x, y, z, w}."""
    path: Path = ""
    """Where in the structured result, or in the JSON of its first text, it lies; `persons.*.distance` takes
    the smallest of a list. For `present`, `age` and `unchanged` without a path: the first image."""
    type: Literal["number", "boolean", "text"] = "number"
    unit: str | None = None
    """For numbers: what the target counts it in."""
    poll_s: Number = Field(default=0.1, ge=0.01, le=3600)
    """How often the guard asks [s]."""
    age: Path | None = None
    """Where the result says how old the value is."""
    age_unit: str = "s"
    stamp: Path | None = None
    """Where the result says when the value was taken, on any clock: a number, or {sec, nanosec}."""
    stamp_unit: str = "s"
    frozen_after_s: Number | None = Field(default=None, gt=0)
    """For `unchanged`: how long the same stamp or picture may come again [s]."""
    null_when: When | None = None
    """When the result says that it does not know."""
    infinite_when: When | None = None
    """When the result says that there is nothing, e.g. no person in view."""
    true_when: tuple[Scalar, ...] | None = None
    """For booleans: what counts as true; then only what `false_when` names is false."""
    false_when: tuple[Scalar, ...] | None = None
    words: dict[str, StrictStr] | None = None
    """For texts: the target's word -> the spec's word; any other is unknown."""

    @property
    def kind(self) -> Literal["number", "boolean", "text"]:
        """The type of what is read; only a value's is written."""
        if self.reads == "value":
            return self.type
        return "number" if self.reads in ("age", "heading") else "boolean"


class ToolMapDocument(Strict):
    """A whole tool map as written in its file."""

    schema_version: Literal["heedful-tool-map-1"]
    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    version: str
    title: str = ""
    notes: str = ""
    limits: Limits
    robot: str | None = None
    """The one robot this guard watches; what `is: robot_id` must be."""
    tools: dict[str, Tool] = Field(default_factory=dict)
    choices: dict[str, Annotated[tuple[Tool, ...], Field(min_length=1)]] = Field(default_factory=dict)
    """Tools that do one thing or another by the value of an argument: the first whose `equals` fit."""
    denied: dict[str, str] = Field(default_factory=dict)
    """Tools that never pass, with why; what is not named anywhere does not pass either."""
    actions: dict[ProtectiveAction, Call] = Field(default_factory=dict)
    """How the guard itself acts, where the tool that does it needs arguments."""
    signals: dict[Name, Signal] = Field(default_factory=dict)
    missing: dict[Name, str] = Field(default_factory=dict)
    """Signals that the target does not offer, with what would give them."""
    review: dict[str, str] = Field(default_factory=dict)
    """Open points of a draft; a map that has any does not load."""

    @field_validator("review")
    @classmethod
    def _has_no_open_points(cls, points: dict[str, str]) -> dict[str, str]:
        if points:
            listed = "".join(f"\n  - {name}: {why}" for name, why in points.items())
            raise ValueError(f"{len(points)} open points; settle each and delete it from 'review':{listed}")
        return points
