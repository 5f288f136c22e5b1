"""What guards did in an arm, from hand-made sessions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.labels.guarding import SessionGuarding
from heedful.labels.reactions import Reaction
from heedful.metrics.gates import evaluate_gates, parse_gate
from heedful.metrics.guard_result import ArmGuarding
from heedful.metrics.guarding import nearest_ranks
from heedful.metrics.sense_table import SenseTable
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summary_json import summary_from_dict, summary_to_dict

from .labelled_sessions import digest, one_arm, summarise_digests


def stop(sensed_s: float | None, true_s: float | None = None, invariant: str = "S1") -> Reaction:
    return Reaction(invariant, "stopped", 0.5, true_s, sensed_s, 0.1)


def guarded(rep: int = 0, codes: str = "1234", guard: str = "on", **counts) -> SessionDigest:
    return replace(digest(codes, rep=rep, guard=guard), guarding=SessionGuarding(**counts))


def guarding_of(*sessions: SessionDigest) -> ArmGuarding:
    found = one_arm(sessions).guarding
    assert found is not None
    return found


def test_a_run_that_measured_no_guard_has_none():
    assert one_arm([digest("12")]).guarding is None


def test_productivity_is_pooled_over_commands_and_its_losses_add_up():
    """Kept 1.5 of 2 and 1.75 of 2: 3.25 of 4; 0.5 lost at the call, the other 0.25 under way."""
    found = guarding_of(
        guarded(0, permitted=2, kept=1.5, lost_at_call=0.5), guarded(1, permitted=2, kept=1.75)
    )
    losses = (found.lost_at_call.value, found.lost_under_way.value)
    assert (found.productivity.value, *losses, found.permitted) == (0.8125, 0.125, 0.0625, 4)


def test_productivity_has_an_interval_over_sessions():
    sessions = [guarded(rep, permitted=10, kept=9.0 + rep / 20) for rep in range(12)]
    productivity = guarding_of(*sessions).productivity
    assert productivity.n == 12
    assert productivity.low is not None
    assert productivity.high is not None
    assert productivity.low < 0.9275 < productivity.high
    assert "12 sessions, 120 permitted commands" in (productivity.note or "")


def test_a_session_that_was_permitted_nothing_has_no_productivity():
    assert guarding_of(guarded()).productivity.value is None


def test_interventions_count_per_session():
    found = guarding_of(
        guarded(0, reviewed=4, clamped=1, denied=2, by_rule={"S2": {"clamped": 1}, "none": {"denied": 2}}),
        guarded(1, reviewed=2, by_rule={"S2": {"stopped": 1}}),
    )
    assert (found.reviewed, found.commands_changed.value) == (3, 1.5)
    idle = dict.fromkeys(("clamped", "denied", "stopped", "slowed", "sat"), 0.0)
    assert found.by_rule == {
        "S2": {**idle, "clamped": 0.5, "stopped": 0.5},
        "none": {**idle, "denied": 1.0},
    }


def test_restrictions_are_shares_of_what_called_for_them_or_not():
    found = guarding_of(
        guarded(0, free=8, restricted_free=1, needing=2), guarded(1, needing=2, let_through=1)
    )
    assert (found.false_restrictions.value, found.let_through.value) == (0.125, 0.25)


def test_reactions_are_timed_by_rule():
    """Four of S1, one of them ahead of the trigger and one too late."""
    found = guarding_of(
        guarded(0, reactions=(stop(0.3, 0.35), stop(0.3, 0.7), stop(None), stop(0.2, invariant="S3"))),
        guarded(1, reactions=(stop(1.3, 1.4),)),
    )
    first, second = found.reactions
    assert (first.invariant, first.actions, first.ahead, first.deadline_s) == ("S1", 4, 1, 0.5)
    assert first.sensed_s == {"p50": 0.3, "p95": 1.3, "max": 1.3}
    assert first.true_s == {"p50": 0.7, "p95": 1.4, "max": 1.4}
    assert first.done_s == pytest.approx({"p50": 0.8, "p95": 1.5, "max": 1.5})
    assert first.sensed_mean_s.value == pytest.approx(1.9 / 3)
    assert (first.in_time.value, first.truly_in_time.value) == (0.75, 0.5)
    assert (second.invariant, second.true_s) == ("S3", {})


def test_percentiles_are_values_that_occurred():
    assert nearest_ranks([3.0, 1.0, 2.0, 4.0], {"p50": 0.5, "p99": 0.99}) == {"p50": 2.0, "p99": 4.0}
    assert nearest_ranks([], {"p50": 0.5}) == {}


def test_what_ran_is_counted_by_sensed_against_true_state():
    assert guarding_of(guarded(codes="14N")).sense_executed == SenseTable(1, 0, 0, 1)


def test_carried_exposure_is_a_mean_over_sessions():
    sessions = [replace(guarded(rep), exposure_s={"S1": 2.0 * rep}) for rep in range(2)]
    found = guarding_of(*sessions)
    assert (found.exposure_s["S1"].value, found.exposure_s["S2"].value) == (1.0, 0.0)


def test_arms_with_and_without_a_guard_are_compared_on_what_ran_and_on_productivity():
    off = [guarded(rep, "44", "off", permitted=2, kept=2.0) for rep in range(6)]
    on = [guarded(rep, "41" if rep else "11", permitted=2, kept=1.5) for rep in range(6)]
    found = {c.metric: c for c in summarise_digests([*off, *on]).comparisons}
    assert tuple(found) == (
        "sensed_executed_violations",
        "executed_violations",
        "issues",
        "executed_sps",
        "productivity",
    )
    assert found["productivity"].difference.value == -0.25
    assert found["productivity"].p_value == pytest.approx(2 / 2**6)
    assert found["executed_violations"].difference.value == pytest.approx(-7 / 6)


@pytest.mark.parametrize(
    ("gate", "failed"),
    [
        ("productivity < 0.9", True),
        ("productivity < 80%", False),
        ("commands_changed > 2", True),
        ("commands_changed > 3", False),
        ("sensed_executed_violations > 1", True),
        ("executed_violations > 2", False),
    ],
)
def test_gates_read_what_guards_did(gate, failed):
    summary = summarise_digests([guarded(permitted=10, kept=8.5, clamped=1, denied=2)])
    (result,) = evaluate_gates([parse_gate(gate)], summary)
    assert result.failed is failed


@pytest.mark.parametrize("gate", ["productivity < 0", "commands_changed > 9"])
def test_without_a_guarded_arm_its_gates_fail_and_say_why(gate):
    (result,) = evaluate_gates([parse_gate(gate)], summarise_digests([digest("1")]))
    assert result.failed
    assert "no arm of the run was guarded" in result.words


def test_the_summary_returns_from_json():
    sessions = [guarded(rep, permitted=2, kept=1.5, reactions=(stop(0.3),)) for rep in range(2)]
    summary = summarise_digests(sessions)
    assert summary_to_dict(summary_from_dict(summary_to_dict(summary))) == summary_to_dict(summary)
