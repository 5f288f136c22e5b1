"""The result on a terminal: arms, gates, and where the reports are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as Grid
from rich.text import Text

from heedful.metrics.gates import GateResult
from heedful.metrics.summary import RunSummary
from heedful.reports.arm_tables import headline_table
from heedful.reports.arms import distinguish_arms
from heedful.reports.bodies import body_sentences, stand_in_sentences
from heedful.reports.body_tables import has_body, short_body_table
from heedful.reports.body_words import fall_sentences
from heedful.reports.guard_tables import has_guard, short_guard_table
from heedful.reports.layer_tables import short_layer_table
from heedful.reports.table import Cell, Table, number_cell, text_cell, text_columns, with_footnotes
from heedful.reports.text import printable

_UNBOUNDED = 10_000
_COLUMNS = {
    1: "SPS\n[%]",
    4: "Viola-\ntions,\ntrue",
    5: "Viola-\ntions,\nsensed",
    6: "Ignored\nstops",
    7: "Over-\ncompl.\n[%]",
    8: "Issues",
    9: "Cover-\nage\n[%]",
}
"""Columns of the headline table by position, under names that are short."""
_NARROW = "Intervals are left out: this terminal is too narrow. Reports and JSON have them."


NO_REVIEWS: Mapping[str, Mapping[str, float]] = {}


def print_summary(
    console: Console,
    summary: RunSummary,
    gates: Sequence[GateResult] = (),
    files: Sequence[Path] = (),
    reviews_us: Mapping[str, Mapping[str, float]] = NO_REVIEWS,
) -> None:
    """Print the arms, what guards did, what each gate says, and the files written.

    Args:
        console: Where to.
        summary: The run's results.
        gates: What each gate says.
        files: The reports written.
        reviews_us: Wall-clock time of the guard's reviews, by arm [us].
    """
    print_table(console, arms_table(summary))
    if has_guard(summary):
        print_table(console, short_guard_table(distinguish_arms(summary)))
    if has_body(summary):
        print_table(console, short_body_table(distinguish_arms(summary)))
    for words in fall_sentences(distinguish_arms(summary)):
        say(console, words, "bold red")
    if summary.layers is not None:
        print_table(console, short_layer_table(summary.layers))
    for words in body_sentences(summary):
        say(console, words, "yellow" if words in stand_in_sentences(summary) else "dim")
    for arm, times in reviews_us.items():
        say(console, f"{arm}: {_review_words(times)}", "dim")
    if gates:
        print_table(console, gate_table(gates))
    if summary.sessions < summary.expected_sessions:
        say(console, f"Incomplete: {summary.sessions} of {summary.expected_sessions} sessions.", "yellow")
    say(console, summary.statement, "dim")
    for path in files:
        say(console, f"Report: {path}", "bold")


def arms_table(summary: RunSummary) -> Table:
    """Return the headline in the few columns that fit a terminal."""
    table = headline_table(distinguish_arms(summary))
    columns = (table.columns[0], *(replace(table.columns[k], title=title) for k, title in _COLUMNS.items()))
    rows = tuple((row[0], *(row[k] for k in _COLUMNS)) for row in table.rows)
    note = "SPS, overcompliance: true state, as issued. Violations, stops, issues: per session."
    return replace(table, columns=columns, rows=rows, note=f"{note} {table.note}")


def print_table(console: Console, table: Table) -> None:
    """Print one table with its note and footnotes."""
    table = with_footnotes(table)
    if not table.rows:
        say(console, f"{table.title}: {table.empty}", "dim")
        return
    grid, notes = _grid(table), [table.note, *table.footnotes]
    unbounded = console.options.update(width=_UNBOUNDED)
    if Measurement.get(console, unbounded, grid).maximum > console.width:
        grid = _grid(_without_details(table))
        notes.append(_NARROW)
    console.print(grid)
    for line in filter(None, notes):
        say(console, line, "dim")


def _review_words(times: Mapping[str, float]) -> str:
    figures = ", ".join(f"{name} {times[name]:.0f}" for name in ("p50", "p95", "p99", "max"))
    return f"{times['reviews']:.0f} reviews by the guard, wall clock on this machine [us]: {figures}"


def gate_table(gates: Sequence[GateResult]) -> Table:
    """Return what each gate says of each arm, failed ones first."""
    rows = tuple(_gate(gate) for gate in sorted(gates, key=lambda g: not g.failed))
    return Table("Gates", text_columns("Gate", "Arm", "Result", "Why"), rows)


def _grid(table: Table) -> Grid:
    title = _text(table.title, "bold")
    grid = Grid(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for column in table.columns:
        title = _text(column.title)
        if column.is_number:
            grid.add_column(title, justify="right", no_wrap=True)
        else:
            grid.add_column(title, overflow="fold")
    for row in table.rows:
        grid.add_row(*(_cell(cell) for cell in row))
    return grid


def _without_details(table: Table) -> Table:
    """Return the table with numbers only; names keep their details, which tell them apart."""
    rows = tuple(
        tuple(replace(cell, detail="") if cell.is_number else cell for cell in row) for row in table.rows
    )
    return replace(table, rows=rows)


def _gate(gate: GateResult) -> tuple[Cell, ...]:
    result = Cell("failed", tone="C4") if gate.failed else Cell("passed", tone="C1")
    return (number_cell(gate.gate), text_cell(gate.arm), result, text_cell(gate.words))


def _cell(cell: Cell) -> Text:
    text = _text(cell.text, {"C4": "bold red", "C1": "green"}.get(cell.tone, ""))
    if cell.mark:
        text.append(f" {cell.mark}", "dim")
    if cell.detail:
        between = "" if not cell.text else " " if cell.is_number else ", "
        text.append(f"{between}{printable(cell.detail)}", "dim")
    return text


def say(console: Console, words: str, style: str) -> None:
    """Print one line of words as they are."""
    console.print(_text(words, style), soft_wrap=True)


def _text(words: str, style: str = "") -> Text:
    """Return words as they are: no console markup is read in them."""
    return Text(printable(words), style)
