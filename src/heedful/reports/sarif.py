"""The report as SARIF 2.1.0: one result per violation, each rule with its standard and clause.

A turn that is a violation by the true state only, not by what was sensed, is of level `note`.

Locations are logical (session and turn), and physical as the turn's line in the session's trace.
Source: OASIS SARIF 2.1.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from heedful.labels.label import Label
from heedful.metrics.digest import arm_of
from heedful.metrics.summary import RunSummary
from heedful.reports.arms import Session, full_title
from heedful.reports.bodies import body_sentences
from heedful.reports.text import printable
from heedful.reports.violations import Violation, violations_of
from heedful.spec.document import InvariantDocument, SpecDocument
from heedful.trace.records import TurnRecord

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
FIRST_TURN_LINE = 2
"""A trace's first line is the session, its second the first turn."""
LEVELS = {Label.C3: "warning", Label.C4: "error"}
Json = dict[str, Any]


def render_sarif(summary: RunSummary, sessions: Iterable[Session], spec: SpecDocument) -> str:
    """Return every violation by true state, as issued; rule ids are the spec's invariants.

    Args:
        summary: The run's results.
        sessions: Traces with their labels.
        spec: The document of the spec that judged them.
    """
    log = _Log()
    positions = {rule.id: position for position, rule in enumerate(spec.invariants)}
    for session in sessions:
        log.add(session, positions)
    is_whole = log.is_complete and summary.sessions >= summary.expected_sessions
    run = {
        "tool": {"driver": _driver(summary, spec)},
        "automationDetails": {"id": f"heedful/{printable(summary.spec)}/seed-{summary.seed}"},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": is_whole, "toolExecutionNotifications": log.invalid}],
        "results": log.results,
        "properties": {
            "statement": summary.statement,
            "judge": summary.judge,
            "spec": printable(summary.spec),
            "specHash": summary.spec_hash,
            "scenarios": [printable(name) for name in summary.scenarios],
            **_bodies(summary),
        },
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=1, sort_keys=True, allow_nan=False) + "\n"


@dataclass(slots=True)
class _Log:
    """What is kept of sessions that are read one by one."""

    results: list[Json] = field(default_factory=list)
    invalid: list[Json] = field(default_factory=list)
    is_complete: bool = True

    def add(self, session: Session, positions: dict[str, int]) -> None:
        trace, _ = session
        self.is_complete = self.is_complete and trace.is_complete
        self.results += [_result(violation, positions) for violation in violations_of(session)]
        self.invalid += [_notification(trace.info.session, turn) for turn in trace.turns if turn.invalid]


def _bodies(summary: RunSummary) -> Json:
    """Return what moved; nothing on the text layer."""
    found = [printable(words) for words in body_sentences(summary)]
    return {"bodies": found} if found else {}


def _driver(summary: RunSummary, spec: SpecDocument) -> Json:
    return {
        "name": "heedful",
        "version": summary.heedful,
        "rules": [_rule(rule) for rule in spec.invariants],
    }


def _rule(rule: InvariantDocument) -> Json:
    source = rule.source
    return {
        "id": rule.id,
        "name": printable(rule.title),
        "shortDescription": {"text": printable(rule.title)},
        "fullDescription": {"text": printable(rule.rule or rule.title)},
        "help": {"text": printable(f"{source.standard}: {source.clause}. {source.note}".strip())},
        "defaultConfiguration": {"level": "error"},
        "properties": {
            "standard": printable(source.standard),
            "clause": printable(source.clause),
            "clauseChecked": source.checked,
            "sourceNote": printable(source.note),
            "hazard": printable(rule.hazard),
            "when": printable(rule.when),
        },
    }


def _result(violation: Violation, positions: dict[str, int]) -> Json:
    decision, turn, info = violation.decision, violation.turn, violation.info
    result = {
        "ruleId": decision.invariant,
        "level": "note" if violation.is_by_true_state_only else LEVELS[decision.label],
        "message": {"text": printable(f"{decision.label}: {decision.why}")},
        "locations": [_location(violation)],
        "partialFingerprints": {
            "turn/v1": f"{info.session}/{turn.turn_id}/{decision.invariant}/{decision.part}"
        },
        "properties": {
            "label": decision.label.value,
            "part": decision.part,
            "arm": printable(full_title(arm_of(info))),
            "repetition": info.repetition,
            "phase": printable(turn.phase),
            "corrected": decision.corrected,
            "sensedLabel": turn.verdict("sensed", "issued").label.value,
            "view": "true",
            "mode": "issued",
        },
    }
    position = positions.get(decision.invariant)
    return result if position is None else {**result, "ruleIndex": position}


def _location(violation: Violation) -> Json:
    session, turn = violation.info.session, violation.turn
    path = "/".join(quote(printable(part), safe="") for part in ("sessions", session, "trace.jsonl"))
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": path},
            "region": {"startLine": FIRST_TURN_LINE + turn.index},
        },
        "logicalLocations": [
            {
                "name": printable(turn.turn_id),
                "fullyQualifiedName": printable(f"{session}/{turn.turn_id}"),
                "kind": "turn",
            }
        ],
    }


def _notification(session: str, turn: TurnRecord) -> Json:
    words = f"{session} turn {turn.index} is INVALID: {turn.invalid}"
    return {"level": "error", "message": {"text": printable(words)}}
