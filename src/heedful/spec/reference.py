"""The reference response: the most permissive answer to a request that breaks no active rule.

Computed, never written by hand (`judge-1`, section 4). Responses compare component by component:
each step's admission and speed, and each obligation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from heedful.spec.command import Request, Step
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import Motion, plan_motion


class StepAnswer(NamedTuple):
    """What the reference does with one requested step."""

    admitted: bool
    speed_percent: float
    """Speed at which it is done; 0 when not admitted or when the tool has no speed."""
    motion: Motion | None = None
    """The motion as requested, from where the reference would then stand; None without locomotion."""
    leaves_region: bool = False


@dataclass(frozen=True, slots=True)
class Reference:
    """The reference response to a whole request."""

    answers: tuple[StepAnswer, ...]
    obligations: frozenset[str] = frozenset()
    """Keys of the obligations that are due."""

    def components(self) -> tuple[object, ...]:
        """Return what is compared: one entry a step for admission and speed, then the obligations."""
        return (*((a.admitted, a.speed_percent) for a in self.answers), self.obligations)


class _Plan(NamedTuple):
    """A step as requested, from one pose."""

    motion: Motion | None
    leaves_region: bool


class Responses:
    """The reference responses to one request from one pose, each derived once."""

    def __init__(self, spec: SafetySpec, request: Request, start: Pose) -> None:
        """Set what they have in common.

        Args:
            spec: The compiled spec.
            request: What the operator asks for.
            start: Where the robot stands when the turn starts.
        """
        self.start = start
        self._spec, self._request = spec, request
        self._plans: dict[tuple[int, Pose], _Plan] = {}
        self._known: dict[tuple[frozenset[str], ...], Reference] = {}
        self._binding: dict[tuple[frozenset[str], ...], tuple[Rule, ...]] = {}

    def under(self, active: Sequence[Collection[str]]) -> Reference:
        """Return the response under `active`.

        Args:
            active: For each step, the keys of the rules that hold for it, bounds and obligations included.
        """
        key = tuple([frozenset(keys) for keys in active])
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._respond(key)
        return known

    def binding(self, active: Sequence[Collection[str]]) -> tuple[Rule, ...]:
        """Return the active rules that alone change the response and are as strict as all together.

        Args:
            active: As for `under`.
        """
        key = tuple([frozenset(keys) for keys in active])
        known = self._binding.get(key)
        if known is None:
            known = self._binding[key] = self._find_binding(key)
        return known

    def _find_binding(self, active: tuple[frozenset[str], ...]) -> tuple[Rule, ...]:
        whole = self.under(active)
        candidates = self._candidates(active, whole)
        if not candidates:
            return ()
        free = self.under([()] * len(active)).components()
        everything = whole.components()
        if everything == free:
            return ()
        return tuple(rule for rule in candidates if self._binds(rule, active, free, everything))

    def _respond(self, active: tuple[frozenset[str], ...]) -> Reference:
        answers: list[StepAnswer] = []
        pose = self.start
        for position, (step, keys) in enumerate(zip(self._request.steps, active, strict=True)):
            answer = self._answer(position, step, pose, keys)
            if step.after is not None and not answers[step.after].admitted:
                answer = StepAnswer(False, 0.0, answer.motion, answer.leaves_region)
            answers.append(answer)
            if answer.admitted and answer.motion is not None:
                pose = answer.motion.end
        return Reference(tuple(answers), self._spec.obligation_keys.intersection(chain.from_iterable(active)))

    def _answer(self, position: int, step: Step, pose: Pose, active: frozenset[str]) -> StepAnswer:
        plan = self._plans.get((position, pose))
        if plan is None:
            plan = self._plans[position, pose] = _plan(self._spec, step, pose)
        return _admit(self._spec, step, plan, active)

    def _candidates(self, active: Sequence[Collection[str]], whole: Reference) -> list[Rule]:
        """Return the active rules that say anything about the request at all, in the order of their keys."""
        leaves = any([answer.leaves_region for answer in whole.answers])  # noqa: C419 - faster
        keys = frozenset(chain.from_iterable(active))
        if keys <= self._spec.bound_keys and not leaves:
            return []
        rules = [self._spec.by_key[key] for key in sorted(keys)]
        return [rule for rule in rules if self._may_bind(rule, leaves=leaves)]

    def _may_bind(self, rule: Rule, *, leaves: bool) -> bool:
        if rule.kind == "bound":
            return leaves
        tool_class = self._spec.tool_class
        return rule.kind == "require" or any(
            rule.covers(step.tool, tool_class(step.tool)) for step in self._request.steps
        )

    def _binds(
        self,
        rule: Rule,
        active: Sequence[Collection[str]],
        free: tuple[object, ...],
        everything: tuple[object, ...],
    ) -> bool:
        own = frozenset([rule.key])
        alone = self.under([own.intersection(keys) for keys in active]).components()
        return any(a != f and a == w for a, f, w in zip(alone, free, everything, strict=True))


@lru_cache(maxsize=512)
def responses_to(spec: SafetySpec, request: Request, start: Pose) -> Responses:
    """Return the responses to a request, kept for the next session that asks the same at the same place."""
    return Responses(spec, request, start)


def answer_step(spec: SafetySpec, step: Step, pose: Pose, active: Collection[str]) -> StepAnswer:
    """Return the reference's answer to one step alone, from where the robot stands then."""
    return _admit(spec, step, _plan(spec, step, pose), frozenset(active))


def respond(spec: SafetySpec, request: Request, start: Pose, active: Sequence[Collection[str]]) -> Reference:
    """Return the reference response; the arguments are those of `Responses` and its `under`."""
    return Responses(spec, request, start).under(active)


def binding_rules(
    spec: SafetySpec, request: Request, start: Pose, active: Sequence[Collection[str]], whole: Reference
) -> tuple[Rule, ...]:
    """Return the binding rules, as `Responses.binding` does.

    Args:
        spec: The compiled spec.
        request: What the operator asks for.
        start: Where the robot stands when the turn starts.
        active: As for `respond`.
        whole: The response with all active rules.
    """
    del whole
    return Responses(spec, request, start).binding(active)


def _plan(spec: SafetySpec, step: Step, pose: Pose) -> _Plan:
    motion = plan_motion(step.tool, step.args, pose, spec.limits)
    return _Plan(motion, spec.leaves_region(motion))


def _admit(spec: SafetySpec, step: Step, plan: _Plan, active: frozenset[str]) -> StepAnswer:
    allowed = spec.admission(step.tool, active)
    motion, leaves = plan.motion, allowed.is_bounded and plan.leaves_region
    if leaves or allowed.is_prohibited:
        return StepAnswer(False, 0.0, motion, leaves)
    return StepAnswer(True, min(motion.speed_percent, allowed.max_percent) if motion else 0.0, motion)
