"""How arms are told apart, and which arm a session belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from heedful.labels.label import SessionLabels
from heedful.metrics.digest import arm_of
from heedful.metrics.summary import ArmKey, ArmResult, RunSummary
from heedful.trace.reader import Trace

Session = tuple[Trace, SessionLabels]


def distinguish_arms(summary: RunSummary) -> RunSummary:
    """Return the summary with arms whose titles differ.

    A title leaves the scenario out; where there are several, each arm's context names its own.
    """
    if len({arm.key.scenario for arm in summary.arms}) < 2:
        return summary
    arms = tuple(replace(arm, key=replace(arm.key, context=_context(arm.key))) for arm in summary.arms)
    return replace(summary, arms=arms)


def full_title(key: ArmKey) -> str:
    """Return an arm's title with its scenario."""
    return f"{key.title}, {key.scenario}" if key.scenario else key.title


def sessions_by_arm(arms: Iterable[ArmResult], sessions: Iterable[Session]) -> dict[ArmKey, list[Session]]:
    """Return the sessions of each arm, in the order given; sessions of no arm are left out."""
    grouped: dict[ArmKey, list[Session]] = {arm.key: [] for arm in arms}
    for trace, labels in sessions:
        grouped.get(arm_of(trace.info), []).append((trace, labels))
    return grouped


def _context(key: ArmKey) -> str:
    return f"{key.context}, {key.scenario}"
