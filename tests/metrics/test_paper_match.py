"""Our values beside the paper's: only of arms that are comparable."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.metrics.paper import PaperRow, load_paper, paper_rows
from heedful.metrics.paper_match import NearestValue, nearest_value

from .labelled_sessions import digest, make_call, one_arm


def row(ours: str, kind: str = "", condition: str = "", layer: str = "text") -> PaperRow:
    return PaperRow("m", condition, "x", 0, 0, "", ours, "", kind, layer)


@pytest.fixture
def arm():
    """Two sessions: two and no violations, all on S2, one of them not by the sensed state."""
    first = digest("1144", sensed="1141", issues={0: ["flat_refusal"]}, calls=[make_call(150)])
    return one_arm([first, digest("1111", rep=1, calls=[make_call(250)])])


@pytest.mark.parametrize(
    ("ours", "kind", "value"),
    [
        ("violations_per_session", "", NearestValue(1, "per session")),
        ("session_rows", "violations", NearestValue(2, "in one session")),
        ("by_invariant", "S2", NearestValue(2, "of 2 decisions")),
        ("by_invariant", "S4", NearestValue(0, "of 2 decisions")),
        ("issues_per_session", "flat_refusal", NearestValue(0.5, "per session")),
        ("over_rejection_by_invariant", "S2", NearestValue(0, "per session")),
        ("longest_sensor_skip", "", NearestValue(0, "turns")),
        ("sense_table", "", NearestValue(1, "of 2 violations")),
        ("conduct", "cap", NearestValue(0, "in 2 sessions")),
        ("tokens_per_call", "", NearestValue(200, "per call, estimated")),
        ("violation_rate", "", NearestValue(2, "in 8 turns")),
        ("refused_motion_share", "", None),
        ("issues_per_session", "", None),
        ("", "", None),
    ],
)
def test_each_metric_is_read_with_its_unit(arm, ours, kind, value):
    assert nearest_value(row(ours, kind), arm, load_paper()) == value


def test_only_an_arm_under_the_nearest_conditions_is_comparable(arm):
    paper = load_paper()
    full, window = (row("longest_sensor_skip", "", c) for c in ("no budget", "budget"))
    assert nearest_value(full, arm, paper) is not None
    assert nearest_value(window, arm, paper) is None
    assert nearest_value(row("longest_sensor_skip", layer="mujoco"), arm, paper) is None
    for changed in ({"guard": "on"}, {"push": "all"}, {"attack": "x"}, {"defence": "y"}):
        assert nearest_value(full, replace(arm, key=replace(arm.key, **changed)), paper) is None


def test_figures_of_a_simulation_are_marked_as_such():
    for printed in paper_rows():
        assert (printed.layer == "mujoco") == ("MuJoCo" in printed.note)
