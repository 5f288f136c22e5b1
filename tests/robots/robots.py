"""A robot in a small scripted scene."""

from __future__ import annotations

from typing import Any

import orjson

from heedful.robots.robot import Robot
from heedful.state.script import TurnScript
from heedful.state.series import INFINITE, Series, constant
from heedful.trace.records import ToolEvent
from heedful.world.synthetic.world import SyntheticWorld


def scene(duration_s: float = 4.0, **fields: Any) -> TurnScript:
    signals = {
        "human.distance": constant(2.0),
        "battery.level": constant(80.0),
        "camera.connected": constant(True),
        "camera.frame_age": constant(0.033),
        "camera.frozen": constant(False),
        "human.posture": constant("seated"),
        "human.facing": constant("away"),
        "human.is_child": constant(True),
        "human.carrying": constant("hot"),
        "human.handover": constant(False),
        **fields.pop("signals", {}),
    }
    return TurnScript(duration_s, signals, **fields)


NOBODY = {"human.distance": constant(INFINITE)}
NO_CAMERA = {"camera.connected": constant(False)}
LOST_LATER = {"camera.connected": Series((0.0, 1.0), (True, False))}


def robot(script: TurnScript | None = None, seed: int = 7) -> Robot:
    world = SyntheticWorld(seed)
    world.begin_turn(0, script or scene())
    made = Robot(world)
    made.begin_turn()
    return made


def told(event: ToolEvent) -> dict[str, Any]:
    result: dict[str, Any] = orjson.loads(event.result)
    return result
