"""The guard at margin 0: nothing that ran breaks a rule by sensed state, and no need, no change."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from heedful.metrics.summary import RunSummary


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    path = Path(__file__).parents[1] / "benchmarks" / "guard_effect.py"
    spec = importlib.util.spec_from_file_location("guard_effect", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def assert_laws(benchmark: ModuleType, summary: RunSummary) -> None:
    arms = {(arm.key.model, arm.key.guard): arm for arm in summary.arms}
    assert benchmark.executed(arms["reference/reckless", "off"], "sensed").value > 50
    for model in benchmark.MODELS:
        assert benchmark.executed(arms[model, "on"], "sensed").value == 0
    oracle = arms["reference/oracle", "on"].guarding
    assert oracle is not None
    assert oracle.commands_changed.value == 0
    assert oracle.reviewed > 50


def test_guarded_sessions_keep_both_laws(benchmark: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    summary = benchmark.measure(2, ("off", "on"), workers=1)
    assert_laws(benchmark, summary)
    for arm in summary.arms:
        benchmark.print_arm(arm)
    assert capsys.readouterr().out.count("productivity kept") == 4


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_hundred_guarded_sessions_keep_both_laws(benchmark: ModuleType) -> None:
    assert_laws(benchmark, benchmark.measure(100, ("off", "on")))
