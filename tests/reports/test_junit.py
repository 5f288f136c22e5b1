"""JUnit XML as common readers expect it: suites, cases, counts that agree."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

from heedful.labels.label import Label
from heedful.metrics.digest import arm_of
from heedful.metrics.summary import ArmKey, Counts
from heedful.reports.junit import render_junit
from tests.reports.samples import (
    arm,
    bare,
    estimate,
    hostile_session,
    hostile_summary,
    real_session,
    summary,
    view,
)


def parsed(text: str) -> ET.Element:
    root = ET.fromstring(text)  # noqa: S314 - our own output
    assert root.tag == "testsuites"
    for suite in root:
        cases = suite.findall("testcase")
        assert int(suite.get("tests", "")) == len(cases)
        for total, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(total, "")) == sum(c.find(tag) is not None for c in cases)
        assert all(case.get("name") and case.get("classname") for case in cases)
    for total in ("tests", "failures", "errors", "skipped"):
        assert int(root.get(total, "")) == sum(int(suite.get(total, "")) for suite in root)
    return root


def cases(suite: ET.Element) -> dict[str, ET.Element]:
    return {case.get("name", ""): case for case in suite.findall("testcase")}


def test_a_broken_rule_fails_and_an_undecided_one_is_skipped():
    root = parsed(render_junit(summary()))
    found = cases(root[0])
    failure = found["S1"].find("failure")
    assert failure is not None
    assert failure.get("message") == "S1: 3 violations in 7 decisions (C3 0, C4 3)"
    assert len(found["S2"]) == 0
    assert found["S4 obligation"].find("skipped") is not None
    assert found["ignored_stop"].find("failure") is not None


def test_invalid_turns_are_an_error_of_the_run_and_no_failure_of_the_model():
    error = cases(parsed(render_junit(summary()))[0])["coverage"].find("error")
    assert error is not None
    assert error.get("message") == "98.0 % of turns decided; 2 INVALID; 11 of 12 sessions complete"


def test_a_clean_arm_passes():
    clean = view("true", "issued", Counts(c1=10))
    passing = arm(
        views=(replace(clean, by_invariant={"S1": Counts(c1=10)}),),
        issues_per_session={"ignored_stop": bare(0.0)},
        complete_sessions=12,
        coverage=estimate(1.0),
    )
    root = parsed(render_junit(summary(passing)))
    assert (root.get("tests"), root.get("failures"), root.get("errors"), root.get("skipped")) == (
        "3",
        "0",
        "0",
        "0",
    )


def test_failures_list_the_turns():
    trace, labels = real_session()
    key = arm_of(trace.info)
    counts = {"S3": Counts(c4=13)}
    one = arm(
        key.model, key.context, views=(replace(view("true", "issued", Counts(c4=13)), by_invariant=counts),)
    )
    (suite,) = parsed(render_junit(summary(one), [(trace, labels)]))
    failure = cases(suite)["S3"].find("failure")
    assert failure is not None
    lines = (failure.text or "").split("\n")
    assert len(lines) == 13
    assert lines[0].startswith(f"{trace.info.session} turn ")
    assert ": C4: " in lines[0]


def noise_case(*violating: str) -> ET.Element:
    """Return the case of a session in which S2 is broken by true state, turn by turn.

    `n` is a turn in which sensing saw no violation, `y` one in which it did, `I` one it left undecided.
    """
    sensed = {"n": Label.C1, "y": Label.C4, "I": Label.INVALID}
    trace, labels = hostile_session()
    (turn,) = labels.turns
    turns = tuple(
        replace(
            turn,
            index=k,
            turn_id=f"T{k}",
            verdicts=tuple(v if v.view == "true" else replace(v, label=sensed[code]) for v in turn.verdicts),
            issues=(),
        )
        for k, code in enumerate(violating)
    )
    counts = Counts(c1=2, c4=len(violating))
    one = replace(
        arm(),
        key=arm_of(trace.info),
        views=(replace(view("true", "issued", counts), by_invariant={"S2": counts}),),
    )
    (suite,) = parsed(render_junit(summary(one), [(trace, replace(labels, turns=turns))]))
    return cases(suite)["S2"]


def test_a_breach_by_the_true_state_only_passes_with_a_note():
    case = noise_case("n", "n")
    assert case.find("failure") is None
    note = case.findtext("system-out") or ""
    assert note.startswith("true state only: sensor noise:\n")
    assert "(T0): C4: " in note
    assert "(T1): C4: " in note


def test_a_breach_by_both_states_fails_and_names_only_its_own_turns():
    case = noise_case("n", "y")
    failure = case.find("failure")
    assert failure is not None
    assert failure.get("message") == (
        "S2: 2 violations in 4 decisions (C3 0, C4 2), 1 of them by true state only"
    )
    assert "(T1)" in (failure.text or "")
    assert "(T0)" not in (failure.text or "")
    assert "(T0)" in (case.findtext("system-out") or "")


def test_a_turn_left_undecided_by_the_sensed_state_excuses_nothing():
    case = noise_case("I")
    assert case.find("failure") is not None
    assert case.find("system-out") is None


def test_a_session_of_another_arm_is_not_listed():
    text = render_junit(summary(), [real_session()])
    assert real_session()[0].info.session not in text


def test_hostile_text_is_valid_xml():
    info = hostile_session()[0].info
    whole = hostile_summary()
    key = ArmKey(info.model, info.context, guard="on", scenario="humanoid-100-v1")
    one = replace(whole.arms[0], key=key)
    root = parsed(render_junit(replace(whole, arms=(one,)), [hostile_session()]))
    assert "pwned" in (root[0].get("name") or "")
