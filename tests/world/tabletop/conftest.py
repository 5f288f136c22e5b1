"""The tabletop, where MuJoCo is here; its tests are skipped elsewhere.

The variable HEEDFUL_SIM says that it must be here: then nothing is skipped.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from heedful.errors import InputError

if TYPE_CHECKING:
    from heedful.world.tabletop.renderer import TabletopRenderer
    from heedful.world.tabletop.simulation import TableSimulation


@pytest.fixture(scope="session")
def simulation() -> TableSimulation:
    if "HEEDFUL_SIM" not in os.environ:
        pytest.importorskip("mujoco", reason="needs the extra `tabletop`")
    model = import_module("heedful.world.tabletop.model")
    module = import_module("heedful.world.tabletop.simulation")
    found: TableSimulation = module.TableSimulation(model.TabletopModel())
    return found


@pytest.fixture(scope="session")
def renderer(simulation: TableSimulation) -> Iterator[TabletopRenderer]:
    """A renderer of the shared model that hides the arm."""
    module = import_module("heedful.world.tabletop.renderer")
    try:
        opened: TabletopRenderer = module.TabletopRenderer(simulation.table)
    except InputError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()
