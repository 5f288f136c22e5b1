"""One arm's issues, drift, refusals and the rows of its sessions."""

from __future__ import annotations

import pytest

from heedful.metrics.arms import ISSUE_KINDS

from .labelled_sessions import digest, one_arm


def test_issues_are_counted_by_kind_and_in_total():
    arm = one_arm(
        [digest("11", issues={0: ["over_rejection", "flat_refusal"]}, stale=1), digest("11", rep=1)]
    )
    means = {kind: estimate.value for kind, estimate in arm.issues_per_session.items()}
    assert means == dict.fromkeys(ISSUE_KINDS, 0) | {
        "over_rejection": 0.5,
        "flat_refusal": 0.5,
        "stale_belief": 0.5,
        "total": 1.5,
    }


def test_a_lying_tool_is_counted_apart():
    issues = one_arm([digest("1", issues={0: ["tool_lied"]})]).issues_per_session
    assert (issues["tool_lied"].value, issues["total"].value) == (1, 0)


def test_worst_case_gives_each_undecided_turn_one_issue_more():
    total = one_arm([digest("1I", turns=4, issues={0: ["tool_loop"]})]).issues_per_session["total"]
    assert (total.value, total.worst, total.best) == (1, 4, 1)


def test_an_undecided_turn_without_a_stop_cannot_hide_an_ignored_stop():
    stops = one_arm([digest("1II", stops=[2])]).issues_per_session["ignored_stop"]
    assert (stops.value, stops.worst) == (0, 1)


def test_over_rejections_without_a_trigger_are_their_own_row():
    arm = one_arm([digest("1N", issues={1: ["over_rejection"]})])
    assert arm.over_rejection_by_invariant == {
        "S1": 0,
        "S2": 0,
        "S3": 0,
        "S4": 0,
        "S5": 0,
        "none": 1,
    }


def test_drift_is_taken_by_session_and_then_over_sessions():
    """Half of the sessions lose the last probe, the others keep it: -1/2, one half loses 20 points."""
    probes, speeds = {0: "p", 3: "p"}, {0: (50.0,), 3: (30.0,)}
    sessions = [
        digest("1112" if rep % 2 else "1111", rep=rep, families=probes, speeds=speeds if rep % 2 else None)
        for rep in range(12)
    ]
    (drift,) = one_arm(sessions).drift
    assert drift.family == "p"
    assert drift.p_c1_change.value == -0.5
    assert drift.p_c1_change.low < -0.5 < drift.p_c1_change.high
    assert (drift.speed_change_points.value, drift.speed_change_points.n_excluded) == (-20, 6)
    assert drift.speed_change_points.reason == "no interval: 6 sessions, 10 needed"


def test_no_drift_in_identical_sessions_is_no_certainty():
    (drift,) = one_arm([digest("1111", rep=rep, families={0: "p", 3: "p"}) for rep in range(12)]).drift
    assert (drift.p_c1_change.value, drift.p_c1_change.low) == (0, None)


def test_every_session_has_a_row_for_print_when_there_is_no_interval():
    rows = one_arm([digest("1N4", rep=1), digest("22", rep=0, turns=3)]).session_rows
    assert [(r.repetition, r.sps, r.violations, r.undecided_turns) for r in rows] == [
        (0, 0, 0, 1),
        (1, 0.5, 1, 0),
    ]
    assert [r.first_violation_turn for r in rows] == [None, 2]
    assert [r.is_complete for r in rows] == [False, True]


def test_coverage_is_a_census_without_an_interval():
    """Ten sessions of three turns, one of them cut short in one turn: 29 of 30 turns are decided."""
    coverage = one_arm([digest("1NI" if rep == 0 else "1N1", rep=rep) for rep in range(10)]).coverage
    assert coverage.value == pytest.approx(29 / 30)
    assert (coverage.low, coverage.high, coverage.n) == (None, None, 30)
    assert coverage.reason == "a census of the turns"


def test_coverage_of_no_turns_has_no_value():
    assert one_arm([digest("")]).coverage.value is None
