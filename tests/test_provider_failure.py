"""A provider that dies half way costs nothing that was finished, and the run goes on when it answers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from heedful import results
from heedful.batch import run_batch
from heedful.call_ledger import read_ledger
from heedful.cli import run_cli
from heedful.models.ledger import Totals
from heedful.models.message import ModelReply, Usage
from heedful.models.served import ServedOptions, build_served_model
from heedful.run_config import Execution, RunConfig
from heedful.run_folder import RunFolder
from heedful.trace.reader import parse_trace, trace_bytes
from tests.models.provider_server import ProviderServer, Step
from tests.runs import short_scenario

SECRET = "sk-" + "very-secret-value"


def words(text: str) -> Step:
    message = {"role": "assistant", "content": text}
    return Step(
        body={"choices": [{"message": message, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}
    )


@pytest.fixture(autouse=True)
def one_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    def build(name: str, spec: Any) -> Any:
        del spec
        return build_served_model(name, options=ServedOptions(max_attempts=1, timeout_s=5))

    monkeypatch.setattr("heedful.batch.build_model", build)
    monkeypatch.setenv("OPENAI_COMPATIBLE_API_KEY", SECRET)


def begin(tmp_path: Path, url: str) -> RunFolder:
    run = RunFolder(tmp_path / "run")
    run.create(
        RunConfig(
            models=(f"openai-compatible/m@{url}",),
            contexts=("full",),
            scenarios=(str(short_scenario(tmp_path)),),
            repetitions=1,
            dispatch="direct",
        )
    )
    return run


def test_a_provider_that_dies_half_way_loses_no_finished_turn(tmp_path: Path) -> None:
    with ProviderServer([words("Understood.")] * 4 + [Step(status=500)] * 20) as server:
        run = begin(tmp_path, f"{server.url}/v1")
        outcome = run_batch(run, Execution())
    assert not outcome.is_complete
    assert "resume" in outcome.problems[0]
    trace = parse_trace(trace_bytes(next(run.begun_sessions())))
    assert [turn.ended for turn in trace.turns] == ["replied"] * 4 + ["invalid"] * 2
    assert not trace.is_complete


def test_infrastructure_failures_are_neither_safe_nor_violations(tmp_path: Path) -> None:
    with ProviderServer([words("Understood.")] * 4 + [Step(status=503)] * 20) as server:
        run = begin(tmp_path, f"{server.url}/v1")
        run_batch(run, Execution())
    arm = results.read_results(run).summary.arms[0]
    assert arm.coverage.value is not None
    assert arm.coverage.value < 1
    headline = arm.views[0]
    assert (
        headline.sps.worst is None or headline.sps.value is None or headline.sps.worst <= headline.sps.value
    )


def test_calls_of_a_turn_that_is_run_twice_stay_in_the_ledger(tmp_path: Path) -> None:
    with ProviderServer([words("Understood.")] * 40) as server:
        run = begin(tmp_path, f"{server.url}/v1")
        assert run_batch(run, Execution()).is_complete
        path = next(run.begun_sessions())
        lines = trace_bytes(path).splitlines(keepends=True)
        (path / "trace.jsonl.zst").unlink()
        (path / "trace.jsonl").write_bytes(b"".join(lines[:9]))
        assert run_batch(run, Execution()).is_complete
    totals = Totals(calls=12, attempts=12, input_tokens=12 * 9, cost_usd=None)
    assert list(read_ledger(run.sessions).by_model().values()) == [totals]


def test_no_key_reaches_any_file(tmp_path: Path) -> None:
    with ProviderServer([words("Understood.")] * 40) as server:
        run = begin(tmp_path, f"{server.url}/v1")
        assert run_batch(run, Execution()).is_complete
    results.write_reports(run, results.read_results(run))
    for path in run.path.rglob("*"):
        if path.is_file():
            assert SECRET.encode() not in path.read_bytes()
    assert all(SECRET.encode() not in trace_bytes(path) for path in run.begun_sessions())


def test_a_resumed_run_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    with ProviderServer([words("Understood.")] * 40) as server:
        run = begin(tmp_path, f"{server.url}/v1")
        assert run_batch(run, Execution()).is_complete
        whole = trace_bytes(next(run.begun_sessions()))
    path = next(run.begun_sessions())
    lines = whole.splitlines(keepends=True)
    (path / "trace.jsonl.zst").unlink()
    (path / "trace.jsonl").write_bytes(b"".join(lines[:5]) + lines[5][:40])
    with pytest.MonkeyPatch.context() as patch:
        calls: list[int] = []

        class Replayed:
            name = "replayed"

            async def respond(self, request: Any) -> Any:
                calls.append(request.hint.turn)
                return ModelReply("Understood.", usage=Usage(input_tokens=9))

            async def aclose(self) -> None:
                return None

        patch.setattr("heedful.batch.build_model", lambda name, spec: Replayed())
        assert run_batch(run, Execution()).is_complete
    assert calls == list(range(4, 10))
    assert trace_bytes(path) == whole


def test_a_run_whose_provider_is_gone_exits_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ProviderServer([words("Understood.")] * 2 + [Step(status=500)] * 20) as server:
        scenario = str(short_scenario(tmp_path))
        code = run_cli(
            ["run", "--model", f"openai-compatible/m@{server.url}/v1", "--context", "full", "--reps", "1",
             "--scenario", scenario, "--out", str(tmp_path / "out")]
        )  # fmt: skip
    assert code == 3
    assert "--resume" in capsys.readouterr().err
