"""Tables as HTML: each scrolls in its own box, numbers are aligned, hints are on demand."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.reports.markup import Markup, breakable, element, join
from heedful.reports.table import Cell, Column, Table, with_footnotes


def table_element(table: Table, *, with_title: bool = True) -> Markup:
    """Return a table in a box that scrolls sideways on its own, with its note below."""
    if not table.rows:
        return element("p", f"{table.title}: {table.empty}" if with_title else table.empty, class_="empty")
    table = with_footnotes(table)
    grid = element(
        "table",
        element("caption", table.title, class_=None if with_title else "unseen"),
        element("thead", element("tr", *(_heading(column) for column in table.columns))),
        element("tbody", *(_row(table.columns, row) for row in table.rows)),
    )
    box = element("div", grid, class_="scroll", tabindex=0, role="region", aria_label=table.title)
    notes = [element("p", table.note, class_="note")] if table.note else []
    return join((box, *notes, footnote_list(table.footnotes)))


def footnote_list(footnotes: Sequence[str]) -> Markup:
    """Return footnotes under each other; nothing where there are none."""
    if not footnotes:
        return Markup()
    return element("ul", *(element("li", words) for words in footnotes), class_="note foot")


def folded(table: Table, summary: str = "") -> Markup:
    """Return a table that opens on demand."""
    return fold(summary or table.title, table_element(table, with_title=False))


def fold(summary: str, *parts: Markup) -> Markup:
    """Return parts that open on demand."""
    return element("details", element("summary", summary), *parts)


def _heading(column: Column) -> Markup:
    return element(
        "th", column.title, scope="col", title=column.hint or None, class_="n" if column.is_number else None
    )


def _row(columns: tuple[Column, ...], row: tuple[Cell, ...]) -> Markup:
    first, *rest = row
    cells = [_cell("th", first, is_number=columns[0].is_number, scope="row")]
    cells += [
        _cell("td", cell, is_number=column.is_number) for column, cell in zip(columns[1:], rest, strict=True)
    ]
    return element("tr", *cells)


def _cell(tag: str, cell: Cell, *, is_number: bool, scope: str | None = None) -> Markup:
    mark = (element("sup", cell.mark),) if cell.mark else ()
    detail = [element("small", part) for part in cell.detail.split("; ") if part]
    classes = " ".join(name for name in ("n" if is_number else "", cell.tone) if name)
    text = element("span", breakable(cell.text), class_="name") if tag == "th" else cell.text
    return element(tag, text, *mark, *detail, title=cell.hint or None, class_=classes or None, scope=scope)
