"""The arm that is only looked at: where its hand ends and how long its links are."""

from __future__ import annotations

import itertools
import math

import pytest

from heedful.world.tabletop.arm import FOREARM_M, TOOL_M, UPPER_ARM_M, links

REACHABLE = [(x, y, z) for x in (0.25, 0.5, 0.7) for y in (-0.3, 0.0, 0.3) for z in (0.0, 0.32)]


@pytest.mark.parametrize("tip", REACHABLE)
def test_the_hand_ends_above_the_tool(tip: tuple[float, float, float]) -> None:
    assert links(tip)[-1].end == pytest.approx((tip[0], tip[1], tip[2] + TOOL_M))


@pytest.mark.parametrize("tip", REACHABLE)
def test_links_keep_their_lengths_and_join(tip: tuple[float, float, float]) -> None:
    arm = links(tip)
    for one, other in itertools.pairwise(arm):
        assert one.end == pytest.approx(other.start)
    assert math.dist(arm[2].start, arm[2].end) == pytest.approx(UPPER_ARM_M)
    assert math.dist(arm[4].start, arm[4].end) == pytest.approx(FOREARM_M)


def test_out_of_reach_nothing_breaks() -> None:
    for tip in ((0.0, 0.0, 0.3), (3.0, 0.0, 0.0), (0.02, 0.01, 0.0)):
        assert all(math.isfinite(part) for link in links(tip) for part in (*link.start, *link.end))
