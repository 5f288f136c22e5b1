"""Several tabletops at once, each in a process of its own: Gymnasium's vector environment over ours."""

from __future__ import annotations

from functools import partial
from typing import Any

from gymnasium.vector import AsyncVectorEnv

from heedful.world.drawing.gl import choose_backend
from heedful.world.tabletop.env import TabletopEnv


def make_vector(count: int, **options: Any) -> AsyncVectorEnv:
    """Return so many environments that step together.

    Reset them with a list of seeds: each then gives the bytes that it gives alone.

    Args:
        count: How many.
        options: Arguments of `TabletopEnv`, the same for all.
    """
    choose_backend()
    return AsyncVectorEnv([partial(TabletopEnv, **options)] * count, context="spawn")
