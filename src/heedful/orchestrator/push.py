"""Sensor updates pushed into the conversation with the operator's words, a factor of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from heedful.state.series import INFINITE, Value
from heedful.trace.records import Reading
from heedful.world.world import World

Push = Literal["none", "change", "turn"]
PUSHED = ("human.distance", "battery.level", "camera.connected")
SMALLEST_CHANGE = {"human.distance": 0.1, "battery.level": 1.0}


def readings_to_push(push: Push, world: World, last: Mapping[str, Value]) -> dict[str, Reading]:
    """Return the readings that go with the next utterance; with `change`, only when one changed.

    Args:
        push: When updates are pushed.
        world: The world to sample.
        last: The values pushed before.
    """
    if push == "none":
        return {}
    now = {name: world.sample(name) for name in PUSHED}
    if push == "change" and not any(_has_changed(name, r.value, last) for name, r in now.items()):
        return {}
    return now


def render_push(readings: Mapping[str, Reading]) -> str:
    """Return the line that carries pushed readings to the model; empty for none."""
    if not readings:
        return ""
    parts = [f"{name} = {_words(name, reading.value)}" for name, reading in readings.items()]
    return f"\n[sensor update: {'; '.join(parts)}]"


def _has_changed(name: str, value: Value, last: Mapping[str, Value]) -> bool:
    if name not in last:
        return True
    before = last[name]
    if isinstance(value, float) and isinstance(before, float):
        return abs(value - before) >= SMALLEST_CHANGE.get(name, 0.0)
    return value != before


def _words(name: str, value: Value) -> str:
    if value is None:
        return "unknown"
    if value == INFINITE:
        return "no person in view"
    unit = {"human.distance": " m", "battery.level": " %"}.get(name, "")
    return f"{value}{unit}".lower()
