"""The command line: what users type, what they read, and the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.runs import heedful, short_scenario

from heedful.cli import run_cli


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run_cli(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def short_run(tmp_path: Path, *extra: str) -> list[str]:
    scenario = str(short_scenario(tmp_path))
    return [
        "run", "--scenario", scenario, "--reps", "1", "--dispatch", "direct", "--workers", "1",
        "--out", str(tmp_path / "run"), *extra,
    ]  # fmt: skip


def test_a_run_writes_every_report_and_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, *short_run(tmp_path, "--model", "reference/oracle", "reference/reckless"))
    assert code == 0
    assert "reckless" in out
    for name in ("report.html", "summary.json", "report.md", "junit.xml", "report.sarif", "run.json"):
        assert (tmp_path / "run" / name).stat().st_size > 0


def test_json_is_machine_readable_and_alone_on_standard_output(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert run_cli(short_run(tmp_path, "--model", "reference/oracle", "--json")) == 0
    summary = json.loads(capsysbinary.readouterr().out)
    assert [arm["key"]["context"] for arm in summary["arms"]] == ["full", "window"]


def test_a_failed_gate_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gated = short_run(tmp_path, "--model", "reference/reckless", "--fail-on", "violations > 0")
    assert call(capsys, *gated)[0] == 1


def test_a_gate_that_holds_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gated = short_run(tmp_path, "--model", "reference/oracle", "--fail-on", "ignored_stops > 0")
    assert call(capsys, *gated)[0] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "--model", "reference/oracel"], "oracle"),
        (["run", "--model", "opnai/gpt-4o-mini"], "openai"),
        (["run", "--context", "fulll"], "full"),
        (["run", "--scenario", "humanoid-10-v1"], "humanoid-100-v1"),
        (["run", "--spec", "iso10218-humanoids"], "iso10218-humanoid"),
        (["run", "--reps", "0"], "between 1 and"),
        (["run", "--fail-on", "violatons > 0"], "violations"),
        (["run", "--resume"], "--out"),
        (["run", "--push", "always"], "change"),
        (["report", "no-such-folder"], "holds no run"),
        (["spec", "prompt", "nope"], "not known"),
    ],
)
def test_bad_input_exits_2_with_what_is_allowed(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = call(capsys, *arguments)
    assert code == 2
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize("arguments", [["runn"], ["run", "--modle", "x"], ["run", "--reps", "two"], []])
def test_usage_errors_never_end_in_a_traceback(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = call(capsys, *arguments)
    assert code == (2 if arguments else 0)
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--model", "reference/oracel"],
        ["--model", "gpt-4"],
        ["--model", "openai/gpt-4o-mini"],
        ["--seed", "99999999999999999999"],
        ["--seed", "-1"],
        ["--temperature", "nan"],
        ["--temperature", "9"],
        ["--max-output-tokens", "-5"],
        ["--max-model-s", "nan"],
        ["--workers", "-3"],
        ["--concurrency", "0"],
        ["--variants", "-4"],
        ["--seed", "-1", "--variants", "1"],
    ],
)
def test_a_refused_run_leaves_no_folder_behind(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    code, out, err = call(capsys, "run", *arguments, "--out", str(tmp_path / "run"))
    assert code == 2
    assert "Traceback" not in out + err
    assert not (tmp_path / "run").exists()


def test_malformed_yaml_is_told_with_file_and_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("name: x\nturns: [\n  - {id: A\n", encoding="utf-8")
    code, _, err = call(capsys, "run", "--scenario", str(path), "--out", str(tmp_path / "run"))
    assert code == 2
    assert "broken.yaml" in err
    assert "line" in err


def test_a_spec_that_reads_an_unknown_signal_is_told_with_line_and_nearest_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = capsys_text("iso10218-humanoid").replace(
        '"human.distance < params.near_distance"', '"human.distence < 1.0"'
    )
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    code, _, err = call(capsys, "spec", "prompt", str(path))
    assert code == 2
    assert "human.distance" in err
    assert "line" in err


def capsys_text(name: str) -> str:
    from heedful.spec.load import spec_text  # noqa: PLC0415 - a test's own helper

    return spec_text(name)[0]


@pytest.mark.skipif(
    os.geteuid() == 0 and not Path("/proc").exists(), reason="root writes everywhere without /proc"
)
def test_an_unwritable_folder_is_told_and_nothing_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("a file, no folder", encoding="utf-8")
    code, _, err = call(capsys, "run", "--out", str(blocker / "run"))
    assert code == 2
    assert "cannot be written" in err
    code, _, err = call(capsys, "run", "--out", "/proc/heedful-run")
    assert code == 2
    assert "cannot be written" in err


def test_a_full_disk_ends_the_run_with_3_and_keeps_finished_turns(tmp_path: Path) -> None:
    script = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        "from heedful.cli import run_cli\n"
        "sys.exit(run_cli(sys.argv[1:]))\n"
    )
    command = [
        "run",
        "--model",
        "reference/oracle",
        "--context",
        "full",
        "--reps",
        "1",
        "--dispatch",
        "direct",
    ]
    arguments = [sys.executable, "-c", script, *command, "--workers", "1", "--out", str(tmp_path / "run")]
    done = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert "cannot be written" in done.stderr
    resumed = heedful(["run", "--resume", "--out", str(tmp_path / "run")], tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    whole = heedful(["run", "--model", "reference/oracle", "--context", "full", "--reps", "1",
                     "--dispatch", "direct", "--out", str(tmp_path / "whole")], tmp_path)  # fmt: skip
    assert whole.returncode == 0
    for name in ("report.html", "summary.json"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_relabelling_needs_no_run_and_leaves_the_report_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call(capsys, *short_run(tmp_path, "--model", "reference/oracle"))
    before = (tmp_path / "run" / "report.html").read_bytes()
    code, out, _ = call(capsys, "relabel", str(tmp_path / "run"), "--spec", "humanoid-context")
    assert code == 0
    assert (tmp_path / "run" / "relabel-humanoid-context-report.html").exists()
    assert (tmp_path / "run" / "report.html").read_bytes() == before
    assert "oracle" in out


@pytest.mark.parametrize("format", ["html", "json", "md", "junit", "sarif"])
def test_a_report_prints_in_every_format(
    format: str, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    run_cli(short_run(tmp_path, "--model", "reference/oracle"))
    capsysbinary.readouterr()
    assert run_cli(["report", str(tmp_path / "run"), "--format", format]) == 0
    assert len(capsysbinary.readouterr().out) > 500


@pytest.mark.parametrize(
    "arguments",
    [
        ["spec", "check", "iso10218-humanoid"],
        ["spec", "check", "humanoid-context", "--json"],
        ["spec", "prompt", "humanoid-context"],
        ["spec", "schema"],
        ["spec", "tests", "iso10218-humanoid"],
        ["scenario", "list"],
        ["scenario", "list", "--json"],
        ["scenario", "show", "humanoid-100-v1"],
        ["scenario", "check", "humanoid-100-v1"],
        ["doctor"],
        ["doctor", "--json"],
        ["--version"],
    ],
)
def test_every_other_command_works(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    assert out.strip()


def test_generated_scenarios_are_files_that_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(
        capsys, "scenario", "generate", "--count", "2", "--seed", "5", "--out", str(tmp_path / "s")
    )
    assert code == 0
    for line in out.split():
        code, _, err = call(capsys, "scenario", "check", line)
        assert code == 0, err


def test_variants_and_shuffled_orders_run_by_name(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    arguments = [
        "run",
        "--model",
        "reference/oracle",
        "--context",
        "full",
        "--reps",
        "1",
        "--dispatch",
        "direct",
    ]
    assert (
        run_cli([*arguments, "--variants", "2", "--order", "shuffled", "--workers", "1", "--out", out]) == 0
    )
    names = sorted(path.name for path in (tmp_path / "run" / "sessions").iterdir())
    assert names == [f"oracle--full--humanoid-100-v1+g{k}-shuffled--r0" for k in range(2)]
    assert run_cli([*arguments, "--order", "shuffled"]) == 2


def test_help_and_import_load_neither_protocol_nor_statistics() -> None:
    probe = "import sys, heedful, heedful.cli; print(sorted({m.split('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout
    for heavy in ("'mcp'", "'numpy'", "'pydantic'", "'httpx'", "'cel_expr_python'", "'torch'", "'pandas'"):
        assert heavy not in loaded
