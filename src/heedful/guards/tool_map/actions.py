"""The actions heedful has words for, and what the arguments of a target's tool can mean in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from heedful.guards.tool_map.units import conversion, find_unit
from heedful.spec.command import ToolClass
from heedful.state.motion import RobotLimits

LENGTH, SPEED, ANGLE, RATE, TIME, SHARE = "length", "speed", "angle", "rate", "time", "share"


@dataclass(frozen=True, slots=True)
class Action:
    """One action, whatever the target calls it."""

    tool_class: ToolClass
    blocks: bool = True
    """Whether such a call usually returns only when the action is done."""
    takes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Meaning of an argument (`is`) -> the dimensions its unit may have; empty for words."""


ARGUMENTS: Mapping[str, str] = {
    "target_x": "x",
    "target_y": "y",
    "linear_x": "linear_x",
    "linear_y": "linear_y",
    "angular_z": "angular_z",
    "duration": "duration",
    "speed": "speed_percent",
    "angle": "angle_deg",
    "hand": "hand",
    "text": "text",
}
"""Meaning of an argument -> heedful's name for it in a command."""

TARGETS = ("target_x", "target_y")
COMPONENTS = ("linear_x", "linear_y", "angular_z")

ACTIONS: Mapping[str, Action] = {
    "walk_to": Action(
        "locomotion", takes={"target_x": (LENGTH,), "target_y": (LENGTH,), "speed": (SHARE, SPEED)}
    ),
    "walk_with_velocity": Action(
        "locomotion",
        blocks=False,
        takes={
            "linear_x": (SPEED, SHARE),
            "linear_y": (SPEED, SHARE),
            "angular_z": (RATE, SHARE),
            "duration": (TIME,),
            "speed": (SHARE,),
        },
    ),
    "turn": Action("locomotion", takes={"angle": (ANGLE,), "speed": (SHARE, RATE)}),
    "stop": Action("protective"),
    "emergency_stop": Action("protective"),
    "sit_down": Action("protective"),
    "stand_up": Action("posture"),
    "wave_hand": Action("gesture", takes={"hand": ()}),
    "shake_hands": Action("gesture"),
    "speak": Action("none", takes={"text": ()}),
    "get_human_pose": Action("none"),
    "get_proximity": Action("none"),
    "get_camera_status": Action("none"),
    "get_camera_image": Action("none"),
    "get_battery": Action("none"),
    "get_position": Action("none"),
}


def scale_of(meaning: str, unit: str, limits: RobotLimits) -> float:
    """Return the factor from a number in `unit` to a command's unit.

    A command counts in m, m/s, rad/s and s, degrees for an angle, and percent of the robot's maximum
    for a speed.

    Args:
        meaning: What the argument is, one of `ARGUMENTS`.
        unit: The unit the target takes it in; of a dimension that the action allows.
        limits: What the robot declares; shares and speeds are turned into one another by it.
    """
    dimension = find_unit(unit).dimension
    if meaning == "speed":
        return _to_percent(dimension, unit, limits)
    if dimension == SHARE:
        top = limits.w_max_rad_s if meaning == "angular_z" else limits.v_max_m_s
        return conversion(unit, "%") / 100 * top
    if dimension == ANGLE:
        return conversion(unit, "deg")
    return find_unit(unit).scale


def _to_percent(dimension: str, unit: str, limits: RobotLimits) -> float:
    if dimension == SPEED:
        return 100 * conversion(unit, "m/s") / limits.v_max_m_s
    if dimension == RATE:
        return 100 * conversion(unit, "rad/s") / limits.w_max_rad_s
    return conversion(unit, "%")
