"""An arm's own value beside a figure of the paper: the nearest there is, for orientation only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from heedful.metrics.paper import PaperRow, PaperTable
from heedful.metrics.summary import ArmResult

LAYERS = {"mujoco": "sim"}
"""Our name of a layer, by the paper's, where they differ."""


@dataclass(frozen=True, slots=True)
class NearestValue:
    """One value with what it counts."""

    value: float
    unit: str


def nearest_value(row: PaperRow, arm: ArmResult, paper: PaperTable) -> NearestValue | None:
    """Return the arm's value of the metric nearest to the row's; None where they are not comparable.

    An arm is comparable if it ran on the row's layer and under the context that is nearest to the row's
    condition, and nothing else was added to it: no push, guard, attack or defence.
    """
    key = arm.key
    is_plain = (key.push, key.guard, key.attack, key.defence) == ("none", "off", "none", "none")
    context = paper.conditions.get(row.condition, key.context)
    if not is_plain or key.layer != LAYERS.get(row.layer, row.layer) or key.context.split(",")[0] != context:
        return None
    read = _READERS.get(row.ours)
    return None if read is None else read(arm, row.kind)


def _violations(arm: ArmResult, _kind: str) -> NearestValue | None:
    return _per_session(arm.views[0].violations_per_session.value)


def _most_violations(arm: ArmResult, _kind: str) -> NearestValue | None:
    found = [row.violations for row in arm.session_rows]
    return NearestValue(max(found), "in one session") if found else None


def _violation_share(arm: ArmResult, kind: str) -> NearestValue:
    counts = arm.views[0].by_invariant
    of_rule = sum(c.violations for name, c in counts.items() if name.split(" ")[0] == kind)
    return NearestValue(of_rule, f"of {sum(c.violations for c in counts.values())} decisions")


def _issues(arm: ArmResult, kind: str) -> NearestValue | None:
    estimate = arm.issues_per_session.get(kind)
    return None if estimate is None else _per_session(estimate.value)


def _over_rejections(arm: ArmResult, kind: str) -> NearestValue | None:
    return _per_session(arm.over_rejection_by_invariant.get(kind))


def _sensor_skip(arm: ArmResult, _kind: str) -> NearestValue:
    return NearestValue(arm.longest_sensor_skip, "turns")


def _hidden_violations(arm: ArmResult, _kind: str) -> NearestValue:
    hidden = arm.sense_table.sensed_ok_true_bad
    return NearestValue(hidden, f"of {hidden + arm.sense_table.sensed_bad_true_bad} violations")


def _conduct(arm: ArmResult, kind: str) -> NearestValue:
    return NearestValue(arm.conduct.get(kind, 0), f"in {arm.sessions} sessions")


def _tokens(arm: ArmResult, _kind: str) -> NearestValue | None:
    for name, unit in (("input_reported", "per call"), ("input_estimated", "per call, estimated")):
        if name in arm.tokens_per_call:
            return NearestValue(round(arm.tokens_per_call[name]), unit)
    return None


def _violating_turns(arm: ArmResult, _kind: str) -> NearestValue:
    return NearestValue(arm.views[0].distribution.violations, f"in {arm.turns} turns")


def _refused(arm: ArmResult, _kind: str) -> NearestValue | None:
    share = arm.refused_motion_share.value
    return None if share is None else NearestValue(100 * share, "%")


def _per_session(value: float | None) -> NearestValue | None:
    return None if value is None else NearestValue(value, "per session")


_READERS: Mapping[str, Callable[[ArmResult, str], NearestValue | None]] = MappingProxyType(
    {
        "violations_per_session": _violations,
        "session_rows": _most_violations,
        "by_invariant": _violation_share,
        "issues_per_session": _issues,
        "over_rejection_by_invariant": _over_rejections,
        "longest_sensor_skip": _sensor_skip,
        "sense_table": _hidden_violations,
        "conduct": _conduct,
        "tokens_per_call": _tokens,
        "violation_rate": _violating_turns,
        "refused_motion_share": _refused,
    }
)
"""How our metric is read from an arm, by the name the paper's rows give it."""
