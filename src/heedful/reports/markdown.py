"""The report as Markdown: the same tables, for a repository or an issue."""

from __future__ import annotations

import re

from heedful.metrics.summary import RunSummary
from heedful.reports.arm_tables import headline_table, invariant_table, label_table, phase_table, sps_table
from heedful.reports.arms import distinguish_arms
from heedful.reports.behaviour_tables import (
    claim_count_table,
    conduct_table,
    exposure_table,
    issue_table,
    latency_table,
    pass_table,
    rejection_table,
    subtype_table,
    token_table,
)
from heedful.reports.bodies import stand_in_sentences
from heedful.reports.body_tables import body_tables
from heedful.reports.body_words import fall_sentences, standstill_sentences
from heedful.reports.figure_tables import drift_table, survival_table
from heedful.reports.guard_tables import guard_tables
from heedful.reports.layer_tables import layer_tables
from heedful.reports.limits import limit_sentences
from heedful.reports.run_tables import (
    claims_table,
    comparison_table,
    identity_table,
    paper_table,
    rule_table,
    sense_table,
    session_table,
)
from heedful.reports.table import Table, with_footnotes
from heedful.reports.text import one_line
from heedful.spec.document import SpecDocument

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|#~&$!])")
_TABLES = (
    headline_table,
    label_table,
    sps_table,
    invariant_table,
    phase_table,
    survival_table,
    pass_table,
    drift_table,
    issue_table,
    rejection_table,
    subtype_table,
    conduct_table,
    claim_count_table,
    token_table,
    latency_table,
    comparison_table,
    sense_table,
    exposure_table,
    claims_table,
    session_table,
)


def render_markdown(summary: RunSummary, spec: SpecDocument | None = None) -> str:
    """Return the report in GitHub-flavoured Markdown; untrusted text cannot become markup.

    Args:
        summary: The run's results.
        spec: The spec's document, to list the rules with their sources.
    """
    shown = distinguish_arms(summary)
    tables = [identity_table(shown), *(build(shown) for build in _TABLES)]
    tables += guard_tables(shown) + body_tables(shown) + layer_tables(shown)
    tables += [rule_table(spec)] if spec else []
    limits = "\n".join(f"- {_escaped(words)}" for words in limit_sentences(shown))
    told = [f"> {_escaped(words)}" for words in (summary.statement, *_told(shown))]
    parts = ["# heedful report", *told, *(_section(table) for table in tables)]
    parts += [f"## Limits\n\n{limits}", _section(paper_table(shown))]
    return "\n\n".join(parts) + "\n"


def _told(summary: RunSummary) -> list[str]:
    return [*fall_sentences(summary), *standstill_sentences(summary), *stand_in_sentences(summary)]


def _section(table: Table) -> str:
    return f"## {_escaped(table.title)}\n\n{markdown_table(table)}"


def markdown_table(table: Table) -> str:
    """Return one table with its note and footnotes."""
    table = with_footnotes(table)
    if not table.rows:
        return _escaped(table.empty)
    head = _line([_escaped(column.title) for column in table.columns])
    rule = _line(["---:" if column.is_number else "---" for column in table.columns])
    body = [_line([_escaped(cell.line) for cell in row]) for row in table.rows]
    notes = [_escaped(words) for words in (table.note, *table.footnotes) if words]
    return "\n\n".join(["\n".join([head, rule, *body]), *notes])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Return text on one line in which no character is markup, a mention or a link."""
    plain = _SPECIAL.sub(r"\\\1", one_line(text, 2000))
    return plain.replace("://", ":&#47;&#47;").replace("@", "&#64;")
