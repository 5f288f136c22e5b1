"""`heedful guard` beside guarding: drafts, logs, traces, margins, maps."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path

import pytest
from mcp.client import Client
from tests.guards.proxy.processes import GUARD, ROBOT, guard_over_pipes, stdio, talk

from heedful.cli import run_cli
from heedful.guards.audit.check import read_log
from heedful.guards.audit.records import Decided
from heedful.guards.replay.replay import sessions_from_log
from heedful.guards.tool_map.load import shipped_tool_maps
from heedful.results import labelled_sessions
from heedful.run_folder import RunFolder
from heedful.spec.load import spec_text
from heedful.trace.reader import read_trace


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of a short session: one walk, one refused."""
    path = tmp_path_factory.mktemp("log") / "guard.jsonl"
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    asked = [{"id": 0, "method": "initialize", "params": hello}, {"method": "notifications/initialized"}]
    for k, x in enumerate((0.5, 50.0), start=1):
        walk = {"name": "walk_to", "arguments": {"x": x, "y": 0.0, "speed_percent": 30}}
        asked.append({"id": k, "method": "tools/call", "params": walk})
    command = [*GUARD, "--log", str(path), "--", *ROBOT]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    assert process.stdout is not None
    for body in asked:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **body}).encode() + b"\n")
        process.stdin.flush()
        if "id" in body:
            assert json.loads(process.stdout.readline())["id"] == body["id"]
    process.stdin.close()
    assert process.wait(timeout=30) == 0
    process.stdout.close()
    return path


def test_an_untouched_log_verifies(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["guard", "verify", str(log)]) == 0
    told = capsys.readouterr().out
    assert "none of them changed" in told
    assert "1 allow, 0 clamp, 1 deny" in told
    assert run_cli(["guard", "verify", str(log), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["is_intact"] is True


def test_a_changed_log_fails(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes(log.read_bytes().replace(b'"kind":"deny"', b'"kind":"allow"', 1))
    assert run_cli(["guard", "verify", str(changed)]) == 1
    assert "changed" in capsys.readouterr().out
    assert run_cli(["guard", "verify", str(log), "--anchor", "0" * 64]) == 1


def test_a_log_becomes_a_run_folder_once(log: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert run_cli(["guard", "trace", str(log), "--out", str(run), "--model", "openai/gpt-4o-mini"]) == 0
    (folder,) = RunFolder(run).begun_sessions()
    trace = read_trace(folder)
    assert [event.status for turn in trace.turns for event in turn.events] == ["ok", "denied"]
    assert (trace.is_complete, trace.info.model) == (True, "openai/gpt-4o-mini")
    assert run_cli(["guard", "trace", str(log), "--out", str(run)]) == 2


def test_a_part_that_is_not_there_is_told(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["guard", "trace", str(log), "--out", str(tmp_path / "run"), "--part", "2"]) == 2
    assert "parts 1 to 1, no part 2" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def near_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of a log: a person stands near, and a real client walks too fast, then slowly."""
    folder = tmp_path_factory.mktemp("near")
    path = folder / "guard.jsonl"

    async def drive() -> list[bool]:
        command = stdio((*GUARD, "--log", str(path), "--", *ROBOT, "--turn", "13"))
        async with Client(command, mode="legacy", read_timeout_seconds=60) as client:
            asked = [("get_proximity", {})]
            asked += [("walk_to", {"x": x, "y": 0.0, "speed_percent": v}) for x, v in ((0.6, 80), (0.9, 30))]
            return [(await client.call_tool(tool, args)).is_error for tool, args in asked]

    assert asyncio.run(drive()) == [False, False, False]
    assert run_cli(["guard", "verify", str(path)]) == 0
    assert run_cli(["guard", "trace", str(path), "--out", str(folder / "run")]) == 0
    return folder / "run"


def test_the_labels_of_a_log_say_that_a_walk_was_clamped(near_run: Path) -> None:
    run = RunFolder(near_run)
    ((_, trace, labels),) = labelled_sessions(run, run.spec())
    first, second = ({(v.view, v.mode): v for v in turn.verdicts} for turn in labels.turns)
    assert {both: v.label.value for both, v in first.items()} == {
        ("true", "issued"): "C4",
        ("true", "executed"): "C1",
        ("sensed", "issued"): "C4",
        ("sensed", "executed"): "C1",
    }
    issued = first["sensed", "issued"].decisions
    assert [d.invariant for d in issued if d.label.is_violation] == ["S2"]
    assert {v.label.value for v in second.values()} == {"C1"}
    decisions = [e.decision.kind for t in trace.turns for e in t.events if e.tool == "walk_to" and e.decision]
    assert decisions == ["clamp", "allow"]


def test_a_log_is_reported_like_any_run(near_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["report", str(near_run)]) == 0
    assert "Violations" in capsys.readouterr().out
    page = (near_run / "report.html").read_text(encoding="utf-8")
    assert "iso10218-humanoid" in page
    summary = json.loads((near_run / "summary.json").read_bytes())
    assert (summary["sessions"], summary["expected_sessions"]) == (1, 1)
    (arm,) = summary["arms"]
    counts = [{k: n for k, n in turn["counts"].items() if n} for turn in arm["by_turn"]]
    assert counts == [{"c4": 1}, {"c1": 1}]


def test_a_log_can_be_labelled_again_and_gated(near_run: Path) -> None:
    assert run_cli(["relabel", str(near_run), "--spec", "iso10218-humanoid", "--format", "json"]) == 0
    assert run_cli(["report", str(near_run), "--format", "json", "--fail-on", "violations > 0"]) == 1


def test_a_recorded_run_cannot_be_run_on(near_run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["run", "--resume", "--out", str(near_run)]) == 2
    assert "can be reported, not run" in capsys.readouterr().err


@pytest.fixture(scope="module")
def reloaded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log in which the spec was read again by SIGHUP: first another one, then a broken one."""
    folder = tmp_path_factory.mktemp("reload")
    path, spec = folder / "guard.jsonl", folder / "spec.yaml"
    written, _ = spec_text("iso10218-humanoid")
    spec.write_text(written, encoding="utf-8")
    process = guard_over_pipes("--log", str(path), "--spec", str(spec), stderr=subprocess.PIPE)
    assert process.stderr is not None
    walk = {"name": "walk_to", "arguments": {"x": 0.5, "y": 0.0, "speed_percent": 80}}
    denied = []
    try:
        for number, text in enumerate((written, written.replace("value: 1.0", "value: 3.0"), "no spec"), 1):
            if number > 1:
                spec.write_text(text, encoding="utf-8")
                process.send_signal(signal.SIGHUP)
                while b"read again" not in process.stderr.readline():
                    assert process.poll() is None
            told = talk(process, {"id": number, "method": "tools/call", "params": walk})["result"]
            denied.append("read again" in json.dumps(told))
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            assert stream is not None
            stream.close()
    assert denied == [False, False, True]
    return path


def test_a_reload_begins_a_new_part_and_one_that_fails_refuses_motion(
    reloaded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["guard", "verify", str(reloaded)]) == 0
    told = capsys.readouterr().out
    assert "in 2 part(s), none of them changed" in told
    assert "1 allow, 1 clamp, 1 deny" in told


def test_a_log_under_several_specs_asks_which_part(
    reloaded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["guard", "trace", str(reloaded), "--out"]
    assert run_cli([*command, str(tmp_path / "all")]) == 2
    told = capsys.readouterr().err
    assert "--part N" in told
    assert all(f"part {n}: iso10218-humanoid@1.0 (" in told for n in (1, 2))
    for part, kinds in ((1, ["allow"]), (2, ["clamp", "deny"])):
        run = RunFolder(tmp_path / str(part))
        assert run_cli([*command, str(run.path), "--part", str(part)]) == 0
        (folder,) = run.begun_sessions()
        events = [event for turn in read_trace(folder).turns for event in turn.events]
        assert [e.decision.kind for e in events if e.decision is not None] == kinds
        assert run_cli(["report", str(run.path), "--format", "json"]) == 0


def test_the_robots_server_stands_in_the_log(reloaded: Path) -> None:
    sessions = sessions_from_log(reloaded)
    assert [s.trace.info.robot for s in sessions] == ["heedful-robot", "heedful-robot"]
    hashes = {s.trace.info.tools_hash for s in sessions}
    assert len(hashes) == 1
    assert all(len(found) == 16 for found in hashes)


def test_a_draft_is_written_once_and_never_guards_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "map.yaml"
    for expected in (0, 2):
        command = [*GUARD, "init", "--out", str(out), "--", *ROBOT]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
        assert done.returncode == expected
    assert "walk_to:" in out.read_text(encoding="utf-8")
    assert run_cli(["guard", "--map", str(out), "--", *ROBOT]) == 2
    assert "open points" in capsys.readouterr().err


def test_a_probe_calls_what_was_named_once_and_nothing_else(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    command = [*GUARD, "init", "--probe", "get_battery", "--", *GUARD, "--log", str(log), "--", *ROBOT]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
    assert done.returncode == 0
    assert b"battery.level: {tool: get_battery, path: battery_percent" in done.stdout
    records = [entry.record for entry in read_log(log)]
    assert [r.raw_tool for r in records if isinstance(r, Decided)] == ["get_battery"]


@pytest.mark.parametrize(
    ("probe", "says"),
    [
        ("get_batery", "Did you mean 'get_battery'"),
        ("get_battery,sit_down", "reads like sit_down"),
        ("walk_to", "only tools that sense"),
    ],
)
def test_a_probe_that_cannot_be_meant_is_refused_before_anything_is_called(
    tmp_path: Path, probe: str, says: str
) -> None:
    log = tmp_path / "log.jsonl"
    command = [*GUARD, "init", "--probe", probe, "--", *GUARD, "--log", str(log), "--", *ROBOT]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False, timeout=60)
    assert done.returncode == 2
    assert says in done.stderr.decode()
    assert not [entry for entry in read_log(log) if isinstance(entry.record, Decided)]


def test_a_server_that_cannot_be_started_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["guard", "init", "--", "/no/such/robot"]) == 2
    assert run_cli(["guard", "init"]) == 2
    assert "one of them" in capsys.readouterr().err


def test_the_shipped_maps_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["guard", "maps"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(shipped_tool_maps())


def test_a_margin_is_found_and_said_as_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_cli(["guard", "margin", "--decisions", "2000"]) == 0
    assert "use it: --margin human.distance=" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--sepc", "x", "--", "true"], "Did you mean '--spec'"),
        (["--http", "99999", "--", "true"], "--http takes a port from 0 (any free one) to 65535, not 99999"),
        (["--ui", "-1", "--", "true"], "--ui takes a port"),
        (["--log", "/nonexistent/guard.jsonl", "--", "true"], "cannot be written: No such file or directory"),
        (["init", "--", "nosuch-robot"], "'nosuch-robot' cannot be asked: [Errno 2]"),
        (["init", "--", "true"], "'true' cannot be asked: Connection closed"),
        (["margin", "--rate", "2"], "below 1, not 2."),
    ],
)
def test_what_cannot_be_meant_is_one_message_and_code_2(
    given: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["guard", *given]) == 2
    message = capsys.readouterr().err
    assert told in message
    assert "Traceback" not in message


def test_a_standard_output_that_is_a_file_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        done = subprocess.run(
            [*GUARD, "--", *ROBOT],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.PIPE,
            check=False,
            timeout=60,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"heedful: Standard output is a file")


def test_what_is_no_log_has_no_last_hash(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    junk = tmp_path / "junk.jsonl"
    junk.write_text("garbage\n", encoding="utf-8")
    assert run_cli(["guard", "verify", str(junk)]) == 1
    told = capsys.readouterr().out
    assert "broken at line 1" in told
    assert "last hash" not in told
