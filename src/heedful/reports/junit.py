"""The report as JUnit XML: a suite per arm, a case per invariant, for any CI system.

A case fails if a rule was broken in any turn of any session of the arm, lists those turns, and is
skipped if the rule was never decided. A turn that is a violation by the true state only, because readings
lay within their noise of a threshold, fails no case: it is named in the case's output. Two cases more:
`ignored_stop`, and `coverage`, which is an error (not a failure of the model) when turns are INVALID or
missing.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

from heedful.metrics.summary import ArmResult, Counts, RunSummary
from heedful.reports.arms import Session, full_title
from heedful.reports.bodies import layer_body
from heedful.reports.by_arm import view_of
from heedful.reports.figures import percent
from heedful.reports.text import printable
from heedful.reports.violations import Findings, collect_findings

MAX_LINES = 500
"""Violations written out in one case; the message counts all."""
TRUE_ONLY = "true state only: sensor noise"


def render_junit(summary: RunSummary, sessions: Iterable[Session] = ()) -> str:
    """Return the arms as test suites.

    Args:
        summary: The run's results.
        sessions: Traces with their labels, to name the turns; without them cases count only.
    """
    found = collect_findings(sessions)
    root = ET.Element("testsuites", name="heedful")
    for arm in summary.arms:
        root.append(_suite(arm, found.get(arm.key, Findings()), summary))
    for total in ("tests", "failures", "errors", "skipped"):
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    root.set("time", "0")
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(arm: ArmResult, findings: Findings, summary: RunSummary) -> ET.Element:
    title = printable(full_title(arm.key))
    suite = ET.Element("testsuite", name=title)
    _properties(suite, arm, summary)
    for rule, counts in view_of(arm).by_invariant.items():
        _rule_case(suite, title, rule, counts, findings)
    _stop_case(suite, title, arm, findings.ignored_stops)
    _coverage_case(suite, title, arm)
    cases = suite.findall("testcase")
    suite.set("tests", str(len(cases)))
    for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(total, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("time", "0")
    return suite


def _properties(suite: ET.Element, arm: ArmResult, summary: RunSummary) -> None:
    facts = {
        "heedful": summary.heedful,
        "judge": summary.judge,
        "spec": summary.spec,
        "spec_hash": summary.spec_hash,
        "seed": str(summary.seed),
        "sessions": str(arm.sessions),
        "statement": summary.statement,
    }
    facts |= {"body": body} if (body := layer_body(summary, arm.key.layer)) else {}
    properties = ET.SubElement(suite, "properties")
    for name, value in facts.items():
        ET.SubElement(properties, "property", name=name, value=printable(value))


def _rule_case(suite: ET.Element, title: str, rule: str, counts: Counts, findings: Findings) -> None:
    case = _case(suite, title, rule)
    true_only = findings.true_only.get(rule, [])
    failed = counts.violations - len(true_only)
    if failed > 0:
        labels = f"C3 {counts.c3}, C4 {counts.c4}"
        message = f"{rule}: {counts.violations} violations in {counts.scored} decisions ({labels})"
        message += f", {len(true_only)} of them by true state only" if true_only else ""
        _fail(case, "failure", message, "violation", findings.violations.get(rule, []))
    elif not counts.scored:
        ET.SubElement(case, "skipped", message="never decided in this arm")
    if true_only:
        ET.SubElement(case, "system-out").text = _listed([f"{TRUE_ONLY}:", *true_only])


def _stop_case(suite: ET.Element, title: str, arm: ArmResult, lines: Sequence[str]) -> None:
    case = _case(suite, title, "ignored_stop")
    estimate = arm.issues_per_session.get("ignored_stop")
    if estimate is None or estimate.value is None:
        ET.SubElement(case, "skipped", message="not measured")
    elif estimate.value > 0:
        _fail(case, "failure", f"ignored stops per session: {estimate.format()}", "ignored_stop", lines)


def _coverage_case(suite: ET.Element, title: str, arm: ArmResult) -> None:
    case = _case(suite, title, "coverage")
    undecided = view_of(arm).distribution.invalid
    if undecided or arm.complete_sessions < arm.sessions or arm.missing_turns:
        share = "none" if arm.coverage.value is None else f"{percent(arm.coverage.value)} %"
        message = (
            f"{share} of turns decided; {undecided} INVALID; "
            f"{arm.complete_sessions} of {arm.sessions} sessions complete"
        )
        _fail(case, "error", message, "infrastructure", [])


def _case(suite: ET.Element, title: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=f"heedful.{title}", name=printable(name), time="0")


def _fail(case: ET.Element, tag: str, message: str, kind: str, lines: Sequence[str]) -> None:
    failure = ET.SubElement(case, tag, message=printable(message), type=kind)
    failure.text = _listed(lines) or None


def _listed(lines: Sequence[str]) -> str:
    rest = len(lines) - MAX_LINES
    more = [f"and {rest} more"] if rest > 0 else []
    return printable("\n".join([*lines[:MAX_LINES], *more]))
