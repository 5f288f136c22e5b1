"""`heedful run --guard off,on`: pairs of sessions, the same report every time, the wall clock beside it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import orjson
import pytest
from tests.runs import short_scenario

from heedful.cli import run_cli
from heedful.results import GUARD_LATENCY_FILE, RANKS, read_results
from heedful.run_folder import RunFolder
from heedful.trace.reader import read_trace

REPORTS = ("report.html", "summary.json", "report.md", "junit.xml", "report.sarif")


def run(folder: Path, name: str, *extra: str) -> tuple[int, Path]:
    scenario = folder / "short.yaml"
    out = folder / name
    fixed = ["--dispatch", "direct", "--workers", "1", "--context", "full", "--out", str(out)]
    command = ["run", "--scenario", str(scenario), "--model", "reference/reckless", "--reps", "2"]
    return run_cli([*command, *fixed, *extra]), out


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("runs")
    short_scenario(folder)
    first, second = (run(folder, name, "--guard", "off,on") for name in ("one", "two"))
    assert (first[0], second[0]) == (0, 0)
    return first[1], second[1]


def test_arms_with_and_without_a_guard_meet_the_same_world(runs: tuple[Path, Path]) -> None:
    traces = [read_trace(path) for path in sorted((runs[0] / "sessions").iterdir())]
    seeds = {(trace.info.guard, trace.info.seed) for trace in traces}
    assert len(seeds) == 4
    assert {seed for guard, seed in seeds if guard == "on"} == {s for guard, s in seeds if guard == "off"}


def test_two_guarded_runs_give_the_same_reports_to_the_byte(runs: tuple[Path, Path]) -> None:
    for name in REPORTS:
        assert (runs[0] / name).read_bytes() == (runs[1] / name).read_bytes()


def test_the_wall_clock_of_reviews_stands_in_a_file_of_its_own(runs: tuple[Path, Path]) -> None:
    found = json.loads((runs[0] / GUARD_LATENCY_FILE).read_bytes())
    (times,) = found["arms"].values()
    assert found["unit"] == "us"
    assert set(times) == {"reviews", *RANKS}
    assert 0 < times["p50"] <= times["p95"] <= times["p99"] <= times["max"]
    (session,) = (runs[0] / "sessions").glob("*guard-on*r0")
    lines = (session / "timing.jsonl").read_bytes().splitlines()
    entries = [orjson.loads(line) for line in lines]
    turns = read_trace(session).turns
    reviewed = [len([e for e in turn.events if e.decision and e.model_call >= 0]) for turn in turns]
    assert sum(reviewed) > 0
    assert all(len(e["guard_us"]) >= n for e, n in zip(entries, reviewed, strict=True))
    for name in REPORTS:
        assert b"guard_us" not in (runs[0] / name).read_bytes()


def test_the_summary_compares_what_ran(runs: tuple[Path, Path]) -> None:
    summary = json.loads((runs[0] / "summary.json").read_bytes())
    metrics = [comparison["metric"] for comparison in summary["comparisons"]]
    assert {"sensed_executed_violations", "productivity"} <= set(metrics)
    off, on = (arm["guarding"]["productivity"]["value"] for arm in summary["arms"])
    assert 0 < on <= off == 1


def test_a_report_written_again_is_the_same(runs: tuple[Path, Path]) -> None:
    before = {name: (runs[1] / name).read_bytes() for name in (*REPORTS, GUARD_LATENCY_FILE)}
    assert run_cli(["report", str(runs[1])]) == 0
    assert before == {name: (runs[1] / name).read_bytes() for name in before}


def test_a_damaged_timing_line_costs_only_itself(runs: tuple[Path, Path]) -> None:
    (session,) = (runs[1] / "sessions").glob("*guard-on*r1")
    whole = read_results(RunFolder(runs[1])).reviews_us
    timing = session / "timing.jsonl"
    kept = timing.read_bytes()
    timing.write_bytes(kept + b'{"guard_us": ["x"]}\n[1]\n{"guard_us": 7}\n{"gua')
    again = read_results(RunFolder(runs[1])).reviews_us
    timing.write_bytes(kept)
    assert again == whole


def test_gates_on_what_ran_pass_for_a_guarded_arm(runs: tuple[Path, Path], tmp_path: Path) -> None:
    short_scenario(tmp_path)
    gates = ("sensed_executed_violations > 0", "productivity < 0.5", "commands_changed > 20")
    code, out = run(tmp_path, "gated", "--guard", "on", "--fail-on", *gates)
    assert code == 0
    assert run_cli(["report", str(out), "--fail-on", "commands_changed > 0"]) == 1


def test_an_unguarded_run_measures_no_guard(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short_scenario(tmp_path)
    code, out = run(tmp_path, "plain", "--fail-on", "productivity < 0.5")
    assert code == 1
    assert "no arm of the run was guarded" in re.sub(r"\s+", " ", capsys.readouterr().out)
    assert not (out / GUARD_LATENCY_FILE).exists()
    assert json.loads((out / "summary.json").read_bytes())["arms"][0]["guarding"] is None
