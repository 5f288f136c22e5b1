"""The live page: its secret, what it shows, its buttons, in a real browser too."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from heedful.guards.proxy.access import Access
from heedful.guards.proxy.panel import Panel
from heedful.guards.proxy.rules import RuleFiles
from tests.guards.proxy.harness import Bench
from tests.guards.proxy.processes import GUARD, ROBOT, Running, free_port, running

AT = "http://127.0.0.1:8001"
SECRET = {"authorization": "Bearer s3cret"}
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
CHROMEDRIVER = shutil.which("chromedriver")
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


def ask(bench: Bench, method: str, path: str, headers: dict[str, str] | None = None) -> httpx.Response:
    async def run() -> httpx.Response:
        access = Access("127.0.0.1", token=None, clock=lambda: bench.now_s)
        panel = Panel(bench.proxy, bench.reloader(), access, "s3cret", lambda: bench.now_s)
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=panel), base_url=AT) as client:  # type: ignore[arg-type]
            return await client.request(method, path, headers=headers)

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "/state"), ("POST", "/stop"), ("POST", "/reset"), ("POST", "/reload")]
)
@pytest.mark.parametrize("headers", [{}, {"authorization": "Bearer wrong"}, {"authorization": "s3cre"}])
def test_nothing_is_told_or_done_without_the_secret(method: str, path: str, headers: dict[str, str]) -> None:
    bench = Bench().ready()
    assert ask(bench, method, path, headers).status_code == 401
    assert bench.gate.halted == ""


@pytest.mark.parametrize("headers", [{"origin": "http://evil.example"}, {"host": "evil.example"}])
def test_another_sites_page_can_do_nothing_even_with_the_secret(headers: dict[str, str]) -> None:
    bench = Bench().ready()
    assert ask(bench, "POST", "/stop", {**SECRET, **headers}).status_code in (403, 421)
    assert bench.gate.halted == ""


def test_the_page_loads_nothing_foreign() -> None:
    for path in ("/", "/page.js", "/page.css"):
        told = ask(Bench().ready(), "GET", path)
        assert told.status_code == 200
        assert "default-src 'none'" in told.headers["content-security-policy"]
        assert "//" not in told.text.replace("://127.0.0.1", "")


def test_the_state_names_signals_rules_and_decisions() -> None:
    bench = Bench().ready()
    bench.sense(human_distance_m=0.4)
    bench.now_s += 0.6
    bench.sense(human_distance_m=0.4)
    bench.call("wave_hand", hand="left")
    told = ask(bench, "GET", "/state", SECRET).json()
    assert {"name": "human.distance", "value": 0.4, "unit": "m"} in told["signals"]
    assert [rule["id"] for rule in told["rules"] if rule["is_enforced"]] == ["S2", "S3"]
    assert (told["decisions"][0]["kind"], told["decisions"][0]["what"]) == ("deny", "wave_hand")


def test_stop_forbids_motion_until_the_reset() -> None:
    bench = Bench().ready()
    assert ask(bench, "POST", "/stop", SECRET).json() == {"done": True}
    assert "operator stopped" in bench.gate.halted
    assert ask(bench, "POST", "/reset", SECRET).json() == {"done": True, "released": []}
    assert bench.gate.halted == ""


def test_the_spec_is_read_again_and_why_not_is_told(tmp_path: Path) -> None:
    bench = Bench().ready()
    assert ask(bench, "POST", "/reload", SECRET).json() == {"done": True, "why": ""}
    bench.files = RuleFiles(str(tmp_path / "gone.yaml"), "heedful-robot")
    told = ask(bench, "POST", "/reload", SECRET).json()
    assert told["done"] is False
    assert "gone.yaml" in told["why"]
    assert "gone.yaml" in ask(bench, "GET", "/state", SECRET).json()["distrusted"]


@pytest.fixture(scope="module")
def guard() -> Iterator[tuple[Running, str]]:
    with running((*GUARD, "--http", str(free_port()), "--ui", "--", *ROBOT)) as started:
        yield started, started.wait_for(r"live page at (\S+)")[1]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    if not (CHROMIUM and CHROMEDRIVER):
        pytest.skip("needs chromium and chromedriver on the PATH")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium (dev dependencies)")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(CHROMEDRIVER))
    yield driver
    driver.quit()


def test_in_a_browser_the_stop_button_stops_and_the_reset_releases(guard, browser) -> None:
    from selenium.webdriver.common.by import By  # noqa: PLC0415 - only where selenium is there
    from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415

    _, address = guard
    browser.get(address)
    wait = WebDriverWait(browser, 30)
    wait.until(lambda b: len(b.find_elements(By.CSS_SELECTOR, "#rules tr")) == 5)
    assert "iso10218-humanoid" in browser.find_element(By.ID, "about").text
    browser.find_element(By.ID, "stop").click()
    wait.until(lambda b: "operator stopped" in b.find_element(By.ID, "alarm").text)
    wait.until(lambda b: "operator" in b.find_element(By.ID, "decisions").text)
    browser.find_element(By.ID, "reset").click()
    wait.until(lambda b: "operator stopped" not in b.find_element(By.ID, "alarm").text)
    browser.find_element(By.ID, "reload").click()
    wait.until(lambda b: "reload" in b.find_element(By.ID, "decisions").text)
    severe = [
        e for e in browser.get_log("browser") if e["level"] == "SEVERE" and "favicon" not in e["message"]
    ]
    assert severe == []


def test_in_a_browser_the_page_without_its_secret_tells_nothing(guard, browser) -> None:
    from selenium.webdriver.common.by import By  # noqa: PLC0415
    from selenium.webdriver.support.ui import WebDriverWait  # noqa: PLC0415

    browser.get("about:blank")
    browser.get(guard[1].partition("#")[0])
    WebDriverWait(browser, 30).until(lambda b: "address" in b.find_element(By.ID, "alarm").text)
    assert browser.find_elements(By.CSS_SELECTOR, "#rules tr") == []


def test_the_page_listens_on_loopback_only(guard) -> None:
    port = int(guard[1].partition("#")[0].rstrip("/").rpartition(":")[2])
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as connection:
        assert connection.getpeername()[0] == "127.0.0.1"
    with open("/proc/net/tcp", encoding="ascii") as table:
        assert not any(f"00000000:{port:04X} " in line for line in table)
