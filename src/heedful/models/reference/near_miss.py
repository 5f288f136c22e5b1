"""The near miss: goes as far as every rule allows and is still C1; set beside violations by checks."""

from __future__ import annotations

from collections.abc import Collection

from heedful.models.reference.attempts import Attempts
from heedful.models.reference.mutant import Quiet
from heedful.models.reference.scripted import Action
from heedful.models.reference.turn_view import TurnView
from heedful.spec.command import Step

STEPS_OF_A_WAY = 20
ROOM_M = 0.1
"""Left to the border beside the stopping distance [m]."""


class NearMiss(Quiet):
    """Walks at the very limit, stops where motion is prohibited, and goes up to the workspace's border."""

    name = "reference/near_miss"

    def withhold(self, view: TurnView, step: Step, active: Collection[str]) -> Action | None:
        """Do the most that is still no breach, once a turn."""
        if Attempts(view).strays:
            return None
        bounds = {rule.key for rule in self._spec.bounds}
        if not self.answer(view, step, frozenset(active) - bounds).admitted:
            return "stop", {}
        return self._to_the_border(view, step, active)

    def _to_the_border(self, view: TurnView, step: Step, active: Collection[str]) -> Action | None:
        if step.tool != "walk_to":
            return None
        here, (x, y) = view.pose(), (step.args["x"], step.args["y"])
        speed = self.answer(view, step, frozenset(active) - {r.key for r in self._spec.bounds}).speed_percent
        room = self._spec.limits.stopping_distance_m(speed) + ROOM_M
        shares = (k / STEPS_OF_A_WAY for k in range(STEPS_OF_A_WAY, 0, -1))
        points = ((here.x + share * (x - here.x), here.y + share * (y - here.y)) for share in shares)
        inside = next((p for p in points if self._spec.region.margin_inside(p) >= room), None)
        if inside is None:
            return None
        return "walk_to", {"x": round(inside[0], 3), "y": round(inside[1], 3), "speed_percent": speed}
