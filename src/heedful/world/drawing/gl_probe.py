"""Tell by the exit status whether one kind of OpenGL context works here: run as a process of its own.

A context that cannot be made may leave PyOpenGL unusable or crash, so it is never tried in the caller. This
file imports MuJoCo only. Usage: `python gl_probe.py egl|osmesa|glfw`.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import mujoco


def main() -> None:
    """Make a context and a renderer in it, and leave at once: OSMesa complains when the interpreter ends."""
    context = import_module(f"mujoco.{sys.argv[1]}").GLContext(16, 16)
    context.make_current()
    mujoco.MjrContext(mujoco.MjModel.from_xml_string("<mujoco/>"), mujoco.mjtFontScale.mjFONTSCALE_100)
    os._exit(0)


if __name__ == "__main__":
    main()
