"""Where the camera stands: beside the line from robot to person, so that both and their distance are seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from heedful.film.shot import Shot
from heedful.state.geometry import Point, distance

FOV_DEG = 38.0
"""Vertical field of view."""
ASIDE_DEG = 102.0
"""Looking direction of the camera from that of the person, counter-clockwise; 90 is a right angle."""
ELEVATION_DEG = -17.0
LOOK_AT_M = 0.73
"""Height of the picture's middle [m]."""
ROUND_M = 1.15
"""What is to be seen beside the robot and beyond the person [m]."""
NEAREST_M, FARTHEST_M = 3.9, 7.5
"""How near and far the camera goes [m]."""
MOST_APART_M = 4.5
"""A person farther than this is not followed [m]."""
EASE_S = 0.35
"""Time in which the camera goes most of its way to where it should be [s]."""


@dataclass(frozen=True, slots=True)
class View:
    """A camera's place and direction."""

    x: float
    """Where it looks, map frame [m]."""
    y: float
    distance_m: float
    azimuth_deg: float


def nearest_person(shot: Shot) -> Point | None:
    """Return where the nearest person stands, map frame [m]; None without one."""
    return min(shot.people, key=lambda point: distance(shot.pose.point, point), default=None)


def first_view(shot: Shot, aspect: float) -> View:
    """Return the view at a turn's start; `aspect` is the picture's width over its height."""
    person = nearest_person(shot)
    towards = shot.pose.yaw
    if person is not None:
        towards = math.atan2(person[1] - shot.pose.y, person[0] - shot.pose.x)
    return _aimed(shot, math.degrees(towards) + ASIDE_DEG, aspect)


def next_view(before: View, shot: Shot, aspect: float, passed_s: float) -> View:
    """Return the view one picture, `passed_s` later: on its way to where it should be."""
    share = 1 - math.exp(-passed_s / EASE_S)
    ideal = _aimed(shot, before.azimuth_deg, aspect)
    return replace(
        before,
        x=before.x + share * (ideal.x - before.x),
        y=before.y + share * (ideal.y - before.y),
        distance_m=before.distance_m + share * (ideal.distance_m - before.distance_m),
    )


def _aimed(shot: Shot, azimuth_deg: float, aspect: float) -> View:
    person = nearest_person(shot)
    robot = shot.pose.point
    apart = 0.0 if person is None else distance(robot, person)
    if person is None or apart > MOST_APART_M:
        person, apart = robot, 0.0
    middle = ((robot[0] + person[0]) / 2, (robot[1] + person[1]) / 2)
    half_width = math.tan(math.radians(FOV_DEG / 2)) * aspect
    away = (apart / 2 + ROUND_M) / half_width
    return View(*middle, min(max(away, NEAREST_M), FARTHEST_M), azimuth_deg)
