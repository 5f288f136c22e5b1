from __future__ import annotations

import pytest

from heedful.spec.load import load_spec, shipped_specs
from heedful.spec.prompt import render_rules, render_spec

from .samples import PROHIBIT, SIT, TOOLS, limit, rule, shipped, small_spec

UNKNOWN = "If a value a rule needs is missing, stale or out of range, treat the rule as active."


def sentence(when: str, response: dict | None = None, **changes) -> str:
    line = render_rules(small_spec(rule("A", when, response), **changes)).splitlines()[1]
    return line.removeprefix("A - Rule A: ")


@pytest.mark.parametrize("name", shipped_specs())
def test_every_rule_is_one_line_with_id_title_and_sentence(name):
    spec = load_spec(name)
    lines = render_rules(spec).splitlines()
    assert lines[0] == f"Safety rules ({name} {spec.version}):"
    for line, invariant in zip(lines[1:], spec.document.invariants, strict=False):
        assert line.startswith(f"{invariant.id} - {invariant.title}: ")
        assert " ".join(invariant.rule.split()) in line


@pytest.mark.parametrize("name", shipped_specs())
def test_parameters_workspace_and_the_unknown_are_told(name):
    spec = load_spec(name)
    parameters, workspace, unknown = render_rules(spec).splitlines()[len(spec.document.invariants) + 1 :]
    assert "near_distance = 1 m" in parameters
    assert "low_battery = 15 %" in parameters
    assert workspace == (
        "Workspace (map frame, m): the polygon with corners (-3, -2), (3, -2), (3, 2), (-3, 2); "
        "its border belongs to it."
    )
    assert unknown.startswith(UNKNOWN)


def test_rules_are_plain_ascii_text_and_always_the_same():
    text = render_rules(shipped())
    assert text.isascii()
    assert text == render_rules(shipped())


def test_empty_sentence_is_written_from_condition_and_prohibition():
    assert sentence("camera.frozen || human.distance < params.near") == (
        "If camera.frozen is true or human.distance is below 1 m: "
        "do not call walk_to, turn, wave_hand, shake_hands or stand_up."
    )


def test_empty_sentence_is_written_from_a_limit():
    assert sentence("human.distance <= 1.5", limit(20)) == (
        "If human.distance is at most 1.5 m: call walk_to or turn with speed_percent 20 or less; "
        "do not refuse for this."
    )


def test_empty_sentence_is_written_from_a_requirement():
    assert sentence("battery.level < 15.0", {**SIT, "then": {**PROHIBIT, "classes": ["gesture"]}}) == (
        "If battery.level is below 15 %: call sit_down within 10 s; then do not call wave_hand or "
        "shake_hands until battery.level is at least 20 % and the operator has reset the robot."
    )


def test_empty_sentence_is_written_from_a_bound():
    assert sentence("command.leaves_workspace", {"kind": "bound"}) == (
        "If a motion would leave the workspace: refuse a target outside the workspace or a path that leaves "
        "it, stopping distance included, or go no farther than a point inside on the way."
    )


def test_exception_is_told():
    excepted = {**PROHIBIT, "classes": ["gesture"], "except_tools": ["shake_hands"]}
    assert sentence("camera.frozen", excepted).endswith("do not call wave_hand (shake_hands stays allowed).")


@pytest.mark.parametrize(
    ("when", "words"),
    [
        ("!camera.frozen", "camera.frozen is false"),
        ("human.posture == 'seated'", "human.posture is seated"),
        ("'seated' == human.posture", "human.posture is seated"),
        ("human.posture != 'seated'", "human.posture is not seated"),
        ("human.posture in ['seated', 'lying']", "human.posture is one of seated or lying"),
        ("camera.frozen == false", "camera.frozen is false"),
        ("2.0 > human.distance", "2 m is above human.distance"),
        ("command.speed_percent > 50.0", "the commanded speed_percent is above 50 %"),
        ("human.distance - human.closing >= 1.0", "(human.distance - human.closing) is at least 1"),
        ("-human.closing > 0.5", "-human.closing is above 0.5"),
        (
            "camera.frozen && (human.distance < 1.0 || human.distance > 5.0)",
            "camera.frozen is true and (human.distance is below 1 m or human.distance is above 5 m)",
        ),
        (
            "!(camera.frozen && human.distance < 1.0)",
            "it is not the case that (camera.frozen is true and human.distance is below 1 m)",
        ),
        (
            "camera.frozen ? human.distance < 2.0 : human.distance < 1.0",
            "(human.distance is below 2 m) where camera.frozen is true, else (human.distance is below 1 m)",
        ),
        ("human.posture.startsWith('s')", "startsWith(human.posture, s) holds"),
        ("true", "always"),
        ("[1.0].exists(t, t > human.distance)", "the condition holds"),
    ],
)
def test_condition_as_words(when, words):
    assert sentence(when).startswith(f"If {words}: ")


def test_prohibition_without_tools_still_reads():
    tools = {name: c for name, c in TOOLS.items() if c != "gesture"}
    assert sentence("camera.frozen", {**PROHIBIT, "classes": ["gesture"]}, tools=tools).endswith(
        "no further motion."
    )


@pytest.mark.parametrize("name", shipped_specs())
def test_page_for_people_has_every_rule_with_source_and_clause(name):
    spec = load_spec(name)
    page = render_spec(spec)
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    for invariant in spec.document.invariants:
        assert invariant.source.standard in rows[invariant.id]
        assert invariant.source.clause in rows[invariant.id]
    for signal in spec.document.signals:
        assert f"`{signal}`" in rows
    assert all(line.startswith("|") and line.endswith("|") for line in rows.values())


def test_bars_inside_conditions_do_not_break_the_table():
    page = render_spec(small_spec(rule("A", "camera.frozen || human.distance < 1.0")))
    assert r"`camera.frozen \|\| human.distance < 1.0`" in page
