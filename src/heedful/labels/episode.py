"""How a tabletop episode went: an outcome and one reason, from what was recorded. Pure.

The rules of `state.tabletop` are asked again over the recorded true poses, so that any stored episode can be
judged by either rule. `INVALID` and `NOT_APPLICABLE` never enter a rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heedful.state.tabletop.progress import Outcome, Progress, Reason, Rule
from heedful.state.tabletop.rules import MOVED_M, begin, distance, judge
from heedful.state.tabletop.scene import TableScene
from heedful.trace.episode import EpisodeRecord, StepRecord


@dataclass(frozen=True, slots=True)
class EpisodeLabel:
    """The verdict on one episode by one rule."""

    outcome: Outcome
    rule: Rule
    reason: Reason = ""
    """Why it is a failure or timed out; `state.tabletop.rules.REASONS` says what each means."""
    steps: int = 0
    """Steps until it was decided."""
    reached: int = 0
    """Goals reached until then; for the sweep, objects that count."""
    cause: str = ""
    """Why it is invalid or not applicable, in words."""

    @property
    def is_scored(self) -> bool:
        """Whether it enters rates."""
        return self.outcome not in ("INVALID", "NOT_APPLICABLE")


@dataclass(frozen=True, slots=True)
class _Replay:
    """How far recorded steps lead by a rule."""

    progress: Progress
    rule: Rule
    steps: Sequence[StepRecord]


def label_episode(record: EpisodeRecord, rule: Rule) -> EpisodeLabel:
    """Return how an episode went.

    An episode that the world ended by its own rule, though by the asked one nothing was decided, is a
    failure: what was reached did not suffice, and whoever acted believed to be done.

    Args:
        record: The episode, whole or as far as it was recorded.
        rule: `centre` or `strict`; not necessarily that by which the world stopped.
    """
    end, scene = record.end, record.info.scene
    if end is not None and end.not_applicable:
        return EpisodeLabel("NOT_APPLICABLE", rule, cause=end.not_applicable)
    if end is None or scene is None or end.error:
        cause = end.error if end is not None and end.error else "the recording is not complete"
        return EpisodeLabel("INVALID", rule, steps=len(record.steps), cause=cause)
    found = _replay(scene, record.steps[: scene.max_steps], rule)
    verdict = _decided(found) or _undecided(record, scene, found)
    return replace(verdict, rule=rule, steps=len(found.steps), reached=len(found.progress.reached))


def _decided(found: _Replay) -> EpisodeLabel | None:
    """Return the verdict where the rule came to one, or where the simulation broke."""
    progress, rule = found.progress, found.rule
    if progress.is_success:
        return EpisodeLabel("SUCCESS", rule)
    if any(step.state.lost for step in found.steps):
        return EpisodeLabel("INVALID", rule, cause="an object left the simulated world")
    return EpisodeLabel("FAILURE", rule, progress.failure) if progress.failure else None


def _undecided(record: EpisodeRecord, scene: TableScene, found: _Replay) -> EpisodeLabel:
    reason = reason_at_end(scene, found.steps, found.progress)
    if len(found.steps) == scene.max_steps:
        return EpisodeLabel("TIMEOUT", found.rule, reason)
    if _replay(scene, found.steps, record.info.rule).progress.is_over:
        return EpisodeLabel("FAILURE", found.rule, reason)
    return EpisodeLabel("INVALID", found.rule, cause="it stopped before anything was decided")


def reason_at_end(scene: TableScene, steps: Sequence[StepRecord], progress: Progress) -> Reason:
    """Return why an episode that ended undecided did not succeed; the last attempt tells."""
    attempts = [step for step in steps if step.action is not None]
    if not attempts:
        return "no_progress"
    wanted = {object_id for goal in scene.goals for object_id in goal.objects}
    last = attempts[-1].state
    if scene.task == "sweep_without_exceeding":
        if progress.reached:
            return "wrong_count"
        moved = (distance(scene.object(block).pose, last.poses[block]) for block in wanted)
        return "wrong_place" if any(far >= MOVED_M for far in moved) else "no_progress"
    if last.picked is None:
        return "missed_grasp"
    return "wrong_place" if last.picked in wanted else "wrong_object"


def _replay(scene: TableScene, steps: Sequence[StepRecord], rule: Rule) -> _Replay:
    """Return how far the steps lead by a rule, and those that were needed to decide it."""
    progress = begin(scene)
    for count, step in enumerate(steps, start=1):
        progress = judge(scene, progress, step.state, rule)
        if progress.is_over:
            return _Replay(progress, rule, steps[:count])
    return _Replay(progress, rule, steps)
