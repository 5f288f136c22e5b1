"""The simulated G1, where MuJoCo and the fetched files are here; its tests are skipped elsewhere.

The variable HEEDFUL_SIM says that it must be here: then nothing is skipped.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from heedful.state.geometry import Pose
from heedful.world.mujoco_g1.assets.store import INSTALL_COMMAND, G1Assets, find_assets, load_assets
from heedful.world.mujoco_g1.body import Posture

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.g1_body import G1Body


@pytest.fixture(scope="session")
def assets() -> G1Assets:
    if "HEEDFUL_SIM" in os.environ:
        return load_assets()
    pytest.importorskip("mujoco", reason="needs the extra `sim`")
    pytest.importorskip("onnxruntime", reason="needs the extra `sim`")
    found = find_assets()
    if found is None:
        pytest.skip(f"the G1's files are absent: {INSTALL_COMMAND}")
    return found


@pytest.fixture(scope="session")
def shared_body(assets: G1Assets) -> G1Body:
    module = pytest.importorskip("heedful.world.mujoco_g1.g1_body")
    body: G1Body = module.G1Body(assets)
    return body


@pytest.fixture
def body(shared_body: G1Body) -> G1Body:
    """The robot at the origin, standing, without a task."""
    shared_body.place(Pose(0.0, 0.0), Posture.STANDING)
    shared_body.advance(0.5)
    return shared_body
