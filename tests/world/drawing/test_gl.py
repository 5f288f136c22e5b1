"""The choice of OpenGL: tried for real, in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from heedful.world.drawing.gl import EGL, OSMESA, probe_failure

pytest.importorskip("mujoco")

DRAW = """
from heedful.world.drawing.gl import open_context
import mujoco, os
first, second = open_context(32, 24), open_context(32, 24)
first.make_current()
made = mujoco.MjrContext(mujoco.MjModel.from_xml_string("<mujoco/>"), 100)
print(os.environ["MUJOCO_GL"], made.offWidth, flush=True)
os._exit(0)
"""
ASK = "from heedful.world.drawing.gl import open_context; open_context(32, 24)"


def run(script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key not in ("MUJOCO_GL", "PYOPENGL_PLATFORM")}
    return subprocess.run(
        [sys.executable, "-c", script],
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


@pytest.fixture(scope="module")
def osmesa() -> None:
    if probe_failure(OSMESA) is not None:
        pytest.skip("needs libosmesa6")


@pytest.fixture(scope="module")
def without_egl(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return variables under which EGL finds no driver."""
    nothing = tmp_path_factory.mktemp("vendors") / "none.json"
    variables = {"__EGL_VENDOR_LIBRARY_FILENAMES": str(nothing)}
    if run(ASK, MUJOCO_GL=EGL, **variables).returncode == 0:
        pytest.skip("EGL cannot be hidden here")
    return variables


def test_egl_is_chosen_where_it_works_and_nothing_is_said() -> None:
    if probe_failure(EGL) is not None:
        pytest.skip("needs EGL")
    done = run(DRAW)
    assert done.stdout.split()[0] == EGL, done.stderr
    assert done.stderr == ""


def test_without_egl_osmesa_draws_and_one_line_says_why(osmesa: None, without_egl: dict[str, str]) -> None:
    done = run(DRAW, **without_egl)
    assert done.stdout.split()[0] == OSMESA, done.stderr
    warnings = [line for line in done.stderr.splitlines() if line.startswith("heedful:")]
    assert len(warnings) == 1
    assert "EGL can make no context here" in warnings[0]
    assert "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri" in warnings[0]


def test_the_variable_is_honoured_without_trying_anything(osmesa: None) -> None:
    done = run(DRAW, MUJOCO_GL=OSMESA)
    assert done.stdout.split()[0] == OSMESA
    assert "heedful:" not in done.stderr


def test_a_named_kind_that_fails_is_not_replaced(without_egl: dict[str, str]) -> None:
    done = run(ASK, MUJOCO_GL=EGL, **without_egl)
    assert done.returncode == 1
    assert "heedful.errors.InputError: The simulated camera cannot draw" in done.stderr
    assert "MUJOCO_GL=egl is set; unset it to let heedful choose." in done.stderr


def test_where_nothing_works_both_remedies_are_named(without_egl: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "OpenGL").mkdir()
    (tmp_path / "OpenGL/__init__.py").write_text("raise ImportError('hidden')")
    done = run(ASK, PYTHONPATH=str(tmp_path), **without_egl)
    assert done.returncode == 1
    assert "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri; apt-get install libosmesa6" in done.stderr


def test_a_kind_that_cannot_draw_is_refused() -> None:
    done = run(ASK, MUJOCO_GL="off")
    assert "MUJOCO_GL=off cannot draw. Allowed: egl, osmesa, glfw, glx, or leave it unset." in done.stderr
