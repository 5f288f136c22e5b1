"""Small runs to film: one on the text layer, and one on the simulated layer where it can run and be drawn."""

from __future__ import annotations

from pathlib import Path

import pytest

from heedful.cli import run_cli
from heedful.errors import InputError
from heedful.film.recording import Recording, open_recording
from heedful.run_folder import RunFolder
from heedful.world.mujoco_g1.fallback import missing_parts
from tests.runs import short_scenario

TURNS = ("T000", "T006", "T007", "T011", "T012", "T077")
OFF, ON = "reckless--full--{}short--r0", "reckless--full--guard-on--{}short--r0"


def make_run(folder: Path, layer: str) -> RunFolder:
    scenario, out = short_scenario(folder, TURNS), folder / "run"
    command = ["run", "--scenario", str(scenario), "--model", "reference/reckless", "--reps", "1"]
    fixed = ["--context", "full", "--dispatch", "direct", "--workers", "1", "--clips", "0"]
    assert run_cli([*command, *fixed, "--guard", "off,on", "--layer", layer, "--out", str(out)]) == 0
    return RunFolder(out)


@pytest.fixture(scope="session")
def text_run(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_run(tmp_path_factory.mktemp("text"), "text")


@pytest.fixture(scope="session")
def simulation() -> None:
    missing = missing_parts()
    if missing:
        pytest.skip(f"needs {missing[0]}")


@pytest.fixture(scope="session")
def drawing(simulation: None) -> None:
    pytest.importorskip("PIL", reason="needs the extra `film`")
    gl = pytest.importorskip("heedful.world.drawing.gl")
    try:
        gl.choose_backend()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def sim_run(simulation: None, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    return make_run(tmp_path_factory.mktemp("sim"), "sim")


@pytest.fixture(scope="session")
def text_session(text_run: RunFolder) -> Recording:
    return open_recording(text_run, OFF.format(""))


@pytest.fixture(scope="session")
def guarded_session(text_run: RunFolder) -> Recording:
    return open_recording(text_run, ON.format(""))


@pytest.fixture(scope="session")
def sim_session(sim_run: RunFolder) -> Recording:
    return open_recording(sim_run, OFF.format("layer-sim--"))


@pytest.fixture(scope="session")
def guarded_sim_session(sim_run: RunFolder) -> Recording:
    return open_recording(sim_run, ON.format("layer-sim--"))
