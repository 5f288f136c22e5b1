"""What a check of a spec found: claims, each proved, refuted with a witness, or unproved with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from heedful.state.series import INFINITE, Value

Status = Literal["proved", "refuted", "unproved"]
Severity = Literal["error", "warn", "info"]
Kind = Literal["trigger", "inactive", "unknown", "names", "judge", "latch", "conflict", "limit", "relation"]

STATUSES: tuple[Status, ...] = ("proved", "refuted", "unproved")


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim about a rule or a pair of rules, and what became of it."""

    kind: Kind
    rules: tuple[str, ...]
    """The rules the claim is about; empty for the whole spec."""
    claim: str
    """A sentence that is true if proved and false if refuted."""
    status: Status
    severity: Severity
    detail: str = ""
    """Why it is unproved or refuted, or what follows from it."""
    witness: Mapping[str, Value] | None = None
    """A state and command that show it; None is an unknown signal, 1e9 a declared infinity."""

    def as_dict(self) -> dict[str, Any]:
        """Return the finding as plain data, in a fixed order."""
        return {
            "kind": self.kind,
            "rules": list(self.rules),
            "claim": self.claim,
            "status": self.status,
            "severity": self.severity,
            "detail": self.detail,
            "witness": None if self.witness is None else dict(sorted(self.witness.items())),
        }


@dataclass(frozen=True, slots=True)
class SpecReport:
    """All findings of one spec."""

    spec: str
    version: str
    findings: tuple[Finding, ...]

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings for which the spec should not be used."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    def count(self, status: Status) -> int:
        """Return how many findings have this status."""
        return Counter(finding.status for finding in self.findings)[status]

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data, in a fixed order."""
        return {
            "spec": self.spec,
            "version": self.version,
            "counts": {status: self.count(status) for status in STATUSES},
            "errors": len(self.errors),
            "findings": [finding.as_dict() for finding in self.findings],
        }


def render_report(report: SpecReport) -> str:
    """Return the report as plain text, one finding a line and a last line with the counts."""
    lines = [f"{report.spec} {report.version}"]
    lines += [_line(finding) for finding in report.findings]
    counts = ", ".join(f"{report.count(status)} {status}" for status in STATUSES)
    lines.append(f"{len(report.findings)} claims: {counts}; {len(report.errors)} errors.")
    return "\n".join(lines)


def _line(finding: Finding) -> str:
    mark = "" if finding.severity == "info" else f" [{finding.severity}]"
    text = f"{finding.status:8}{mark} {finding.kind}: {finding.claim}"
    if finding.detail:
        text += f" ({finding.detail})"
    if finding.witness:
        text += f"; e.g. {', '.join(f'{n} = {_shown(v)}' for n, v in sorted(finding.witness.items()))}"
    return text


def _shown(value: Value) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "infinite" if value == INFINITE else f"{value:.12g}"
    return f"{value}"
