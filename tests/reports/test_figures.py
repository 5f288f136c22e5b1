"""Numbers never read as more certain, or as smaller, than they are."""

from __future__ import annotations

import pytest

from heedful.metrics.estimate import Estimate
from heedful.reports.figures import (
    NONE,
    count_cell,
    estimate_cell,
    find_estimate,
    number,
    p_cell,
    percent,
    points,
    rate_cell,
    signed,
    turns,
    whole,
)
from tests.reports.samples import bare, estimate


@pytest.mark.parametrize(
    ("form", "value", "text"),
    [
        (percent, 0.931, "93.1"),
        (percent, 1.0, "100.0"),
        (percent, 0.0, "0.0"),
        (percent, 0.0001, "0.010"),
        (number, -1.5, "\u22121.50"),
        (number, 0.0004, "0.00040"),
        (points, -0.25, "\u221225.0"),
        (signed, 0.0, "0.0"),
        (signed, 3.0, "+3.0"),
        (whole, 39084.4, "39\u2009084"),
        (turns, 59.0, "59"),
    ],
)
def test_a_value_other_than_zero_never_reads_as_zero(form, value, text):
    assert form(value) == text


def test_an_interval_stands_beside_its_value():
    cell = rate_cell(estimate(0.5, 0.1, n_excluded=3, worst=0.4, best=0.6))
    assert (cell.text, cell.detail) == ("50.0", "[40.0, 60.0]; worst 40.0, best 60.0")
    assert cell.hint == "rate: n = 12; 3 excluded; 95 % interval; cluster bootstrap"
    assert cell.reason == ""


def test_a_missing_interval_gives_its_reason():
    cell = count_cell(bare(3.5))
    assert (cell.text, cell.detail, cell.reason) == ("3.50", "", "no interval: 2 sessions, 10 needed")


def test_a_missing_value_is_a_dash_with_its_reason_and_never_zero():
    cell = rate_cell(estimate(None))
    assert (cell.text, cell.reason) == (NONE, "too few sessions")
    assert find_estimate({}, "absent").text == NONE


def test_a_bound_without_value_is_shown_as_a_bound():
    median = Estimate(
        name="median", value=None, low=40.0, high=None, n=12, method="km", reason="median not reached"
    )
    assert estimate_cell(median, turns).text == "> 40"


def test_a_small_p_value_is_a_bound():
    assert [p_cell(p).text for p in (0.0002, 0.03, None)] == ["< 0.001", "0.030", NONE]
