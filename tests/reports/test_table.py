"""Tables: reasons are written once, and every renderer sees the same cells."""

from __future__ import annotations

from heedful.reports.table import (
    Cell,
    Footnotes,
    Table,
    number_columns,
    text_cell,
    text_columns,
    with_footnotes,
)


def test_each_reason_is_one_footnote():
    rows = (
        (text_cell("x"), Cell("1", reason="few"), Cell("2", reason="none known")),
        (text_cell("y"), Cell("3", reason="few"), Cell("4")),
    )
    table = with_footnotes(Table("T", (*text_columns("A"), *number_columns("B", "C")), rows))
    assert [[cell.mark for cell in row] for row in table.rows] == [["", "a", "b"], ["", "a", ""]]
    assert table.footnotes == ("a: few", "b: none known")
    assert table.rows[0][1].line == "1 (a)"


def test_letters_go_on_after_z():
    notes = Footnotes()
    assert [notes.mark(f"reason {k}") for k in range(28)][-3:] == ["z", "aa", "ab"]
    assert notes.mark("") == ""
