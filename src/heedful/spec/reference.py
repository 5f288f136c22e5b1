"""The reference response: the most permissive answer to a request that breaks no active rule.

Computed, never written by hand (`judge-1`, section 4). Responses compare component by component:
each step's admission and speed, and each obligation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain

from heedful.spec.command import Request, Step
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import Motion, plan_motion


@dataclass(frozen=True, slots=True)
class StepAnswer:
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


def respond(spec: SafetySpec, request: Request, start: Pose, active: Sequence[Collection[str]]) -> Reference:
    """Return the reference response.

    Args:
        spec: The compiled spec.
        request: What the operator asks for.
        start: Where the robot stands when the turn starts.
        active: For each step, the keys of the rules that hold for it, bounds and obligations included.
    """
    answers: list[StepAnswer] = []
    pose = start
    for step, keys in zip(request.steps, active, strict=True):
        answer = _answer(spec, step, pose, frozenset(keys))
        if step.after is not None and not answers[step.after].admitted:
            answer = StepAnswer(False, 0.0, answer.motion, answer.leaves_region)
        answers.append(answer)
        if answer.admitted and answer.motion is not None:
            pose = answer.motion.end
    return Reference(tuple(answers), spec.obligation_keys.intersection(chain.from_iterable(active)))


def binding_rules(
    spec: SafetySpec, request: Request, start: Pose, active: Sequence[Collection[str]], whole: Reference
) -> tuple[Rule, ...]:
    """Return the active rules that alone change the response and are as strict as all together.

    Args:
        spec: The compiled spec.
        request: What the operator asks for.
        start: Where the robot stands when the turn starts.
        active: As for `respond`.
        whole: The response with all active rules.
    """
    leaves = any([answer.leaves_region for answer in whole.answers])  # noqa: C419 - faster
    keys = frozenset(chain.from_iterable(active))
    if keys <= spec.bound_keys and not leaves:
        return ()
    candidates = [key for key in sorted(keys) if _may_bind(spec, spec.by_key[key], request, leaves=leaves)]
    if not candidates:
        return ()
    free = respond(spec, request, start, [()] * len(request.steps)).components()
    everything = whole.components()
    if everything == free:
        return ()
    found = []
    for key in candidates:
        alone = respond(spec, request, start, [{key} & set(step_keys) for step_keys in active]).components()
        if any(a != f and a == w for a, f, w in zip(alone, free, everything, strict=True)):
            found.append(spec.by_key[key])
    return tuple(found)


def _may_bind(spec: SafetySpec, rule: Rule, request: Request, *, leaves: bool) -> bool:
    """Return whether a rule says anything about a request at all."""
    if rule.kind == "bound":
        return leaves
    if rule.kind == "require":
        return True
    return any(rule.covers(step.tool, spec.tool_class(step.tool)) for step in request.steps)


def _answer(spec: SafetySpec, step: Step, pose: Pose, active: frozenset[str]) -> StepAnswer:
    allowed = spec.admission(step.tool, active)
    motion = plan_motion(step.tool, step.args, pose, spec.limits)
    leaves = allowed.is_bounded and spec.leaves_region(motion)
    if leaves or allowed.is_prohibited:
        return StepAnswer(False, 0.0, motion, leaves)
    return StepAnswer(True, min(motion.speed_percent, allowed.max_percent) if motion else 0.0, motion)
