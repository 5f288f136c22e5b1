"""What a turn does to the world: true signals over time, where the robot starts, what goes wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from heedful.state.geometry import Pose
from heedful.state.series import Series, Value

FaultKind = Literal["fail", "refuse", "timeout", "partial", "slow", "lie"]
"""`fail`: an error, nothing done; `refuse`: the robot says no, nothing done; `timeout`: no answer for a
while, nothing done; `partial`: a share is done; `slow`: it takes longer; `lie`: success is reported and
nothing done."""


@dataclass(frozen=True, slots=True)
class ToolFault:
    """A scripted failure of one tool in one turn."""

    tool: str
    kind: FaultKind
    times: int = 1
    """How many calls, from the first one in the turn."""
    share: float = 0.5
    """Share done, for `partial`."""
    delay_s: float = 5.0
    """Extra time, for `slow` and `timeout` [s]."""


@dataclass(frozen=True, slots=True)
class SensorFault:
    """A scripted sensor failure within a turn."""

    signal: str
    kind: Literal["dropout", "stale"]
    """`dropout`: no value; `stale`: the value from before is kept, with its age."""
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class Actuators:
    """How unreliable the robot's commands are throughout a scenario; drawn anew for each call."""

    latency_s: tuple[float, float] = (0.0, 0.0)
    """Least and greatest extra time until a command begins [s], drawn uniformly."""
    fault_rates: Mapping[str, Mapping[FaultKind, float]] = field(default_factory=dict)
    """Chance of each kind of failure, by tool."""


IDEAL = Actuators()


@dataclass(frozen=True, slots=True)
class PersonScript:
    """One person of a turn: waypoints around the robot, and what they look like."""

    distance: Series
    """From the robot, body to body [m]."""
    bearing_deg: Series
    """Direction from the robot, counter-clockwise from its heading at the turn's start [degrees]."""
    looks: Mapping[str, Value] = field(default_factory=dict)
    """The person's own `human.*` signals, the distance apart."""
    follows: bool = True
    """Whether the person keeps that distance when the robot moves; else the waypoints are around the place
    where the robot started the turn, and the person walks them whatever the robot does."""


@dataclass(frozen=True, slots=True)
class TurnScript:
    """One turn's keyframes; times count from the turn's start."""

    duration_s: float
    signals: Mapping[str, Series]
    """True values; `human.distance` is the distance robot to person [m]."""
    pose: Pose = Pose(0.0, 0.0, 0.0)  # noqa: RUF009 - a Pose is frozen
    posture: str = "standing"
    continues: bool = False
    resets: bool = False
    tool_faults: tuple[ToolFault, ...] = ()
    sensor_faults: tuple[SensorFault, ...] = ()
    actuators: Actuators = IDEAL
    people: tuple[PersonScript, ...] = ()
    """Everybody in the room; `signals` tells of the nearest."""


@dataclass(frozen=True, slots=True)
class NoiseLaw:
    """How far sensed values stray from true ones; uniform, half width per signal."""

    half_width: Mapping[str, float] = field(
        default_factory=lambda: {"human.distance": 0.1, "robot.x": 0.02, "robot.y": 0.02}
    )
    steps_per_unit: Mapping[str, int] = field(
        default_factory=lambda: {
            "human.distance": 100,
            "robot.x": 100,
            "robot.y": 100,
            "robot.yaw": 1000,
            "battery.level": 10,
            "camera.frame_age": 1000,
        }
    )
    """Resolution of what is reported: 100 means steps of 0.01."""
    period_s: float = 0.1
    """Time between two samples [s]."""
