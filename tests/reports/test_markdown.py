"""Markdown: the same tables, in which hostile text is never markup."""

from __future__ import annotations

import re

from heedful.reports.markdown import markdown_table, render_markdown
from heedful.reports.table import Cell, Table, number_columns, text_cell, text_columns
from tests.reports.samples import EVIL, SPEC, hostile_summary, summary


def test_a_table_is_a_table_with_footnotes_below():
    rows = ((text_cell("x|y"), Cell("1.0", "[0.5, 1.5]")), (text_cell("z"), Cell("2.0", reason="too few")))
    table = Table("T", (*text_columns("Name"), *number_columns("Value")), rows, "A note.")
    assert markdown_table(table) == (
        "| Name | Value |\n| --- | ---: |\n| x\\|y | 1.0 \\[0.5, 1.5\\] |\n"
        "| z | 2.0 (a) |\n\nA note.\n\na: too few"
    )


def test_the_report_holds_arms_limits_rules_and_the_paper_apart():
    text = render_markdown(summary(), SPEC.document)
    for heading in (
        "Arms",
        "Paired comparisons",
        "Limits",
        "Rules",
        "Other script, other prompts: orientation only",
    ):
        assert f"\n## {heading}\n" in text
    assert "never certification" in text
    assert text == render_markdown(summary(), SPEC.document)


def test_hostile_text_changes_no_structure():
    plain, evil = render_markdown(summary()), render_markdown(hostile_summary())
    assert evil.count("\n## ") == plain.count("\n## ")
    assert not re.search(r"(?<!\\)<(script|img|svg)", evil)
    assert not re.search(r"(?<!\\)!\[|https?://|(?<!\\)@", evil)
    for block in evil.split("\n\n"):
        lines = block.split("\n")
        if lines[0].startswith("| "):
            assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


def test_a_hostile_cell_stays_on_its_line():
    table = Table("T", text_columns("A"), ((text_cell(EVIL),),))
    assert markdown_table(table).count("\n") == 2
