"""The camera shows robot and person together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from heedful.film.shot import Shot
from heedful.film.view import FOV_DEG, first_view, nearest_person, next_view
from heedful.state.geometry import Pose, distance

ASPECT = 1.9


def shot(*people: tuple[float, float]) -> Shot:
    places = np.array([[x, y, 0.0] for x, y in people] or np.zeros((0, 3)))
    return Shot(0.1, Pose(0.0, 0.0), np.zeros(1), places, np.zeros((len(people), 4)), ())


@pytest.mark.parametrize("person", [(1.0, 0.0), (0.0, 2.0), (-3.0, -2.0)])
def test_both_are_inside_the_picture(person: tuple[float, float]) -> None:
    view = first_view(shot(person), ASPECT)
    half_width = view.distance_m * math.tan(math.radians(FOV_DEG / 2)) * ASPECT
    assert all(distance((view.x, view.y), point) < half_width for point in ((0.0, 0.0), person))


def test_whoever_is_not_in_the_room_is_not_followed() -> None:
    hidden = Shot(0.1, Pose(0.0, 0.0), np.zeros(1), np.array([[0.0, 0.0, -20.0]]), np.zeros((1, 4)), ())
    assert nearest_person(hidden) is None
    assert (first_view(hidden, ASPECT).x, first_view(hidden, ASPECT).y) == (0.0, 0.0)


def test_the_camera_goes_smoothly_and_the_same_way_at_any_rate() -> None:
    before, there = first_view(shot((1.0, 0.0)), ASPECT), shot((3.0, 0.0))
    once = next_view(before, there, ASPECT, 0.2)
    twice = next_view(next_view(before, there, ASPECT, 0.1), there, ASPECT, 0.1)
    assert before.x < once.x < 1.5
    assert once.x == pytest.approx(twice.x)
