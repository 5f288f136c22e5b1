"""Whole runs: the same bytes however they are carried out, and nothing lost however they are stopped."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

from heedful.batch import run_batch
from heedful.errors import InputError
from heedful.run_config import Execution, RunConfig
from heedful.run_folder import RunFolder
from heedful.trace.reader import read_trace, trace_bytes
from tests.runs import descendants, heedful, kill_after, short_scenario, start, written

MODELS = ("reference/oracle", "reference/reckless", "reference/forgetful")
AVX512 = ("AVX512F", "AVX512CD", *(f"AVX512_{name}" for name in ("SKX", "CLX", "CNL", "ICL", "SPR")))
RESULTS = ("report.html", "summary.json", "report.md", "junit.xml", "report.sarif")


def run_in_process(folder: Path, scenario: Path, workers: int = 1, **changes: object) -> RunFolder:
    run = RunFolder(folder)
    settings = {"models": MODELS, "scenarios": (str(scenario),), "repetitions": 1, "dispatch": "direct"}
    run.create(RunConfig(**{**settings, **changes}))  # type: ignore[arg-type]
    outcome = run_batch(run, Execution(workers=workers))
    assert outcome.is_complete
    return run


def all_bytes(run: Path) -> dict[str, bytes]:
    found = {path.name: trace_bytes(path) for path in sorted((run / "sessions").iterdir())}
    return found | {name: (run / name).read_bytes() for name in RESULTS if (run / name).exists()}


def arguments(scenario: Path, out: Path) -> list[str]:
    return [
        "run",
        "--model",
        *MODELS,
        "--scenario",
        str(scenario),
        "--reps",
        "1",
        "--dispatch",
        "direct",
        "--out",
        str(out),
    ]


def test_one_process_and_two_give_the_same_bytes(tmp_path: Path) -> None:
    scenario = short_scenario(tmp_path)
    one = run_in_process(tmp_path / "one", scenario, workers=1)
    two = run_in_process(tmp_path / "two", scenario, workers=2)
    assert all_bytes(one.path) == all_bytes(two.path)


def test_mcp_and_direct_dispatch_give_the_same_bytes(tmp_path: Path) -> None:
    scenario = short_scenario(tmp_path)
    direct = run_in_process(tmp_path / "direct", scenario)
    mcp = run_in_process(tmp_path / "mcp", scenario, dispatch="mcp")
    assert all_bytes(direct.path) == all_bytes(mcp.path)


def test_two_cpu_feature_levels_give_the_same_bytes(tmp_path: Path) -> None:
    scenario = short_scenario(tmp_path)
    low = {
        "NPY_DISABLE_CPU_FEATURES": f"{' '.join(AVX512)} AVX2 FMA3",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
        "PYTHONWARNINGS": "ignore",
        "PYTHONHASHSEED": "7",
    }
    usual = heedful(arguments(scenario, tmp_path / "usual"), tmp_path)
    lowered = heedful(arguments(scenario, tmp_path / "low"), tmp_path, **low)
    assert (usual.returncode, lowered.returncode) == (0, 0), lowered.stderr
    assert all_bytes(tmp_path / "usual") == all_bytes(tmp_path / "low")


def test_a_run_killed_at_twenty_random_moments_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    scenario = short_scenario(tmp_path)
    assert heedful(arguments(scenario, tmp_path / "whole"), tmp_path).returncode == 0
    expected = all_bytes(tmp_path / "whole")
    total = sum(len(trace_bytes(path)) for path in (tmp_path / "whole" / "sessions").iterdir())
    out = tmp_path / "killed"
    rng = np.random.default_rng(20)
    for attempt, share in enumerate(sorted(rng.uniform(0, 1, 20))):
        command = arguments(scenario, out) if attempt == 0 else ["run", "--resume", "--out", str(out)]
        before = {path.name: finished_turns(path) for path in sessions(out)}
        kill_after(start([*command, "--workers", "1"], tmp_path), out, int(share * total))
        if attempt == 0 and not (out / "run.json").exists():
            assert heedful([*arguments(scenario, out), "--workers", "1"], tmp_path).returncode == 0
        after = {path.name: finished_turns(path) for path in sessions(out)}
        assert all(after[name] >= turns for name, turns in before.items()), "a finished turn was lost"
    assert heedful(["run", "--resume", "--out", str(out)], tmp_path).returncode == 0
    assert all_bytes(out) == expected


def test_a_run_whose_parent_alone_is_killed_resumes_to_the_same_bytes(tmp_path: Path) -> None:
    grid = ["run", "--model", "reference/oracle", "--reps", "1", "--dispatch", "direct", "--workers", "2"]
    assert heedful([*grid, "--out", str(tmp_path / "whole")], tmp_path).returncode == 0
    out = tmp_path / "killed"
    process = start([*grid, "--out", str(out)], tmp_path)
    while process.poll() is None and written(out) < 60_000:
        pass
    os.kill(process.pid, signal.SIGKILL)
    resumed = heedful(["run", "--resume", "--out", str(out), "--workers", "2"], tmp_path)
    process.communicate(timeout=30)  # its workers, which hold the same pipes, are gone too
    assert resumed.returncode == 0, resumed.stderr
    assert all_bytes(out) == all_bytes(tmp_path / "whole")


def test_killed_workers_cost_nothing_but_time(tmp_path: Path) -> None:
    grid = ["run", "--model", "reference/oracle", "--reps", "3", "--dispatch", "direct", "--workers", "2"]
    assert heedful([*grid, "--out", str(tmp_path / "whole")], tmp_path).returncode == 0
    out = tmp_path / "killed"
    process = start([*grid, "--out", str(out)], tmp_path)
    for size in (60_000, 200_000):
        while process.poll() is None and written(out) < size:
            pass
        *_, worker = descendants(process.pid)
        os.kill(worker, signal.SIGKILL)
    _, told = process.communicate(timeout=240)
    assert process.returncode == 0, told
    assert all_bytes(out) == all_bytes(tmp_path / "whole")


def sessions(run: Path) -> list[Path]:
    return sorted((run / "sessions").iterdir()) if (run / "sessions").exists() else []


def finished_turns(session: Path) -> int:
    try:
        return trace_bytes(session).count(b'"kind":"turn"')
    except Exception:
        return 0


def test_ctrl_c_keeps_finished_turns_and_says_how_to_go_on(tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start(["run", "--reps", "3", "--out", str(out), "--workers", "2"], tmp_path)
    while process.poll() is None and written(out) < 200_000:
        pass
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    assert "--resume" in err
    assert "Traceback" not in err
    assert any(finished_turns(path) for path in sessions(out))


def test_a_folder_that_holds_a_run_is_not_overwritten(tmp_path: Path) -> None:
    run = run_in_process(tmp_path / "run", short_scenario(tmp_path))
    with pytest.raises(InputError, match="--resume"):
        run.create(RunConfig())


def test_resuming_a_finished_run_runs_nothing_again(tmp_path: Path) -> None:
    run = run_in_process(tmp_path / "run", short_scenario(tmp_path))
    before = {path: path.stat().st_mtime_ns for path in run.sessions.rglob("*") if path.is_file()}
    assert run_batch(run, Execution(workers=1)).is_complete
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_a_session_begun_with_other_settings_is_refused(tmp_path: Path) -> None:
    scenario = short_scenario(tmp_path)
    run = RunFolder(tmp_path / "run")
    run.create(
        RunConfig(models=("reference/oracle",), contexts=("full",), scenarios=(str(scenario),), repetitions=1)
    )
    folder = run.session(run.config().cells()[0].session)
    whole = run_in_process(
        tmp_path / "other", scenario, models=("reference/oracle",), contexts=("full",), max_calls=9
    )
    other = next(whole.begun_sessions())
    folder.mkdir(parents=True)
    (folder / "trace.jsonl").write_bytes(trace_bytes(other)[:-200].rsplit(b"\n", 1)[0] + b"\n")
    outcome = run_batch(run, Execution(workers=1))
    assert not outcome.is_complete
    assert "other settings" in outcome.problems[0]


def test_two_processes_cannot_run_one_folder_at_once(tmp_path: Path) -> None:
    run = run_in_process(tmp_path / "run", short_scenario(tmp_path))
    with run.locked(), pytest.raises(InputError, match="another process"), run.locked():
        pass


def test_arms_of_a_repetition_meet_the_same_world(tmp_path: Path) -> None:
    run = run_in_process(tmp_path / "run", short_scenario(tmp_path))
    traces = [read_trace(path) for path in run.begun_sessions()]
    assert len({trace.info.seed for trace in traces}) == 1
    for turns in zip(*(trace.turns for trace in traces), strict=True):
        assert len({repr(sorted(turn.true.items())) for turn in turns}) == 1
