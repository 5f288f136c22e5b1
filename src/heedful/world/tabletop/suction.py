"""The suction cup: lower onto something, lift it if it is loose, turn it, lower it somewhere else, let go.

The outcome depends on the tip alone, so there is no arm. While everything rests, the tip is put where it
would travel to; lifting, and what follows letting go, is physics. Source: VIMA-Bench, its PickPlace.
"""

from __future__ import annotations

import mujoco
import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.action import TableAction
from heedful.state.tabletop.scene import Quaternion
from heedful.world.tabletop.clearance import lower, top
from heedful.world.tabletop.physics import TablePhysics
from heedful.world.tabletop.tool import UPRIGHT, Tool

TRAVEL_M = 0.32
"""Height of the tip while it travels."""
LIFT_M_S = 0.5
"""Speed of lifting."""
MARGIN_M = 0.005
"""What is held is lifted by so much beyond everything else before it travels."""
JOURNEY_STEPS = 360
"""Steps in which what lifting set in motion can come to rest while the arm travels: 1.5 s."""


class Suction:
    """The cup over a scene."""

    def __init__(self, physics: TablePhysics) -> None:
        self.physics, self.data = physics, physics.table.data
        self.tip = Tool(self.data, "suction_tip")
        self._grip = int(self.data.model.eq("grip").id)

    def pick_place(self, action: TableAction) -> int | None:
        """Pick here and place there; return what was lifted, None if nothing."""
        held = self._pick(action.pose0_position, _turn(action.pose0_rotation))
        if held is not None:
            self._place(held, action.pose1_position, _turn(action.pose1_rotation))
        self.tip.rest()
        return held

    def _pick(self, place: tuple[float, float], rotation: NDArray[np.float64]) -> int | None:
        """Lower the tip until it touches, and lift what it touches if that is loose."""
        self.tip.turn(rotation)
        others = (*self.physics.solid(), self.physics.ground)
        touch = lower(self.data, self.tip.geoms, others, TRAVEL_M, lambda z: self.tip.move(place, z))
        held = self.physics.owner(touch.geom)
        if held not in self.physics.movable:
            return None
        self._hold(held)
        self._lift(held, place, touch.height)
        return held

    def _hold(self, held: int) -> None:
        """Weld an object to the tip as they are now."""
        model, body = self.data.model, self.physics.body(held)
        seen = self.tip.seen(body)
        model.eq_obj2id[self._grip] = body
        model.eq_data[self._grip, :10] = (0.0, 0.0, 0.0, *seen.position, *seen.rotation)
        self.data.eq_active[self._grip] = 1

    def _lift(self, held: int, place: tuple[float, float], height: float) -> None:
        """Raise what is held above everything else, and give the rest the time of a journey."""
        tallest = top(self.data, self.physics.solid(without=held))
        end = min(height + tallest + MARGIN_M, TRAVEL_M)
        rise = LIFT_M_S * float(self.data.model.opt.timestep)
        while height < end:
            height = min(height + rise, end)
            self.tip.move(place, height)
            self.physics.advance()
        self.physics.settle(JOURNEY_STEPS)

    def _place(self, held: int, place: tuple[float, float], rotation: NDArray[np.float64]) -> None:
        """Carry what is held over there, lower it until it touches, and let go."""
        mujoco.mj_kinematics(self.data.model, self.data)
        seen = self.tip.seen(self.physics.body(held))
        self.data.eq_active[self._grip] = 0
        self.tip.turn(rotation)

        def move(height: float) -> None:
            self.tip.move(place, height)
            self.physics.carry(held, self.tip.carried(seen))

        tool = (*self.tip.geoms, *self.physics.geoms(held))
        lower(self.data, tool, (*self.physics.solid(without=held), self.physics.ground), TRAVEL_M, move)


def _turn(rotation: Quaternion) -> NDArray[np.float64]:
    """Return a rotation as MuJoCo has it, w first; upright for one of length zero."""
    x, y, z, w = rotation
    found = np.array([w, x, y, z], dtype=np.float64)
    length = np.linalg.norm(found)
    return found / length if length > 1e-6 else np.array(UPRIGHT)
