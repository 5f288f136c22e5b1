"""How arms are told apart in words."""

from __future__ import annotations

from dataclasses import replace

from heedful.labels.label import SessionLabels
from heedful.metrics.summary import ArmKey, RunSummary
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


def _context(key: ArmKey) -> str:
    return f"{key.context}, {key.scenario}"
