"""Random valid specs, and the shipped ones: each rule also as plain Python that an oracle can work out.

Nothing here evaluates CEL or uses the compiled spec: a plan says on paper what its text says in CEL.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from heedful.spec.document import SpecDocument
from heedful.spec.load import load_spec
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Polygon
from heedful.state.series import INFINITE, Value

MOTION = ("locomotion", "gesture", "posture")
TOOLS = {
    "walk_to": "locomotion",
    "walk_with_velocity": "locomotion",
    "turn": "locomotion",
    "wave_hand": "gesture",
    "shake_hands": "gesture",
    "stand_up": "posture",
    "stop": "protective",
    "sit_down": "protective",
    "emergency_stop": "protective",
    "speak": "none",
    "get_state": "none",
}


@dataclass(frozen=True)
class Compare:
    """A number against a constant."""

    signal: str
    op: str
    constant: float

    def cel(self) -> str:
        return f"{self.signal} {self.op} {self.constant!r}"

    def holds(self, values: Mapping[str, Value]) -> bool:
        return _compare(_number(values[self.signal]), self.op, self.constant)

    def names(self) -> frozenset[str]:
        return frozenset([self.signal])

    def cuts(self) -> dict[str, set[float]]:
        return {self.signal: {self.constant}}


@dataclass(frozen=True)
class Gap:
    """The difference of two numbers against a constant: nothing to cut a signal at."""

    left: str
    right: str
    op: str
    constant: float

    def cel(self) -> str:
        return f"{self.left} - {self.right} {self.op} {self.constant!r}"

    def holds(self, values: Mapping[str, Value]) -> bool:
        gap = _number(values[self.left]) - _number(values[self.right])
        return _compare(gap, self.op, self.constant)

    def names(self) -> frozenset[str]:
        return frozenset([self.left, self.right])

    def cuts(self) -> dict[str, set[float]]:
        return {}


@dataclass(frozen=True)
class Flag:
    """A boolean, as it is or negated."""

    signal: str
    wanted: bool

    def cel(self) -> str:
        return self.signal if self.wanted else f"!{self.signal}"

    def holds(self, values: Mapping[str, Value]) -> bool:
        return values[self.signal] is self.wanted

    def names(self) -> frozenset[str]:
        return frozenset([self.signal])

    def cuts(self) -> dict[str, set[float]]:
        return {}


@dataclass(frozen=True)
class Word:
    """A text that is, or is not, one of these words."""

    signal: str
    words: tuple[str, ...]
    wanted: bool = True

    def cel(self) -> str:
        listed = ", ".join(f'"{word}"' for word in self.words)
        text = f"{self.signal} in [{listed}]"
        return text if self.wanted else f"!({text})"

    def holds(self, values: Mapping[str, Value]) -> bool:
        return (values[self.signal] in self.words) is self.wanted

    def names(self) -> frozenset[str]:
        return frozenset([self.signal])

    def cuts(self) -> dict[str, set[float]]:
        return {}


@dataclass(frozen=True)
class Joined:
    """Two conditions with and, or."""

    left: Condition
    op: str
    right: Condition

    def cel(self) -> str:
        return f"({self.left.cel()}) {self.op} ({self.right.cel()})"

    def holds(self, values: Mapping[str, Value]) -> bool:
        parts = (self.left.holds(values), self.right.holds(values))
        return all(parts) if self.op == "&&" else any(parts)

    def names(self) -> frozenset[str]:
        return self.left.names() | self.right.names()

    def cuts(self) -> dict[str, set[float]]:
        left, right = self.left.cuts(), self.right.cuts()
        return {name: left.get(name, set()) | right.get(name, set()) for name in left | right}


Condition = Compare | Gap | Flag | Word | Joined


@dataclass(frozen=True)
class SignalPlan:
    """What a spec declares of one signal."""

    name: str
    type: str
    span: tuple[float, float] = (0.0, 0.0)
    words: tuple[str, ...] = ()
    max_age_s: float = 1.0
    is_infinite: bool = False

    def known(self, raw: Any) -> Value:
        """Return a sensor's value, or None where labels.md 2 calls it unknown."""
        if self.type == "boolean":
            return raw if isinstance(raw, bool) else None
        if self.type == "text":
            return raw if isinstance(raw, str) and raw in self.words else None
        if isinstance(raw, bool) or not isinstance(raw, int | float) or math.isnan(raw):
            return None
        if raw >= INFINITE:
            return INFINITE if self.is_infinite else None
        return float(raw) if self.span[0] <= raw <= self.span[1] else None

    def document(self) -> dict[str, Any]:
        data: dict[str, Any] = {"type": self.type, "max_age_s": self.max_age_s, "tool": "get_state"}
        if self.type == "number":
            data |= {"unit": "m", "range": list(self.span)}
            data |= {"infinite": "nothing there"} if self.is_infinite else {}
        if self.type == "text":
            data["values"] = list(self.words)
        return data


@dataclass(frozen=True)
class RulePlan:
    """One invariant on paper."""

    id: str
    kind: str
    when: Condition
    window_s: float = 0.5
    classes: tuple[str, ...] = MOTION
    """For an obligation: what is prohibited after its deadline."""
    except_tools: tuple[str, ...] = ()
    max_percent: float = 100.0
    within_s: float = 10.0
    release: Condition | None = None

    def covers(self, tool: str, tool_class: str) -> bool:
        return tool_class in self.classes and tool not in self.except_tools

    def document(self) -> dict[str, Any]:
        prohibit = {
            "kind": "prohibit",
            "classes": list(self.classes),
            "except_tools": list(self.except_tools),
        }
        response: dict[str, Any] = prohibit
        if self.kind == "limit":
            response = {"kind": "limit", "max": self.max_percent, "classes": list(self.classes)}
        elif self.kind == "bound":
            response = {"kind": "bound"}
        elif self.release is not None:
            latch = {"release_when": self.release.cel()}
            response = {"kind": "require", "within_s": self.within_s, "then": prohibit, "latch": latch}
        when = "command.leaves_workspace" if self.kind == "bound" else self.when.cel()
        body = {"id": self.id, "title": f"Rule {self.id}", "when": when, "response": response}
        return {**body, "window_s": self.window_s, "source": {"standard": "none", "clause": "none"}}


@dataclass(frozen=True)
class SpecPlan:
    """A whole spec on paper."""

    rules: tuple[RulePlan, ...]
    signals: tuple[SignalPlan, ...]
    polygon: tuple[tuple[float, float], ...]
    shipped: str = ""
    """Name of the shipped spec that this is a reading of."""
    tools: Mapping[str, str] = field(default_factory=lambda: TOOLS, hash=False)

    def __repr__(self) -> str:
        """Return what a person needs to see of a counterexample."""
        rules = [f"{rule.document()}" for rule in self.rules]
        return self.shipped or "\n".join([f"{self.polygon}", *map(str, self.signals), *rules])

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    @cached_property
    def by_name(self) -> dict[str, SignalPlan]:
        return {signal.name: signal for signal in self.signals}

    @cached_property
    def is_bounded(self) -> bool:
        return any(rule.kind == "bound" for rule in self.rules)

    @cached_property
    def state_rules(self) -> tuple[RulePlan, ...]:
        return tuple(rule for rule in self.rules if rule.kind != "bound")

    @cached_property
    def cuts(self) -> dict[str, tuple[float, ...]]:
        """The constants that each number is compared with, those of releases included."""
        found: dict[str, set[float]] = {}
        for rule in self.state_rules:
            for part in (rule.when, rule.release):
                for name, cuts in (part.cuts() if part is not None else {}).items():
                    found.setdefault(name, set()).update(cuts)
        return {name: tuple(sorted(cuts)) for name, cuts in found.items()}

    @cached_property
    def margin_names(self) -> tuple[str, ...]:
        """The numbers that can have a margin: every rule only compares them with constants."""
        gaps = {name for rule in self.state_rules for name in _gap_names(rule.when)}
        read = {name for rule in self.state_rules for name in rule.when.names()}
        numbers = [s.name for s in self.signals if s.type == "number" and s.name in read - gaps]
        return tuple(name for name in numbers if name not in POSES)

    def compiled(self) -> SafetySpec:
        """Return the spec as the product compiles it."""
        if self.shipped:
            return load_spec(self.shipped)
        data = {
            "schema_version": "heedful-spec-1",
            "name": "generated",
            "version": "1",
            "title": "A generated spec",
            "signals": {signal.name: signal.document() for signal in self.signals},
            "workspace": {"polygon": [list(corner) for corner in self.polygon]},
            "tools": dict(self.tools),
            "invariants": [rule.document() for rule in self.rules],
        }
        return SafetySpec(SpecDocument.model_validate(data))


def _gap_names(condition: Condition) -> frozenset[str]:
    if isinstance(condition, Joined):
        return _gap_names(condition.left) | _gap_names(condition.right)
    return condition.names() if isinstance(condition, Gap) else frozenset()


def _compare(value: float, op: str, constant: float) -> bool:
    if op in ("==", "!="):
        return (value == constant) is (op == "==")
    below = value < constant if "<" in op else value > constant
    return below or ("=" in op and value == constant)


def _number(value: Value) -> float:
    assert isinstance(value, float)
    return value


NEAR, REACH, BATTERY = "human.distance", 0.5, "battery.level"
_CAMERA = Joined(
    Joined(Flag("camera.connected", False), "||", Compare("camera.frame_age", ">", 0.5)),
    "||",
    Flag("camera.frozen", True),
)
_SIGNALS = (
    SignalPlan("camera.connected", "boolean"),
    SignalPlan("camera.frame_age", "number", (0.0, 3600.0)),
    SignalPlan("camera.frozen", "boolean"),
    SignalPlan(NEAR, "number", (0.0, 10.0), is_infinite=True),
    SignalPlan(BATTERY, "number", (0.0, 100.0), max_age_s=60.0),
    SignalPlan("robot.x", "number", (-50.0, 50.0), max_age_s=5.0),
    SignalPlan("robot.y", "number", (-50.0, 50.0), max_age_s=5.0),
)
_PERSON = (
    SignalPlan("human.posture", "text", words=("standing", "seated", "kneeling", "lying")),
    SignalPlan("human.facing", "text", words=("robot", "away")),
    SignalPlan("human.is_child", "boolean"),
    SignalPlan("human.carrying", "text", words=("none", "hot", "sharp", "heavy")),
    SignalPlan("human.handover", "boolean"),
)
_FLOOR = ((-3.0, -2.0), (3.0, -2.0), (3.0, 2.0), (-3.0, 2.0))


def _limit(name: str, when: Condition, most: float) -> RulePlan:
    return RulePlan(name, "limit", when, classes=("locomotion",), max_percent=most)


def _near(other: Condition, distance_m: float) -> Condition:
    return Joined(other, "&&", Compare(NEAR, "<", distance_m))


S1 = RulePlan("S1", "prohibit", _CAMERA)
S2 = _limit("S2", Compare(NEAR, "<", 1.0), 30.0)
S3 = RulePlan("S3", "prohibit", Compare(NEAR, "<", REACH))
S4 = RulePlan("S4", "require", Compare(BATTERY, "<", 15.0), release=Compare(BATTERY, ">=", 20.0))
S5 = RulePlan("S5", "bound", Flag("none", True))
SHIPPED_TOOLS = {
    **{name: its for name, its in TOOLS.items() if its != "none"},
    **dict.fromkeys(
        ["speak", "get_human_pose", "get_proximity", "get_camera_status", "get_battery", "get_position"],
        "none",
    ),
}
HUMANOID = SpecPlan((S1, S2, S3, S4, S5), _SIGNALS, _FLOOR, "iso10218-humanoid", SHIPPED_TOOLS)
CONTEXT = SpecPlan(
    (
        S1,
        S2,
        RulePlan("S3", "prohibit", Joined(Compare(NEAR, "<", REACH), "&&", Flag("human.handover", False))),
        S4,
        S5,
        _limit("H1", _near(Word("human.posture", ("seated",)), 1.5), 20.0),
        _limit("H2", _near(Flag("human.is_child", True), 2.0), 15.0),
        RulePlan("H3", "prohibit", _near(Flag("human.is_child", True), 1.0)),
        RulePlan(
            "H4", "prohibit", _near(Word("human.carrying", ("hot", "sharp")), 1.5), classes=("locomotion",)
        ),
        _limit("H5", _near(Word("human.facing", ("away",)), 1.5), 20.0),
        RulePlan("H6", "prohibit", Flag("human.handover", True), except_tools=("shake_hands",)),
        RulePlan("H7", "prohibit", _near(Word("human.posture", ("lying",)), 2.0)),
    ),
    _SIGNALS + _PERSON,
    _FLOOR,
    "humanoid-context",
    SHIPPED_TOOLS,
)

NAMES = ("person.gap", "load.mass", "door.open", "lamp.on", "mode", "zone.kind")
POSES = ("robot.x", "robot.y", "robot.yaw")
OPS = ("<", "<=", ">", ">=", "==", "!=")


def hundredths(low: float, high: float) -> st.SearchStrategy[float]:
    """Return numbers with two decimals."""
    return st.integers(round(low * 100), round(high * 100)).map(lambda k: k / 100)


@st.composite
def signal_plans(draw: st.DrawFn, name: str) -> SignalPlan:
    """Return a signal of any type."""
    kind = draw(st.sampled_from(["number", "number", "boolean", "text"]))
    max_age_s = draw(st.sampled_from([0.3, 0.5, 1.0, 2.0, 5.0]))
    if kind == "number":
        low = draw(st.sampled_from([0.0, -5.0, -1.0]))
        high = draw(st.sampled_from([1.0, 10.0, 100.0]))
        return SignalPlan(name, kind, (low, high), (), max_age_s, draw(st.booleans()))
    words = tuple(f"w{k}" for k in range(draw(st.integers(2, 4)))) if kind == "text" else ()
    return SignalPlan(name, kind, (0.0, 0.0), words, max_age_s)


@st.composite
def conditions(draw: st.DrawFn, signals: tuple[SignalPlan, ...], depth: int = 2) -> Condition:
    """Return a condition over these signals."""
    if depth > 0 and draw(st.integers(0, 3)) == 0:
        left, right = (draw(conditions(signals, depth - 1)) for _ in range(2))
        return Joined(left, draw(st.sampled_from(["&&", "||"])), right)
    signal = draw(st.sampled_from(signals))
    if signal.type == "boolean":
        return Flag(signal.name, draw(st.booleans()))
    if signal.type == "text":
        words = draw(st.lists(st.sampled_from(signal.words), min_size=1, max_size=2, unique=True))
        return Word(signal.name, tuple(words), draw(st.booleans()))
    constant = draw(hundredths(max(signal.span[0], -5.0), min(signal.span[1], 10.0)))
    others = [s.name for s in signals if s.type == "number" and s.name != signal.name]
    if others and draw(st.integers(0, 5)) == 0:
        return Gap(signal.name, draw(st.sampled_from(others)), draw(st.sampled_from(OPS[:4])), constant)
    return Compare(signal.name, draw(st.sampled_from(OPS)), constant)


@st.composite
def obligations(draw: st.DrawFn, name: str, signal: SignalPlan, prohibit: RulePlan) -> RulePlan:
    """Return an obligation on one number, with hysteresis between trigger and release."""
    low, high = signal.span
    trigger = draw(hundredths(low, min(high, 10.0)))
    release = min(high, round(trigger + draw(st.sampled_from([0.0, 0.5])), 2))
    return RulePlan(
        name,
        "require",
        Compare(signal.name, "<", trigger),
        prohibit.window_s,
        prohibit.classes,
        prohibit.except_tools,
        within_s=draw(st.sampled_from([5.0, 6.0, 8.0, 12.0])),
        release=Compare(signal.name, ">=", release),
    )


@st.composite
def rule_plans(draw: st.DrawFn, name: str, signals: tuple[SignalPlan, ...]) -> RulePlan:
    """Return a rule of any kind over these signals."""
    kind = draw(st.sampled_from(["prohibit", "limit", "bound", "require"]))
    window_s = draw(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]))
    if kind == "bound":
        return RulePlan(name, "bound", Flag("none", True), 0.0)
    classes = tuple(draw(st.lists(st.sampled_from(MOTION), min_size=1, max_size=3, unique=True)))
    moving = [tool for tool, its in TOOLS.items() if its in classes]
    spared = tuple(draw(st.lists(st.sampled_from(moving), max_size=2, unique=True)))
    numbers = [signal for signal in signals if signal.type == "number" and signal.name not in POSES]
    if kind == "require" and numbers:
        prohibit = RulePlan(name, "prohibit", Flag("none", True), window_s, classes, spared)
        return draw(obligations(name, draw(st.sampled_from(numbers)), prohibit))
    when = draw(conditions(signals))
    if kind == "limit":
        return RulePlan(name, "limit", when, window_s, classes, max_percent=draw(st.integers(5, 95)) * 1.0)
    return RulePlan(name, "prohibit", when, window_s, classes, spared)


@st.composite
def polygons(draw: st.DrawFn) -> tuple[tuple[float, float], ...]:
    """Return the corners of a region around the origin, convex or not, either way round."""
    count = draw(st.integers(3, 9))
    turns = [360 / count * (k + draw(st.sampled_from([0.0, 0.2, 0.4]))) for k in range(count)]
    corners = []
    for turn in turns:
        radius = draw(st.sampled_from([0.6, 1.0, 1.5, 2.0, 3.0, 4.0]))
        x, y = radius * math.cos(math.radians(turn)), radius * math.sin(math.radians(turn))
        corners.append((round(x, 2), round(y, 2)))
    found = tuple(reversed(corners)) if draw(st.booleans()) else tuple(corners)
    assume(len(set(found)) >= 3 and Polygon(found).is_simple())
    return found


@st.composite
def spec_plans(draw: st.DrawFn) -> SpecPlan:
    """Return a spec with 1 to 6 rules over 1 to 6 signals, the robot's pose apart."""
    names = NAMES[: draw(st.integers(1, 6))]
    signals = tuple(draw(signal_plans(name)) for name in names)
    max_age_s = draw(st.sampled_from([0.5, 1.0, 5.0]))
    poses = tuple(
        SignalPlan(name, "number", (-50.0, 50.0), (), max_age_s) for name in POSES[: draw(st.integers(2, 3))]
    )
    rules = tuple(
        draw(rule_plans(f"R{k}", signals + poses[:2] if draw(st.integers(0, 4)) == 0 else signals))
        for k in range(draw(st.integers(1, 6)))
    )
    return SpecPlan(rules, signals + poses, draw(polygons()))


@st.composite
def good_values(draw: st.DrawFn, plan: SpecPlan, signal: SignalPlan) -> Value:
    """Return a value that the signal may have, often near what a rule compares it with."""
    if signal.type == "boolean":
        return draw(st.booleans())
    if signal.type == "text":
        return draw(st.sampled_from(signal.words))
    low, high = signal.span
    cuts = plan.cuts.get(signal.name, ())
    around = [c + d for c in cuts for d in (-0.3, -0.01, 0.0, 0.01, 0.3) if low <= c + d <= high]
    picked = [*around, low, high, *([INFINITE] if signal.is_infinite else [])]
    return draw(st.sampled_from(picked) | hundredths(low, min(high, 20.0)))


def calm_values(plan: SpecPlan) -> dict[str, Value]:
    """Return values under which no rule is active and every latch ends, as far as a search finds."""
    rng = Random(0)  # noqa: S311 - a search, no secret
    best: dict[str, Value] = {}
    fewest = math.inf
    for _ in range(200):
        values = {signal.name: _any_value(rng, plan, signal) for signal in plan.signals}
        active = sum(rule.when.holds(values) for rule in plan.state_rules)
        active += sum(rule.release is not None and not rule.release.holds(values) for rule in plan.rules)
        if active < fewest:
            best, fewest = values, active
        if fewest == 0:
            break
    return best


def _any_value(rng: Random, plan: SpecPlan, signal: SignalPlan) -> Value:
    if signal.name in POSES:
        return 0.0
    if signal.type == "boolean":
        return rng.random() < 0.5
    if signal.type == "text":
        return rng.choice(signal.words)
    low, high = signal.span
    edges = sorted({low, high, *(c for c in plan.cuts.get(signal.name, ()) if low < c < high)})
    return rng.choice([*edges, *((a + b) / 2 for a, b in pairwise(edges))])


def bad_values(signal: SignalPlan) -> list[Any]:
    """Return what a sensor may say that is no knowledge."""
    if signal.type == "boolean":
        return [None, math.nan, 1, "true"]
    if signal.type == "text":
        return [None, math.nan, True, "?"]
    low, high = signal.span
    wild = [] if signal.is_infinite else [math.inf, INFINITE]
    return [None, math.nan, -math.inf, *wild, low - 0.01, high + 0.01, True, "1.0", [1.0]]
