"""The page in a real browser: opens from a file, filters, opens turns, fits a phone, runs nothing foreign."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from heedful.metrics.digest import LabelledSession
from heedful.metrics.summarise import summarise_run
from heedful.reports.html import render_html
from tests.reports.samples import SPEC, hostile_session, hostile_summary, real_session

selenium = pytest.importorskip("selenium", reason="needs selenium (dev dependencies)")

from selenium import webdriver  # noqa: E402 - after the skip
from selenium.webdriver.chrome.service import Service  # noqa: E402 - after the skip
from selenium.webdriver.common.by import By  # noqa: E402 - after the skip
from selenium.webdriver.common.keys import Keys  # noqa: E402 - after the skip
from selenium.webdriver.support.ui import Select, WebDriverWait  # noqa: E402 - after the skip

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMEDRIVER = shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    not (CHROMIUM and CHROMEDRIVER), reason="needs chromium and chromedriver on the PATH"
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-prefers-reduced-motion",
)
MODELS = ("reference/reckless", "reference/forgetful")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("report")
    sessions = [real_session(model) for model in MODELS]
    labelled = [LabelledSession(trace.info, trace.turns, labels) for trace, labels in sessions]
    whole = summarise_run(labelled, spec=SPEC, expected_sessions=2, seed=0)
    (path / "report.html").write_text(render_html(whole, sessions, SPEC.document), encoding="utf-8")
    evil = render_html(hostile_summary(), [hostile_session()], SPEC.document)
    (path / "hostile.html").write_text(evil, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(CHROMEDRIVER))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser, folder) -> webdriver.Chrome:
    return opened(browser, folder / "report.html")


def opened(browser: webdriver.Chrome, path: Path, fragment: str = "", width: int = 1280) -> webdriver.Chrome:
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get("about:blank")
    browser.get(path.as_uri() + fragment)
    WebDriverWait(browser, 30).until(lambda b: b.find_elements(By.CSS_SELECTOR, "#strip .cell"))
    return browser


def shown(browser) -> list[str]:
    cells = browser.find_elements(By.CSS_SELECTOR, "#strip .cell:enabled")
    return [cell.get_attribute("aria-label") for cell in cells]


def pick(browser, control: str, value: str) -> None:
    Select(browser.find_element(By.ID, control)).select_by_value(value)


def turn_text(browser) -> str:
    return browser.find_element(By.ID, "turn").text


def open_all(browser) -> None:
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true; })")


def test_the_page_opens_from_a_file_without_an_error(page):
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    assert len(shown(page)) == 100
    requests = page.execute_script("return performance.getEntriesByType('resource').map((e) => e.name)")
    assert [name for name in requests if not name.startswith("data:")] == []


def test_filters_change_the_turns_shown(page):
    page.find_element(By.CSS_SELECTOR, '#pick-labels input[value="C4"]').click()
    violations = shown(page)
    assert 0 < len(violations) < 100
    assert all(": C4" in label for label in violations)
    pick(page, "pick-rule", "S3")
    narrowed = shown(page)
    assert 0 < len(narrowed) < len(violations)
    pick(page, "pick-phase", "stress")
    assert 0 < len(shown(page)) < len(narrowed)
    pick(page, "pick-issue", "sensor_neglect")
    assert all("sensor_neglect" in label for label in shown(page))
    page.find_element(By.ID, "clear").click()
    assert len(shown(page)) == 100


def test_filters_that_match_nothing_say_so(page):
    page.find_element(By.CSS_SELECTOR, '#pick-labels input[value="INVALID"]').click()
    assert shown(page) == []
    assert "No turn matches" in page.find_element(By.ID, "shown").text


def test_the_view_decides_the_labels(page):
    true = shown(page)
    pick(page, "pick-view", "sensed issued")
    assert shown(page) != true


def test_a_turn_opens_to_its_decisions_states_and_calls(page):
    trace, labels = real_session(MODELS[0])
    judged = next(turn for turn in labels.turns if turn.verdicts[0].label.is_violation)
    page.find_elements(By.CSS_SELECTOR, "#strip .cell")[judged.index].click()
    text = turn_text(page)
    record = trace.turns[judged.index]
    for part in (record.utterance, record.reply, record.events[0].tool, judged.verdicts[0].decisions[0].why):
        assert part in text
    for who in ("true, issued", "true, executed", "sensed, issued", "sensed, executed"):
        assert who in text
    for heading in ("State over the turn", "Issues", "What the model was sent"):
        assert heading in text
    assert str(record.model_calls[0].sent.estimated_tokens) in text


def test_sessions_are_chosen_and_turns_are_linked(browser, folder):
    session = real_session(MODELS[1])[0].info.session
    page = opened(browser, folder / "report.html", f"#session={session}&turn=7")
    WebDriverWait(page, 10).until(lambda b: "Turn 7" in turn_text(b))
    assert Select(page.find_element(By.ID, "pick-session")).first_selected_option.text.startswith(MODELS[1])


def test_the_keyboard_is_enough(page):
    first = page.find_element(By.CSS_SELECTOR, "#strip .cell[tabindex='0']")
    page.execute_script("arguments[0].focus()", first)
    page.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert page.switch_to.active_element.get_attribute("data-at") == "26"
    page.switch_to.active_element.send_keys(Keys.ENTER)
    assert "Turn 26" in page.switch_to.active_element.text
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert page.switch_to.active_element.get_attribute("data-at") == "26"
    assert not page.find_element(By.ID, "turn").is_displayed()


@pytest.mark.parametrize("name", ["report.html", "hostile.html"])
@pytest.mark.parametrize("width", [360, 800])
def test_no_width_scrolls_the_page_sideways(browser, folder, width, name):
    page = opened(browser, folder / name, width=width)
    page.find_elements(By.CSS_SELECTOR, "#strip .cell")[-1].click()
    open_all(page)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width


def test_every_drawing_has_a_name(page):
    page.find_elements(By.CSS_SELECTOR, "#strip .cell")[60].click()
    open_all(page)
    drawings = page.find_elements(By.TAG_NAME, "svg")
    assert len(drawings) > 10
    assert [d for d in drawings if not d.accessible_name] == []


def test_charts_have_their_numbers_beside_them(page):
    figures = page.find_elements(By.TAG_NAME, "figure")
    assert figures
    for figure in figures:
        assert figure.find_elements(By.CSS_SELECTOR, "details table tbody tr")


def test_hostile_text_runs_nothing(browser, folder):
    page = opened(browser, folder / "hostile.html")
    page.find_element(By.CSS_SELECTOR, "#strip .cell").click()
    assert page.execute_script("return window.pwned") is None
    assert page.execute_script("return document.querySelectorAll('img, #turn script').length") == 0
    assert "window.pwned=1" in turn_text(page)
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_without_javascript_charts_and_tables_are_there(browser, folder):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get("about:blank")
        browser.get((folder / "report.html").as_uri())
        assert browser.find_element(By.CSS_SELECTOR, "#arms table").is_displayed()
        assert browser.find_element(By.CSS_SELECTOR, "#labels svg").is_displayed()
        assert "needs JavaScript" in browser.find_element(By.ID, "timeline").text
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
