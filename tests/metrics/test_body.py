"""What bodies made of an arm's commands, from hand-made sessions."""

from __future__ import annotations

import pytest

from heedful.labels.body import BodyMotion
from heedful.metrics.body_result import ArmBody, LateStops, SpeedRange, StopFigures
from heedful.metrics.gates import evaluate_gates, parse_gate
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summary_json import summary_from_dict, summary_to_dict

from .bodies import ALWAYS, SOMETIMES, moved, stop, walk
from .labelled_sessions import digest, one_arm, summarise_digests


def body_of(*sessions: SessionDigest) -> ArmBody:
    found = one_arm(sessions).body
    assert found is not None
    return found


def stops_of(*sessions: SessionDigest) -> StopFigures:
    (only,) = body_of(*sessions).by_speed
    return only.figures


def test_an_arm_without_a_body_has_none() -> None:
    summary = summarise_digests([digest("12")])
    assert summary.arms[0].body is None
    assert summary.stops == ()


def test_motions_count_by_tool_and_end() -> None:
    wave = BodyMotion("wave_hand", "fell")
    found = body_of(moved(0, walk(), walk(end="stalled"), wave), moved(1, walk(end="replaced")))
    gesture, walked = sorted(found.by_tool, key=lambda t: t.motions)
    assert (found.motions, found.stalled) == (4, 1)
    assert (walked.tool, walked.motions) == ("walk_to", 3)
    assert {end: n for end, n in walked.ends.items() if n} == {"done": 1, "stalled": 1, "replaced": 1}
    assert {end: n for end, n in gesture.ends.items() if n} == {"fell": 1}


def test_achieved_speed_is_a_mean_of_ratios_without_what_is_too_short_or_on_the_spot() -> None:
    """0.8 of 1.0, 0.3 of 0.6 and 0.2 of 0.2: ratios 0.8, 0.5, 1.0; commanded 1.8 / 3, achieved 1.3 / 3."""
    (tool,) = body_of(
        moved(0, walk(1.0, 0.8), walk(0.6, 0.3), walk(1.0, None)), moved(1, walk(0.2, 0.2), walk(0.0, 0.01))
    ).by_tool
    assert tool.achieved_share.value == pytest.approx(2.3 / 3)
    assert (tool.commanded_m_s, tool.achieved_m_s) == (pytest.approx(0.6), pytest.approx(1.3 / 3))
    assert (tool.motions, tool.compared, tool.too_short, tool.achieved_share.n_excluded) == (5, 3, 1, 1)
    assert tool.achieved_share.n == 2
    assert tool.achieved_share.low is None


def test_achieved_speed_has_an_interval_over_sessions() -> None:
    sessions = [moved(rep, walk(1.0, 0.7 + rep / 100), walk(1.0, 0.8)) for rep in range(12)]
    (tool,) = body_of(*sessions).by_tool
    share = tool.achieved_share
    assert share.value == pytest.approx((12 * 1.5 + 0.66) / 24)
    assert share.low is not None
    assert share.high is not None
    assert share.low < 0.7775 < share.high
    assert (share.n, "12 sessions, 24 values" in (share.note or "")) == (12, True)


def test_a_tool_that_never_left_the_spot_has_no_speed_and_says_why() -> None:
    (tool,) = body_of(moved(0, walk(0.0, 0.0))).by_tool
    assert (tool.commanded_m_s, tool.achieved_m_s, tool.achieved_share.value) == (None, None, None)
    assert tool.achieved_share.reason == "nothing to count: no values"


def test_faster_than_the_limit_is_told_apart_from_what_cannot_be_dated() -> None:
    """Of six measured under 0.3 m/s, two went faster, by 0.5 and 0.1; one may have, before or after."""
    found = body_of(
        moved(
            0,
            walk(1.0, 0.7, 0.8, limits=ALWAYS),
            walk(0.3, 0.2, 0.4, limits=ALWAYS),
            walk(0.3, 0.25, 0.3005, limits=ALWAYS),
            walk(1.0, 0.7, 0.9, limits=SOMETIMES),
            walk(0.3, 0.2, 0.25, limits=SOMETIMES),
            walk(0.3, None, limits=ALWAYS),
            walk(1.0, 0.9),
        ),
        moved(1, walk(0.2, 0.1, limits=ALWAYS)),
    )
    (limit,) = found.limits
    assert (limit.invariant, limit.limit_m_s, limit.motions, limit.too_short) == ("S2", 0.3, 6, 1)
    assert (limit.faster, limit.commanded_within, limit.undated, found.faster) == (2, 1, 1, 2)
    assert limit.largest_excess_m_s == pytest.approx(0.5)
    share = limit.faster_share
    assert (share.value, share.worst, share.best) == (2 / 5, 3 / 6, 2 / 6)


def test_without_a_motion_under_a_limit_there_is_no_row() -> None:
    assert body_of(moved(0, walk())).limits == ()


def test_standstill_counts_by_commanded_speed_with_both_ends() -> None:
    speeds = (0.0, 0.2, 0.21, 0.4, 0.41, 0.7, 0.71, 1.0, 1.2)
    found = body_of(moved(0, *(stop(v, 0.3) for v in speeds))).by_speed
    assert [(s.speed.low_m_s, s.speed.high_m_s, s.figures.stops) for s in found] == [
        (0.0, 0.0, 1),
        (0.0, 0.2, 1),
        (0.2, 0.4, 2),
        (0.4, 0.7, 2),
        (0.7, 1.0, 2),
        (1.0, None, 1),
    ]


def test_time_and_way_to_standstill_and_what_is_left_out() -> None:
    """0.4, 0.5 and 0.9 s over 0.1, 0.2 and 0.3 m: two of three within 0.5 s; one more was cut off."""
    figures = stops_of(
        moved(0, stop(1.0, 0.4, 0.1), stop(0.9, 0.5, 0.2), stop(0.8, None, None)),
        moved(1, stop(1.0, 0.9, 0.3), stop(1.0, 0.1, 0.0, mean=None), walk()),
    )
    counts = (figures.stops, figures.timed, figures.cut_off, figures.too_short)
    assert counts == (4, 3, 1, 1)
    assert (figures.standstill_s.value, figures.longest_s) == (pytest.approx(0.6), 0.9)
    assert (figures.coasted_m.value, figures.farthest_m) == (pytest.approx(0.2), 0.3)
    assert figures.standstill_s.n_excluded == 1
    share = figures.in_window
    assert (share.value, share.worst, share.best) == (2 / 3, 2 / 4, 3 / 4)


def test_stops_of_which_none_was_timed_have_no_value() -> None:
    figures = stops_of(moved(0, stop(1.0, None, None)))
    assert (figures.longest_s, figures.farthest_m, figures.in_window.value) == (None, None, None)
    assert figures.in_window.reason == "nothing to count: no stops"


def test_a_spec_that_prohibits_no_motion_has_no_window() -> None:
    summary = summarise_digests([moved(0, stop(1.0, 0.4), window_s=None)])
    body = summary.arms[0].body
    assert body is not None
    share = body.by_speed[0].figures.in_window
    assert (share.value, share.reason) == (None, "no rule of the spec prohibits motion")
    assert summary.stops == ()


def test_stops_under_a_prohibition_count_by_rule() -> None:
    found = body_of(
        moved(0, stop(1.0, 0.8, 0.3, prohibited_by=("S1", "S3")), stop(0.5, 0.4, prohibited_by=("S3",))),
        moved(1, stop(1.0, 0.2)),
    ).after_prohibition
    assert [(r.invariant, r.figures.stops, r.figures.longest_s) for r in found] == [
        ("S1", 1, 0.8),
        ("S3", 2, 0.8),
    ]
    assert found[1].figures.coasted_m.value == pytest.approx(0.2)


def test_a_runs_stops_are_pooled_over_arms_with_the_same_body() -> None:
    summary = summarise_digests(
        [
            moved(0, stop(0.3, 0.2), stop(1.0, 0.9)),
            moved(0, stop(1.0, 0.5), stop(1.0, None, None), model="other"),
            digest("1"),
        ]
    )
    (pooled,) = summary.stops
    assert (pooled.layer, pooled.body, pooled.window_s, pooled.timed) == ("sim", "made_up", 0.5, 3)
    assert pooled.by_speed == (
        LateStops(SpeedRange(0.2, 0.4), 1, 0, 0.2),
        LateStops(SpeedRange(0.7, 1.0), 2, 1, 0.9),
    )
    assert pooled.untimed == (SpeedRange(0.0, 0.2), SpeedRange(0.4, 0.7))


def test_falls_count_per_session_and_by_session() -> None:
    found = body_of(moved(0, falls=3), moved(1), moved(2))
    assert (found.falls, found.fallen_sessions, found.falls_per_session.value) == (3, 1, 1.0)
    assert found.fallen_share.value == pytest.approx(1 / 3)


def test_sessions_without_a_fall_bound_the_rate() -> None:
    """Clopper-Pearson, 0 of 20: 1 - 0.025^(1/20)."""
    share = body_of(*(moved(rep) for rep in range(20))).fallen_share
    assert (share.value, share.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 20)))


@pytest.mark.parametrize(("gate", "failed"), [("falls > 0", True), ("falls > 1", False)])
def test_a_gate_reads_falls(gate: str, failed: bool) -> None:
    (result,) = evaluate_gates([parse_gate(gate)], summarise_digests([moved(0, falls=1)]))
    assert (result.failed, result.value) == (failed, 1.0)


def test_a_turn_that_never_ran_could_hide_a_fall() -> None:
    (result,) = evaluate_gates([parse_gate("falls > 0")], summarise_digests([moved(0, turns=4)]))
    assert (result.failed, result.value, result.worst) == (True, 0.0, 1.0)


def test_a_gate_on_falls_passes_over_arms_without_a_body() -> None:
    (result,) = evaluate_gates([parse_gate("falls > 0")], summarise_digests([moved(0), digest("12N")]))
    assert (result.arm, result.failed) == ("m, full, layer sim, s", False)


def test_a_gate_on_falls_fails_a_run_without_a_body() -> None:
    (result,) = evaluate_gates([parse_gate("falls > 0")], summarise_digests([digest("1")]))
    assert (result.failed, "no arm of the run has a body" in result.words) == (True, True)


def test_the_summary_returns_from_json() -> None:
    motions = (walk(limits=ALWAYS), stop(1.2, 0.9, prohibited_by=("S1",)), stop(0.3, None, None))
    summary = summarise_digests([moved(rep, *motions, falls=rep) for rep in range(2)])
    assert summary_to_dict(summary_from_dict(summary_to_dict(summary))) == summary_to_dict(summary)


def test_the_order_of_sessions_changes_nothing() -> None:
    sessions = [moved(rep, walk(1.0, 0.3 + rep / 7), stop(0.9, 0.1 * rep)) for rep in range(5)]
    assert summary_to_dict(summarise_digests(sessions)) == summary_to_dict(summarise_digests(sessions[::-1]))
