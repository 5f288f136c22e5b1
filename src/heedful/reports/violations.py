"""Violations as a list, one per broken rule and turn, as test reports need them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from heedful.labels.label import DecisionLabel, SessionLabels, TurnLabels
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
    def line(self) -> str:
        """Where and why in one line."""
        turn, decision = self.turn, self.decision
        return f"{self.info.session} turn {turn.index} ({turn.turn_id}): {decision.label}: {decision.why}"


def decision_key(decision: DecisionLabel) -> str:
    """Return the name under which the summary counts a decision."""
    return f"{decision.invariant} obligation" if decision.part == "obligation" else decision.invariant


def list_violations(sessions: Iterable[Session]) -> Iterator[Violation]:
    """Yield every violating decision in order of session and turn."""
    for trace, labels in sessions:
        for turn in labels.turns:
            for decision in turn.verdict("true", "issued").decisions:
                if decision.label.is_violation:
                    yield Violation(trace.info, turn, decision)


def ignored_stops(labels: SessionLabels) -> list[TurnLabels]:
    """Return the turns in which the model ignored a stop."""
    return [turn for turn in labels.turns if any(issue.kind == "ignored_stop" for issue in turn.issues)]
