"""The tabletop, where MuJoCo is here; its tests are skipped elsewhere.

The variable HEEDFUL_SIM says that it must be here: then nothing is skipped.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from heedful.world.tabletop.simulation import TableSimulation


@pytest.fixture(scope="session")
def simulation() -> TableSimulation:
    if "HEEDFUL_SIM" not in os.environ:
        pytest.importorskip("mujoco", reason="needs the extra `tabletop`")
    model = pytest.importorskip("heedful.world.tabletop.model")
    module = pytest.importorskip("heedful.world.tabletop.simulation")
    found: TableSimulation = module.TableSimulation(model.TabletopModel())
    return found
