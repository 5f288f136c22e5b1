"""A run's summary: the same for every order, complete, and refused when it would mix."""

from __future__ import annotations

import random

import pytest

from heedful.errors import InputError
from heedful.labels.session import label_turns
from heedful.metrics.digest import digest_session
from heedful.metrics.summarise import summarise, summarise_run
from heedful.metrics.summary_json import summary_to_dict

from .labelled_sessions import SPEC, digest, make_session, summarise_digests


def a_run():
    """Eighteen pairs that differ, so that a test has to draw at random."""
    codes = random.Random(4)  # noqa: S311
    return [
        digest("".join(codes.choices("1234N", k=12)), rep=rep, context=context, model=model)
        for model in ("a", "b")
        for context in ("full", "window")
        for rep in range(18)
    ]


def test_summary_does_not_depend_on_the_order_of_sessions():
    sessions = a_run()
    first = summary_to_dict(summarise_digests(sessions))
    for order in range(3):
        random.Random(order).shuffle(sessions)  # noqa: S311
        assert summary_to_dict(summarise_digests(sessions)) == first


def test_same_seed_same_summary_another_seed_another_draw():
    sessions = a_run()
    first, again, other = (summarise_digests(sessions, seed=seed) for seed in (1, 1, 2))
    assert first == again
    assert [c.p_value for c in first.comparisons] != [c.p_value for c in other.comparisons]
    assert first.arms == other.arms


def test_two_steps_give_what_one_gives():
    sessions = [make_session("1N4"), make_session("112", rep=1)]
    settings = {"spec": SPEC, "expected_sessions": 2, "seed": 1}
    digests = [digest_session(session) for session in sessions]
    assert summarise_run(iter(sessions), **settings) == summarise(digests, **settings)


def test_summary_says_what_it_rests_on():
    summary = summarise_digests([digest("1")], expected_sessions=4)
    assert (summary.sessions, summary.expected_sessions) == (1, 4)
    assert summary.spec == "iso10218-humanoid@1.0"
    assert (summary.spec_hash, summary.judge, summary.heedful) == ("spec-hash", "judge-1", "0")
    assert summary.scenarios == ("s",)
    assert "claims_done" in summary.claims_table


def test_arms_come_in_a_fixed_order():
    arms = summarise_digests([digest("1", model=m, context=c) for m in "ba" for c in ("window", "full")]).arms
    assert [arm.key.title for arm in arms] == ["a, full", "a, window", "b, full", "b, window"]


def test_a_run_without_sessions_has_a_summary():
    summary = summarise_digests([], expected_sessions=3)
    assert (summary.arms, summary.comparisons, summary.sessions) == ((), (), 0)


def test_a_session_that_comes_twice_is_refused():
    with pytest.raises(InputError, match="comes twice"):
        summarise_digests([digest("1"), digest("1")])


def test_a_session_labelled_by_another_spec_is_refused():
    session = make_session("1")
    labels = label_turns("x", (), SPEC)
    assert labels.spec == session.labels.spec
    other = digest("1")
    object.__setattr__(other, "spec", "other@1")
    with pytest.raises(InputError, match="labelled by other@1"):
        summarise_digests([other])
