"""What labels.md says of a stream of samples and of commands, worked out apart from the guard and the judge.

It shares no class with either: conditions come from `specs.py`, ways and regions are worked out here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate, pairwise, product
from typing import Any

from heedful.trace.records import Reading

from .specs import RulePlan, SpecPlan

EPSILON = 1e-9
VIEWS = ("newest", "told")
LONG_AGO = -math.inf
V_MAX, W_MAX, BRAKING, TIME_TO_LIVE = 1.0, 1.0, 2.0, 10.0
"""What the robot declares by default: [m/s], [rad/s], [m/s^2], [s]."""
ARC_STEPS = 48
SURE_M = 2e-6
"""Nearer than this to a border nothing is claimed; poses are rounded to 1e-6 [m]."""
CHORDS = 24
"""Arcs are looked at in so many chords by whoever looks at them; the bow between them is nobody's to call."""
SEEN_M = 0.11
"""A way that goes this much farther outside is seen by whoever looks every 0.05 m."""
ARGUMENTS = {
    "walk_to": ("x", "y", "speed_percent"),
    "turn": ("angle_deg", "speed_percent"),
    "walk_with_velocity": ("linear_x", "linear_y", "angular_z", "duration", "speed_percent"),
}

Point = tuple[float, float]


@dataclass(frozen=True)
class Sensed:
    """Where the robot is by its sensors."""

    x: float
    y: float
    yaw: float


def is_malformed(tool: str, args: Mapping[str, Any]) -> bool:
    """Return whether a locomotion command is none that the robot's declaration allows."""
    if set(args) != set(ARGUMENTS[tool]):
        return True
    for value in args.values():
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e6:
            return True
    return not 0 < args["speed_percent"] <= 100 or not args.get("duration", 1.0) > 0


def effective_percent(tool: str, args: Mapping[str, Any]) -> float:
    """Return the effective commanded speed, labels.md 1 [%]."""
    if tool != "walk_with_velocity":
        return float(args["speed_percent"])
    v, w = math.hypot(args["linear_x"], args["linear_y"]), abs(args["angular_z"])
    return min(args["speed_percent"], 100 * max(v / V_MAX, w / W_MAX))


class Oracle:
    """Which rules hold when, for one spec, by the newest samples and by what the model was told."""

    def __init__(self, plan: SpecPlan, margins: Mapping[str, float] | None = None) -> None:
        self.plan = plan
        self.margins = dict(margins or {})
        self.now = LONG_AGO
        self.newest: dict[str, Reading] = {}
        self.told: dict[str, Reading] = {}
        self.values: dict[str, dict[str, Any]] = {}
        """sensed(signal, now) of labels.md 2 by view and signal, None where unknown."""
        self.since: dict[tuple[str, str], float] = {}
        self.onsets: dict[tuple[str, str], float] = {}
        self._starts_scene = True
        self._next_end = math.inf
        self._work_out(LONG_AGO)

    def start_scene(self, readings: Mapping[str, Reading], t: float) -> None:
        self.advance(t)
        self.told.clear()
        self._starts_scene = True
        self.observe(readings, t)

    def observe(self, readings: Mapping[str, Reading], t: float) -> None:
        self.advance(t)
        self.newest.update(readings)
        self._work_out(t)

    def tell(self, readings: Mapping[str, Reading], t: float) -> None:
        self.advance(t)
        self.told.update(readings)
        self._work_out(t)

    def reset(self, t: float) -> set[str]:
        """Release what both readings release."""
        self.advance(t)
        found = set()
        for rule in self.plan.state_rules:
            if rule.release is None or not all(self._releases(rule, view) for view in VIEWS):
                continue
            latched = [view for view in VIEWS if self.onsets.pop((view, rule.id), None) is not None]
            found |= {rule.id} if latched else set()
        self._work_out(t)
        return found

    def advance(self, t: float) -> None:
        """Meet every instant up to `t` at which a value grew too old."""
        while self._next_end <= t:
            self._work_out(self._next_end)
        self.now = t

    def is_unknown(self, rule: RulePlan, view: str) -> bool:
        values = self.values[view]
        return any(values[name] is None for name in rule.when.names())

    def latched(self, view: str) -> list[tuple[RulePlan, float]]:
        """Return each latched obligation with its onset."""
        if not self.onsets:
            return []
        found = [(rule, self.onsets.get((view, rule.id))) for rule in self.plan.state_rules]
        return [(rule, onset) for rule, onset in found if onset is not None]

    def holding(self, lead_s: float = 0.0) -> list[tuple[str, RulePlan]]:
        """Return (kind, rule) of all that a command is held to, after the windows less `lead_s`."""
        found = []
        for rule in self.plan.state_rules:
            for view in VIEWS:
                since, onset = self.since.get((view, rule.id)), self.onsets.get((view, rule.id))
                is_settled = since is not None and self.now - since >= rule.window_s - lead_s - EPSILON
                if rule.kind != "require":
                    found += [(rule.kind, rule)] if is_settled else []
                elif (is_settled and self.is_unknown(rule, view)) or (
                    onset is not None and self.now >= onset + rule.within_s - EPSILON
                ):
                    found.append(("prohibit", rule))
        return found

    def positions(self) -> list[Sensed] | None:
        """Return where the robot is by each reading; None if any of them does not know."""
        yaw, found = self._yaw(), []
        for view in VIEWS:
            x, y = (self.values[view].get(name) for name in ("robot.x", "robot.y"))
            if x is None or y is None or yaw is None:
                return None
            found.append(Sensed(x, y, yaw))
        return found if found[0] != found[1] else found[:1]

    def _yaw(self) -> float | None:
        if "robot.yaw" in self.plan.by_name:
            return self.values["newest"]["robot.yaw"]
        reading = self.newest.get("robot.yaw")
        is_known = reading is not None and isinstance(reading.value, float) and math.isfinite(reading.value)
        return reading.value if is_known and self._is_fresh(reading, self._max_age("robot.x")) else None

    def _max_age(self, name: str) -> float:
        return self.plan.by_name[name].max_age_s

    def _is_active(self, rule: RulePlan, view: str) -> bool:
        """Return whether the trigger holds or reads something unknown; margins widen the newest samples."""
        if self.is_unknown(rule, view):
            return True
        values = self.values[view]
        if not self.margins or view == "told":
            return rule.when.holds(values)
        names = sorted(rule.when.names())
        choices = [self._within(name, values[name]) for name in names]
        return any(rule.when.holds(dict(zip(names, picked, strict=True))) for picked in product(*choices))

    def _within(self, name: str, value: Any) -> list[Any]:
        """Return values that meet every side of every cut within the margin."""
        margin = self.margins.get(name, 0.0)
        if margin == 0 or not isinstance(value, float) or value >= 1e9:
            return [value]
        low, high = value - margin, value + margin
        cuts = [cut for cut in self.plan.cuts.get(name, ()) if low <= cut <= high]
        around = [x for cut in cuts for x in (cut - 1e-12, cut, cut + 1e-12) if low <= x <= high]
        return [low, value, high, *around]

    def _releases(self, rule: RulePlan, view: str) -> bool:
        assert rule.release is not None
        values = {name: self.values[view][name] for name in rule.release.names()}
        return None not in values.values() and rule.release.holds(values)

    def _is_fresh(self, reading: Reading, max_age_s: float) -> bool:
        return -EPSILON <= self.now - reading.sampled_s < max_age_s - EPSILON

    def _work_out(self, t: float) -> None:
        self.now = t
        if self._starts_scene and t > LONG_AGO:
            self.since.clear()
        since = LONG_AGO if self._starts_scene else t
        self._starts_scene = self._starts_scene and t == LONG_AGO
        self._work_out_values()
        for rule in self.plan.state_rules:
            for view in VIEWS:
                if not self._is_active(rule, view):
                    self.since.pop((view, rule.id), None)
                    continue
                self.since.setdefault((view, rule.id), since)
                if rule.kind == "require" and not self.is_unknown(rule, view):
                    self.onsets.setdefault((view, rule.id), t)

    def _work_out_values(self) -> None:
        newest, told, self._next_end = {}, {}, math.inf
        for name, signal in self.plan.by_name.items():
            newest[name] = told[name] = None
            for view, reading in (("newest", self.newest.get(name)), ("told", self.told.get(name))):
                if reading is None or not self._is_fresh(reading, signal.max_age_s):
                    continue
                told[name] = signal.known(reading.value)
                newest[name] = told[name] if view == "newest" else newest[name]
                self._next_end = min(self._next_end, reading.sampled_s + signal.max_age_s)
        self.values = {"newest": newest, "told": told}


@dataclass
class Region:
    """A polygon, worked out by crossings and distances."""

    corners: tuple[Point, ...]
    sides: list[tuple[Point, Point]] = field(init=False)

    def __post_init__(self) -> None:
        self.sides = list(zip(self.corners, self.corners[1:] + self.corners[:1], strict=True))

    def depth(self, p: Point) -> float:
        """Return the distance to the border, negative outside [m]."""
        to_border = min(_to_segment(p, a, b) for a, b in self.sides)
        return to_border if self._is_within(p) else -to_border

    def clearance(self, a: Point, b: Point) -> float:
        """Return how near the segment a-b comes to the border [m]; 0 when it crosses it."""
        return min(_segments_apart(a, b, c, d) for c, d in self.sides)

    def _is_within(self, p: Point) -> bool:
        """Return whether a ray to the right crosses the border an odd number of times."""
        crossed = [
            (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0] > p[0]
            for a, b in self.sides
            if (a[1] > p[1]) != (b[1] > p[1])
        ]
        return sum(crossed) % 2 == 1


def _to_segment(p: Point, a: Point, b: Point) -> float:
    dx, dy = b[0] - a[0], b[1] - a[1]
    squared = dx * dx + dy * dy
    t = 0.0 if squared == 0 else max(0.0, min(1.0, ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / squared))
    return math.hypot(p[0] - a[0] - t * dx, p[1] - a[1] - t * dy)


def _segments_apart(a: Point, b: Point, c: Point, d: Point) -> float:
    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    if side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0:
        return 0.0
    return min(_to_segment(a, c, d), _to_segment(b, c, d), _to_segment(c, a, b), _to_segment(d, a, b))


@dataclass(frozen=True)
class Way:
    """The way of a command: points at most a small step apart, its target, its stopping point."""

    points: list[Point]
    target: Point
    sure_m: float
    """How near to the border nothing is claimed [m]."""
    is_straight: bool


def way_of(tool: str, args: Mapping[str, Any], at: Sensed) -> Way | None:
    """Return the way of a well-formed command, stopping distance included; None when it goes nowhere."""
    speed = V_MAX * effective_percent(tool, args) / 100
    stop_m = speed * speed / (2 * BRAKING)
    here = (at.x, at.y)
    if tool == "turn":
        return Way([here, here], here, SURE_M, True) if args["angle_deg"] != 0 else None
    if tool == "walk_to":
        dx, dy = args["x"] - at.x, args["y"] - at.y
        length = math.hypot(dx, dy)
        if length < 1e-3:
            return None
        target = (args["x"], args["y"])
        end = (target[0] + stop_m * dx / length, target[1] + stop_m * dy / length)
        return Way([here, target, end], target, SURE_M, True)
    return _driven(args, at)


def _driven(args: Mapping[str, Any], at: Sensed) -> Way | None:
    v_x, v_y, w = args["linear_x"], args["linear_y"], args["angular_z"]
    asked = 100 * max(math.hypot(v_x, v_y) / V_MAX, abs(w) / W_MAX)
    if asked == 0:
        return None
    share = min(args["speed_percent"], asked) / asked
    v_x, v_y, w = v_x * share, v_y * share, w * share
    seconds, v = min(args["duration"], TIME_TO_LIVE), math.hypot(v_x, v_y)
    is_straight = abs(w) < 1e-9 or v < 1e-9
    count = 1 if is_straight else ARC_STEPS
    points, heading = [(at.x, at.y)], at.yaw + w * seconds
    for k in range(count):
        half = 0.0 if is_straight else w * seconds / count / 2
        middle = at.yaw + (2 * k + 1) * half
        chord = seconds / count * (1.0 if is_straight else math.sin(half) / half)
        x, y = points[-1]
        c, s = math.cos(middle), math.sin(middle)
        points.append((x + (c * v_x - s * v_y) * chord, y + (s * v_x + c * v_y) * chord))
    target = points[-1]
    percent = effective_percent("walk_with_velocity", args)
    if v > 1e-9:
        stop_m = (V_MAX * percent / 100) ** 2 / (2 * BRAKING)
        c, s = math.cos(heading) / v, math.sin(heading) / v
        points.append((target[0] + (c * v_x - s * v_y) * stop_m, target[1] + (s * v_x + c * v_y) * stop_m))
    bow = 0.0 if is_straight else 1.1 * v / abs(w) * (1 - math.cos(w * seconds / CHORDS / 2))
    return Way(points, target, 5 * SURE_M + bow, is_straight)


def stays_inside(region: Region, tool: str, args: Mapping[str, Any], at: Sensed) -> bool | None:
    """Return whether a command keeps to the workspace, labels.md 5; None where it is too close to call."""
    way = way_of(tool, args, at)
    if way is None:
        return True
    sure, points = way.sure_m, way.points
    depth = region.depth(points[0])
    if abs(depth) <= sure:
        return None
    if depth < 0:
        return _returns(region, way)
    if any(region.depth(p) < -sure for p in _sampled(points)):
        return False
    return True if all(_is_clear(region, a, b, sure) for a, b in pairwise(points)) else None


def _is_clear(region: Region, a: Point, b: Point, sure: float) -> bool:
    length = math.hypot(b[0] - a[0], b[1] - a[1])
    return region.depth(a) + region.depth(b) > length + 2 * sure or region.clearance(a, b) > sure


def _returns(region: Region, way: Way) -> bool | None:
    """Return whether a way from outside strictly nears the region and ends inside."""
    sure, ends = way.sure_m, (way.target, way.points[-1])
    if any(region.depth(end) < -sure for end in ends):
        return False
    outside = [max(0.0, -region.depth(p)) for p in _sampled(way.points)]
    lowest = list(accumulate(outside, min))
    if any(here - low > SEEN_M for here, low in zip(outside, lowest, strict=True)):
        return False
    if any(region.depth(end) < sure for end in ends):
        return None
    return True if all(b < a - 1e-7 or a == b == 0 for a, b in pairwise(outside)) else None


def _sampled(points: list[Point]) -> list[Point]:
    found = [points[0]]
    for a, b in pairwise(points):
        count = max(1, min(400, math.ceil(math.hypot(b[0] - a[0], b[1] - a[1]) / 0.02)))
        found += [
            (a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count) for k in range(1, count + 1)
        ]
    return found
