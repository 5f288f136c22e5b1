"""The page: the same bytes every time, nothing from outside, every chart named and with its numbers."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest

from heedful.metrics.estimate import Estimate
from heedful.metrics.summary import ArmKey, Counts
from heedful.reports.arm_tables import headline_table
from heedful.reports.behaviour_tables import token_table
from heedful.reports.figures import rate_cell
from heedful.reports.html import render_html
from heedful.reports.limits import limit_sentences
from tests.reports.samples import SPEC, arm, hostile_session, hostile_summary, real_session, summary, view
from tests.reports.test_markup import Reader, read


@pytest.fixture(scope="module")
def page() -> str:
    return render_html(summary(), [real_session()], SPEC.document)


@pytest.fixture(scope="module")
def hostile_page() -> str:
    return render_html(hostile_summary(), [hostile_session()], SPEC.document)


def attributes(reader: Reader, tag: str) -> list[dict[str, str | None]]:
    return [found for name, found in reader.tags if name == tag]


def test_same_input_same_bytes(page):
    assert render_html(summary(), [real_session()], SPEC.document) == page


def test_the_page_names_what_it_was_and_what_it_is_not(page):
    words = read(page).words
    for fact in ("iso10218-humanoid@1.0", "humanoid-100-v1", "judge-1", "never certification", "about 3/n"):
        assert fact in words


def test_the_papers_figures_stand_apart_under_their_warning(page):
    before, paper = page.split('<section id="paper"')
    assert "Other script, other prompts: orientation only" in paper
    assert "Other script, other prompts" not in before
    assert "gemini-2.5-flash" not in before


def test_our_values_stand_beside_the_papers_in_a_column_of_their_own(page):
    paper = page.split('<section id="paper"')[1].split("</section>")[0]
    assert "This run: arm: value" in paper
    assert "<small>openai/gpt-4o-mini, full: 3.50 per session</small>" in paper
    assert "<small>openai/gpt-4o-mini, window: 3.50 per session</small>" in paper


def test_true_and_sensed_violations_stand_side_by_side_with_one_word_on_why(page):
    arms = page.split('<section id="arms"')[1].split("</section>")[0]
    assert arms.index("Violations / session, true") < arms.index("Violations / session, sensed")
    assert arms.count("readings within their noise of a threshold") == 1


def test_survival_is_drawn_by_the_sensed_state_too():
    curves = arm().survival
    both = arm(survival=(*curves, *(replace(curve, view="sensed", events=2) for curve in curves)))
    text = render_html(summary(both))
    assert text.count("Kaplan-Meier estimate with its band; sensed state, as issued.") == 2
    assert text.count(" (primary)</h3>") == 1
    assert "With a violation, sensed" in text
    assert "2 of 12 violated" in text


def test_coverage_stands_without_an_interval_and_says_why():
    census = Estimate(
        name="coverage",
        value=0.98,
        low=None,
        high=None,
        n=1200,
        method="census",
        reason="a census of the turns",
    )
    table = headline_table(summary(arm(coverage=census)))
    assert table.rows[0][9] == rate_cell(census)
    assert (table.rows[0][9].text, table.rows[0][9].detail) == ("98.0", "")
    assert table.rows[0][9].reason == "a census of the turns"


def test_tokens_stand_per_call_and_per_turn():
    per_turn = {"calls": 2.5, "input_estimated": 3750.0, "input_reported": 3800.0, "output": 90.0}
    table = token_table(summary(arm(tokens_per_turn=per_turn)))
    assert [(c.title, cell.text) for c, cell in zip(table.columns, table.rows[0], strict=True)][1:] == [
        ("input estimated / call", "1\u2009500"),
        ("calls / turn", "2.50"),
        ("input estimated / turn", "3\u2009750"),
        ("input reported / turn", "3\u2009800"),
        ("output / turn", "90"),
    ]


def test_a_clean_arm_has_both_bounds_in_one_sentence():
    clean = view("true", "issued", Counts(c1=100))
    rate = Estimate(name="rate", value=0.0, low=0.0, high=0.842, n=2, method="clopper-pearson")
    whole = replace(rate, high=0.0362, n=100)
    views = (replace(clean, violation_rate=rate, violation_rate_if_independent=whole),)
    assert limit_sentences(summary(arm(views=views)))[-1] == (
        "openai/gpt-4o-mini, full: no violation in 100 scored turns, yet the true rate may be up to 84.2 % "
        "with sessions or scenarios as units (n = 2), and up to 3.6 % if turns were independent (n = 100); "
        "95 % limits."
    )


def test_anchors_stop_below_the_navigation(page):
    assert "[id] { scroll-margin-top:" in page


@pytest.mark.parametrize("which", ["page", "hostile_page"])
def test_nothing_comes_from_outside(which, request):
    reader = read(request.getfixturevalue(which))
    links = [a[name] for _, a in reader.tags for name in ("src", "href", "action", "data") if a.get(name)]
    assert links
    assert all(link.startswith(("#", "data:,")) for link in links), links
    assert not [a for _, a in reader.tags if any(name.startswith("on") or name == "style" for name in a)]


def test_hostile_text_adds_no_element(hostile_page):
    reader = read(hostile_page)
    assert not [tag for tag, _ in reader.tags if tag in ("img", "iframe", "object", "embed", "audio")]
    assert [a.get("type") for a in attributes(reader, "script")] == [
        "application/json",
        "application/gzip+base64",
        None,
    ]
    assert "pwned" in reader.words


def test_hostile_text_leaves_no_control_or_hidden_character(hostile_page):
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", hostile_page)
    hostile_page.encode("utf-8")


def test_only_the_pages_own_script_and_style_may_run(page):
    (policy,) = [
        a["content"]
        for a in attributes(read(page), "meta")
        if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy is not None
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    script = page.rsplit("<script>", 1)[1].split("</script>")[0]
    style = page.split("<style>", 1)[1].split("</style>")[0]
    for text in (script, style):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_every_chart_is_named_and_stands_above_its_numbers(page):
    figures = re.findall(r"<figure>.*?</figure>", page, re.DOTALL)
    assert len(figures) == 9
    for figure in figures:
        assert "<svg" in figure
        charts, numbers = figure.split("<details>", 1)
        assert "<table>" in numbers
        for svg in re.findall(r"<svg.*?</svg>", charts, re.DOTALL):
            assert 'role="img"' in svg
            assert re.search(r'aria-label="[^"]+"', svg)
            assert "<title>" in svg
            assert "<desc>" in svg


def test_an_incomplete_run_says_so(page):
    assert "Incomplete run" not in page
    assert "Incomplete run: 20 of 24 sessions" in render_html(summary(sessions=20))


def test_a_timeline_of_fewer_sessions_says_so(page):
    assert "The timeline holds 1 of 24 sessions" in page
    assert "The timeline holds" not in render_html(summary(sessions=1), [real_session()])


def test_a_run_without_arms_is_a_page_with_reasons():
    page = render_html(replace(summary(), sessions=0, comparisons=(), claims_table={}, arms=()))
    assert "0 models in 0 arms, 0 sessions" in page
    assert "no session was summarised." in page
    assert "<svg" not in page.split("<main", 1)[1].split("<script", 1)[0]


def test_arms_of_several_scenarios_are_told_apart():
    names = ("first-v1", "second-v1")
    arms = [replace(arm(), key=ArmKey("m", "full", scenario=name)) for name in names]
    page = render_html(summary(*arms, scenarios=names))
    assert "full, first-v1" in page
    assert "full, second-v1" in page


def test_the_index_of_sessions_is_plain_json(hostile_page):
    text = hostile_page.split('id="sessions">', 1)[1].split("</script>", 1)[0]
    (session,) = json.loads(text)
    assert "<script>window.pwned=1</script>" in session["session"]
    assert "<" not in text
    assert session["complete"] is False


def test_importing_the_report_stays_cheap():
    """No numpy, no rich, no MCP: the report's import is what `heedful report` waits for."""
    code = (
        "import heedful.reports.html, sys; "
        "print([m for m in ('numpy', 'rich', 'mcp', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
