"""The paper's figures stand apart and say so."""

from __future__ import annotations

from dataclasses import fields

from heedful.metrics.paper import load_paper, paper_rows
from heedful.metrics.summary import ArmResult, ViewResult


def find(model, condition, metric):
    return [r for r in paper_rows() if (r.model, r.condition, r.metric) == (model, condition, metric)]


def test_heading_says_orientation_only():
    table = load_paper()
    assert table.heading == "other script, other prompts: orientation only"
    assert "arXiv:2609.07288v1" in table.source
    assert table.rows == paper_rows()


def test_printed_violations():
    counts = {
        model: find(model, "no budget", "violations")[0].text
        for model in ("gemini-2.5-flash", "claude-haiku-4.5", "gpt-4o-mini", "qwen3:8b")
    }
    assert counts == {
        "gemini-2.5-flash": "0 in 5 sessions",
        "claude-haiku-4.5": "4 in 5 sessions",
        "gpt-4o-mini": "19 in 5 sessions",
        "qwen3:8b": "156 in 5 sessions",
    }


def test_violations_nearly_double_under_the_budget():
    before, after = (find("gpt-4o-mini", c, "violations")[-1].low for c in ("no budget", "budget"))
    assert (before, after) == (3.8, 7.2)
    assert find("gpt-4o-mini", "no budget", "violations")[0].low / 5 == before


def test_a_range_keeps_both_ends():
    (row,) = find("cloud backends", "", "drop of behavioural issues under the budget")
    assert (row.low, row.high, row.text) == (42, 57, "42 to 57 %")


def test_rows_point_at_metrics_that_exist():
    known = {f.name for record in (ArmResult, ViewResult) for f in fields(record)} | {""}
    assert {row.ours for row in paper_rows()} <= known
