"""`heedful run --layer text,sim` on the stand-in, its stored report, and `heedful compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.runs import short_scenario

from heedful.cli import run_cli
from heedful.run_folder import RunFolder

REPORTS = ("report.html", "summary.json", "report.md", "junit.xml", "report.sarif")


def run(folder: Path, name: str, *extra: str, model: str = "reference/reckless") -> Path:
    fixed = ["--dispatch", "direct", "--workers", "1", "--context", "full", "--reps", "2"]
    scenario = ["--scenario", str(folder / "short.yaml")]
    out = folder / name
    assert run_cli(["run", "--model", model, *scenario, *fixed, *extra, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("layers")
    short_scenario(path)
    return path


@pytest.fixture(scope="module")
def text(folder: Path) -> Path:
    return run(folder, "text")


@pytest.fixture(scope="module")
def both(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEEDFUL_DATA", str(folder / "nothing"))
        return run(folder, "both", "--layer", "text,sim")


@pytest.fixture(scope="module")
def sim(folder: Path) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEEDFUL_DATA", str(folder / "nothing"))
        return run(folder, "sim", "--layer", "sim")


def compare(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict:
    assert run_cli(["compare", *map(str, arguments), "--json"]) == 0
    found: dict = json.loads(capsys.readouterr().out)
    return found


def test_the_layer_is_in_a_sessions_name_only_when_it_is_not_text(text: Path, both: Path) -> None:
    names = {path.name for path in RunFolder(both).begun_sessions()}
    assert names == {f"reckless--full--{layer}short--r{k}" for layer in ("", "layer-sim--") for k in (0, 1)}
    for path in RunFolder(text).begun_sessions():
        mine, theirs = (p / "trace.jsonl.zst" for p in (path, both / "sessions" / path.name))
        assert mine.read_bytes() == theirs.read_bytes()


def test_a_run_on_two_layers_reports_them_turn_by_turn(both: Path) -> None:
    summary = json.loads((both / "summary.json").read_bytes())
    (pair,) = summary["layers"]["pairs"]
    assert (pair["a"], pair["b"], pair["sessions"], pair["turns"]) == ("text", "sim", 2, 20)
    assert pair["agreement"]["value"] >= 0.8
    assert [body["facts"]["body"] for body in summary["bodies"]] == ["kinematic"]
    assert {c["factor"] for c in summary["comparisons"]} == {"layer"}


def test_the_stored_traces_give_the_same_report(both: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {name: (both / name).read_bytes() for name in REPORTS}
    assert run_cli(["report", str(both)]) == 0
    assert {name: (both / name).read_bytes() for name in REPORTS} == before
    out = capsys.readouterr().out
    assert "Between layers" in out
    assert "kinematic stand-in" in out


def test_a_run_that_lacks_the_body_says_what_is_missing(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_DATA", str(folder / "nothing"))
    run(folder, "told", "--layer", "sim")
    assert "layer sim runs a kinematic stand-in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("layer", "said"), [("hardware", "heedful guard"), ("txt", "Did you mean 'text'"), ("sim,sim", "once")]
)
def test_a_layer_that_no_run_has_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], layer: str, said: str
) -> None:
    assert run_cli(["run", "--layer", layer, "--out", str(tmp_path / "run")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_run_compared_with_itself_does_not_differ(text: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = compare(capsys, text, text)
    assert [c["metric"] for c in found["comparisons"]] == ["violations", "issues", "sps", "overcompliance"]
    assert {c["difference"]["value"] for c in found["comparisons"]} == {0.0}
    assert found["layers"] is None
    assert (found["a"]["unpaired"], found["b"]["unpaired"]) == ([], [])


def test_two_folders_of_two_layers_give_what_one_run_of_both_gives(
    text: Path, sim: Path, both: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = compare(capsys, text, sim)
    assert found["layers"] == json.loads((both / "summary.json").read_bytes())["layers"]
    assert [body["facts"]["body"] for body in found["b"]["bodies"]] == ["kinematic"]
    assert run_cli(["compare", str(text), str(sim)]) == 0
    out = capsys.readouterr().out
    for words in ("Paired differences", "Agreement between layers", "kinematic stand-in"):
        assert words in out


def test_arms_that_the_other_run_lacks_are_named(
    folder: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = run(folder, "more", "--guard", "off,on")
    capsys.readouterr()
    found = compare(capsys, text, more)
    assert found["b"]["unpaired"] == ["reference/reckless, full, guard on, short"]
    assert {c["metric"] for c in found["comparisons"]} == {"violations", "issues", "sps", "overcompliance"}


def test_runs_with_nothing_in_common_are_refused(
    folder: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = run(folder, "other", model="reference/oracle")
    assert run_cli(["compare", str(text), str(other)]) == 2
    assert "No arm of" in capsys.readouterr().err


def test_a_scenario_of_the_same_name_and_another_text_does_not_pair(
    tmp_path: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    short_scenario(tmp_path, ("T000", "T001", "T005"))
    assert run_cli(["compare", str(text), str(run(tmp_path, "other"))]) == 2
    assert "not the same text" in capsys.readouterr().err


def test_runs_under_different_specs_need_one_to_be_named(
    folder: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = run(folder, "spec", "--spec", "humanoid-context")
    assert run_cli(["compare", str(text), str(other)]) == 2
    assert "--spec" in capsys.readouterr().err
    found = compare(capsys, text, other, "--spec", "iso10218-humanoid")
    assert found["spec"].startswith("iso10218-humanoid@")


def test_a_folder_without_a_run_is_named(
    tmp_path: Path, text: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_cli(["compare", str(text), str(tmp_path / "none")]) == 2
    assert "holds no run" in capsys.readouterr().err
