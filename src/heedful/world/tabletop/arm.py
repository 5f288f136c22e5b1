"""The arm over the table, only to be looked at: six joints whose hand points straight down at the tool.

Nothing touches it and it decides nothing. Source: lengths of a UR5, from its maker's kinematic table.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

SHOULDER_HEIGHT_M, UPPER_ARM_M, FOREARM_M = 0.089, 0.425, 0.392
SIDEWAYS_M, WRIST_M, HAND_M = 0.109, 0.095, 0.082
"""From the arm's plane to the wrist, along it, and down to the flange."""
TOOL_M = 0.112
"""From the flange to the tool's lower edge."""
UPPER_ASIDE_M, FOREARM_ASIDE_M = 0.13, 0.02
"""How far beside the arm's plane the two long links are."""

Place = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Link:
    """A round link between two points, world frame [m]."""

    start: Place
    end: Place
    radius: float
    is_joint: bool = False


def links(tip: Place) -> tuple[Link, ...]:
    """Return the arm's links for a place of the tool's lower edge, stretched out where it cannot reach."""
    reach = math.hypot(tip[0], tip[1])
    turn = math.atan2(tip[1], tip[0]) - math.asin(min(1.0, SIDEWAYS_M / max(reach, 1e-9)))
    plane = _Plane(turn)
    far = math.sqrt(max(reach**2 - SIDEWAYS_M**2, 0.0)) - WRIST_M
    wrist = (far, tip[2] + TOOL_M + HAND_M)
    shoulder = (0.0, SHOULDER_HEIGHT_M)
    elbow = _elbow(shoulder, wrist)
    upper, fore, side = UPPER_ASIDE_M, FOREARM_ASIDE_M, SIDEWAYS_M
    knuckle = (wrist[0] + WRIST_M, wrist[1])
    return (
        Link((0.0, 0.0, 0.0), plane.at(shoulder, 0.0), 0.060),
        Link(plane.at(shoulder, 0.0), plane.at(shoulder, upper), 0.055, is_joint=True),
        Link(plane.at(shoulder, upper), plane.at(elbow, upper), 0.045),
        Link(plane.at(elbow, upper), plane.at(elbow, fore), 0.045, is_joint=True),
        Link(plane.at(elbow, fore), plane.at(wrist, fore), 0.037),
        Link(plane.at(wrist, fore), plane.at(wrist, side), 0.037, is_joint=True),
        Link(plane.at(wrist, side), plane.at(knuckle, side), 0.035, is_joint=True),
        Link(plane.at(knuckle, side), plane.at((knuckle[0], tip[2] + TOOL_M), side), 0.033),
    )


class _Plane:
    """The upright plane of the arm through its base."""

    def __init__(self, turn: float) -> None:
        self._ahead = (math.cos(turn), math.sin(turn))

    def at(self, point: tuple[float, float], aside: float) -> Place:
        """Return a point of the plane (distance ahead, height), moved to its left."""
        (ahead, height), (x, y) = point, self._ahead
        return (x * ahead - y * aside, y * ahead + x * aside, height)


def _elbow(shoulder: tuple[float, float], wrist: tuple[float, float]) -> tuple[float, float]:
    """Return the elbow above the line from shoulder to wrist."""
    ahead, up = wrist[0] - shoulder[0], wrist[1] - shoulder[1]
    apart = max(math.hypot(ahead, up), 1e-9)
    cosine = (UPPER_ARM_M**2 + apart**2 - FOREARM_M**2) / (2 * UPPER_ARM_M * apart)
    lift = math.atan2(up, ahead) + math.acos(min(1.0, max(-1.0, cosine)))
    return (shoulder[0] + UPPER_ARM_M * math.cos(lift), shoulder[1] + UPPER_ARM_M * math.sin(lift))
