"""Which body and stage this machine can give: the simulated G1, or its stand-in and what it lacks for more.

The one place that imports the simulation by name, since MuJoCo and the fetched files are optional.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from heedful.errors import InputError
from heedful.world.mujoco_g1.assets.store import INSTALL_COMMAND, find_assets
from heedful.world.mujoco_g1.body import Body
from heedful.world.mujoco_g1.kinematic_body import KinematicBody
from heedful.world.mujoco_g1.kinematic_stage import KinematicStage
from heedful.world.mujoco_g1.stage import Stage

PACKAGES = ("mujoco", "onnxruntime")


def missing_parts() -> tuple[str, ...]:
    """Return what is missing for the simulated G1, each with its remedy; nothing if it can run.

    Raises:
        InputError: If a fetched file is there and is not the pinned one.
    """
    missing = [f"{name}: pip install 'heedful[sim]'" for name in PACKAGES if find_spec(name) is None]
    if find_assets() is None:
        missing.append(f"the G1's model and policy: {INSTALL_COMMAND}")
    return tuple(missing)


def open_body() -> Body:
    """Return the simulated G1 where it can run, else the stand-in; its name says which.

    Raises:
        InputError: If a fetched file is there and is not the pinned one.
    """
    assets = find_assets()
    if assets is None or missing_parts():
        return KinematicBody()
    body: Body = import_module("heedful.world.mujoco_g1.g1_body").G1Body(assets)
    return body


def open_stage(people: int = 1) -> Stage:
    """Return the simulated G1 among people where it can run, else the stand-in; its facts say which.

    Args:
        people: How many people can be shown at once.

    Raises:
        InputError: If a fetched file is there and is not the pinned one, or `people` is negative.
    """
    if people < 0:
        raise InputError(f"A stage cannot be opened for {people} people; allowed: 0 and more.")
    assets = find_assets()
    if assets is None or missing_parts():
        return KinematicStage(people)
    stage: Stage = import_module("heedful.world.mujoco_g1.g1_stage").G1Stage(assets, people)
    return stage
