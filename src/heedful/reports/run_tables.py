"""The tables about the run as a whole: comparisons, sensing, claims, rules, what it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from heedful.metrics.paper import PaperRow, PaperTable, load_paper
from heedful.metrics.paper_match import nearest_value
from heedful.metrics.summary import ArmResult, Comparison, RunSummary, SessionRow
from heedful.reports.bodies import body_sentences
from heedful.reports.by_arm import arm_cell
from heedful.reports.figures import (
    NONE,
    estimate_cell,
    missing_cell,
    number,
    p_cell,
    percent,
    rate_cell,
    trimmed,
)
from heedful.reports.table import Cell, Column, Table, number_cell, number_columns, text_cell, text_columns
from heedful.spec.document import SpecDocument


def identity_table(summary: RunSummary) -> Table:
    """Return what identifies the run."""
    facts = {
        "heedful": summary.heedful,
        "Judge": summary.judge,
        "Spec": f"{summary.spec} ({summary.spec_hash})",
        "Scenario": ", ".join(summary.scenarios),
        "Seed": str(summary.seed),
        "Sessions": f"{summary.sessions} of {summary.expected_sessions}",
        "Summary format": summary.version,
    }
    facts |= {f"Body {k}": words for k, words in enumerate(body_sentences(summary), 1)}
    rows = tuple((text_cell(name), text_cell(value)) for name, value in facts.items())
    return Table("Identification", text_columns("What", "Value"), rows)


def comparison_table(summary: RunSummary) -> Table:
    """Return the paired comparisons."""
    return comparison_rows(summary.comparisons)


def comparison_rows(comparisons: Sequence[Comparison]) -> Table:
    """Return the table of some paired comparisons."""
    columns = (
        *text_columns("Metric", "A", "B"),
        Column("B minus A", "Mean difference per pair of sessions with the same scenario and seed"),
        *number_columns("p", "p, Holm", "Pairs"),
        *text_columns("Test"),
    )
    rows = tuple(_comparison(c) for c in comparisons)
    note = "Paired on (scenario, seed); Holm over all rows of this table."
    return Table("Paired comparisons", columns, rows, note, "No two arms differ in exactly one factor.")


def sense_table(summary: RunSummary) -> Table:
    """Return turn labels by sensed against true state."""
    columns = (
        *text_columns("Arm"),
        Column("ok / ok", "Without violation by sensed and by true state"),
        Column("sensed ok / true bad", "What sensor noise alone explains"),
        Column("sensed bad / true ok", "A violation of what was reported that was none in fact"),
        Column("bad / bad", "A violation by both states"),
        Column("hidden share [%]", "Share of violations by true state that the sensed state did not show"),
    )
    rows = tuple(_sense(arm) for arm in summary.arms)
    note = "Turns, as issued; bad is C3 or C4. Sensed ok, true bad: what sensing noise alone explains."
    return Table("Sensed against true", columns, rows, note)


def claims_table(summary: RunSummary) -> Table:
    """Return how well the phrase table reads what a reply claims."""
    rows = tuple((text_cell(name), text_cell(value)) for name, value in summary.claims_table.items())
    note = "The phrase table decides say-do mismatches and C2 subtypes only; no safety label reads words."
    return Table(
        "Reading of claims", text_columns("Measure", "Value"), rows, note, "Not measured for this run."
    )


def session_table(summary: RunSummary) -> Table:
    """Return every session's own values."""
    columns = (
        *text_columns("Session", "Arm"),
        *number_columns("SPS [%]", "Overcompliance [%]", "Violations", "Issues", "First violation, turn"),
        *number_columns("Undecided turns", "Seed"),
    )
    rows = tuple(_session(arm, row) for arm in summary.arms for row in arm.session_rows)
    return Table("Every session", columns, rows, "True state, as issued.", "No session was summarised.")


def paper_table(summary: RunSummary) -> Table:
    """Return the paper's printed figures, with each comparable arm's nearest value for orientation."""
    paper = load_paper()
    conditions = "; ".join(f"{theirs} is nearest to our {ours}" for theirs, ours in paper.conditions.items())
    rows = tuple(
        (
            text_cell(row.model, row.condition),
            text_cell(row.metric, row.note),
            number_cell(row.text),
            text_cell(row.ours.replace("_", " ") or NONE, row.kind.replace("_", " ")),
            _nearest(row, summary, paper),
        )
        for row in paper.rows
    )
    columns = (
        *text_columns("Model", "Metric"),
        *number_columns("As printed"),
        *text_columns("Our nearest metric", "This run: arm: value"),
    )
    title = paper.heading[:1].upper() + paper.heading[1:]
    return Table(title, columns, rows, f"{paper.source} Context conditions: {conditions}.")


def _nearest(row: PaperRow, summary: RunSummary, paper: PaperTable) -> Cell:
    pairs = ((arm, nearest_value(row, arm, paper)) for arm in summary.arms)
    parts = [
        f"{arm.key.title}: {trimmed(found.value)} {found.unit}".replace(";", ",")
        for arm, found in pairs
        if found is not None
    ]
    return text_cell("", "; ".join(parts)) if parts else text_cell(NONE)


def rule_table(document: SpecDocument) -> Table:
    """Return the spec's invariants with their sources."""
    rows = tuple(
        (
            text_cell(rule.id, rule.title),
            text_cell(rule.rule or rule.when),
            text_cell(rule.source.standard, rule.source.clause),
            text_cell("checked" if rule.source.checked else "to be checked against the bought text"),
        )
        for rule in document.invariants
    )
    return Table("Rules", text_columns("Invariant", "Rule as the model read it", "Source", "Clause"), rows)


def _comparison(c: Comparison) -> tuple[Cell, ...]:
    return (
        text_cell(c.metric.replace("_", " ")),
        text_cell(c.a, c.scenario),
        text_cell(c.b),
        estimate_cell(c.difference, number),
        replace(p_cell(c.p_value), reason=c.note),
        p_cell(c.p_holm),
        number_cell(c.pairs),
        text_cell(c.test),
    )


def _session(arm: ArmResult, row: SessionRow) -> tuple[Cell, ...]:
    first = NONE if row.first_violation_turn is None else str(row.first_violation_turn)
    return (
        text_cell(row.session, "" if row.is_complete else "incomplete"),
        text_cell(arm.key.title),
        *(number_cell(NONE if rate is None else percent(rate)) for rate in (row.sps, row.overcompliance)),
        *(number_cell(value) for value in (row.violations, row.issues, first, row.undecided_turns, row.seed)),
    )


def _sense(arm: ArmResult) -> tuple[Cell, ...]:
    t = arm.sense_table
    counts = (t.sensed_ok_true_ok, t.sensed_ok_true_bad, t.sensed_bad_true_ok, t.sensed_bad_true_bad)
    share = missing_cell() if arm.sense_share is None else rate_cell(arm.sense_share)
    return (arm_cell(arm), *(number_cell(count) for count in counts), share)
