from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.state.tabletop.catalogue import SHAPES
from heedful.state.tabletop.footprint import covered, do_overlap, footprint, inner_region, is_within
from tests.state.tabletop.scenes import at, thing

SOLID = sorted(name for name, shape in SHAPES.items() if shape.kind != "mark")
names, offsets, yaws = st.sampled_from(SOLID), st.floats(-0.2, 0.2), st.floats(0.0, 360.0)


def holds(corners: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Which points are inside a convex polygon by more than a micrometre or so."""
    edges = np.roll(corners, -1, axis=0) - corners
    to_points = points[:, None, :] - corners[None]
    cross = edges[:, 0] * to_points[..., 1] - edges[:, 1] * to_points[..., 0]
    return (cross > 2e-6 * np.linalg.norm(edges, axis=1)).all(axis=1)


def cloud(corners: np.ndarray) -> np.ndarray:
    """Points inside a convex polygon: random mixtures of its corners."""
    weights = np.random.default_rng(0).dirichlet(np.full(len(corners), 0.4), size=400)
    return weights @ corners


@given(names, names, offsets, offsets, yaws)
def test_overlap_is_mutual_and_found_where_points_are_shared(a, b, x, y, yaw) -> None:
    one = footprint(thing(5, a, "dragged", at(0, 0)), at(0.5, 0.0))
    other = footprint(thing(6, b, "dragged", at(0, 0)), at(0.5 + x, y, yaw))
    found = do_overlap(one, other)
    assert found == do_overlap(other, one)
    if holds(one, cloud(other)).any() or holds(other, cloud(one)).any():
        assert found
    far = math.hypot(x, y) > np.abs(one - (0.5, 0)).max() * 1.5 + 0.25
    assert not (found and far)


@given(names, names, offsets, offsets, yaws)
def test_what_lies_within_shares_every_point(a, b, x, y, yaw) -> None:
    outer = footprint(thing(5, a, "base", at(0, 0)), at(0.5, 0.0))
    inner = footprint(thing(6, b, "dragged", at(0, 0)), at(0.5 + x / 4, y / 4, yaw))
    if is_within(inner, outer):
        assert holds(outer, 0.999 * cloud(inner) + 0.001 * outer.mean(axis=0)).all()
        assert do_overlap(inner, outer)
    else:
        assert not holds(outer, inner).all()


@pytest.mark.parametrize("name", SOLID)
def test_pieces_lie_in_the_footprint_at_any_pose(name: str) -> None:
    pose = at(0.55, -0.1, 77)
    found = thing(5, name, "dragged", pose)
    whole = footprint(found, pose)
    assert all(is_within(part, whole) for part in covered(found, pose))
    opening = inner_region(found, pose)
    assert (opening is not None) == (SHAPES[name].kind == "container")
    assert opening is None or is_within(opening, whole)


def test_touching_is_no_overlap() -> None:
    block = thing(5, "block", "dragged", at(0, 0))
    assert not do_overlap(footprint(block, at(0.5, 0.0)), footprint(block, at(0.57, 0.0)))
    assert do_overlap(footprint(block, at(0.5, 0.0)), footprint(block, at(0.5699, 0.0)))
