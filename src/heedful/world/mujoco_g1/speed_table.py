"""What the gait reaches of what it is told: a measured table that ships with the package.

`speed_percent` commands that share of the declared maximum; the policy walks slower than commanded, so
both figures stand in every outcome. The table is written by `python -m heedful.world.mujoco_g1.measure`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Literal

import yaml

from heedful.errors import UnknownNameError

Direction = Literal["forward", "backward", "sideways", "turn"]


@dataclass(frozen=True, slots=True)
class SpeedRow:
    """One commanded speed and what was reached of it, both positive [m/s], or [rad/s] for turns."""

    commanded: float
    achieved: float


@dataclass(frozen=True, slots=True)
class SpeedTable:
    """The measured speeds of one gait, by direction, slowest first."""

    policy: str
    rows: Mapping[str, tuple[SpeedRow, ...]]

    def achieved(self, direction: Direction, commanded: float) -> float:
        """Return the speed to expect for a commanded one, between the measured rows and held at the last.

        Args:
            direction: Which way; turns are in rad/s.
            commanded: Commanded speed, not negative [m/s or rad/s].

        Raises:
            UnknownNameError: If the direction is not in the table.
        """
        if direction not in self.rows:
            raise UnknownNameError("Direction", direction, self.rows)
        rows = (SpeedRow(0.0, 0.0), *self.rows[direction])
        for low, high in pairwise(rows):
            if commanded <= high.commanded:
                share = (commanded - low.commanded) / (high.commanded - low.commanded)
                return low.achieved + share * (high.achieved - low.achieved)
        return rows[-1].achieved


@cache
def load_speed_table() -> SpeedTable:
    """Return the shipped table."""
    folder = resources.files("heedful.world.mujoco_g1")
    raw = yaml.safe_load(folder.joinpath("speed_table.yaml").read_text(encoding="utf-8"))
    rows = {
        direction: tuple(SpeedRow(float(commanded), float(achieved)) for commanded, achieved in pairs)
        for direction, pairs in raw["achieved"].items()
    }
    return SpeedTable(raw["policy"], rows)
