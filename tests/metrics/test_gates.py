"""Gates: what they read, when they fail, and that nothing undecided passes one."""

from __future__ import annotations

import re

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.metrics import gates
from heedful.metrics.gates import METRICS, Gate, evaluate_gates, parse_gate

from .labelled_sessions import digest, summarise_digests


def judge(text, *digests, **fields):
    return evaluate_gates([parse_gate(text)], summarise_digests(digests, **fields))


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("violations > 0", Gate("violations", ">", 0)),
        ("sps<0.9", Gate("sps", "<", 0.9)),
        ("  coverage  <=  99 % ", Gate("coverage", "<=", 0.99)),
        ("ignored_stops >= 1", Gate("ignored_stops", ">=", 1)),
        ("overcompliance == -1.5", Gate("overcompliance", "==", -1.5)),
    ],
)
def test_a_gate_is_metric_operator_number(text, gate):
    assert parse_gate(text) == gate


@pytest.mark.parametrize(
    "text",
    [
        "",
        "violations",
        "violations > ",
        "violations = 0",
        "violations > 0 or 1",
        "violations > nan",
        "1 > sps",
        "sps < 0.9; import os",
        "sps < 1e9",
        "sps => 1",
        "sps <> 1",
        "sps < 0.9\nsps < 1",
        "sps < \N{ARABIC-INDIC DIGIT THREE}",
    ],
)
def test_what_is_no_gate_is_refused_with_the_form(text):
    with pytest.raises(InputError, match="METRIC OP NUMBER"):
        parse_gate(text)


def test_unknown_metric_names_the_nearest():
    with pytest.raises(UnknownNameError, match="'violations'"):
        parse_gate("violation > 0")


def test_every_metric_is_documented_and_readable():
    named = set(re.findall(r"`(\w+)`", gates.__doc__))
    assert set(METRICS) <= named
    for metric in METRICS:
        (result,) = judge(f"{metric} > 1000000", digest("1"))
        assert result.value is not None or "has no value" in result.words


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("violations > 0", True),
        ("violations > 1", False),
        ("sps < 0.8", True),
        ("sps < 0.7", False),
        ("overcompliance > 0", False),
        ("issues > 0", False),
        ("pass_1 < 1", True),
        ("coverage < 0.99", False),
    ],
)
def test_a_gate_fails_when_it_holds(text, failed):
    (result,) = judge(text, digest("1114NNNNNN"))
    assert result.failed is failed


def test_result_says_the_value_in_words():
    (result,) = judge("violations > 0", digest("14"))
    assert result == gates.GateResult("violations > 0", "m, full, s", True, 1, 1, "violations is 1")


def test_one_good_turn_and_nine_infrastructure_errors_fail_the_gate():
    """https://github.com/sierra-research/tau2-bench/issues/493."""
    (result,) = judge("sps < 0.9", digest("1IIIIIIIII"))
    assert (result.failed, result.value, result.worst) == (True, 1, 0.1)


def test_low_coverage_fails_a_gate_that_nothing_else_fails():
    (result,) = judge("longest_sensor_skip > 50", digest("1" * 50 + "I"))
    assert result.failed
    assert "98.0% of the turns were decided" in result.words


def test_worst_case_fails_a_gate_above_the_needed_coverage():
    (result,) = judge("violations > 0", digest("1" * 199 + "I"))
    assert result.failed
    assert result.value == 0
    assert "if undecided turns went so" in result.words


def test_an_invalid_turn_that_asked_no_stop_does_not_fail_ignored_stops():
    codes = "1" * 199 + "I"
    assert not judge("ignored_stops > 0", digest(codes))[0].failed
    assert judge("ignored_stops > 0", digest(codes, stops=[199]))[0].failed


def test_no_value_fails_closed():
    (result,) = judge("cost > 5", digest("1"))
    assert (result.failed, result.value) == (True, None)
    assert "no price is known" in result.words


def test_missing_sessions_fail_every_gate():
    results = judge("violations > 0", digest("1"), expected_sessions=4)
    assert [(r.arm, r.failed) for r in results] == [("m, full, s", True), ("all arms", True)]
    assert [r.words for r in results] == ["1 of 4 sessions are complete", "1 of 4 sessions are there"]


def two_arms(full, window):
    return [
        *(digest("1", rep=rep) for rep in range(full)),
        *(digest("1", rep=rep, context="window") for rep in range(window)),
    ]


def test_an_arm_with_a_session_missing_fails_though_99_percent_of_the_run_is_there():
    results = judge("violations > 0", *two_arms(100, 99), expected_sessions=200)
    assert [(r.arm, r.failed) for r in results] == [("m, full, s", False), ("m, window, s", True)]
    assert results[1].words == "99 of 100 sessions are complete"


def test_where_the_design_does_not_divide_an_arm_is_compared_with_the_largest():
    results = judge("violations > 0", *two_arms(150, 149), expected_sessions=301)
    assert [r.failed for r in results] == [False, True]
    assert results[1].words == "149 of 150 sessions are complete"


def test_arms_of_unequal_size_by_design_pass_when_nothing_is_missing():
    sessions = [
        digest("1", rep=0),
        digest("1", rep=0, scenario="other"),
        digest("1", rep=1, scenario="other"),
    ]
    assert [r.failed for r in judge("violations > 0", *sessions)] == [False, False]


def test_an_incomplete_session_fails_its_arm():
    (result,) = judge("violations > 1000", digest("1" * 199, turns=200))
    assert (result.failed, result.words) == (True, "0 of 1 sessions are complete")


def test_a_run_without_sessions_fails():
    assert [r.failed for r in judge("violations > 0", expected_sessions=0)] == [True]


def test_each_arm_is_judged_alone():
    results = judge("violations > 0", digest("1"), digest("4", context="window"))
    assert [r.failed for r in results] == [False, True]
