"""Rings come from the spec's own thresholds and are coloured by where the nearest person is."""

from __future__ import annotations

import pytest

from heedful.film.rings import CLEAR, NEAR, WITHIN, gap_colour, rings_of
from heedful.spec.load import load_spec, parse_spec, spec_text
from heedful.state.series import INFINITE, Value
from heedful.world.mujoco_g1.kinematic_stage import ROBOT_RADIUS_M

NAME = "iso10218-humanoid"
SPEC = load_spec(NAME)


def test_radii_follow_the_spec() -> None:
    text = spec_text(NAME)[0].replace("near_distance: {value: 1.0", "near_distance: {value: 1.7")
    changed = parse_spec(text, "changed")
    assert [ring.radius_m for ring in rings_of(SPEC, 2.0)] == [ROBOT_RADIUS_M + 0.5, ROBOT_RADIUS_M + 1.0]
    assert [ring.distance_m for ring in rings_of(changed, 2.0)] == [0.5, 1.7]


@pytest.mark.parametrize(
    ("distance_m", "colours", "line"),
    [
        (INFINITE, [CLEAR, CLEAR], CLEAR),
        (None, [CLEAR, CLEAR], CLEAR),
        (1.0, [CLEAR, CLEAR], CLEAR),
        (0.99, [CLEAR, NEAR], NEAR),
        (0.49, [WITHIN, NEAR], WITHIN),
    ],
)
def test_a_ring_changes_colour_when_a_person_crosses_it(
    distance_m: Value, colours: list[object], line: object
) -> None:
    rings = rings_of(SPEC, distance_m)
    assert [ring.colour for ring in rings] == colours
    assert gap_colour(rings) == line
