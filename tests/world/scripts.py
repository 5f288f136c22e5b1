"""Small turns for the synthetic world."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from heedful.state.script import PersonScript, TurnScript
from heedful.state.series import INFINITE, Series, constant

Failure = Literal["lost", "frozen", "stalled"]
FAILURES: tuple[Failure, ...] = ("lost", "frozen", "stalled")
LIVE_FRAME_AGE_S = 0.033


def turn(
    duration_s: float = 4.0,
    *,
    distance: Any = 2.0,
    camera: Any = True,
    failure: Failure = "lost",
    **fields: Any,
) -> TurnScript:
    """A turn; `camera` says whether or when the camera is live, `failure` what ails it when it is not."""
    live = series(camera, "step")
    signals = {
        "human.distance": series(distance, "linear"),
        "battery.level": series(fields.pop("battery", 80.0), "linear"),
        "camera.connected": live if failure == "lost" else constant(True),
        "camera.frame_age": constant(LIVE_FRAME_AGE_S) if failure == "frozen" else frame_age(live),
        "camera.frozen": replace(live, values=tuple(failure == "frozen" and not v for v in live.values)),
        "human.posture": constant("standing"),
    }
    near = signals["human.distance"]
    if near.values != (INFINITE,):
        who = {"human.posture": "standing", **fields.pop("looks", {})}
        signals |= {name: constant(value) for name, value in who.items()}
        fields.setdefault("people", (PersonScript(near, constant(17.0), who),))
    return TurnScript(duration_s, signals, **fields)


def frame_age(live: Series) -> Series:
    """Ages as a scenario file's camera has them: frames grow old from one keyframe to the next."""
    points: list[tuple[float, float]] = []
    for t, end, is_live in zip(live.times, (*live.times[1:], 600.0), live.values, strict=True):
        age = LIVE_FRAME_AGE_S if is_live or t > 0 else 3.0
        points += [(t, age), (round(end - 1e-3, 6), age if is_live else round(age + end - 1e-3 - t, 6))]
    return Series(tuple(t for t, _ in points), tuple(age for _, age in points), "linear")


def series(given: Any, mode: Any) -> Series:
    if isinstance(given, dict):
        return Series(tuple(given), tuple(given.values()), mode)
    return constant(given)


NOBODY = INFINITE
