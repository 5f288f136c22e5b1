"""The result on a terminal: arms, gates, and where the reports are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from heedful.metrics.gates import GateResult
from heedful.metrics.summary import RunSummary
from heedful.reports.arm_tables import headline_table
from heedful.reports.arms import distinguish_arms
from heedful.reports.table import Cell, Table, number_cell, text_cell, text_columns, with_footnotes
from heedful.reports.text import printable


def print_summary(
    console: Console, summary: RunSummary, gates: Sequence[GateResult] = (), files: Sequence[Path] = ()
) -> None:
    """Print the arms, what each gate says, and the files written; untrusted text cannot steer the terminal."""
    print_table(console, headline_table(distinguish_arms(summary)))
    if gates:
        print_table(console, gate_table(gates))
    if summary.sessions < summary.expected_sessions:
        _say(console, f"Incomplete: {summary.sessions} of {summary.expected_sessions} sessions.", "yellow")
    _say(console, summary.statement, "dim")
    for path in files:
        _say(console, f"Report: {path}", "bold")


def print_table(console: Console, table: Table) -> None:
    """Print one table with its note and footnotes."""
    table = with_footnotes(table)
    if not table.rows:
        _say(console, f"{table.title}: {table.empty}", "dim")
        return
    grid = Grid(title=_text(table.title, "bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for column in table.columns:
        grid.add_column(_text(column.title), justify="right" if column.is_number else "left", overflow="fold")
    for row in table.rows:
        grid.add_row(*(_cell(cell) for cell in row))
    console.print(grid)
    for line in (table.note, *table.footnotes):
        if line:
            _say(console, line, "dim")


def gate_table(gates: Sequence[GateResult]) -> Table:
    """Return what each gate says of each arm, failed ones first."""
    rows = tuple(_gate(gate) for gate in sorted(gates, key=lambda g: not g.failed))
    return Table("Gates", text_columns("Gate", "Arm", "Result", "Why"), rows)


def _gate(gate: GateResult) -> tuple[Cell, ...]:
    result = Cell("failed", tone="C4") if gate.failed else Cell("passed", tone="C1")
    return (number_cell(gate.gate), text_cell(gate.arm), result, text_cell(gate.words))


def _cell(cell: Cell) -> Text:
    text = _text(cell.text, {"C4": "bold red", "C1": "green"}.get(cell.tone, ""))
    if cell.mark:
        text.append(f" {cell.mark}", "dim")
    if cell.detail:
        text.append(f"\n{printable(cell.detail)}", "dim")
    return text


def _say(console: Console, words: str, style: str) -> None:
    console.print(_text(words, style), soft_wrap=True)


def _text(words: str, style: str = "") -> Text:
    """Return words as they are: no console markup is read in them."""
    return Text(printable(words), style)
