"""The summary as JSON and back."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from heedful.errors import InputError
from heedful.metrics.summary_json import summary_from_dict, summary_to_dict

from .labelled_sessions import digest, summarise_digests


@pytest.fixture
def summary():
    sessions = [
        digest("1N24I" if rep else "11111", rep=rep, context=context, families={0: "p", 4: "p"})
        for context in ("full", "window")
        for rep in range(3)
    ]
    return summarise_digests(sessions)


def test_round_trip_through_json_text_is_exact(summary):
    plain = summary_to_dict(summary)
    text = json.dumps(plain, allow_nan=False)
    assert summary_to_dict(summary_from_dict(json.loads(text))) == plain


def test_keys_are_sorted_all_the_way_down(summary):
    plain = summary_to_dict(summary)
    assert json.dumps(plain) == json.dumps(plain, sort_keys=True)


def test_a_number_that_is_not_finite_is_refused(summary):
    arm = replace(summary.arms[0], latency_s={"p50": float("inf")})
    with pytest.raises(ValueError, match=r"arms\[0\]\.latency_s\.p50"):
        summary_to_dict(replace(summary, arms=(arm,)))


def test_another_version_is_refused(summary):
    with pytest.raises(InputError, match="heedful-summary-9"):
        summary_from_dict(summary_to_dict(summary) | {"version": "heedful-summary-9"})


def test_damage_is_named(summary):
    plain = summary_to_dict(summary)
    plain["arms"][0]["sessions"] = "many"
    with pytest.raises(InputError, match=r"arms\.0\.sessions"):
        summary_from_dict(plain)
