"""Two runs against each other, on a terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from heedful.metrics.run_comparison import RunComparison, RunSide
from heedful.metrics.summary_json import comparison_to_dict
from heedful.reports.bodies import bodies_in_words
from heedful.reports.layer_tables import (
    agreement_table,
    cause_table,
    confusion_tables,
    disagreement_table,
    ranking_table,
)
from heedful.reports.run_tables import comparison_rows
from heedful.reports.table import Table
from heedful.reports.terminal import print_table, say


def render_comparison_json(comparison: RunComparison) -> str:
    """Return the comparison as JSON with sorted keys, in ASCII."""
    return json.dumps(comparison_to_dict(comparison), sort_keys=True, indent=2, allow_nan=False) + "\n"


def comparison_tables(comparison: RunComparison) -> list[Table]:
    """Return the paired differences and, for runs of different layers, the tables turn by turn."""
    note = "B minus A per pair of sessions with the same scenario and seed; Holm over all rows of this table."
    rows = comparison_rows(comparison.comparisons)
    tables = [replace(rows, title="Paired differences", note=note)]
    if comparison.layers is not None:
        tables += [agreement_table(comparison.layers), ranking_table(comparison.layers)]
        tables += [cause_table(comparison.layers), *confusion_tables(comparison.layers)]
        tables.append(disagreement_table(comparison.layers))
    return tables


def print_comparison(console: Console, comparison: RunComparison) -> None:
    """Print which runs are compared, and every table."""
    for letter, side in (("A", comparison.a), ("B", comparison.b)):
        say(console, f"{letter}: {side.name}, {side.sessions} sessions, heedful {side.heedful}", "bold")
        for words in (*bodies_in_words(side.bodies), *_unpaired(letter, side)):
            say(console, words, "yellow" if "stand-in" in words else "dim")
    say(console, f"Judged by {comparison.spec}, {comparison.judge}.", "dim")
    for table in comparison_tables(comparison):
        print_table(console, table)


def _unpaired(letter: str, side: RunSide) -> Sequence[str]:
    return [f"In {letter} alone: {title}." for title in side.unpaired]
