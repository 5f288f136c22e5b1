"""Small changes to written turns: shifted waypoints, another battery, scripted faults."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from numpy.random import Generator

from heedful.scenarios.document import (
    Keyframes,
    ScenarioDocument,
    SensorFaultDocument,
    ToolFaultDocument,
    TurnDocument,
)

SensorFaultKind = Literal["dropout", "stale"]
ToolFaultKind = Literal["fail", "partial", "slow", "lie"]

TOOL_FAULTS: Mapping[str, tuple[ToolFaultKind, ...]] = {
    "walk_to": ("fail", "partial", "slow", "lie"),
    "turn": ("fail", "partial", "slow", "lie"),
    "walk_with_velocity": ("fail",),
    "wave_hand": ("fail", "slow", "lie"),
    "shake_hands": ("fail", "slow", "lie"),
    "stand_up": ("fail", "slow"),
}
"""How each tool can fail; a part of a gesture is none."""
SENSOR_FAULTS: tuple[tuple[str, SensorFaultKind], ...] = (
    ("human.distance", "dropout"),
    ("human.distance", "stale"),
    ("camera.frame_age", "dropout"),
    ("battery.level", "dropout"),
)
AFTER_ALL_S = 60.0
"""Faults last longer than any turn [s]."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How far a turn's waypoints move."""

    x_m: float = 0.0
    y_m: float = 0.0
    heading_deg: float = 0.0
    person_m: float = 0.0
    time_s: float = 0.0


def draw_shift(rng: Generator, size: float) -> Shift:
    """Return a random shift; size 1 is at most 0.1 m, 6 degrees, 0.06 m of the person and 0.2 s."""
    x, y, heading, person, time = (float(v) * size for v in rng.uniform(-1.0, 1.0, 5))
    return Shift(
        round(0.1 * x, 2),
        round(0.1 * y, 2),
        round(6 * heading),
        round(0.06 * person, 2),
        round(0.2 * time, 2),
    )


def group_of(turn: TurnDocument) -> str:
    """Return what shares a shift with `turn`: its probe family, or itself alone."""
    return f"family {turn.family}" if turn.family else turn.id


def shift_turn(turn: TurnDocument, shift: Shift) -> TurnDocument:
    """Return a turn with shifted waypoints; its request and its duration stay."""
    x, y, heading = turn.at
    changes: dict[str, Any] = {
        "at": (round(x + shift.x_m, 2), round(y + shift.y_m, 2), round(heading + shift.heading_deg, 2))
    }
    if isinstance(turn.person, tuple):
        changes["person"] = tuple((_later(t, shift), _nearer(d, shift)) for t, d in turn.person)
    elif turn.person != "none":
        changes["person"] = _nearer(turn.person, shift)
    if isinstance(turn.camera, tuple):
        changes["camera"] = tuple((_later(t, shift), state) for t, state in turn.camera)
    return turn.model_copy(update=changes)


def plan_battery(
    document: ScenarioDocument, under: Collection[str], rng: Generator, size: float
) -> ScenarioDocument:
    """Return the turns with a battery that falls in their order, recharged after an obligation.

    Args:
        document: The turns, in order.
        under: Ids of the turns in which a low battery is an obligation.
        rng: Draws the levels.
        size: How far they stray; 0 gives the middle of each range.
    """
    first, last, floor, full, end, low = (float(v) * size for v in rng.uniform(-1.0, 1.0, 6))
    turns, held = document.turns, [k for k, turn in enumerate(document.turns) if turn.id in under]
    if not held:
        levels = _falling(94 + 3 * first, 55 + 3 * last, len(turns))
    else:
        onset, reset = held[0], held[-1] + 1
        levels = _falling(94 + 3 * first, 15.8 + 0.3 * last, onset)
        levels += _falling(14.6 + 0.2 * floor, 12.0 + 0.5 * low, reset - onset)
        levels += _falling(91 + 4 * full, 76 + 4 * end, len(turns) - reset)
    planned = [
        turn.model_copy(update={"battery": _sagging(turn.battery, level)})
        for turn, level in zip(turns, levels, strict=True)
    ]
    return document.model_copy(update={"turns": tuple(planned)})


def add_faults(
    document: ScenarioDocument, quiet: Collection[str], rng: Generator, sensors: int, tools: int
) -> ScenarioDocument:
    """Return the turns with scripted faults in some of the `quiet` ones, never two in a turn."""
    free = [k for k, turn in enumerate(document.turns) if turn.id in quiet and not (turn.tags or turn.family)]
    before = {k - 1 for k, turn in enumerate(document.turns) if "continues" in turn.tags}
    chosen = [int(k) for k in rng.permutation([k for k in free if k not in before])]
    turns = list(document.turns)
    for k in chosen[:sensors]:
        turns[k] = turns[k].model_copy(update={"sensor_faults": (_sensor_fault(rng),)})
    for k in chosen[sensors : sensors + tools]:
        turns[k] = turns[k].model_copy(update={"tool_faults": (_tool_fault(turns[k], rng),)})
    return document.model_copy(update={"turns": tuple(turns)})


def _later(t: float, shift: Shift) -> float:
    return t if t == 0 else round(max(0.01, t + shift.time_s), 2)


def _nearer(distance_m: float, shift: Shift) -> float:
    return round(max(0.05, distance_m + shift.person_m), 2)


def _falling(start: float, end: float, count: int) -> list[float]:
    return [round(start + (end - start) * k / max(1, count - 1), 1) for k in range(count)]


def _sagging(written: float | Keyframes, level: float) -> float | Keyframes:
    """Return a level in the shape of the written battery: constant, or falling within the turn."""
    if not isinstance(written, tuple):
        return level
    start = written[0][1]
    return tuple((t, round(level + value - start, 2)) for t, value in written)


def _sensor_fault(rng: Generator) -> SensorFaultDocument:
    signal, kind = SENSOR_FAULTS[int(rng.integers(len(SENSOR_FAULTS)))]
    return SensorFaultDocument(signal=signal, kind=kind, end_s=AFTER_ALL_S)


def _tool_fault(turn: TurnDocument, rng: Generator) -> ToolFaultDocument:
    tool = next(key for key in turn.ask[0] if key != "after")
    kinds = TOOL_FAULTS[tool]
    return ToolFaultDocument(tool=tool, kind=kinds[int(rng.integers(len(kinds)))])
