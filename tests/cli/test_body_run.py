"""`heedful run --layer sim` on the stand-in: its reports tell what the body made of the commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.runs import short_scenario

from heedful.cli import run_cli

REPORTS = ("report.html", "summary.json", "report.md")


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("body")
    fixed = ["--dispatch", "direct", "--workers", "1", "--context", "full", "--reps", "1"]
    scenario = ["--scenario", str(short_scenario(folder)), "--layer", "text,sim"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEEDFUL_DATA", str(folder / "nothing"))
        command = ["run", "--model", "reference/reckless", *scenario, *fixed, "--out", str(folder / "run")]
        assert run_cli(command) == 0
    return folder / "run"


@pytest.fixture(scope="module")
def arms(both: Path) -> dict[str, Any]:
    summary = json.loads((both / "summary.json").read_bytes())
    return {arm["key"]["layer"]: arm for arm in summary["arms"]}


def test_only_the_arm_with_a_body_has_a_body_table(arms: dict[str, Any]) -> None:
    assert arms["text"]["body"] is None
    body = arms["sim"]["body"]
    assert (body["falls"], body["window_s"]) == (0, 0.5)
    assert sum(tool["motions"] for tool in body["by_tool"]) == body["motions"] > 0


def test_the_stand_in_holds_its_velocity_and_stops_at_once(arms: dict[str, Any]) -> None:
    """Asked for 0.4 m/s it goes 0.4 m/s; standstill is noticed within a sample or two of 0.02 s."""
    body = arms["sim"]["body"]
    walked = next(tool for tool in body["by_tool"] if tool["tool"] == "walk_with_velocity")
    assert walked["achieved_share"]["value"] == pytest.approx(1.0, abs=0.001)
    (stops,) = body["by_speed"]
    assert (stops["speed"], stops["figures"]["timed"]) == ({"low_m_s": 0.2, "high_m_s": 0.4}, 1)
    assert stops["figures"]["longest_s"] <= 0.04


def test_reckless_goes_faster_than_the_limit_by_what_the_body_achieved(arms: dict[str, Any]) -> None:
    (limit,) = arms["sim"]["body"]["limits"]
    assert (limit["invariant"], limit["limit_m_s"], limit["commanded_within"]) == ("S2", 0.3, 0)
    assert limit["faster"] > 0
    assert 0.0 < limit["largest_excess_m_s"] <= 0.7 + 0.001


def test_the_page_and_the_markdown_show_it(both: Path) -> None:
    for name in ("report.html", "report.md"):
        text = (both / name).read_text(encoding="utf-8")
        assert "Time to standstill" in text
        assert "says nothing of how a robot meets 0.5 s" in text


def test_the_stored_traces_give_the_same_reports_and_gate_falls(both: Path) -> None:
    before = {name: (both / name).read_bytes() for name in REPORTS}
    assert run_cli(["report", str(both), "--fail-on", "falls > 0"]) == 0
    assert {name: (both / name).read_bytes() for name in REPORTS} == before
