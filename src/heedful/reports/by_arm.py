"""What every table with one row per arm shares."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from heedful.metrics.summary import ArmResult, ViewResult
from heedful.reports.figures import missing_cell, number
from heedful.reports.table import Cell, Column, Table, number_cell, text_cell, text_columns

ArmRow = Callable[[ArmResult], Sequence[Cell]]


def table_by_arm(
    title: str,
    arms: Sequence[ArmResult],
    columns: Sequence[Column],
    row: ArmRow,
    *,
    note: str = "",
    empty: str = "nothing was measured.",
) -> Table:
    """Return a table of arms; without columns it has no rows."""
    rows = tuple((arm_cell(arm), *row(arm)) for arm in arms) if columns else ()
    return Table(title, (*text_columns("Arm"), *columns), rows, note, empty)


def view_of(arm: ArmResult, view: str = "true", mode: str = "issued") -> ViewResult:
    """Return an arm's results by one state and kind of command."""
    return next(v for v in arm.views if (v.view, v.mode) == (view, mode))


def names_in(mappings: Iterable[Mapping[str, object]]) -> list[str]:
    """Return every key, each once, in order of first appearance."""
    return list(dict.fromkeys(name for mapping in mappings for name in mapping))


def arm_cell(arm: ArmResult) -> Cell:
    """Return an arm's name: the model, and its factors as detail."""
    return text_cell(arm.key.model, arm_factors(arm))


def arm_factors(arm: ArmResult) -> str:
    """Return an arm's title without the model."""
    return arm.key.title.removeprefix(arm.key.model).removeprefix(", ")


def plain_cells(
    values: Mapping[str, float], names: Sequence[str], form: Callable[[float], str] = number
) -> list[Cell]:
    """Return the named values, without intervals."""
    return [number_cell(form(values[name])) if name in values else missing_cell() for name in names]


def count_cells(values: Mapping[str, int], names: Sequence[str]) -> list[Cell]:
    """Return the named counts; what is absent was counted zero times."""
    return [number_cell(values.get(name, 0)) for name in names]


def spaced(names: Iterable[str]) -> list[str]:
    """Return names as words."""
    return [name.replace("_", " ") for name in names]
