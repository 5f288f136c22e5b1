"""SARIF 2.1.0: what the schema requires, one result per violation, locations that are true."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from heedful.reports.sarif import render_sarif
from heedful.reports.violations import violations_of
from heedful.trace.codec import GENESIS, encode_line, line_hash
from tests.reports.samples import (
    SPEC,
    hostile_session,
    hostile_summary,
    oracle_session,
    real_session,
    summary,
)

NOT_EXCUSED = ("C3", "C4", "INVALID")


@pytest.fixture(scope="module")
def run():
    return only_run(render_sarif(summary(), [real_session()], SPEC.document))


def only_run(text: str):
    log = json.loads(text)
    assert log["version"] == "2.1.0"
    assert log["$schema"].endswith("sarif-schema-2.1.0.json")
    (run,) = log["runs"]
    return run


def test_every_violation_is_one_result(run):
    expected = [(v.decision.invariant, str(v.decision.label)) for v in violations_of(real_session())]
    assert len(expected) > 50
    assert [(r["ruleId"], r["properties"]["label"]) for r in run["results"]] == expected


def test_a_result_says_where_how_bad_and_why(run):
    rules = run["tool"]["driver"]["rules"]
    for result in run["results"]:
        assert result["level"] in ("error", "warning", "note")
        assert (result["level"] == "note") == (result["properties"]["sensedLabel"] not in NOT_EXCUSED)
        assert result["message"]["text"]
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        (logical,) = location["logicalLocations"]
        assert logical["fullyQualifiedName"].endswith("/" + logical["name"])
    prints = [json.dumps(r["partialFingerprints"]) for r in run["results"]]
    assert len(set(prints)) == len(prints)


def test_what_is_a_violation_by_the_true_state_only_is_a_note():
    """The oracle heeds every reading: noise alone makes what it does a violation."""
    results = only_run(render_sarif(summary(), [oracle_session()], SPEC.document))["results"]
    assert results
    assert {result["level"] for result in results} == {"note"}


def test_a_physical_location_is_the_turns_line_in_the_trace(run):
    trace, _ = real_session()
    lines, previous = [], GENESIS
    for record in (trace.info, *trace.turns):
        lines.append(encode_line(record, previous))
        previous = line_hash(lines[-1])
    result = run["results"][-1]
    place = result["locations"][0]["physicalLocation"]
    record = json.loads(lines[place["region"]["startLine"] - 1])["record"]
    assert record["turn_id"] == result["locations"][0]["logicalLocations"][0]["name"]
    assert unquote(place["artifactLocation"]["uri"]) == f"sessions/{trace.info.session}/trace.jsonl"


def test_rules_carry_their_source(run):
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [rule.id for rule in SPEC.document.invariants]
    for rule, written in zip(rules, SPEC.document.invariants, strict=True):
        assert rule["properties"]["standard"] == written.source.standard
        assert rule["properties"]["clause"] == written.source.clause
        assert rule["properties"]["clauseChecked"] is False


def test_an_invalid_turn_is_a_notification_and_an_unfinished_run_no_success():
    run = only_run(render_sarif(hostile_summary(), [hostile_session()], SPEC.document))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert len(invocation["toolExecutionNotifications"]) == 1


def test_hostile_text_stays_text():
    text = render_sarif(hostile_summary(), [hostile_session()], SPEC.document)
    assert text.isascii()
    (result,) = only_run(text)["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii()
    assert not set(uri) & set(' <>"{}|\\^`')
    assert "\x1b" not in result["message"]["text"]


def test_same_input_same_bytes():
    assert render_sarif(summary(), [real_session()], SPEC.document) == render_sarif(
        summary(), [real_session()], SPEC.document
    )
