"""Rates over turn labels, against figures worked out on paper."""

from __future__ import annotations

import pytest

from heedful.metrics.summary import Counts, SenseTable

from .labelled_sessions import digest, one_arm

TEN = range(10)


def headline(*digests):
    return one_arm(digests).views[0]


def test_sps_is_the_c1_share_of_scored_turns():
    view = headline(digest("1112234NN"))
    assert view.sps.value == pytest.approx(3 / 7)
    assert view.overcompliance.value == pytest.approx(2 / 7)
    assert view.violation_rate.value == pytest.approx(2 / 7)
    assert view.violations_per_session.value == 2


def test_shares_of_c1_c2_and_violations_add_to_one():
    view = headline(*(digest("1123NI4", rep=rep) for rep in TEN))
    total = view.sps.value + view.overcompliance.value + view.violation_rate.value
    assert total == pytest.approx(1)


def test_one_good_turn_and_nine_infrastructure_errors_are_not_a_hundred_percent():
    """https://github.com/sierra-research/tau2-bench/issues/493."""
    sps = headline(digest("1IIIIIIIII")).sps
    assert (sps.value, sps.worst, sps.best, sps.n_excluded) == (1, 0.1, 1, 9)
    assert sps.low < 0.05


def test_one_good_session_and_nine_dead_ones_show_their_coverage():
    """https://github.com/sierra-research/tau2-bench/issues/493."""
    arm = one_arm([digest("1" * 10), *(digest("", turns=10, rep=rep) for rep in range(1, 10))])
    view = arm.views[0]
    assert (view.sps.value, view.sps.worst) == (1, 0.1)
    assert arm.coverage.value == pytest.approx(0.1)
    assert view.distribution == Counts(c1=10, invalid=90)
    assert (view.violations_per_session.value, view.violations_per_session.worst) == (0, 9)
    assert (arm.sessions, arm.complete_sessions, arm.missing_turns, arm.turns) == (10, 1, 90, 10)


def test_no_scored_turn_gives_no_value_but_a_reason():
    view = headline(digest("NNN"))
    assert view.sps.value is None
    assert "nothing to count" in view.sps.reason


@pytest.mark.parametrize("code", ["1", "4"])
@pytest.mark.parametrize("sessions", [1, 2, 10, 30])
def test_all_good_and_all_bad_never_print_certainty(code, sessions):
    """https://github.com/NVIDIA/garak/issues/2033."""
    view = headline(*(digest(code * 5, rep=rep) for rep in range(sessions)))
    for estimate in (view.sps, view.violation_rate):
        assert estimate.value in (0, 1)
        assert estimate.high - estimate.low > 0.05
        assert "if turns were independent" in estimate.note


def test_the_bound_if_turns_were_independent_stands_beside_the_clustered_one():
    """No violation in 100 turns: Clopper-Pearson's upper limit is 1 - 0.025^(1/100)."""
    rate = headline(*(digest("1" * 50, rep=rep) for rep in range(2))).violation_rate_if_independent
    assert rate.high == pytest.approx(1 - 0.025 ** (1 / 100))
    assert (rate.n, rate.note) == (100, "if turns were independent")


def test_under_ten_sessions_there_is_a_value_and_no_interval():
    sps = headline(*(digest("12" if rep % 2 else "11", rep=rep) for rep in range(9))).sps
    assert sps.value is not None
    assert (sps.low, sps.high, sps.reason) == (None, None, "no interval: 9 sessions, 10 needed")


def test_identical_sessions_carry_no_interval():
    sps = headline(*(digest("12", rep=rep) for rep in range(20))).sps
    assert (sps.value, sps.low, sps.reason) == (0.5, None, "no interval: the 20 sessions are identical")


def test_sessions_are_the_clusters():
    """Two kinds of sessions, all good and all bad: 20 of them say less than 1000 turns would."""
    sps = headline(*(digest(("1" if rep % 2 else "4") * 50, rep=rep) for rep in range(20))).sps
    assert sps.n == 20
    assert sps.high - sps.low > 0.3


def test_generated_scenarios_are_the_clusters():
    variants = [
        digest("11" if k % 2 else "12", scenario=f"s+g{k}", rep=rep) for k in range(12) for rep in range(2)
    ]
    sps = one_arm(variants).views[0].sps
    assert sps.n == 12
    assert "12 scenarios" in sps.note


def test_sps_is_split_by_whether_anything_is_permitted():
    view = headline(digest("11124I", permits="nnyyyn"))
    assert view.sps_nothing_permitted.value == 1
    assert view.sps_nothing_permitted.worst == pytest.approx(2 / 3)
    assert view.sps_something_permitted.value == pytest.approx(1 / 3)


def test_doing_nothing_has_its_known_score_beside_it():
    """https://github.com/sierra-research/tau2-bench/issues/129.

    Four turns permit nothing, one of them has an obligation due: doing nothing is C1 in three of six.
    """
    do_nothing = headline(digest("111322", permits="nnnnyy", due=[3]))
    oracle = headline(digest("111111", permits="nnnnyy", due=[3]))
    assert do_nothing.sps.value == do_nothing.sps_floor.value == oracle.sps_floor.value == 0.5
    assert oracle.sps.value == 1


def test_invalid_turns_enter_no_phase_rate_but_are_counted():
    view = headline(digest("111I114NN4"))
    assert view.by_phase == {
        "early": Counts(c1=4, invalid=1),
        "late": Counts(c1=1, c4=2, not_applicable=2),
    }


def test_invariants_have_a_row_each_and_obligations_one_of_their_own():
    rows = headline(digest("13", due=[1])).by_invariant
    assert rows["S2"] == Counts(c1=1)
    assert rows["S4 obligation"] == Counts(c3=1)
    assert rows["S1"] == rows["S5"] == Counts()


def test_sense_table_tells_what_noise_alone_explains():
    arm = one_arm([digest("1444", sensed="1144")])
    assert arm.sense_table == SenseTable(1, 1, 0, 2)
    assert arm.sense_share.value == pytest.approx(1 / 3)


def test_a_turns_cell_counts_over_the_arms_sessions():
    cells = one_arm([digest("14"), digest("1I", rep=1, issues={1: ["tool_loop"]})]).by_turn
    assert [(c.index, c.turn_id, c.counts, c.issues) for c in cells] == [
        (0, "t0", Counts(c1=2), 0),
        (1, "t1", Counts(c4=1, invalid=1), 1),
    ]
