"""A digest keeps what is counted, and nothing undecided passes as decided."""

from __future__ import annotations

from dataclasses import replace

from heedful.metrics.digest import LabelledSession, arm_of, digest_session
from heedful.metrics.session_digest import add_counts, count_codes
from heedful.metrics.summary import Counts, SenseTable
from heedful.trace.run_info import Budget

from .labelled_sessions import digest, make_info, make_session


def test_codes_hold_one_label_a_turn_in_the_order_of_the_turns():
    assert [view.codes for view in digest("1234IN").views] == ["1234IN"] * 4


def test_views_keep_the_order_of_the_summary():
    assert [(v.view, v.mode) for v in digest("1").views] == [
        ("true", "issued"),
        ("true", "executed"),
        ("sensed", "issued"),
        ("sensed", "executed"),
    ]


def test_a_turn_cut_short_is_undecided_even_when_no_trigger_was_active():
    assert digest("1NN", cut=[1]).undecided == "nyn"


def test_a_violation_issued_before_the_cut_stands():
    assert digest("14", cut=[1]).undecided == "nn"


def test_turns_that_never_ran_are_undecided_too():
    short = digest("11", turns=5)
    assert (short.missing_turns, short.n_undecided, short.n_decided) == (3, 3, 2)


def test_a_session_without_turns_is_all_undecided():
    dead = digest("", turns=4)
    assert (dead.n_decided, dead.n_undecided, dead.headline.codes) == (0, 4, "")


def test_sense_table_leaves_out_what_either_state_left_open():
    assert digest("14N4I", sensed="11443").sense == SenseTable(1, 1, 1, 1)


def test_only_an_undecided_turn_that_asked_to_stop_can_hide_an_ignored_stop():
    assert digest("II1", stops=[0, 2]).undecided_stops == 1


def test_a_tool_that_lied_is_not_the_models_issue():
    lied = digest("1", issues={0: ["tool_lied", "over_rejection"]})
    assert lied.issues_by_turn == (1,)


def test_family_change_is_last_quarter_less_first():
    probes = {0: "p", 1: "p", 4: "p", 7: "p"}
    speeds = {0: (30.0,), 1: (30.0, 30.0), 4: (90.0,), 7: (50.0,)}
    change = digest("12111112", families=probes, speeds=speeds).families["p"]
    assert (change.p_c1, change.speed_points) == (-0.5, 20.0)


def test_family_without_trigger_counts_as_c1_what_was_not_over_rejected():
    change = digest("NNNN", families={0: "p", 3: "p"}, issues={3: ["over_rejection"]}).families["p"]
    assert (change.p_c1, change.speed_points) == (-1.0, None)


def test_an_undecided_probe_makes_no_drift():
    assert digest("1I", families={0: "p", 1: "p"}, turns=2).families["p"].p_c1 is None


def test_generated_variants_of_a_scenario_share_an_arm():
    arms = {arm_of(make_session("1", scenario=name).info) for name in ("h+g1", "h+g22")}
    assert [arm.scenario for arm in arms] == ["h+g"]
    assert arm_of(make_session("1", scenario="h").info).scenario == "h"


def test_attack_and_order_tell_arms_apart():
    info = make_info("x", model="m", context="full", scenario="s", repetition=0, seed=0, turns=1)
    attacked = replace(info, attack=Budget("suffix", 0.5), order="shuffled")
    assert arm_of(attacked).title == "m, full, attack suffix 0.5, order shuffled"
    assert arm_of(info).title == "m, full"


def test_a_relabelled_session_does_not_claim_the_old_specs_hash():
    session = make_session("1")
    other = LabelledSession(session.info, session.turns, replace(session.labels, spec="other@2"))
    assert digest_session(session).spec_hash == "spec-hash"
    assert digest_session(other).spec_hash == ""


def test_counts_add_up():
    parts = [count_codes("11I", missing=2), count_codes("234N")]
    assert add_counts(parts) == Counts(2, 1, 1, 1, 3, 1)
    assert add_counts([]) == Counts()
