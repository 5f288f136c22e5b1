"""The reference response: the most permissive answer to a request that breaks no active rule.

Computed, never written by hand (`judge-1`, section 4). Responses compare component by component:
each step's admission and speed, and each obligation.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from heedful.spec.command import Request, Step
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import Motion, RobotLimits, plan_motion


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
        answer = _answer(spec, step, pose, [spec.by_key[k] for k in sorted(keys)])
        if step.after is not None and not answers[step.after].admitted:
            answer = StepAnswer(False, 0.0, answer.motion, answer.leaves_region)
        answers.append(answer)
        if answer.admitted and answer.motion is not None:
            pose = answer.motion.end
    due = {k for keys in active for k in keys if spec.by_key[k].kind == "require"}
    return Reference(tuple(answers), frozenset(due))


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
    leaves = any(answer.leaves_region for answer in whole.answers)
    keys = sorted({key for step_keys in active for key in step_keys})
    candidates = [key for key in keys if _may_bind(spec, spec.by_key[key], request, leaves=leaves)]
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


@lru_cache(maxsize=4096)
def _planned(tool: str, args: tuple[tuple[str, Any], ...], pose: Pose, limits: RobotLimits) -> Motion | None:
    return plan_motion(tool, dict(args), pose, limits)


def _answer(spec: SafetySpec, step: Step, pose: Pose, rules: list[Rule]) -> StepAnswer:
    tool_class = spec.tool_class(step.tool)
    motion = _planned(step.tool, tuple(step.args.items()), pose, spec.limits)
    speed = motion.speed_percent if motion else 0.0
    leaves = any(r.kind == "bound" for r in rules) and spec.leaves_region(motion)
    for rule in rules:
        if rule.kind == "limit" and rule.covers(step.tool, tool_class):
            speed = min(speed, rule.max_percent)
        elif rule.kind != "require" and not rule.admits(step.tool, tool_class, speed, leaves_region=leaves):
            return StepAnswer(False, 0.0, motion, leaves)
    return StepAnswer(True, speed, motion, leaves)
