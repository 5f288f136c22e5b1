"""How keypoints misread people: a measured table that ships with the package, and an eye that errs by it.

The table counts, for each look and distance of the simulated person, what the keypoint process said. It is
written by `python -m heedful.world.mujoco_g1.sensors.pose_error`. The simulated person is not a person:
the figures say how this simulation behaves, not how keypoints do on people.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

from heedful.state.series import Series, Value
from heedful.world.mujoco_g1.sensors.pose_eye import Moment
from heedful.world.mujoco_g1.sensors.pose_reading import NOT_FOUND, PoseReading
from heedful.world.synthetic.noise import draw

FILE = "pose_table.yaml"
FIELDS = ("posture", "facing", "is_child", "handover")
"""What a reading says, in its order."""
DISTANCE = "human.distance"
SPELL_LOOKS = 20
"""So many looks in a row err alike, 4 s: in a session, two looks of the keypoint process agree on whether
anybody is found in 91 % half a second apart, 88 % 1 s, 78 % 2 s and 60 % 4 s apart; 53 % would by chance."""


@dataclass(frozen=True, slots=True)
class Who:
    """What is true of a person, as far as the table tells people apart."""

    posture: str = "standing"
    facing: str = "robot"
    is_child: bool = False
    handover: bool = False
    loaded: bool = False
    """Whether it carries something; measured of who stands and hands nothing over."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said of one kind of person in one band of distances."""

    looks: int
    lost: int
    """Looks that found nobody."""
    of: Mapping[str, Mapping[Value, int]]
    """For each of `FIELDS`, how often each value was said of who was found; None is unknown."""


@dataclass(frozen=True, slots=True)
class PoseTable:
    """All that was measured."""

    measured: str
    """With what."""
    bands_m: tuple[float, ...]
    """Upper ends of the bands of true distance, body to body [m]; nothing is found beyond the last."""
    rows: Mapping[Who, tuple[Said, ...]]
    """One entry for each band."""

    def said(self, who: Who, distance_m: float) -> Said | None:
        """Return what is said of such a person at this distance; None beyond the last band."""
        band = bisect_right(self.bands_m, distance_m)
        if band >= len(self.bands_m):
            return None
        empty_handed = Who(who.posture, who.facing, who.is_child, who.handover)
        return self.rows.get(who, self.rows[empty_handed])[band]


class MeasuredEye:
    """The truth, misread as often and for as long as the keypoint process misreads the simulated person."""

    rate_hz = 5.0

    def __init__(self, table: PoseTable) -> None:
        self._table = table

    @property
    def name(self) -> str:
        """What it is."""
        return f"geometry at {self.rate_hz:g} Hz with errors measured of {self._table.measured}"

    def look(self, moment: Moment, true: Mapping[str, Series]) -> PoseReading:
        """Return what is said of the nearest person; each signal errs on its own."""
        values = {name: series.at(moment.now_s) for name, series in true.items()}
        distance = values.get(DISTANCE)
        said = self._table.said(_who(values), distance) if isinstance(distance, float) else None
        if said is None or _drawn(moment, "human.found") * said.looks < said.lost:
            return NOT_FOUND
        told: dict[str, Any] = {
            field: _pick(said.of[field], _drawn(moment, f"human.{field}")) for field in FIELDS
        }
        return PoseReading(**told)


@cache
def load_pose_table() -> PoseTable:
    """Return the shipped table."""
    folder = resources.files("heedful.world.mujoco_g1.sensors")
    raw = yaml.safe_load(folder.joinpath(FILE).read_text(encoding="utf-8"))
    rows = {
        Who(**row["who"]): tuple(
            Said(band["looks"], band["lost"], {field: band[field] for field in FIELDS})
            for band in row["bands"]
        )
        for row in raw["rows"]
    }
    return PoseTable(raw["measured"], tuple(map(float, raw["bands_m"])), rows)


def _who(values: Mapping[str, Value]) -> Who:
    is_handing = bool(values.get("human.handover", False))
    posture = str(values.get("human.posture", "standing"))
    is_loaded = values.get("human.carrying", "none") != "none"
    return Who(
        posture,
        str(values.get("human.facing", "robot")),
        bool(values.get("human.is_child", False)),
        is_handing,
        is_loaded and posture == "standing" and not is_handing,
    )


def _drawn(moment: Moment, name: str) -> float:
    return draw(moment.seed, name, moment.turn, moment.number // SPELL_LOOKS)


def _pick(said: Mapping[Value, int], chance: float) -> Value:
    """Return a value as often as it was said, given a number in [0, 1)."""
    left = chance * sum(said.values())
    for value, count in said.items():
        left -= count
        if left < 0:
            return value
    return None
