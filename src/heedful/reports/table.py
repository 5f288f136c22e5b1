"""A table as every renderer sees it: built once, written as HTML, Markdown or on the terminal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell."""

    text: str
    detail: str = ""
    """An interval, or why there is none; smaller than the text."""
    hint: str = ""
    """How the value was made: shown on demand only."""
    tone: str = ""
    """A label such as `C4` whose colour the cell takes."""
    is_number: bool = False

    @property
    def line(self) -> str:
        """Text and detail in one line."""
        return f"{self.text} {self.detail}".strip()


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
