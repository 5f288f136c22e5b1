"""How keypoints misread the simulated person: `python -m heedful.world.mujoco_g1.sensors.pose_error FILE`.

People of every posture, facing and age are placed at known distances and bearings in view and looked at by
the real keypoint process, which HEEDFUL_POSE_PYTHON names. Writes the table that `geometry` errs by, which
is FILE, and prints Markdown; the same seed gives the same figures on the same machine.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import yaml

from heedful.state.series import Value
from heedful.world.mujoco_g1.assets.store import load_assets
from heedful.world.mujoco_g1.g1_stage import G1Stage
from heedful.world.mujoco_g1.people.person import FACINGS, LOADS, POSTURES, Appearance
from heedful.world.mujoco_g1.sensors.keypoint_eye import KeypointEye
from heedful.world.mujoco_g1.sensors.pose_reading import NOT_FOUND, PoseReading
from heedful.world.mujoco_g1.sensors.pose_table import FIELDS, PoseTable, Said, Who
from heedful.world.mujoco_g1.sensors.proximity_error import place_person

GAPS_M: Mapping[float, tuple[float, ...]] = {
    0.5: (0.2, 0.3, 0.4),
    1.0: (0.55, 0.7, 0.9),
    2.0: (1.1, 1.4, 1.8),
    4.0: (2.3, 2.9, 3.6),
    6.0: (4.3, 5.0, 5.7),
}
"""Distances that are looked at, by the upper end of their band [m]."""
BEARINGS_DEG = (-24.0, -9.0, 5.0, 17.0)
SETTLE_S = 1.0
SEED = 0


def everybody() -> Iterator[tuple[Who, tuple[Appearance, ...]]]:
    """Return whom the table tells apart, and the appearances that are each of them."""
    for posture, facing, child, handover in itertools.product(
        POSTURES, FACINGS, (False, True), (False, True)
    ):
        yield Who(posture, facing, child, handover), (Appearance(posture, facing, child, "none", handover),)
    for facing, child in itertools.product(FACINGS, (False, True)):
        loads = tuple(Appearance("standing", facing, child, load) for load in LOADS if load != "none")
        yield Who("standing", facing, child, loaded=True), loads


def measure_all(stage: G1Stage, eye: KeypointEye) -> PoseTable:
    """Return what the eye says of everybody, in every band."""
    rng = np.random.default_rng(SEED)
    rows = {
        who: tuple(tally(list(looks(stage, eye, shown, gaps, rng))) for gaps in GAPS_M.values())
        for who, shown in everybody()
    }
    return PoseTable(eye.name, tuple(GAPS_M), rows)


def looks(
    stage: G1Stage,
    eye: KeypointEye,
    shown: Sequence[Appearance],
    gaps_m: Sequence[float],
    rng: np.random.Generator,
) -> Iterator[PoseReading]:
    """Return what is said of people at these true gaps, at every bearing."""
    for who, gap, bearing in itertools.product(shown, gaps_m, BEARINGS_DEG):
        place_person(stage, who, gap, math.radians(bearing))
        yield eye.see(rng)


def tally(readings: Sequence[PoseReading]) -> Said:
    """Return how often each value was said."""
    found = [reading for reading in readings if reading != NOT_FOUND]
    counts = {field: Counter(getattr(reading, field) for reading in found) for field in FIELDS}
    return Said(len(readings), len(readings) - len(found), counts)


def to_yaml(table: PoseTable) -> str:
    """Return the table as the package ships it."""
    lines = [
        "# What keypoints said of the simulated person, by heedful.world.mujoco_g1.sensors.pose_error. For",
        "# each band of true distance: looks, those that found nobody, and how often each value was said of",
        "# who was found; null is unknown.",
        f"measured: {_flow(table.measured)}",
        f"bands_m: {_flow(list(table.bands_m))}",
        "rows:",
    ]
    for who, bands in table.rows.items():
        lines += [f"- who: {_flow(asdict(who))}", "  bands:", *(f"  - {_flow(_row(said))}" for said in bands)]
    return "\n".join([*lines, ""])


def render(table: PoseTable) -> str:
    """Return how often each value was said right, wrong, not told, and nobody found, as Markdown."""
    heads = [f"to {end:g} m" for end in table.bands_m]
    lines = [
        f"Share of looks [%] that said right / wrong / could not tell / found nobody: {table.measured}.",
        "",
        f"| truly | {' | '.join(heads)} |",
    ]
    lines.append("|---" * (len(heads) + 1) + "|")
    for field in FIELDS:
        for value in dict.fromkeys(getattr(who, field) for who in table.rows):
            cells = [_cell(table, band, field, value) for band in range(len(heads))]
            lines.append(f"| {field} {_word(value)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(table: PoseTable, band: int, field: str, true: Value) -> str:
    """Return shares of everybody of whom this is true: said right, wrong, not told, not found [%].

    A handover is asked only of who faces the robot: of others it is denied.
    """
    said = [
        bands[band]
        for who, bands in table.rows.items()
        if getattr(who, field) == true and (field != "handover" or who.facing == "robot")
    ]
    total, lost = sum(s.looks for s in said), sum(s.lost for s in said)
    right = sum(s.of[field].get(true, 0) for s in said)
    untold = sum(s.of[field].get(None, 0) for s in said)
    parts = (right, total - lost - right - untold, untold, lost)
    return " / ".join(f"{100 * part / total:.0f}" for part in parts)


def _row(said: Said) -> dict[str, object]:
    counts = {field: dict(said.of[field]) for field in FIELDS}
    return {"looks": said.looks, "lost": said.lost, **counts}


def _flow(value: object) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=math.inf)
    return text.removesuffix("...\n").strip()


def _word(value: Value) -> str:
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def main() -> None:
    """Measure, write and print."""
    stage = G1Stage(load_assets(), people=1)
    stage.body.advance(SETTLE_S)
    table = measure_all(stage, KeypointEye(stage))
    Path(sys.argv[1]).write_text(to_yaml(table), encoding="utf-8")
    print(render(table))


if __name__ == "__main__":
    main()
