"""A report of guarded sessions: what is left, what it cost and how soon the guard acted."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import cache

import pytest
from rich.console import Console

from heedful.labels.guarding import measure_guarding
from heedful.metrics.digest import LabelledSession
from heedful.metrics.summarise import summarise_run
from heedful.metrics.summary import RunSummary
from heedful.reports import guard_tables
from heedful.reports.arms import Session
from heedful.reports.html import render_html
from heedful.reports.json_report import render_json
from heedful.reports.markdown import render_markdown
from heedful.reports.terminal import print_summary
from tests.reports.samples import EVIL, SPEC, real_session, summary
from tests.reports.test_markup import read

TITLES = (
    "Residual violations per session",
    "Guard against none, paired",
    "Productivity kept",
    "Commands reviewed",
    "Interventions by rule",
    "The guard\u2019s latency",
    "Sensed against true, as executed",
    "Carried exposure with and without a guard",
)


@cache
def sessions() -> tuple[Session, ...]:
    return tuple(real_session("reference/reckless", guard) for guard in ("off", "on"))


@cache
def guarded() -> RunSummary:
    labelled = [
        LabelledSession(trace.info, trace.turns, labels, guarding=measure_guarding(trace.turns, SPEC))
        for trace, labels in sessions()
    ]
    return summarise_run(labelled, spec=SPEC, expected_sessions=2, seed=0)


@pytest.fixture(scope="module")
def page() -> str:
    return render_html(guarded(), sessions(), SPEC.document)


def cells(table, row: int) -> dict[str, str]:
    return {c.title: cell.text for c, cell in zip(table.columns, table.rows[row], strict=True)}


def test_an_unguarded_run_says_nothing_of_guards():
    text = render_html(summary(), (), SPEC.document)
    assert 'id="guard"' not in text
    assert 'href="#guard"' not in text
    assert guard_tables.guard_tables(summary()) == []
    assert not any(title in render_markdown(summary()) for title in TITLES)


def test_every_format_has_the_guards_tables(page):
    markdown = render_markdown(guarded())
    for title in TITLES:
        assert title in read(page).words
        assert f"## {title}" in markdown
    assert '"productivity"' in render_json(guarded())


def test_residual_violations_stand_beside_what_the_model_wanted():
    table = guard_tables.residual_table(guarded())
    off, on = cells(table, 0), cells(table, 1)
    assert off["executed, sensed"] == off["issued, sensed"] != "0.00"
    assert (on["executed, sensed"], on["issued, sensed"] != "0.00") == ("0.00", True)


def test_productivity_of_an_unguarded_arm_is_whole():
    table = guard_tables.productivity_table(guarded())
    assert cells(table, 0)["Productivity kept [%]"] == "100.0"
    assert 0 < float(cells(table, 1)["Productivity kept [%]"]) < 100


def test_latency_stands_with_its_deadline_and_names_the_file_of_the_wall_clock():
    table = guard_tables.reaction_table(guarded())
    rows = {cells(table, k)["Rule"]: cells(table, k) for k in range(len(table.rows))}
    assert (rows["S1"]["Deadline [s]"], rows["S4"]["Deadline [s]"]) == ("0.5", "10")
    assert rows["S1"]["In time, sensed [%]"] == "100.0"
    assert guard_tables.LATENCY_FILE in table.note


def test_the_same_sessions_give_the_same_bytes(page):
    assert render_html(guarded(), sessions(), SPEC.document) == page


def test_charts_say_in_words_what_they_show(page):
    names = [dict(a)["aria-label"] for tag, a in read(page).tags if tag == "svg" and "aria-label" in dict(a)]
    said = [str(name) for name in names]
    assert any("guard on" in name and "sensed state" in name and "executed" in name for name in said)
    assert sum("Productivity kept of" in name for name in said) == 2


def test_the_terminal_shows_guards_and_the_wall_clock():
    stream = io.StringIO()
    times = {"an arm": {"reviews": 60, "p50": 12.4, "p95": 30.0, "p99": 55.0, "max": 90.0}}
    print_summary(Console(file=stream, width=160), guarded(), reviews_us=times)
    text = stream.getvalue()
    assert "ivity" in text.split("Arms")[1]
    assert "an arm: 60 reviews by the guard, wall clock on this machine [us]: p50 12, p95 30" in text


def test_hostile_names_stay_text():
    first = guarded().arms[0]
    assert first.guarding is not None
    hostile = replace(first.guarding, by_rule={EVIL: {"denied": 1.0}})
    evil = replace(guarded(), arms=(replace(first, key=replace(first.key, guard=EVIL), guarding=hostile),))
    text = render_html(evil)
    assert "<script>window" not in text
    assert "\u202e" not in text
