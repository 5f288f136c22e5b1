"""Runs on a Ray cluster of two nodes: the same bytes as in one process, whatever is lost on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from heedful.batch import run_batch
from heedful.call_ledger import read_ledger
from heedful.run_config import Execution, RunConfig
from heedful.run_folder import RunFolder
from heedful.trace.reader import trace_bytes
from tests.models.provider_server import ProviderServer, Received, Step
from tests.ray_nodes import TwoNodes
from tests.runs import heedful, short_scenario, start, written

has_nodes = find_spec("ray") is not None and sys.platform == "linux"
ROOT = Path(__file__).parents[1]
GRID = ("--model", "reference/oracle", "reference/reckless", "--reps", "4", "--dispatch", "direct")
ANSWER = Step(
    body={
        "choices": [{"message": {"role": "assistant", "content": "Understood."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9},
    }
)


class TimedServer(ProviderServer):
    """Notes when each request came in."""

    def __init__(self, steps: list[Step]) -> None:
        super().__init__(steps)
        self.arrivals_s: list[float] = []

    def take(self, received: Received) -> Step:
        self.arrivals_s.append(time.monotonic())
        return super().take(received)


@pytest.fixture(scope="module")
def nodes() -> Iterator[TwoNodes]:
    if not has_nodes:
        pytest.skip("needs heedful[ray] on Linux")
    with TwoNodes() as cluster:
        yield cluster


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The grid, run in one process."""
    folder = tmp_path_factory.mktemp("whole")
    assert heedful(["run", *GRID, "--out", "run", "--workers", "1"], folder).returncode == 0
    return folder / "run"


def traces(run: Path) -> dict[str, bytes]:
    return {path.name: trace_bytes(path) for path in sorted((run / "sessions").iterdir())}


def everything(run: Path) -> dict[str, bytes]:
    return traces(run) | {name: (run / name).read_bytes() for name in ("summary.json", "report.html")}


def start_on(nodes: TwoNodes, out: Path) -> subprocess.Popen[str]:
    return start(["run", *GRID, "--out", str(out), "--workers", "ray"], out.parent, **nodes.environment)


def wait_for(process: subprocess.Popen[str], out: Path, size: float) -> None:
    while process.poll() is None and written(out) < size:
        pass


def finished(process: subprocess.Popen[str]) -> int:
    _, err = process.communicate(timeout=240)
    assert "mistake in heedful" not in err
    return process.returncode


@pytest.mark.slow
def test_two_nodes_give_the_bytes_of_one_process(nodes: TwoNodes, whole: Path, tmp_path: Path) -> None:
    assert finished(start_on(nodes, tmp_path / "run")) == 0
    assert everything(tmp_path / "run") == everything(whole)
    assert not list((tmp_path / "run").glob(".mark*"))


@pytest.mark.slow
def test_workers_killed_at_random_moments_lose_nothing(nodes: TwoNodes, whole: Path, tmp_path: Path) -> None:
    total = sum(map(len, traces(whole).values()))
    out = tmp_path / "run"
    process = start_on(nodes, out)
    for share in sorted(np.random.default_rng(4).uniform(0.05, 0.6, 3)):
        wait_for(process, out, share * total)
        while not (working := nodes.workers()):
            assert process.poll() is None
        os.kill(working[0], signal.SIGKILL)
    assert finished(process) == 0
    assert everything(out) == everything(whole)


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_done_and_resume_goes_on(nodes: TwoNodes, whole: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    process = start_on(nodes, out)
    wait_for(process, out, 300_000)
    os.kill(process.pid, signal.SIGINT)
    assert finished(process) == 3
    assert 0 < sum(map(len, traces(out).values())) < sum(map(len, traces(whole).values()))
    resumed = ["run", "--resume", "--out", str(out), "--workers", "ray"]
    assert heedful(resumed, tmp_path, **nodes.environment).returncode == 0
    assert everything(out) == everything(whole)


@pytest.mark.slow
def test_served_models_run_on_two_nodes_with_the_bytes_of_one_process(
    nodes: TwoNodes, tmp_path: Path
) -> None:
    with ProviderServer([ANSWER] * 80) as server:
        config = RunConfig(
            models=(f"openai-compatible/m@{server.url}/v1",),
            scenarios=(str(short_scenario(tmp_path)),),
            dispatch="direct",
        )
        here, there = RunFolder(tmp_path / "here"), RunFolder(tmp_path / "there")
        for run in (here, there):
            run.create(config)
        assert run_batch(here, Execution()).is_complete
        resumed = ["run", "--resume", "--out", str(there.path), "--workers", "ray"]
        assert heedful(resumed, tmp_path, **nodes.environment).returncode == 0
    assert traces(there.path) == traces(here.path)
    assert read_ledger(there.sessions).by_model() == read_ledger(here.sessions).by_model()


def ask_from_two_workers(nodes: TwoNodes, server: TimedServer, each: int) -> list[float]:
    """Let two workers ask at 600 requests a minute together; return the times between arrivals [s]."""
    command = [sys.executable, "-m", "tests.ray_askers", server.url, "600", str(each)]
    environment = {**os.environ, **nodes.environment}
    asked = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert asked.stdout.splitlines()[-1:] == ["2"], asked.stderr
    return [after - before for before, after in pairwise(server.arrivals_s)]


@pytest.mark.slow
def test_two_workers_together_keep_the_limit_of_a_provider(nodes: TwoNodes) -> None:
    with TimedServer([ANSWER] * 40) as server:
        gaps = ask_from_two_workers(nodes, server, 20)
    assert len(gaps) == 39
    arrivals = np.cumsum([0.0, *gaps])
    most = max(np.sum((arrivals >= begin) & (arrivals < begin + 1.0)) for begin in arrivals)
    assert most <= 13, "10 a second, one more at the window's edge, and one of each worker that was late"
    assert sum(gaps) > 0.75 * 39 * 0.1


@pytest.mark.slow
def test_a_429_to_one_worker_holds_back_the_other(nodes: TwoNodes) -> None:
    refusal = Step(429, {"error": {"message": "slow down"}}, {"retry-after": "2"})
    with TimedServer([ANSWER] * 9 + [refusal] + [ANSWER] * 11) as server:
        gaps = ask_from_two_workers(nodes, server, 10)
    assert len(gaps) == 20
    assert max(gaps[9:12]) > 1.7, "each worker may have had one more request on its way"


@pytest.mark.slow
def test_a_lost_node_loses_nothing(nodes: TwoNodes, whole: Path, tmp_path: Path) -> None:
    """The last test of this file: it takes a node away for good."""
    total = sum(map(len, traces(whole).values()))
    process = start_on(nodes, tmp_path / "run")
    wait_for(process, tmp_path / "run", 0.3 * total)
    nodes.lose_one()
    assert finished(process) == 0
    assert everything(tmp_path / "run") == everything(whole)


def test_without_ray_the_error_says_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "ray.py").write_text("raise ImportError('absent')")
    run = ["run", "--model", "reference/oracle", "--reps", "1", "--workers", "ray"]
    refused = heedful(run, tmp_path, PYTHONPATH=str(tmp_path))
    assert refused.returncode == 2
    assert "pip install 'heedful[ray]'" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    """Ray itself waits for a minute before it gives up; a made-up module stands in for it."""
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "__init__.py").write_text(
        "class exceptions:\n    class RayError(Exception): ...\n"
        "def is_initialized(): return False\n"
        "def init(**options): raise ConnectionError('nobody answers.')\n"
    )
    (tmp_path / "ray" / "util").mkdir()
    (tmp_path / "ray" / "util" / "__init__.py").write_text("")
    (tmp_path / "ray" / "util" / "scheduling_strategies.py").write_text("")
    run = ["run", "--model", "reference/oracle", "--reps", "1", "--workers", "ray"]
    refused = heedful(run, tmp_path, PYTHONPATH=str(tmp_path), RAY_ADDRESS="10.0.0.1:6379")
    assert refused.returncode == 2
    assert "10.0.0.1:6379 cannot be reached: nobody answers." in refused.stderr


@pytest.mark.parametrize("workers", ["cluster", "-1"])
def test_workers_are_a_number_or_ray(tmp_path: Path, workers: str) -> None:
    refused = heedful(["run", "--reps", "1", "--workers", workers], tmp_path)
    assert refused.returncode == 2
    assert "workers" in refused.stderr.lower()
