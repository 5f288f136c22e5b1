"""The guard compiled from a spec: the same rules that the prompt states and the judge applies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from heedful.guards.activity import EPSILON_S, HEADING, LONG_AGO, RuleActivity, Samples
from heedful.guards.guard import Command, GuardState, Intervention, Running
from heedful.guards.margins import Possible, is_clear
from heedful.guards.obligations import Obligations
from heedful.guards.settings import POSITION, GuardSettings
from heedful.guards.wellformed import moves, why_unreadable
from heedful.spec.command import MOTION_CLASSES
from heedful.spec.rule import SPEED_TOLERANCE, Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import Motion, plan_motion
from heedful.trace.decision import Decision
from heedful.trace.records import Reading

ALLOW = Decision("allow")
ANY_HEADING = ("walk_to", "turn")
"""Motions whose path is the same whichever way the robot faces."""
UPRIGHT = ("locomotion", "posture")
"""Classes of motion after whose beginning nobody may count on the robot still being seated."""
FAILED = "the guard failed and refuses: {0}"


class SpecGuard:
    """Holds commands and running motion to a spec, by sensed state alone.

    A rule is enforced once its trigger has held for its window less the reaction time, by the newest
    samples or by what the model was told: no command that the judge would call a breach gets by. Margins
    widen the newest samples; what was told counts as it was told, as for the judge.
    Times are on the caller's clock and never run backwards.
    """

    def __init__(self, spec: SafetySpec, settings: GuardSettings | None = None) -> None:
        """Take the spec and the declared allowances.

        Raises:
            InputError: If the settings do not fit the spec.
        """
        self.spec = spec
        self.settings = settings or GuardSettings()
        spec.require_judged()
        self.settings.check(spec)
        lead_s = self.settings.reaction_s
        self._possible = Possible(spec, self.settings.margins)
        self._as_told = Possible(spec, {}) if self.settings.margins else self._possible
        self._newest, self._told = Samples(spec), Samples(spec)
        self._by_newest, self._by_told = RuleActivity(spec, lead_s), RuleActivity(spec, lead_s)
        self._obligations = Obligations(spec, self.settings)
        self._told_until_s = LONG_AGO
        self._running: Running | None = None
        self._tried_until_s: dict[str, float] = {}
        self._now = LONG_AGO
        self._fresh_until_s = LONG_AGO
        self._enforced: frozenset[str] = frozenset()
        self._is_new_scene = True
        self._margin_m = max(self._margin(name) for name in POSITION)
        self._has_margins = bool(self.settings.margins)
        self._titles_by_id = {doc.id: f"{doc.id} ({doc.title})" for doc in spec.document.invariants}
        self._update(LONG_AGO, LONG_AGO)

    def observe(self, readings: Mapping[str, Reading], now_s: float) -> None:
        """Take the newest samples.

        Args:
            readings: Per signal; sample times are on the same clock as `now_s`.
            now_s: The instant [s].
        """
        self._catch_up(now_s)
        has_changed = self._newest.take(readings, now_s)
        if self._is_new_scene:
            self._is_new_scene = False
            self._update(now_s, LONG_AGO)
        elif has_changed or self._has_margins or now_s >= self._fresh_until_s:
            self._update(now_s, now_s)
        else:
            self._now = now_s

    def told(self, readings: Mapping[str, Reading], now_s: float) -> None:
        """Take what the model itself received: it may act on that until it is too old."""
        if readings:
            self._catch_up(now_s)
            self._told.take(readings, now_s)
            self._told_until_s = self._told.latest_s
            self._update(now_s, now_s)

    def new_scene(self) -> None:
        """Take the next samples for another scene: what is active in it counts as active long before."""
        self._told.forget()
        self._told_until_s = LONG_AGO
        self._is_new_scene = True

    def review(self, command: Command, now_s: float) -> Decision:
        """Return what becomes of a command."""
        try:
            declared = self.spec.document.tools.get(command.tool)
            if not moves(command, declared):
                return ALLOW
            unreadable = why_unreadable(command, declared)
            if unreadable is not None:
                return Decision("deny", (), unreadable)
            return self._review_motion(command, now_s)
        except Exception as error:
            return Decision("deny", (), FAILED.format(type(error).__name__))

    def began(self, command: Command, now_s: float, until_s: float = math.inf) -> None:
        """Take note that the robot carries out a command; `until_s` is the end of its time to live."""
        if command.tool_class in MOTION_CLASSES:
            self._running = Running(command, self.plan(command, now_s), now_s, until_s)
            self._tried_until_s.clear()
            if command.tool_class in UPRIGHT:
                self._obligations.acted("stand_up")  # whatever becomes of it

    def ended(self) -> None:
        """Take note that the robot stands still."""
        self._running = None

    @property
    def running(self) -> Running | None:
        """The motion that the robot carries out now."""
        return self._running

    def take_over(self, before: SpecGuard, now_s: float) -> tuple[str, ...]:
        """Go on where another guard, of another spec, stood: its obligations and the motion under way.

        Returns:
            The ids of latched invariants for which this spec requires nothing.
        """
        if before.running is not None:
            self.began(before.running.command, now_s, before.running.until_s)
        return self._obligations.take_over(before._obligations)

    def place(self, posture: str) -> None:
        """Take note of the posture that the robot's own joints report."""
        self._obligations.is_seated = posture == "seated"

    def acted(self, tool: str) -> None:
        """Take note of a protective or posture action that the robot carried out."""
        self._obligations.acted(tool)

    def reset(self, now_s: float) -> tuple[str, ...]:
        """Release, on the operator's word, what may be released; return the ids of those invariants."""
        self._refresh(now_s)
        newest = self._newest.fresh(now_s)
        released = self._obligations.release((newest, {**newest, **self._told.fresh(now_s)}))
        self._update(now_s, now_s)
        return released

    def due(self, now_s: float) -> tuple[Intervention, ...]:
        """Return what the guard must do itself now, most urgent first."""
        self._refresh(now_s)
        found = [i for i in (self._stop_or_limit(now_s),) if i is not None]
        for rule in self._obligations.due(now_s):
            why = f"{rule.invariant}: {rule.action} is due within {rule.within_s:g} s of its onset"
            found.append(Intervention("sit_down", (rule.invariant,), why))
        return tuple(found)

    def tried(self, intervention: Intervention, now_s: float) -> None:
        """Take note that an intervention was sent to the robot; it is due again after the retry time."""
        if intervention.kind == "sit_down":
            self._obligations.tried(now_s)
        else:
            self._tried_until_s[intervention.kind] = now_s + self.settings.retry_s

    def state(self, now_s: float) -> GuardState:
        """Return what the guard knows."""
        self._refresh(now_s)
        active = self._by_newest.verdict.active | self._by_told.verdict.active
        return GuardState(
            now_s,
            self._newest.values(now_s),
            tuple(sorted(active)),
            tuple(sorted(self._enforced)),
            self._obligations.records(),
            self._running,
        )

    def plan(self, command: Command, now_s: float) -> Motion | None:
        """Return what a locomotion command would do from where the robot's sensors say it is."""
        pose = self._start(command.tool, now_s)
        return None if pose is None else plan_motion(command.tool, command.args, pose, self.spec.limits)

    def _start(self, tool: str, now_s: float) -> Pose | None:
        """Return the sensed pose; None where the spec has bounds and what its path needs is unknown."""
        number = self._newest.number
        x, y, yaw = number("robot.x", now_s), number("robot.y", now_s), number(HEADING, now_s)
        is_enough = x is not None and y is not None and (yaw is not None or tool in ANY_HEADING)
        if not is_enough and self.spec.bounds:
            return None
        return Pose(x or 0.0, y or 0.0, yaw or 0.0)

    def _why_unplanned(self, command: Command, now_s: float) -> str:
        if self._start(command.tool, now_s) is None:
            return f"the robot's pose is unknown, so the path of {command.tool} cannot be checked."
        return f"where {command.tool} leads is not declared, so its path cannot be checked."

    def _margin(self, name: str) -> float:
        margin = self.settings.margins.get(name)
        return 0.0 if margin is None else margin.at_age(self.spec.max_age_s.get(name, 0.0))

    def _review_motion(self, command: Command, now_s: float) -> Decision:
        self._refresh(now_s)
        refused = self._obligations.forbids(command.tool_class, command.tool, now_s)
        if refused:
            return self._deny(refused, "the robot must sit or stay seated")
        keys = self._enforced
        allowed = self.spec.admission(command.tool, keys)
        if allowed.is_prohibited:
            return self._deny(self._broken(command, keys, math.inf), "motion is prohibited now")
        motion = self.plan(command, now_s)
        if command.tool_class == "locomotion" and motion is None:
            return Decision("deny", (), self._why_unplanned(command, now_s))
        speed = motion.speed_percent if motion is not None else 0.0
        is_fast = speed > allowed.max_percent + SPEED_TOLERANCE
        if is_fast and not command.has_speed:
            return self._deny(self._broken(command, keys, speed), "this tool's speed cannot be lowered")
        args = {**command.args, "speed_percent": allowed.max_percent} if is_fast else command.args
        if is_fast:
            motion = self.plan(Command(command.tool, command.tool_class, args), now_s)
        if motion is not None and self.spec.bounds and self._leaves_from_anywhere(motion, args, now_s):
            return self._deny(
                self.spec.bounds, "the target, the path or the stopping distance leaves the region"
            )
        return self._clamp(command, keys, speed, allowed.max_percent) if is_fast else ALLOW

    def _leaves_from_anywhere(self, motion: Motion, args: Mapping[str, Any], now_s: float) -> bool:
        """Return whether a motion leaves the region from where the robot is, or was told to be."""
        if self._leaves(motion):
            return True
        if now_s >= self._told_until_s:
            return False
        x, y = self._told.number("robot.x", now_s), self._told.number("robot.y", now_s)
        if x is None and y is None:
            return False
        here = motion.start
        told = Pose(here.x if x is None else x, here.y if y is None else y, here.yaw)
        planned = plan_motion(motion.tool, args, told, self.spec.limits)
        return planned is not None and self._leaves(planned)

    def _leaves(self, motion: Motion) -> bool:
        if self.spec.find_leaving(motion):
            return True
        if self._margin_m == 0 or motion.duration_s == 0:
            return False
        path = motion.path(self.spec.limits.stopping_distance_m(motion.speed_percent))
        return not is_clear(self.spec.region, path, self._margin_m)

    def _broken(self, command: Command, keys: frozenset[str], speed: float) -> tuple[Rule, ...]:
        return self.spec.broken(command.tool, speed, keys, leaves_region=False)

    def _deny(self, rules: Sequence[Rule], why: str) -> Decision:
        return Decision("deny", _ids(rules), f"{self._titles(rules)}: {why}.")

    def _clamp(self, command: Command, keys: frozenset[str], speed: float, limit: float) -> Decision:
        rules = self._broken(command, keys, speed)
        why = f"{self._titles(rules)}: speed limited to {limit:g} %; {speed:g} % was asked."
        return Decision("clamp", _ids(rules), why, {"speed_percent": limit})

    def _titles(self, rules: Sequence[Rule]) -> str:
        return "; ".join([self._titles_by_id[i] for i in _ids(rules)])

    def _stop_or_limit(self, now_s: float) -> Intervention | None:
        """Return what running motion calls for, unless the same was tried a moment ago."""
        found = None if self._running is None else self._called_for(self._running, now_s)
        if found is not None and now_s < self._tried_until_s.get(found.kind, LONG_AGO) - EPSILON_S:
            return None
        return found

    def _called_for(self, running: Running, now_s: float) -> Intervention | None:
        command = running.command
        if now_s >= running.until_s - EPSILON_S:
            return Intervention("stop", (), f"the time to live of {command.tool} has run out")
        rules = self._broken(command, self._enforced, self._speed_of(running))
        rules += self._obligations.forbids(command.tool_class, command.tool, now_s)
        if not rules:
            return None
        limit = self.spec.admission(command.tool, self._enforced)
        must_stop = limit.is_prohibited or not command.has_speed or any(r.kind != "limit" for r in rules)
        verb = "stopped" if must_stop else f"slowed to {limit.max_percent:g} %"
        why = f"{self._titles(rules)}: {command.tool} under way is {verb}."
        if must_stop:
            return Intervention("stop", _ids(rules), why)
        return Intervention("limit", _ids(rules), why, limit.max_percent)

    def _speed_of(self, running: Running) -> float:
        """Return the effective commanded speed [%]; infinite for a walk or turn of which nothing is known."""
        motion, command = running.motion, running.command
        if command.tool_class != "locomotion":
            return 0.0
        if motion is None:
            motion = plan_motion(command.tool, command.args, Pose(0.0, 0.0), self.spec.limits)
        return math.inf if motion is None else motion.speed_percent

    def _refresh(self, now_s: float) -> None:
        """Bring the enforced rules to `now_s`, if anything can have changed since."""
        if not self._now <= now_s < self._fresh_until_s:
            self._catch_up(now_s)
            self._update(now_s, now_s)

    def _catch_up(self, now_s: float) -> None:
        """Go through the instants before `now_s` at which a sample grew too old or a rule came to be held.

        Raises:
            ValueError: If the clock ran backwards.
        """
        if not now_s >= self._now - EPSILON_S:
            raise ValueError(f"the clock ran backwards, from {self._now} to {now_s}")
        while self._fresh_until_s < now_s:
            self._update(self._fresh_until_s, self._fresh_until_s)

    def _update(self, now_s: float, since_s: float) -> None:
        """Evaluate the rules at `now_s`; what became active counts as active since `since_s`."""
        self._now = now_s
        by_newest, by_told, possible = self._by_newest, self._by_told, self._possible
        newest = self._newest.at(now_s)
        told = self._told.over(newest, now_s) if now_s < self._told_until_s else newest
        verdict = possible.verdict(newest, now_s)
        by_newest.update(verdict, now_s, since_s)
        is_same = told is newest and self._as_told is possible
        by_told.update(verdict if is_same else self._as_told.verdict(told, now_s), now_s, since_s)
        self._enforced = by_newest.held_keys(now_s) | by_told.held_keys(now_s)
        for view in (by_newest, by_told):
            if view.verdict.obliging:
                self._obligations.latch(view.verdict.obliging, now_s)
        ends = [s.until_s for s in newest] + possible.changes_s(newest, now_s)
        if told is not newest:
            ends += [s.until_s for s in told]
        ends += by_newest.comes_to_be_held_s(now_s) + by_told.comes_to_be_held_s(now_s)
        self._fresh_until_s = min(ends, default=math.inf)


def _ids(rules: Sequence[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.invariant for rule in rules))
