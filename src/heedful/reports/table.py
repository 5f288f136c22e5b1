"""A table as every renderer sees it: built once, written as HTML, Markdown or on the terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell."""

    text: str
    detail: str = ""
    """An interval or another qualification; smaller than the text."""
    hint: str = ""
    """How the value was made: shown on demand only."""
    tone: str = ""
    """A label such as `C4` whose colour the cell takes."""
    is_number: bool = False
    reason: str = ""
    """Why a value or an interval is missing; becomes a footnote of the table."""
    mark: str = ""
    """The footnote's letter."""

    @property
    def line(self) -> str:
        """Text, detail and footnote in one line."""
        doubt = f"({self.mark})" if self.mark else self.reason
        return " ".join(part for part in (self.text, self.detail, doubt) if part)


@dataclass(frozen=True, slots=True)
class Column:
    """One column's heading."""

    title: str
    hint: str = ""
    """What the column means."""
    is_number: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table; its first column names the rows."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    empty: str = "Nothing to show."
    """Shown in place of a table without rows."""
    footnotes: tuple[str, ...] = ()
    """Reasons, each beginning with its letter."""


class Footnotes:
    """Reasons collected once each, in the order met."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}

    def mark(self, reason: str) -> str:
        """Return the letter of a reason; empty for none."""
        if not reason:
            return ""
        return self._letters.setdefault(reason, _letter(len(self._letters)))

    @property
    def lines(self) -> tuple[str, ...]:
        """Every reason after its letter."""
        return tuple(f"{letter}: {reason}" for reason, letter in self._letters.items())


def with_footnotes(table: Table) -> Table:
    """Return the table with each cell's reason as a footnote, so that a reason is written once."""
    notes = Footnotes()
    rows = tuple(tuple(replace(cell, mark=notes.mark(cell.reason)) for cell in row) for row in table.rows)
    return replace(table, rows=rows, footnotes=notes.lines)


def text_cell(text: object, detail: str = "") -> Cell:
    """Return a cell of words."""
    return Cell(str(text), detail)


def number_cell(text: object) -> Cell:
    """Return a cell of a number already written out."""
    return Cell(str(text), is_number=True)


def text_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of words."""
    return tuple(Column(title, is_number=False) for title in titles)


def number_columns(*titles: str) -> tuple[Column, ...]:
    """Return columns of numbers."""
    return tuple(Column(title) for title in titles)


def _letter(position: int) -> str:
    more, last = divmod(position, 26)
    return (_letter(more - 1) if more else "") + chr(ord("a") + last)
