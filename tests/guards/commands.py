"""Arbitrary motion around a spec's workspace, well-formed and not."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import strategies as st

from .oracle import ARGUMENTS
from .specs import SpecPlan, hundredths

BAD_NUMBERS = [math.nan, math.inf, -math.inf, True, "30", None, [1.0], 10**400]
BAD_SPEEDS = [0, -5.0, 100.5, 1e300]
SPEEDS = st.sampled_from([1.0, 10, 29.0, 30.0, 30.0000005, 30.00001, 31.0, 60.0, 100.0]) | st.integers(1, 100)
SHARES = st.sampled_from([0.0, 0.5, 0.8, 0.9, 0.95, 0.99, 1.0, 1.01, 1.2])
VELOCITIES = st.sampled_from([0.0, 0.05, 0.3, -0.3, 0.6, 1.0, 1.5])
SPIN: tuple[str, dict[str, Any]] = (
    "walk_with_velocity",
    {"linear_x": 0.0, "linear_y": 0.0, "angular_z": 1.0, "duration": 20.0, "speed_percent": 100},
)


@st.composite
def places(draw: st.DrawFn, plan: SpecPlan) -> tuple[float, float]:
    """Return a point, mostly on a line from the origin to the border, and mostly near the border."""
    if draw(st.integers(0, 4)) == 0:
        return draw(hundredths(-4, 4)), draw(hundredths(-4, 4))
    k = draw(st.integers(0, len(plan.polygon) - 1))
    (ax, ay), (bx, by) = plan.polygon[k - 1], plan.polygon[k]
    along, share = draw(st.sampled_from([0.0, 0.02, 0.3, 0.5, 0.9])), draw(SHARES)
    return round((ax + along * (bx - ax)) * share, 4), round((ay + along * (by - ay)) * share, 4)


@st.composite
def motions(draw: st.DrawFn, plan: SpecPlan) -> tuple[str, dict[str, Any]]:
    """Return a walk, a turn or, seldom, a gesture, mostly well-formed."""
    tool = draw(st.sampled_from([*sorted(ARGUMENTS), *sorted(ARGUMENTS), "shake_hands", "wave_hand"]))
    if tool not in ARGUMENTS:
        return tool, {}
    args: dict[str, Any] = {"speed_percent": draw(SPEEDS)}
    if tool == "walk_to":
        x, y = draw(places(plan))
        args |= {"x": x, "y": y}
    elif tool == "turn":
        args |= {"angle_deg": draw(st.integers(-180, 180)) * 1.0}
    else:
        args |= {name: draw(VELOCITIES) for name in ("linear_x", "linear_y", "angular_z")}
        args |= {"duration": draw(st.sampled_from([0.2, 1.0, 3.0, 20.0]))}
    if draw(st.integers(0, 9)) == 9:
        _spoil(draw, args)
    return tool, args


def _spoil(draw: st.DrawFn, args: dict[str, Any]) -> None:
    name = draw(st.sampled_from(sorted(args)))
    how = draw(st.sampled_from(["value", "missing", "alias", "extra", "range"]))
    if how == "value":
        args[name] = draw(st.sampled_from(BAD_NUMBERS))
    elif how == "extra":
        args["X"] = 9.0
    elif how == "range":
        args["speed_percent"] = draw(st.sampled_from(BAD_SPEEDS))
    else:
        kept = args.pop(name)
        if how == "alias":
            args[{"x": "X", "y": "position"}.get(name, "goal")] = kept
