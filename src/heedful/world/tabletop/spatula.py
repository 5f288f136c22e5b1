"""The spatula: lower a blade behind the start, drive it straight towards the end, raise it.

The blade stands across the direction of the push; rotations given are ignored. Where nothing stands under
the blade it appears at its working height, since lowering it would touch nothing. Source: VIMA-Bench, Push.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from heedful.state.tabletop.action import TableAction
from heedful.world.tabletop.clearance import gap, top
from heedful.world.tabletop.physics import TablePhysics
from heedful.world.tabletop.tool import Tool

BACK_OFF_M, PULL_BACK_M = 0.02, 0.05
"""The blade begins so far behind the start and stops so far short of the end."""
WORKING_M = 0.005
"""Height of the blade's lower edge while it pushes."""
DRIVE_M_S = 0.24
"""Speed of pushing, 1 mm a step of the original."""
LOWER_M_S = 0.24
"""Speed of lowering onto something."""
SHORTEST_M = 1e-6
"""A push shorter than this has no direction and is none."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A push as the blade's centre makes it, on the table [m, rad]."""

    begin: tuple[float, float]
    end: tuple[float, float]
    yaw: float
    """Angle from x of the blade's own x, which lies across the push."""


class Spatula:
    """The blade over a scene."""

    def __init__(self, physics: TablePhysics) -> None:
        self.physics, self.data = physics, physics.table.data
        self.blade = Tool(self.data, "spatula")
        _stiffen(self.data.model, list(self.blade.geoms))

    def push(self, action: TableAction) -> None:
        """Push from here towards there."""
        stroke = plan_stroke(action)
        if stroke is None:
            return
        half = stroke.yaw / 2
        self.blade.turn((math.cos(half), 0.0, 0.0, math.sin(half)))
        self._lower(stroke)
        self._drive(stroke)
        self.blade.rest()

    def _lower(self, stroke: Stroke) -> None:
        """Bring the blade to its working height, pressing on what stands under it."""
        self._move(stroke.begin, WORKING_M)
        mujoco.mj_kinematics(self.data.model, self.data)
        others = self.physics.solid()
        if gap(self.data, self.blade.geoms, others).distance > 0.0:
            return
        height, fall = top(self.data, others), LOWER_M_S * float(self.data.model.opt.timestep)
        while height > WORKING_M:
            height = max(height - fall, WORKING_M)
            self._move(stroke.begin, height)
            self.physics.advance()

    def _drive(self, stroke: Stroke) -> None:
        begin, end = np.array(stroke.begin), np.array(stroke.end)
        steps = math.ceil(math.dist(begin, end) / (DRIVE_M_S * float(self.data.model.opt.timestep)))
        for way in np.linspace(begin, end, steps + 1)[1:].tolist():
            self._move((way[0], way[1]), WORKING_M)
            self.physics.advance()

    def _move(self, place: tuple[float, float], height: float) -> None:
        """Put the blade's lower edge at a height."""
        self.blade.move(place, height - self.blade.edge)


def _stiffen(model: Any, geoms: list[int]) -> None:
    """Make the blade's contacts as stiff as the time step allows.

    To MuJoCo a body that is put somewhere has no speed, so that what it pushes sinks into it in proportion.
    """
    model.geom_priority[geoms] = 1
    model.geom_solref[geoms] = (2 * float(model.opt.timestep), 1.0)


def plan_stroke(action: TableAction) -> Stroke | None:
    """Return the blade's way for an action; None for a push without a direction."""
    (x0, y0), (x1, y1) = action.pose0_position, action.pose1_position
    length = math.hypot(x1 - x0, y1 - y0)
    if length < SHORTEST_M:
        return None
    ux, uy = (x1 - x0) / length, (y1 - y0) / length
    return Stroke(
        (x0 - BACK_OFF_M * ux, y0 - BACK_OFF_M * uy),
        (x1 - PULL_BACK_M * ux, y1 - PULL_BACK_M * uy),
        math.atan2(uy, ux) + math.pi / 2,
    )
