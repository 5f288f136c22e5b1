"""The workspace's sides as seen from within: where a robot can stand and walk straight at the border."""

from __future__ import annotations

import math
from dataclasses import dataclass

from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Point
from heedful.state.series import Value

ROOM_M = 1.0
"""How far from a side the robot starts, at most [m]."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the workspace with the straight line through its middle."""

    middle: Point
    inward: Point
    """Unit vector at a right angle to the side, into the workspace."""
    room_m: float
    """Free way inward from the middle, at most `ROOM_M` and half of what there is [m]."""
    is_free_outside: bool
    """Whether no part of the workspace lies within `ROOM_M` outward."""

    @property
    def is_straight(self) -> bool:
        """Whether the side runs along an axis, so that points on it are exact."""
        return 0.0 in self.inward

    def point(self, depth_m: float) -> Point:
        """Return the point at a depth inside the side; negative is outside."""
        x = self.middle[0] + depth_m * self.inward[0]
        y = self.middle[1] + depth_m * self.inward[1]
        return (round(x, 6) + 0.0, round(y, 6) + 0.0)


def find_sides(spec: SafetySpec) -> list[Side]:
    """Return the sides of the spec's workspace, worked out without its region code."""
    corners = spec.document.workspace.polygon
    pairs = list(zip(corners, corners[1:] + corners[:1], strict=True))
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in pairs)
    turn = 1.0 if area > 0 else -1.0
    return [_side(a, b, turn, [p for p in pairs if p != (a, b)]) for a, b in pairs if a != b]


def find_harmless_command(spec: SafetySpec, sides: list[Side]) -> dict[str, Value]:
    """Return a slow command whose target is inside, as the fields that conditions read."""
    tools = spec.document.tools
    tool = next((t for t, its in tools.items() if its == "locomotion"), next(iter(tools), ""))
    side = max(sides, key=lambda s: s.room_m)
    x, y = side.point(side.room_m)
    return {
        "command.tool": tool,
        "command.class": spec.tool_class(tool),
        "command.speed_percent": 10.0,
        "command.target_x": x,
        "command.target_y": y,
        "command.leaves_workspace": False,
    }


def _side(a: Point, b: Point, turn: float, others: list[tuple[Point, Point]]) -> Side:
    length = math.hypot(b[0] - a[0], b[1] - a[1])
    middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
    inward = (-turn * (b[1] - a[1]) / length + 0.0, turn * (b[0] - a[0]) / length + 0.0)
    outward = (-inward[0], -inward[1])
    room = min(ROOM_M, _free_way(middle, inward, others) / 2)
    return Side(middle, inward, room, _free_way(middle, outward, others) > ROOM_M)


def _free_way(start: Point, along: Point, sides: list[tuple[Point, Point]]) -> float:
    """Return how far a ray runs until it meets a side; infinite if it meets none."""
    hits = [_hit(start, along, a, b) for a, b in sides]
    return min(hits, default=math.inf)


def _hit(start: Point, along: Point, a: Point, b: Point) -> float:
    sx, sy = b[0] - a[0], b[1] - a[1]
    cross = along[0] * sy - along[1] * sx
    if abs(cross) < 1e-12:
        return math.inf
    dx, dy = a[0] - start[0], a[1] - start[1]
    way = (dx * sy - dy * sx) / cross
    share = (dx * along[1] - dy * along[0]) / cross
    return way if way > 1e-9 and -1e-9 <= share <= 1 + 1e-9 else math.inf
