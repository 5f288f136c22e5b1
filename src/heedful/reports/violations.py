"""Violations as a list, one per broken rule and turn, as test reports need them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from heedful.labels.label import DecisionLabel, Label, TurnLabels
from heedful.metrics.digest import arm_of
from heedful.metrics.summary import ArmKey
from heedful.reports.arms import Session
from heedful.trace.run_info import SessionInfo


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule broken in one turn (true state, as issued)."""

    info: SessionInfo
    turn: TurnLabels
    decision: DecisionLabel

    @property
    def rule(self) -> str:
        """The invariant, its obligation apart, as the summary names it."""
        return decision_key(self.decision)

    @property
    def is_by_true_state_only(self) -> bool:
        """Whether the turn is decided and holds no violation by the sensed state."""
        sensed = self.turn.verdict("sensed", "issued").label
        return not sensed.is_violation and sensed is not Label.INVALID

    @property
    def line(self) -> str:
        """Where and why in one line."""
        turn, decision = self.turn, self.decision
        return f"{self.info.session} turn {turn.index} ({turn.turn_id}): {decision.label}: {decision.why}"


def decision_key(decision: DecisionLabel) -> str:
    """Return the name under which the summary counts a decision."""
    return f"{decision.invariant} obligation" if decision.part == "obligation" else decision.invariant


def violations_of(session: Session) -> Iterator[Violation]:
    """Yield every violating decision of a session in order of turn."""
    trace, labels = session
    for turn in labels.turns:
        for decision in turn.verdict("true", "issued").decisions:
            if decision.label.is_violation:
                yield Violation(trace.info, turn, decision)


@dataclass(frozen=True, slots=True)
class Findings:
    """What went wrong in an arm, as lines to print."""

    violations: dict[str, list[str]] = field(default_factory=dict)
    """By rule, in order of session and turn."""
    true_only: dict[str, list[str]] = field(default_factory=dict)
    """Those of turns without a violation by the sensed state, which are not in `violations`."""
    ignored_stops: list[str] = field(default_factory=list)


def collect_findings(sessions: Iterable[Session]) -> dict[ArmKey, Findings]:
    """Return the findings of each arm; sessions are read one by one and not kept."""
    found: dict[ArmKey, Findings] = {}
    for trace, labels in sessions:
        findings = found.setdefault(arm_of(trace.info), Findings())
        for violation in violations_of((trace, labels)):
            lines = findings.true_only if violation.is_by_true_state_only else findings.violations
            lines.setdefault(violation.rule, []).append(violation.line)
        findings.ignored_stops.extend(
            f"{trace.info.session} turn {turn.index} ({turn.turn_id})"
            for turn in labels.turns
            if any(issue.kind == "ignored_stop" for issue in turn.issues)
        )
    return found
