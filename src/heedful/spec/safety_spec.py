"""A spec compiled for use: which rules are active, what a command breaks, what a request may get."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from heedful.errors import InputError, SpecError
from heedful.spec.conditions import MEMO_LIMIT, Condition, ConditionSet, is_unknown
from heedful.spec.document import Bound, InvariantDocument, Limit, Prohibit, Require, SpecDocument
from heedful.spec.rule import SPEED_TOLERANCE, Admission, Rule
from heedful.state.geometry import Point, Polygon, Pose, distance
from heedful.state.motion import Motion, RobotLimits
from heedful.state.series import INFINITE, Value

SAMPLE_M = 0.05
LEAVES = "command.leaves_workspace"
UNJUDGED = (
    f"judge-1 applies the condition {LEAVES!r} to `bound` rules and conditions over signals to all others."
)


class SafetySpec:
    """One loaded and checked safety spec."""

    def __init__(self, document: SpecDocument, limits: RobotLimits | None = None) -> None:
        """Compile `document`.

        Raises:
            SpecError: If a condition cannot be trusted; the message names the invariant.
        """
        self.document = document
        self.limits = limits or RobotLimits()
        self.region: Polygon = document.workspace.region()
        self.conditions = {rule.id: self._condition(rule) for rule in document.invariants}
        self.rules: tuple[Rule, ...] = tuple(r for doc in document.invariants for r in _rules_of(doc))
        self.by_key = {rule.key: rule for rule in self.rules}
        self.state_ids = tuple(i for i, c in self.conditions.items() if not c.reads_command)
        self._states = ConditionSet([self.conditions[i] for i in self.state_ids])
        self._spans = {n: s.range for n, s in document.signals.items() if s.range is not None}
        self.max_age_s = {name: signal.max_age_s for name, signal in document.signals.items()}
        self.obligations = tuple(rule for rule in self.rules if rule.kind == "require")
        self._leaves: dict[tuple[Motion, Pose | None], bool] = {}
        self._admissions: dict[tuple[str, frozenset[str]], Admission] = {}
        self._read_by: dict[str, frozenset[str]] = {}
        self.releases = {
            doc.id: self._release(doc, doc.response)
            for doc in document.invariants
            if isinstance(doc.response, Require)
        }
        self._held_alone = {i: ConditionSet([condition]) for i, condition in self.conditions.items()}
        self._released_alone = {i: ConditionSet([release]) for i, release in self.releases.items()}

    @property
    def name(self) -> str:
        """The spec's name as users type it."""
        return self.document.name

    @property
    def version(self) -> str:
        """The spec's own version."""
        return self.document.version

    @cached_property
    def bounds(self) -> tuple[Rule, ...]:
        """The rules that bound targets; active whenever a request or command leaves the region."""
        return tuple(rule for rule in self.rules if rule.kind == "bound")

    @cached_property
    def bound_keys(self) -> frozenset[str]:
        """The keys of the rules that bound targets."""
        return frozenset(rule.key for rule in self.bounds)

    @cached_property
    def obligation_keys(self) -> frozenset[str]:
        """The keys of the obligations."""
        return frozenset(rule.key for rule in self.obligations)

    @cached_property
    def latched(self) -> tuple[Rule, ...]:
        """The prohibitions that follow an obligation's deadline."""
        return tuple(rule for rule in self.rules if rule.latched)

    @cached_property
    def unjudged(self) -> tuple[str, ...]:
        """Ids of the invariants that judge-1 and the guard cannot apply: they read the command.

        A `bound` rule is judged by what leaves the workspace, every other by signals alone.
        """
        return tuple(
            doc.id
            for doc in self.document.invariants
            if isinstance(doc.response, Bound) != (self.conditions[doc.id].text.strip() == LEAVES)
            or (self.conditions[doc.id].reads_command and not isinstance(doc.response, Bound))
        )

    def require_judged(self) -> None:
        """Refuse a spec with a rule that would be silently without effect.

        Raises:
            SpecError: If a rule cannot be judged.
        """
        if self.unjudged:
            raise SpecError(
                f"{self.name}: {', '.join(self.unjudged)}: {UNJUDGED} Such a spec can be checked and "
                "prompted, not run."
            )

    @property
    def state_signals(self) -> tuple[str, ...]:
        """The signals that conditions over state read."""
        return self._states.signals

    @property
    def cuts(self) -> Mapping[str, tuple[float, ...] | None]:
        """For each such signal the constants it is compared with; None where it is used otherwise."""
        return self._states.cuts

    def tool_class(self, tool: str) -> str:
        """Return the class of `tool`; `none` for a tool the spec does not list."""
        return self.document.tools.get(tool, "none")

    def screen(self, name: str, value: Value) -> Value:
        """Return `value`, or None where the signal's declaration makes it unknown."""
        span = self._spans.get(name)
        if span is not None:
            if type(value) is float and span[0] <= value <= span[1]:
                return value
            return self._screen_number(name, value, span)
        signal = self.document.signals.get(name)
        if signal is None or value is None:
            return None
        if signal.type == "boolean":
            return value if isinstance(value, bool) else None
        return value if isinstance(value, str) and value in (signal.values or ()) else None

    def _screen_number(self, name: str, value: Value, span: tuple[float, float]) -> Value:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if value >= INFINITE:
            return INFINITE if self.document.signals[name].infinite else None
        return float(value) if span[0] <= value <= span[1] else None

    def active(self, values: Mapping[str, Value]) -> frozenset[str]:
        """Return the ids of the invariants whose condition over signals holds or is unknown."""
        return _held_among(self.state_ids, self._states.evaluate(values))

    def is_active(self, invariant: str, values: Mapping[str, Value]) -> bool:
        """Return whether one invariant's condition over signals holds or is unknown."""
        return self._held_alone[invariant].evaluate(values)[0]

    def is_unknown_for(self, invariant: str, values: Mapping[str, Value]) -> bool:
        """Return whether the invariant reads a signal that is unknown in `values`."""
        return any(is_unknown(values.get(name)) for name in self.conditions[invariant].signals)

    def can_release(self, invariant: str, values: Mapping[str, Value]) -> bool:
        """Return whether the latch's release condition holds; an unknown signal never releases."""
        release = self._released_alone[invariant]
        is_known = not any([is_unknown(values.get(name)) for name in release.signals])  # noqa: C419 - faster
        return is_known and release.evaluate(values)[0]

    def admission(self, tool: str, active: frozenset[str]) -> Admission:
        """Return what the active rules together make of `tool`, apart from where it leads.

        Args:
            tool: The tool of a step or command.
            active: Keys of the active rules, bounds included.
        """
        known = self._admissions.get((tool, active))
        if known is None:
            if len(self._admissions) >= MEMO_LIMIT:
                self._admissions.clear()
            known = self._admissions[tool, active] = self._find_admission(tool, active)
        return known

    def _find_admission(self, tool: str, active: frozenset[str]) -> Admission:
        rules = [self.by_key[key] for key in active]
        covering = [rule for rule in rules if rule.covers(tool, self.tool_class(tool))]
        return Admission(
            any(rule.kind == "prohibit" for rule in covering),
            min((rule.max_percent for rule in covering if rule.kind == "limit"), default=math.inf),
            any(rule.kind == "bound" for rule in rules),
        )

    def leaves_region(self, motion: Motion | None, at: Pose | None = None) -> bool:
        """Return whether a motion's target, or its path and stopping distance, leaves the workspace.

        From outside, motion that strictly nears the workspace and ends inside is allowed.

        Args:
            motion: The planned motion; None never leaves.
            at: Where it is taken to start; its own start when None.
        """
        if motion is None:
            return False
        key = (motion, at)
        known = self._leaves.get(key)
        if known is None:
            if len(self._leaves) >= MEMO_LIMIT:
                self._leaves.clear()
            known = self._leaves[key] = self.find_leaving(motion, at)
        return known

    def find_leaving(self, motion: Motion, at: Pose | None = None) -> bool:
        """Return the same as `leaves_region` without remembering it: for motions that hardly ever recur."""
        if motion.duration_s == 0:
            return False
        path = motion.path(self.limits.stopping_distance_m(motion.speed_percent))
        if at is not None:
            dx, dy = at.x - motion.start.x, at.y - motion.start.y
            path = _moved(path, dx, dy, keep_end=motion.tool == "walk_to")
        if self.region.contains_path(path):
            return False
        if self.region.contains(path[0]):
            return True
        target = path[len(motion.path()) - 1]
        if not (self.region.contains(target) and self.region.contains(path[-1])):
            return True
        outside = [self.region.distance_outside(p) for p in _sampled(path)]
        return not all(b < a or b == a == 0 for a, b in pairwise(outside))

    def broken(
        self, tool: str, speed_percent: float, active: Collection[str], *, leaves_region: bool
    ) -> tuple[Rule, ...]:
        """Return the rules that a motion command breaks.

        Args:
            tool: The command's tool.
            speed_percent: Effective commanded speed.
            active: Keys of the active rules; bounds need not be in it.
            leaves_region: Whether its path leaves the workspace.
        """
        allowed = self.admission(tool, frozenset(active))
        is_slow = speed_percent <= allowed.max_percent + SPEED_TOLERANCE
        if is_slow and not (allowed.is_prohibited or leaves_region):
            return ()
        tool_class = self.tool_class(tool)
        return tuple(
            rule
            for rule in self.rules
            if rule.kind != "require"
            and (rule.kind == "bound" or rule.key in active)
            and not rule.admits(tool, tool_class, speed_percent, leaves_region=leaves_region)
        )

    def signals_for(self, tool_class: str) -> frozenset[str]:
        """Return the signals that the rules for a class of motion read."""
        if tool_class not in self._read_by:
            self._read_by[tool_class] = self._find_signals(tool_class)
        return self._read_by[tool_class]

    def _find_signals(self, tool_class: str) -> frozenset[str]:
        names: set[str] = set()
        for rule in self.rules:
            if rule.kind == "require" or tool_class in rule.classes:
                names.update(self.conditions[rule.invariant].signals)
            if rule.kind == "bound" and tool_class == "locomotion":
                names.update(n for n in ("robot.x", "robot.y") if n in self.document.signals)
        return frozenset(names)

    def _condition(self, rule: InvariantDocument) -> Condition:
        return self._compiled(rule, rule.when, "when")

    def _release(self, rule: InvariantDocument, response: Require) -> Condition:
        field = "response.latch.release_when"
        condition = self._compiled(rule, response.latch.release_when, field)
        if condition.reads_command:
            error = SpecError(
                f"Release condition {condition.text!r} reads a command; it may read signals only."
            )
            raise _placed(error, rule.id, field)
        return condition

    def _compiled(self, rule: InvariantDocument, text: str, field: str) -> Condition:
        try:
            return Condition(text, self.document.signals, self.document.parameters)
        except InputError as error:
            _placed(error, rule.id, field)
            raise


@lru_cache(maxsize=MEMO_LIMIT)
def _held_among(ids: tuple[str, ...], held: tuple[bool, ...]) -> frozenset[str]:
    return frozenset([i for i, is_held in zip(ids, held, strict=True) if is_held])


def _placed(error: InputError, invariant: str, field: str) -> InputError:
    """Note on `error` where in the document it arose, for the reader that knows the lines."""
    error.add_note(invariant)
    error.add_note(field)
    return error


def _sampled(path: Sequence[Point]) -> list[Point]:
    """Return `path` with points added at most `SAMPLE_M` apart."""
    points = [path[0]]
    for a, b in pairwise(path):
        count = max(1, min(1000, math.ceil(distance(a, b) / SAMPLE_M)))
        points += [
            (a[0] + (b[0] - a[0]) * k / count, a[1] + (b[1] - a[1]) * k / count) for k in range(1, count)
        ]
        points.append(b)
    return points


def _moved(path: list[Point], dx: float, dy: float, *, keep_end: bool) -> list[Point]:
    """Shift a path's start; a walk to a point keeps its target, every other motion moves whole."""
    if not keep_end:
        return [(x + dx, y + dy) for x, y in path]
    return [(path[0][0] + dx, path[0][1] + dy), *path[1:]]


def _rules_of(doc: InvariantDocument) -> list[Rule]:
    response = doc.response
    if isinstance(response, Prohibit):
        return [_prohibition(doc.id, doc, response)]
    if isinstance(response, Limit):
        classes = frozenset(response.classes)
        return [Rule(doc.id, doc.id, "limit", doc.window_s, classes, max_percent=response.max)]
    if isinstance(response, Bound):
        return [Rule(doc.id, doc.id, "bound", 0.0, frozenset({"locomotion"}))]
    obligation = Rule(
        doc.id, doc.id, "require", doc.window_s, within_s=response.within_s, action=response.action
    )
    return [obligation, _prohibition(f"{doc.id}/after", doc, response.then, latched=True)]


def _prohibition(key: str, doc: InvariantDocument, response: Prohibit, *, latched: bool = False) -> Rule:
    return Rule(
        key,
        doc.id,
        "prohibit",
        0.0 if latched else doc.window_s,
        frozenset(response.classes),
        frozenset(response.except_tools),
        latched=latched,
    )
