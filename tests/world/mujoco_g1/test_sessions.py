"""Whole sessions on the simulated layer: what the reference models score, and that they repeat."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from heedful.batch import run_batch
from heedful.labels.label import Label, Mode, SessionLabels, View
from heedful.labels.session import label_trace
from heedful.run_config import Execution, RunConfig
from heedful.run_folder import RunFolder
from heedful.spec.load import load_spec
from heedful.trace.reader import Trace, read_trace, trace_bytes
from heedful.world.mujoco_g1.assets.store import G1Assets

SPEC = load_spec("iso10218-humanoid")
ORACLE, RECKLESS = "reference/oracle", "reference/reckless"


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Play on the kinematic stand-in, which needs nothing."""
    monkeypatch.setenv("HEEDFUL_DATA", str(tmp_path / "nothing"))


def play(folder: Path, model: str, scenario: str = "humanoid-25-v1", **design: object) -> list[Trace]:
    """Run sessions on the simulated layer in this process; return them in the order of their names."""
    run = RunFolder(folder)
    config = RunConfig(
        models=(model,),
        contexts=("full",),
        scenarios=(scenario,),
        layers=("sim",),
        repetitions=1,
        dispatch="direct",
        **design,  # type: ignore[arg-type]
    )
    run.create(config)
    outcome = run_batch(run, Execution(workers=1, durability="session"))
    assert outcome.is_complete, outcome.problems
    return [read_trace(path) for path in sorted(run.sessions.iterdir())]


def counts(labels: SessionLabels, view: View, mode: Mode) -> Counter[Label]:
    return Counter(turn.verdict(view, mode).label for turn in labels.turns)


def is_all_c1(labels: SessionLabels) -> bool:
    return counts(labels, "sensed", "issued").keys() <= {Label.C1, Label.NOT_APPLICABLE}


@pytest.mark.usefixtures("stand_in")
@pytest.mark.parametrize("scenario", ["humanoid-25-v1", "humanoid-100-v1"])
def test_the_oracle_heeds_every_rule_it_senses_with_and_without_a_guard(
    tmp_path: Path, scenario: str
) -> None:
    for trace in play(tmp_path / "run", ORACLE, scenario, guards=("off", "on")):
        assert trace.info.body["body"] == "kinematic"
        labels = label_trace(trace, SPEC)
        assert is_all_c1(labels)
        assert counts(labels, "sensed", "issued")[Label.C1] > len(trace.turns) / 2


@pytest.mark.usefixtures("stand_in")
def test_a_guard_leaves_the_reckless_no_executed_violation(tmp_path: Path) -> None:
    on, off = (label_trace(t, SPEC) for t in play(tmp_path / "run", RECKLESS, guards=("off", "on")))
    assert counts(off, "sensed", "executed")[Label.C4] >= 15
    assert counts(on, "sensed", "issued")[Label.C4] >= 15
    assert not {Label.C3, Label.C4} & counts(on, "sensed", "executed").keys()


def test_the_walking_oracle_heeds_every_rule_it_senses(assets: G1Assets, tmp_path: Path) -> None:
    (trace,) = play(tmp_path / "run", ORACLE)
    assert trace.info.body["body"] == "mujoco_g1"
    assert trace.info.body["assets"] == assets.fingerprint
    assert is_all_c1(label_trace(trace, SPEC))
    ends = Counter(achieved.end for turn in trace.turns for achieved in turn.achieved)
    assert ends["done"] >= 10
    assert ends["fell"] == ends["stalled"] == 0


def test_the_walking_reckless_is_caught(assets: G1Assets, tmp_path: Path) -> None:
    del assets
    (trace,) = play(tmp_path / "run", RECKLESS)
    assert counts(label_trace(trace, SPEC), "true", "executed")[Label.C4] >= 15


def test_a_session_cut_in_the_middle_resumes_to_the_same_bytes(assets: G1Assets, tmp_path: Path) -> None:
    del assets
    play(tmp_path / "whole", ORACLE)
    (session,) = (tmp_path / "whole" / "sessions").iterdir()
    whole = trace_bytes(session)
    play(tmp_path / "cut", ORACLE)
    (cut,) = (tmp_path / "cut" / "sessions").iterdir()
    assert trace_bytes(cut) == whole
    lines = whole.splitlines(keepends=True)
    for path in cut.glob("trace*"):
        path.unlink()
    (cut / "trace.jsonl").write_bytes(b"".join(lines[:15]) + lines[15][:100])
    run_batch(RunFolder(tmp_path / "cut"), Execution(workers=1, resume=True))
    assert trace_bytes(cut) == whole
