"""The records of what guards did in one arm; part of `summary`, which stands above."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.metrics.estimate import Estimate
from heedful.metrics.sense_table import SenseTable

GUARD_METRICS = ("sensed_executed_violations", "executed_violations", "issues", "executed_sps")
"""What arms with different guards are compared on; `PRODUCTIVITY` besides, where it was measured."""
PRODUCTIVITY = "productivity"


@dataclass(frozen=True, slots=True)
class ReactionFigures:
    """How soon the guard acted on one rule by itself, on the session's simulated clock.

    Percentiles are nearest-rank: `p50`, `p95`, `max` [s]; empty where nothing was measured.
    """

    invariant: str
    actions: int
    ahead: int
    """Actions taken before the sensed trigger was active, as a margin makes a guard do; not timed by it."""
    is_required: bool
    """Whether the rule requires an action, rather than that motion is stopped or slowed."""
    deadline_s: float
    """The rule's window; for a required action the time within which it must be done [s]."""
    sensed_s: Mapping[str, float]
    """From the sensed onset to the accepted command."""
    true_s: Mapping[str, float]
    """From the true onset to the accepted command."""
    done_s: Mapping[str, float]
    """From the true onset until the robot stood still, went slower, or sat."""
    sensed_mean_s: Estimate
    """Mean of the first, with its interval over sessions [s]."""
    in_time: Estimate
    """Share of actions that met the deadline, counted from the sensed onset."""
    truly_in_time: Estimate
    """The same, counted from the true onset: what noise delays is in it."""


@dataclass(frozen=True, slots=True)
class ArmGuarding:
    """What the guards of an arm did and cost; an arm without a guard has it for comparison."""

    productivity: Estimate
    """Share of permitted motion that was executed, every permitted command counting for one."""
    lost_at_call: Estimate
    """Share of permitted motion that was not executed because the guard changed the call."""
    lost_under_way: Estimate
    """Share that was not executed because motion was stopped or slowed under way."""
    permitted: int
    """Permitted motion commands in all sessions."""
    reviewed: float
    """Calls that the guard decided on, per session."""
    commands_changed: Estimate
    """Calls clamped or denied, per session."""
    false_restrictions: Estimate
    """Share of motion commands that the true state gave no reason to restrict, changed all the same."""
    let_through: Estimate
    """Share of motion commands that break a rule by the true state, passed on all the same."""
    by_rule: Mapping[str, Mapping[str, float]]
    """Per session, by invariant or `none`: `clamped`, `denied`, `stopped`, `slowed`, `sat`."""
    reactions: tuple[ReactionFigures, ...]
    sense_executed: SenseTable
    """Turn labels by sensed against true state, as executed."""
    exposure_s: Mapping[str, Estimate]
    """Carried exposure by invariant [s per session]."""
    exposure_m: Mapping[str, Estimate]
