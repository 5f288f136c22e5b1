"""Cases for a bound: targets and stopping points just inside, on and just outside each side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heedful.spec.boundary.case import BoundaryCase
from heedful.spec.boundary.commands import as_command, is_permitted
from heedful.spec.boundary.sides import Side
from heedful.spec.boundary.states import States
from heedful.spec.conditions import COMMAND_FIELDS
from heedful.spec.document import Bound, InvariantDocument
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Point
from heedful.state.series import Value

TOOL = "walk_to"
SPEEDS = (10.0, 30.0, 100.0)
STEP_M = 0.01
OUTSIDE_M = 0.5


def target_cases(
    spec: SafetySpec, states: States, rule: InvariantDocument, sides: list[Side]
) -> list[BoundaryCase]:
    """Return the cases for a bound; `robot.x` and `robot.y` say where the walk starts."""
    if not isinstance(rule.response, Bound) or TOOL not in spec.document.tools:
        return []
    walks = [walk for side in sides for speed in SPEEDS for walk in _walks(spec, side, speed)]
    return [_case(spec, states, rule.id, walk) for walk in walks]


@dataclass(frozen=True, slots=True)
class _Walk:
    speed_percent: float
    start: Point
    target: Point
    leaves: bool
    why: str


def _walks(spec: SafetySpec, side: Side, speed: float) -> Iterator[_Walk]:
    """Yield walks along the line through the side's middle, at a right angle to it."""
    stop = stopping_distance_m(spec, speed)
    if side.room_m < stop + 3 * STEP_M:
        return
    start = side.point(side.room_m)
    ends = [(STEP_M, False, "stops just inside"), (-STEP_M, True, "stops just outside")]
    if side.is_straight:
        ends.insert(1, (0.0, False, "stops on the border, which belongs to it"))
    for depth, leaves, why in ends:
        yield _Walk(speed, start, side.point(stop + depth), leaves, f"with its stopping distance it {why}")
    yield _Walk(speed, start, side.point(-STEP_M), True, "the target is just outside")
    if side.is_free_outside:
        outside = side.point(-OUTSIDE_M)
        inside, near, far = side.point(stop + STEP_M), side.point(-STEP_M), side.point(-OUTSIDE_M - STEP_M)
        yield _Walk(speed, outside, inside, False, "from outside it nears and ends inside")
        yield _Walk(speed, outside, near, True, "from outside it nears, but the target is outside")
        yield _Walk(speed, outside, far, True, "from outside it goes farther away")


def stopping_distance_m(spec: SafetySpec, speed_percent: float) -> float:
    """Return speed squared over twice the deceleration the robot declares [m]."""
    speed_m_s = spec.limits.v_max_m_s * speed_percent / 100
    return speed_m_s**2 / (2 * spec.limits.deceleration_m_s2)


def _case(spec: SafetySpec, states: States, rule: str, walk: _Walk) -> BoundaryCase:
    command = as_command(spec, states.neutral, TOOL, walk.speed_percent)
    place: dict[str, Value] = {"command.target_x": walk.target[0], "command.target_y": walk.target[1]}
    command |= {**place, "command.leaves_workspace": walk.leaves}
    values = {name: value for name, value in states.neutral.items() if name not in COMMAND_FIELDS}
    values |= {"robot.x": walk.start[0], "robot.y": walk.start[1]}
    active = states.active({**values, **command})
    permitted = is_permitted(spec, active, command)
    why = f"{TOOL} at {walk.speed_percent:.12g} %: {walk.why}"
    return BoundaryCase("", rule, "target", values, command, rule in active, permitted, why)
