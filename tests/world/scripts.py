"""Small turns for the synthetic world."""

from __future__ import annotations

from typing import Any

from heedful.state.script import TurnScript
from heedful.state.series import INFINITE, Series, constant


def turn(duration_s: float = 4.0, *, distance: Any = 2.0, camera: Any = True, **fields: Any) -> TurnScript:
    signals = {
        "human.distance": series(distance, "linear"),
        "battery.level": series(fields.pop("battery", 80.0), "linear"),
        "camera.connected": series(camera, "step"),
        "camera.frame_age": constant(0.033),
        "camera.frozen": constant(False),
        "human.posture": constant("standing"),
    }
    return TurnScript(duration_s, signals, **fields)


def series(given: Any, mode: Any) -> Series:
    if isinstance(given, dict):
        return Series(tuple(given), tuple(given.values()), mode)
    return constant(given)


NOBODY = INFINITE
