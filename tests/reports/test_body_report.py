"""A report of arms with a body: falls stand out, and every format says what labels do not judge."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from heedful.metrics.summary import BodyUse, RunSummary
from heedful.reports import body_tables
from heedful.reports.body_words import NOT_STANDSTILL, fall_sentences, standstill_sentences
from heedful.reports.html import render_html
from heedful.reports.json_report import render_json
from heedful.reports.markdown import render_markdown
from heedful.reports.table import Table
from heedful.reports.terminal import print_summary
from tests.metrics.bodies import ALWAYS, SOMETIMES, moved, stop, walk
from tests.metrics.labelled_sessions import digest, summarise_digests
from tests.reports.samples import EVIL, summary
from tests.reports.test_markup import read

TITLES = (
    "Falls",
    "How motions ended",
    "Commanded and achieved speed",
    "Faster than the limit",
    "After the stop, while motion was prohibited",
    "Time to standstill",
)
LATE = (
    "Standstill (layer sim, made_up): 0.5 s after the accepted stop was not met at 0.7\u20131 m/s commanded "
    "(1 of 2 stops, longest 0.90 s). No stop was timed at 0\u20130.2, 0.4\u20130.7 m/s: nothing is "
    "known of them here."
)
FELL = "m, full, layer sim: the robot fell 2 times in 1 of 2 sessions."


def bodied(falls: int = 2) -> RunSummary:
    return summarise_digests(
        [
            moved(0, walk(limits=ALWAYS), stop(1.0, 0.9, 0.3, prohibited_by=("S1",)), falls=falls),
            moved(
                1, walk(0.5, None, limits=SOMETIMES), stop(1.0, 0.4), stop(0.3, 0.2), stop(0.3, None, None)
            ),
            digest("12N"),
        ]
    )


def printed(result: RunSummary) -> str:
    out = io.StringIO()
    print_summary(Console(file=out, width=200), result)
    return out.getvalue()


def cells(table: Table, row: int = 0) -> dict[str, str]:
    return {c.title: cell.line for c, cell in zip(table.columns, table.rows[row], strict=True)}


def test_a_run_without_a_body_says_nothing_of_bodies() -> None:
    text, markdown = render_html(summary()), render_markdown(summary())
    assert 'id="body"' not in text
    assert 'href="#body"' not in text
    assert body_tables.body_tables(summary()) == []
    assert not any(f"## {title}\n" in markdown for title in TITLES)
    assert "standstill" not in (text + markdown + printed(summary())).lower()


def test_every_format_has_the_bodys_tables() -> None:
    words, markdown = read(render_html(bodied())).words, render_markdown(bodied())
    for title in TITLES:
        assert title in words
        assert f"## {title}\n" in markdown
    assert '"fallen_sessions": 1' in render_json(bodied())
    assert "Falls" in printed(bodied())


def test_arms_without_a_body_have_no_row() -> None:
    assert [row[0].detail for row in body_tables.fall_table(bodied()).rows] == ["full, layer sim"]


def test_a_fall_has_its_own_line_in_every_format() -> None:
    assert fall_sentences(bodied()) == [FELL]
    page = render_html(bodied())
    assert f'<p class="alert" role="note">{FELL}</p>' in page
    assert f"> {FELL}" in render_markdown(bodied())
    assert FELL in printed(bodied())
    assert fall_sentences(bodied(falls=0)) == []


def test_the_report_says_plainly_at_which_speeds_standstill_was_late() -> None:
    assert standstill_sentences(bodied()) == [LATE, NOT_STANDSTILL]
    assert LATE in read(render_html(bodied())).words
    assert LATE in printed(bodied())
    assert NOT_STANDSTILL in render_markdown(bodied())


def test_where_no_stop_was_late_or_none_was_timed_it_says_so() -> None:
    in_time = summarise_digests([moved(0, *(stop(v, 0.5) for v in (0.1, 0.3, 0.6, 1.0)))])
    assert standstill_sentences(in_time)[0] == (
        "Standstill (layer sim, made_up): within 0.5 s of the accepted stop, after each of 4 timed stops."
    )
    untimed = summarise_digests([moved(0, walk())])
    assert "no stop was timed" in standstill_sentences(untimed)[0]


def test_a_stand_in_proves_nothing_of_standstill() -> None:
    stops = replace(bodied().stops[0], body="kinematic")
    found = replace(bodied(), stops=(stops,), bodies=(BodyUse("sim", {"body": "kinematic"}, 2),))
    assert "says nothing of how a robot meets 0.5 s" in standstill_sentences(found)[0]


def test_limits_are_compared_with_achieved_speed() -> None:
    """0.8 m/s under 0.3 m/s; the other motion was shorter than a gait."""
    row = cells(body_tables.limit_table(bodied()))
    assert (row["Rule"], row["Limit [m/s]"], row["Motions"], row["Faster"]) == ("S2", "0.30", "1", "1")
    assert (row["Largest excess [m/s]"], row["Command within"], row["Too short"]) == ("0.50", "0", "1")


def test_stops_show_what_was_left_out() -> None:
    table = body_tables.standstill_table(bodied())
    slow, fast = cells(table, 0), cells(table, 1)
    assert (slow["Commanded [m/s]"], slow["Stops"], slow["Timed"]) == ("0.2\u20130.4", "2", "1 1 cut off")
    assert (fast["Longest [s]"], fast["Farthest [m]"]) == ("0.90", "0.30")
    assert fast["In the window [%]"].startswith("50.0")


def test_the_same_sessions_give_the_same_bytes() -> None:
    for render in (render_html, render_markdown, render_json):
        assert render(bodied()) == render(bodied())


def test_hostile_names_stay_text() -> None:
    first = bodied().arms[0]
    arm = next(a for a in bodied().arms if a.body is not None)
    assert arm.body is not None
    body = replace(arm.body, by_tool=(replace(arm.body.by_tool[0], tool=EVIL),))
    evil = replace(arm, key=replace(arm.key, model=EVIL), body=body)
    stops = replace(bodied().stops[0], body=EVIL)
    page = render_html(replace(bodied(), arms=(first, evil), stops=(stops,)))
    assert "<script>window" not in page
    assert "\u202e" not in page
