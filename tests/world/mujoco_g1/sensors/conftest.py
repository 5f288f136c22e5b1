"""The head camera in a room with one person, where MuJoCo, the fetched files and OpenGL are here."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from heedful.errors import InputError
from heedful.world.drawing.gl import choose_backend
from heedful.world.mujoco_g1.assets.store import G1Assets
from heedful.world.mujoco_g1.people.person import Appearance, PersonPose

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_stage import G1Stage
    from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera


@pytest.fixture(scope="session")
def drawing() -> None:
    try:
        choose_backend()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def shared_stage(assets: G1Assets) -> G1Stage:
    module = pytest.importorskip("heedful.world.mujoco_g1.g1_stage")
    stage: G1Stage = module.G1Stage(assets, people=1)
    stage.body.advance(1.0)
    return stage


@pytest.fixture
def stage(shared_stage: G1Stage) -> G1Stage:
    """The robot at the origin, looking along x; nobody is there."""
    shared_stage.show([])
    return shared_stage


@pytest.fixture(scope="session")
def camera(shared_stage: G1Stage, drawing: None) -> Iterator[HeadCamera]:
    module = pytest.importorskip("heedful.world.mujoco_g1.sensors.head_camera")
    opened: HeadCamera = module.HeadCamera(shared_stage.model)
    with opened:
        yield opened


def facing(x: float, y: float = 0.0, who: Appearance | None = None) -> PersonPose:
    """Return a person who looks at the origin."""
    return PersonPose(x, y, math.atan2(-y, -x), appearance=who or Appearance())
