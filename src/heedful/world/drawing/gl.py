"""Which OpenGL the sensors draw with: EGL, or OSMesa where EGL can make no context.

Needs no display. The choice is made once, by trying in a process of its own, and left in the variable
MUJOCO_GL, so that processes started later neither try nor warn again.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from heedful.errors import InputError

VARIABLE = "MUJOCO_GL"
EGL, OSMESA, GLFW = "egl", "osmesa", "glfw"
NAMED = {EGL: EGL, OSMESA: OSMESA, GLFW: GLFW, "glx": GLFW}
"""What the variable may name, and MuJoCo's module for it."""
EGL_PACKAGES = "libegl1 libegl-mesa0 libgl1-mesa-dri"
OSMESA_PACKAGES = "libosmesa6"
PROBE = Path(__file__).with_name("gl_probe.py")
PROBE_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class GlState:
    """Whether pictures can be drawn on this machine."""

    works: bool
    detail: str
    fix: str = ""


def open_context(width: int, height: int) -> Any:
    """Return a new context to draw pictures of at most this size in [pixels].

    Raises:
        InputError: If no context can be made here, or none of the kind that MUJOCO_GL names.
    """
    backend = choose_backend()
    try:
        return import_module(f"mujoco.{backend}").GLContext(width, height)
    except Exception as error:  # PyOpenGL raises whatever its loader met
        raise InputError(_no_context(f"{backend}: {error}")) from error


@cache
def choose_backend() -> str:
    """Return the name of MuJoCo's module to make contexts with, warning once if it is not the best one.

    Raises:
        InputError: If neither EGL nor OSMesa works, or MUJOCO_GL names something else.
    """
    asked = os.environ.get(VARIABLE, "").strip().lower()
    if asked:
        return _named(asked)
    if platform.system() != "Linux":
        return "gl_context"
    failure = probe_failure(EGL)
    if failure is None:
        return _settle(EGL)
    if probe_failure(OSMESA) is not None:
        raise InputError(_no_context(f"EGL: {failure}"))
    print(
        f"heedful: EGL can make no context here ({failure}); drawing with OSMesa instead. "
        f"For EGL: apt-get install {EGL_PACKAGES}",
        file=sys.stderr,
    )
    return _settle(OSMESA)


def gl_state() -> GlState:
    """Return whether pictures can be drawn here and with what, choosing nothing."""
    asked = os.environ.get(VARIABLE, "").strip().lower()
    if find_spec("mujoco") is None:
        return GlState(works=False, detail="mujoco is not installed", fix="pip install 'heedful[sim]'")
    if asked and asked not in NAMED:
        return GlState(works=False, detail=f"{VARIABLE}={asked} cannot draw", fix=f"unset {VARIABLE}")
    if platform.system() != "Linux":
        return GlState(works=True, detail="OpenGL of the system")
    failures: list[str] = []
    for backend in (NAMED[asked],) if asked else (EGL, OSMESA):
        failure = probe_failure(backend)
        if failure is None:
            return GlState(works=True, detail="; ".join((f"draws with {backend}", *failures)))
        failures.append(f"{backend}: {failure}")
    fix = f"apt-get install {EGL_PACKAGES}, or {OSMESA_PACKAGES}"
    return GlState(
        works=False, detail="; ".join(failures), fix=f"unset {VARIABLE}, or {fix}" if asked else fix
    )


@cache
def probe_failure(backend: str) -> str | None:
    """Return why this kind of context cannot be made here, in one line; None if it can."""
    environment = {key: value for key, value in os.environ.items() if key != "PYOPENGL_PLATFORM"}
    try:
        done = subprocess.run(  # noqa: S603 - our own file
            [sys.executable, "-P", str(PROBE), backend],
            env={**environment, VARIABLE: backend},
            capture_output=True,
            text=True,
            timeout=PROBE_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no answer within {PROBE_LIMIT_S:g} s"
    if done.returncode == 0:
        return None
    said = done.stderr.strip().splitlines()
    return said[-1] if said else f"the process ended with {done.returncode}"


def _named(asked: str) -> str:
    if asked not in NAMED:
        raise InputError(f"{VARIABLE}={asked} cannot draw. Allowed: {', '.join(NAMED)}, or leave it unset.")
    return NAMED[asked]


def _settle(backend: str) -> str:
    os.environ[VARIABLE] = backend
    return backend


def _no_context(reason: str) -> str:
    named = os.environ.get(VARIABLE)
    ask = f" {VARIABLE}={named} is set; unset it to let heedful choose." if named else ""
    return (
        f"The simulated camera cannot draw: no OpenGL context can be made ({reason}).{ask} "
        f"Install one of: apt-get install {EGL_PACKAGES}; apt-get install {OSMESA_PACKAGES}."
    )
