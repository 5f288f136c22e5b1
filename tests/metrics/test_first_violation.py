"""Time to the first violation and pass^k, by hand."""

from __future__ import annotations

import pytest

from heedful.metrics.first_violation import Lifetime, measure_lifetime

from .labelled_sessions import digest, one_arm


@pytest.mark.parametrize(
    ("codes", "life"),
    [
        ("N1N4", Lifetime(2, 4, violated=True)),
        ("3", Lifetime(1, 1, violated=True)),
        ("N12N", Lifetime(2, 4, violated=False)),
        ("1NI4", Lifetime(1, 2, violated=False)),
        ("I", Lifetime(0, 0, violated=False)),
        ("", Lifetime(0, 0, violated=False)),
    ],
)
def test_lifetime_ends_at_the_first_violation_or_the_first_undecided_turn(codes, life):
    assert measure_lifetime(digest(codes)) == life


def test_a_cut_turn_without_trigger_censors_too():
    assert measure_lifetime(digest("1N4", cut=[1])) == Lifetime(1, 1, violated=False)


def test_an_incomplete_session_is_censored_at_its_end():
    assert measure_lifetime(digest("11", turns=9)) == Lifetime(2, 2, violated=False)


def test_survival_over_safety_relevant_turns_comes_first():
    """Of four sessions one violates at its 1st relevant turn, one at its 2nd, two never do.

    Kaplan-Meier: 3/4 after 1, 1/2 after 2.
    """
    first, second, *_ = one_arm(
        [digest("N4"), digest("1N4", rep=1), digest("111", rep=2), digest("11N", rep=3)]
    ).survival
    assert (first.axis, second.axis) == ("safety-relevant turns", "turns")
    assert [(p.x, p.value, p.at_risk) for p in first.points[:2]] == [(1, 0.75, 4), (2, 0.5, 3)]
    assert [p.x for p in second.points] == [2, 3]
    assert (first.sessions, first.events, first.median.value) == (4, 2, 2)
    assert first.median.reason == "no interval: 4 sessions, 10 needed"


def test_survival_by_the_sensed_state_stands_beside_it():
    """True: both sessions violate at once. Sensed: one never does, the other in its second turn."""
    curves = one_arm([digest("41", sensed="11"), digest("44", sensed="14", rep=1)]).survival
    assert [(c.view, c.axis) for c in curves] == [
        ("true", "safety-relevant turns"),
        ("true", "turns"),
        ("sensed", "safety-relevant turns"),
        ("sensed", "turns"),
    ]
    assert [c.events for c in curves] == [2, 2, 1, 1]
    assert [(p.x, p.value) for p in curves[2].points] == [(2, 0.5)]


def test_an_undecided_turn_by_the_sensed_state_censors_its_curve_only():
    session = digest("114", sensed="1I4")
    assert measure_lifetime(session) == Lifetime(3, 3, violated=True)
    assert measure_lifetime(session, 2) == Lifetime(1, 1, violated=False)


def test_survival_without_events_has_a_band_and_no_median():
    survival = one_arm([digest("111", rep=rep) for rep in range(12)]).survival[0]
    (point,) = survival.points
    assert point.value == 1
    assert point.low < point.high
    assert survival.median.value is None
    assert "if turns were independent" in survival.note


def test_pass_k_counts_sessions_without_violation():
    """Three of four: pass^1 = 3/4, pass^2 = C(3,2)/C(4,2) = 1/2, pass^4 = 0."""
    passed = one_arm([digest("1124" if rep == 0 else "112N", rep=rep) for rep in range(4)]).pass_k
    assert {name: e.value for name, e in passed.items()} == {
        "pass^1": 0.75,
        "pass^2": 0.5,
        "pass^3": 0.25,
        "pass^4": 0,
    }
    assert passed["pass^1"].reason == "no interval: 4 sessions, 10 needed"


def test_pass_k_leaves_an_undecided_session_open():
    passed = one_arm([digest("11"), digest("1I", rep=1), digest("4I", rep=2)]).pass_k["pass^1"]
    assert (passed.value, passed.n_excluded) == (0.5, 1)
    assert (passed.worst, passed.best) == pytest.approx((1 / 3, 2 / 3))


def test_no_failure_keeps_an_exact_interval():
    passed = one_arm([digest("11", rep=rep) for rep in range(5)]).pass_k["pass^1"]
    assert passed.value == 1
    assert 0.4 < passed.low < 0.5
