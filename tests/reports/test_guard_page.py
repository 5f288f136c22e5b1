"""The guard's section and a guarded turn in a real browser, at the width of a phone and of a desk."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("selenium", reason="needs selenium (dev dependencies)")

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

from heedful.reports.html import render_html
from tests.reports import test_page as browsing
from tests.reports.samples import SPEC
from tests.reports.test_guard_report import guarded, sessions

browser = browsing.browser
pytestmark = browsing.pytestmark


@pytest.fixture(scope="module")
def file(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("guarded") / "report.html"
    path.write_text(render_html(guarded(), sessions(), SPEC.document), encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [360, 1280])
def test_the_section_fits_every_width_and_its_drawings_have_names(browser, file, width):
    opened = browsing.opened(browser, file, "#guard", width=width)
    browsing.open_all(opened)
    assert opened.execute_script("return document.documentElement.scrollWidth") <= width
    drawings = opened.find_elements(By.CSS_SELECTOR, "#guard svg")
    assert len(drawings) == 5
    assert [d for d in drawings if not d.accessible_name] == []
    figures = opened.find_elements(By.CSS_SELECTOR, "#guard figure")
    assert [bool(f.find_elements(By.CSS_SELECTOR, "details table tbody tr")) for f in figures] == [
        True,
        True,
    ]


def test_on_a_phone_no_figure_stands_on_a_bar(browser, file):
    opened = browsing.opened(browser, file, "#guard", width=360)
    overlaps = opened.execute_script(
        "return [...document.querySelectorAll('#guard svg')].filter((svg) => {"
        " const words = [...svg.querySelectorAll('text.end')].map((t) => t.getBoundingClientRect());"
        " const bars = [...svg.querySelectorAll('.wanted, .ran')].map((b) => b.getBoundingClientRect());"
        " const meet = (w, b) => b.right > w.left && b.bottom > w.top && b.top < w.bottom;"
        " return words.some((w) => bars.some((b) => meet(w, b)));"
        "}).length"
    )
    assert overlaps == 0


def test_a_guarded_turn_tells_who_did_what_and_why(browser, file):
    trace, _ = sessions()[1]
    turn = next(
        t
        for t in trace.turns
        if any(e.decision and e.decision.kind == "deny" for e in t.events)
        and any(e.model_call < 0 for e in t.events)
    )
    opened = browsing.opened(browser, file, f"#session={trace.info.session}&turn={turn.index}")
    WebDriverWait(opened, 10).until(lambda b: f"Turn {turn.index}:" in browsing.turn_text(b))
    text = browsing.turn_text(opened)
    for event in turn.events:
        assert event.decision is None or event.decision.reason in text
    assert "The guard denied it: " in text
    assert "The guard did this by itself: " in text
    own = opened.find_elements(By.CSS_SELECTOR, "#turn .events > li.own")
    assert len(own) == sum(event.model_call < 0 for event in turn.events)
