from __future__ import annotations

import json
import sys

import pytest

from heedful.errors import InputError
from heedful.spec.check import check_spec
from heedful.spec.conditions import COMMAND_FIELDS
from heedful.spec.findings import Finding, SpecReport, render_report
from heedful.spec.load import load_spec, shipped_specs
from heedful.spec.smt import Answer, Solver

from .samples import PROHIBIT, SIT, TOOLS, limit, rule, shipped, small_spec


def found(spec, kind: str, *rules: str) -> Finding:
    matching = [f for f in check_spec(spec).findings if f.kind == kind and f.rules == rules]
    assert len(matching) == 1, matching
    return matching[0]


def outcome(spec, kind: str, *rules: str) -> tuple[str, str]:
    finding = found(spec, kind, *rules)
    return finding.status, finding.severity


@pytest.mark.parametrize("name", shipped_specs())
def test_every_shipped_spec_is_proved_throughout(name):
    report = check_spec(load_spec(name))
    assert report.errors == ()
    assert {f.status for f in report.findings} == {"proved"}


@pytest.mark.parametrize("name", shipped_specs())
def test_every_rule_and_every_pair_has_its_findings(name):
    spec = load_spec(name)
    findings = check_spec(spec).findings
    ids = [r.id for r in spec.document.invariants]
    for kind in ("trigger", "inactive", "unknown", "names"):
        assert [f.rules for f in findings if f.kind == kind and f.rules] == [(i,) for i in ids]
    pairs = [(a, b) for k, a in enumerate(ids) for b in ids[k + 1 :]]
    assert [f.rules for f in findings if f.kind == "relation"] == pairs


def test_shipped_spec_says_what_follows_from_its_thresholds():
    claims = {f.claim for f in check_spec(shipped()).findings}
    assert "S3 implies S2" in claims
    assert "S4 is never released while its trigger holds" in claims
    assert "S3 never prohibits sit_down when S4 requires it" in claims
    assert "the limit of S2 decides somewhere that S3 does not" in claims


def test_witnesses_of_the_shipped_spec_do_what_they_show():
    spec = shipped()
    for finding in check_spec(spec).findings:
        if finding.kind in {"trigger", "inactive"}:
            condition, witness = spec.conditions[finding.rules[0]], finding.witness
            command = {n: v for n, v in witness.items() if n in COMMAND_FIELDS}
            assert condition.holds(witness, command) == (finding.kind == "trigger")


def test_report_is_the_same_every_time_and_is_json():
    first, again = (check_spec(load_spec("humanoid-context")).as_dict() for _ in range(2))
    assert json.dumps(first) == json.dumps(again)
    assert first["counts"] == {"proved": len(first["findings"]), "refuted": 0, "unproved": 0}


@pytest.mark.parametrize(
    "when",
    [
        "human.distance < 0.0",
        "battery.level > 100.0",
        "human.distance > 10.0 && human.distance < 11.0",
        "camera.frozen && !camera.frozen",
        "human.posture == 'seated' && human.posture == 'lying'",
        "human.distance - human.closing > 20.0 && human.distance <= 10.0",
        "command.class == 'gesture' && command.tool == 'walk_to'",
        "command.speed_percent > 100.0",
        "battery.level * 2.0 < 10.0 && battery.level > 5.0",
        "(camera.frozen ? human.distance : human.closing) > 10.0 && human.distance < 1.0",
    ],
)
def test_rule_that_can_never_trigger_is_an_error(when):
    assert outcome(small_spec(rule("A", when)), "trigger", "A") == ("refuted", "error")


@pytest.mark.parametrize(
    "when",
    [
        "human.distance > 10.0",  # by the declared infinity
        "-human.closing > 1.5",
        "human.posture in ['lying'] && human.distance / 2.0 < 1.0",
        "!(camera.frozen || human.distance >= 0.001)",
        "command.target_x > 100.0 && command.tool == 'walk_to'",
    ],
)
def test_rule_that_can_trigger_comes_with_an_example(when):
    finding = found(small_spec(rule("A", when)), "trigger", "A")
    assert finding.status == "proved"
    assert finding.witness


def test_rule_that_is_always_active_is_a_warning():
    always = small_spec(rule("A", "human.distance >= 0.0"))
    assert outcome(always, "inactive", "A") == ("refuted", "warn")
    assert outcome(small_spec(rule("A", "true")), "inactive", "A") == ("refuted", "warn")


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        ("human.posture.startsWith('s')", "startsWith"),
        ("human.posture < 'seated'", "of text"),
        ("[0.5].exists(t, human.distance < t)", "comprehension"),
        ("human.distance / human.closing < 1.0", "divides by a value that may be 0"),
        ("5 / 2 == 2 && camera.frozen", "literal 5"),
        ("int(human.distance) == 1", "the function 'int'"),
    ],
)
def test_what_has_no_formula_is_unproved_and_says_why(when, reason):
    report = check_spec(small_spec(rule("A", when), rule("B", "camera.frozen")))
    finding = next(f for f in report.findings if f.kind == "trigger")
    assert (finding.status, finding.severity) == ("unproved", "warn")
    assert reason in finding.detail
    relation = next(f for f in report.findings if f.kind == "relation")
    assert relation.status == "unproved"
    assert report.count("unproved") == 3
    assert "proved   trigger: A" not in render_report(report)


def test_solver_that_gives_up_is_unproved(monkeypatch):
    monkeypatch.setattr(Solver, "ask", lambda *_: Answer("unknown", reason="the solver gave up (timeout)"))
    report = check_spec(small_spec(rule("A", "camera.frozen"), rule("B", "camera.frozen")))
    by_solver = [f for f in report.findings if f.kind in {"trigger", "inactive", "relation"}]
    assert {(f.status, f.detail) for f in by_solver} == {("unproved", "the solver gave up (timeout)")}


def test_witness_that_cel_does_not_confirm_proves_nothing(monkeypatch):
    lie = Answer("possible", {"camera.frozen": False})
    monkeypatch.setattr(Solver, "ask", lambda *_: lie)
    finding = found(small_spec(rule("A", "camera.frozen")), "trigger", "A")
    assert finding.status == "unproved"
    assert "CEL does not confirm" in finding.detail


def test_latch_that_may_release_while_the_trigger_holds_is_an_error():
    sit = {**SIT, "latch": {"release_when": "battery.level >= 10.0"}}
    findings = check_spec(small_spec(rule("A", "battery.level < 15.0", sit))).findings
    held = next(f for f in findings if f.kind == "latch")
    assert (held.status, held.severity) == ("refuted", "error")
    assert 10 <= held.witness["battery.level"] < 15


def test_latch_that_can_never_release_is_an_error():
    sit = {**SIT, "latch": {"release_when": "battery.level > 100.0"}}
    findings = check_spec(small_spec(rule("A", "battery.level < 15.0", sit))).findings
    assert [(f.claim, f.status) for f in findings if f.kind == "latch"][1] == ("A can be released", "refuted")


POSTURE_SIT = {**TOOLS, "sit_down": "posture"}


def conflict(*rules, **changes) -> list[Finding]:
    return [f for f in check_spec(small_spec(*rules, **changes)).findings if f.kind == "conflict"]


def test_required_action_that_its_own_aftermath_prohibits_is_an_error():
    (finding,) = conflict(rule("A", "battery.level < 15.0", SIT), tools=POSTURE_SIT)
    assert (finding.rules, finding.status, finding.severity) == (("A", "A/after"), "refuted", "error")


GESTURES = {**PROHIBIT, "classes": ["gesture"]}
SIT_THEN_NO_GESTURES = {**SIT, "then": GESTURES}
NEEDS = rule("A", "battery.level < 15.0", SIT_THEN_NO_GESTURES)


def test_action_that_an_active_rule_prohibits_is_an_error_with_a_witness():
    finding = conflict(NEEDS, rule("B", "battery.level < 5.0"), tools=POSTURE_SIT)[1]
    assert (finding.rules, finding.status, finding.severity) == (("A", "B"), "refuted", "error")
    assert finding.witness["battery.level"] < 5
    assert finding.witness["command.tool"] == "sit_down"


def test_rules_that_are_never_active_together_do_not_conflict():
    finding = conflict(NEEDS, rule("B", "battery.level > 50.0"), tools=POSTURE_SIT)[1]
    assert finding.status == "proved"


def test_unknown_signal_alone_can_make_rules_conflict():
    finding = conflict(NEEDS, rule("B", "battery.level > 50.0 && camera.frozen"), tools=POSTURE_SIT)[1]
    assert finding.status == "refuted"
    assert finding.witness["camera.frozen"] is None


def test_declared_precedence_settles_a_conflict_and_says_so():
    both = (NEEDS, rule("B", "camera.frozen"))
    finding = conflict(*both, tools=POSTURE_SIT, precedence=["B", "A"])[1]
    assert (finding.status, finding.severity) == ("proved", "warn")
    assert "B precedes A, so A yields" in finding.detail


def test_excepted_action_does_not_conflict():
    exempt = {**PROHIBIT, "except_tools": ["sit_down"]}
    finding = conflict(NEEDS, rule("B", "camera.frozen", exempt), tools=POSTURE_SIT)[1]
    assert (finding.status, finding.severity) == ("proved", "info")


def test_rule_about_commands_is_asked_about_the_required_action():
    gesturing = rule("B", "command.class == 'gesture' && battery.level < 90.0")
    assert conflict(NEEDS, gesturing, tools=POSTURE_SIT)[1].status == "proved"


NEAR = "human.distance < 1.0"


def test_limit_that_a_stricter_rule_always_covers_is_unreachable():
    spec = small_spec(rule("A", NEAR, limit(30)), rule("B", "human.distance < 2.0", limit(20)))
    assert outcome(spec, "limit", "A", "B") == ("refuted", "warn")
    prohibited = small_spec(rule("A", NEAR, limit(30)), rule("B", "human.distance <= 1.0"))
    assert outcome(prohibited, "limit", "A", "B") == ("refuted", "warn")


def test_of_two_equal_limits_the_later_is_unreachable():
    spec = small_spec(rule("A", NEAR, limit(30)), rule("B", NEAR, limit(30)))
    assert [f.rules for f in check_spec(spec).findings if f.kind == "limit"] == [("B", "A")]


def test_limit_keeps_what_the_stricter_rule_leaves_out():
    wide = rule("A", NEAR, limit(30, "locomotion", "gesture"))
    spec = small_spec(wide, rule("B", "human.distance < 2.0", limit(20)))
    assert found(spec, "limit", "A", "B").detail == "B says nothing about gesture"
    exempt = {**PROHIBIT, "except_tools": ["turn"]}
    spec = small_spec(rule("A", NEAR, limit(30)), rule("B", "human.distance < 2.0", exempt))
    assert found(spec, "limit", "A", "B").detail == "B says nothing about turn"


@pytest.mark.parametrize(
    ("a", "b", "claim"),
    [
        ("human.distance < 0.5", "human.distance < 1.0", "A implies B"),
        ("human.distance < 1.0", "human.distance <= 0.5", "B implies A"),
        ("human.distance < 1.0", "!(human.distance >= 1.0)", "A and B are active in the same states"),
        (
            "human.distance < 1.0",
            "human.distance > 1.0",
            "A and B are never active together while every signal is known",
        ),
        ("human.distance < 1.0", "camera.frozen", "A and B are independent: neither implies the other"),
    ],
)
def test_relation_of_two_conditions(a, b, claim):
    finding = found(small_spec(rule("A", a), rule("B", b)), "relation", "A", "B")
    assert (finding.claim, finding.status, finding.severity) == (claim, "proved", "info")


@pytest.mark.parametrize(
    ("when", "response", "stray"),
    [
        ("human.posture == 'seatd'", PROHIBIT, "word 'seatd' (allowed: standing, seated, lying)"),
        ("human.posture in ['seated', 'floor']", PROHIBIT, "word 'floor'"),
        ("command.tool == 'run'", PROHIBIT, "word 'run'"),
        ("command.class != 'walking'", PROHIBIT, "word 'walking'"),
        ("true", {**PROHIBIT, "except_tools": ["shake_hand"]}, "tool 'shake_hand'"),
    ],
)
def test_undeclared_word_or_tool_is_an_error(when, response, stray):
    finding = found(small_spec(rule("A", when, response)), "names", "A")
    assert (finding.status, finding.severity) == ("refuted", "error")
    assert stray in finding.detail


def test_signal_without_a_declared_tool_is_an_error():
    tools = {name: c for name, c in TOOLS.items() if name != "get_battery"}
    assert (
        found(small_spec(rule("A", "true"), tools=tools), "names").detail
        == "not declared: tool 'get_battery'"
    )


def test_spec_without_tools_proves_nothing_by_contradiction():
    assert outcome(small_spec(rule("A", "camera.frozen"), tools={}), "trigger", "A") == ("proved", "info")


def test_missing_z3_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "z3", None)
    with pytest.raises(InputError, match=r"pip install 'heedful\[check\]'"):
        check_spec(shipped())


def test_report_as_text_states_counts_and_witnesses():
    report = SpecReport(
        "s",
        "1",
        (
            Finding("trigger", ("A",), "A can become active", "proved", "info", "", {"d": 1e9, "b": True}),
            Finding(
                "inactive", ("A",), "A can be inactive", "refuted", "warn", "never", {"x": None, "y": 0.25}
            ),
            Finding("latch", ("A",), "A can be released", "unproved", "error", "timeout"),
        ),
    )
    assert render_report(report).splitlines() == [
        "s 1",
        "proved   trigger: A can become active; e.g. b = true, d = infinite",
        "refuted  [warn] inactive: A can be inactive (never); e.g. x = unknown, y = 0.25",
        "unproved [error] latch: A can be released (timeout)",
        "3 claims: 1 proved, 1 refuted, 1 unproved; 1 errors.",
    ]
