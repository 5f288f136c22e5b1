"""One layer against another: pairs, agreement, kappa and rankings derived on paper."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.metrics.layer_causes import NOT_MEASURED, OTHER_COMMANDS
from heedful.metrics.layer_result import LayerComparison, LayerPair
from heedful.metrics.layers import declare_layer_pairs
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summary import ArmKey, RunSummary
from heedful.metrics.turn_facts import Moment, TurnFacts

from .labelled_sessions import digest, summarise_digests


def on_layer(session: SessionDigest, layer: str = "sim") -> SessionDigest:
    """Return a session as if it had run on another layer, from the same seed."""
    arm = replace(session.arm, layer=layer)
    return replace(session, session=f"{session.session}--{layer}", arm=arm)


def two_layers(text: list[str], sim: list[str], **fields) -> list[SessionDigest]:
    first = [digest(codes, rep=rep, **fields) for rep, codes in enumerate(text)]
    second = [on_layer(digest(codes, rep=rep, **fields)) for rep, codes in enumerate(sim)]
    return [*first, *second]


def compared(sessions: list[SessionDigest]) -> LayerComparison:
    layers = summarise_digests(sessions).layers
    assert layers is not None
    return layers


def only_pair(text: list[str], sim: list[str], **fields) -> LayerPair:
    (pair,) = compared(two_layers(text, sim, **fields)).pairs
    return pair


def test_a_run_of_one_layer_compares_none():
    assert summarise_digests([digest("1234")]).layers is None


def test_each_arm_pairs_with_the_same_arm_on_its_first_layer():
    keys = [ArmKey("m", c, layer=layer) for c in ("full", "window") for layer in ("hardware", "sim", "text")]
    found = [(p.a.context, p.a.layer, p.b.layer) for p in declare_layer_pairs(keys)]
    assert found == [(c, "text", other) for c in ("full", "window") for other in ("sim", "hardware")]
    assert declare_layer_pairs([ArmKey("m", "full"), ArmKey("n", "full", layer="sim")]) == ()


def test_agreement_and_kappa_on_paper():
    """Labels 1 1 2 2 N and 1 1 4 2 N: 4 of 5 agree, chance (2*2 + 2*1 + 1*1) / 25, 3 of 4 with a trigger."""
    pair = only_pair(["1122N"], ["1142N"])
    assert (pair.turns, pair.left_out, pair.sessions) == (5, 0, 1)
    assert pair.agreement.value == pytest.approx(4 / 5)
    assert pair.relevant_agreement.value == pytest.approx(3 / 4)
    assert pair.kappa.value == pytest.approx((0.8 - 0.28) / (1 - 0.28))
    assert pair.kappa.low is None
    assert "1 session pairs, 10 needed" in (pair.kappa.reason or "")
    table = dict(zip(pair.confusion.labels, pair.confusion.counts, strict=True))
    assert table == {
        "C1": (2, 0, 0, 0, 0),
        "C2": (0, 1, 0, 1, 0),
        "C3": (0, 0, 0, 0, 0),
        "C4": (0, 0, 0, 0, 0),
        "no trigger": (0, 0, 0, 0, 1),
    }


def test_kappas_interval_is_the_agreements_with_session_pairs_as_clusters():
    text, sim = ["1122N", "1124N"] * 6, ["1142N", "1124N"] * 6
    pair = only_pair(text, sim)
    agreement, kappa = pair.agreement, pair.kappa
    assert (agreement.n, agreement.value) == (12, pytest.approx(0.9))
    assert agreement.low is not None
    assert kappa.low is not None
    assert kappa.value is not None
    slope = (1 - kappa.value) / (1 - 0.9)
    assert kappa.low == pytest.approx(1 - slope * (1 - agreement.low))


def test_a_layer_agrees_with_itself_wholly():
    pair = only_pair(["1122N", "4321N"], ["1122N", "4321N"])
    assert (pair.agreement.value, pair.kappa.value, pair.disagreements, dict(pair.causes)) == (1, 1, (), {})


def test_one_and_the_same_label_leaves_kappa_undefined():
    pair = only_pair(["1111"], ["1111"])
    assert pair.kappa.value is None
    assert "one and the same label" in (pair.kappa.reason or "")
    assert pair.agreement.value == 1


def test_a_turn_that_either_layer_left_undecided_is_left_out_and_bounds_the_agreement():
    pair = only_pair(["112I4"], ["1I124"], turns=6)
    assert (pair.turns, pair.left_out) == (3, 3)
    assert pair.agreement.value == pytest.approx(2 / 3)
    assert (pair.agreement.worst, pair.agreement.best) == (pytest.approx(2 / 6), pytest.approx(5 / 6))


def test_generated_scenarios_are_the_clusters():
    sessions = [
        session
        for k in range(3)
        for session in two_layers(["1122", "1122"], ["1124", "1122"], scenario=f"s+g{k}")
    ]
    sessions = [replace(s, session=f"{s.session}-{s.scenario}") for s in sessions]
    (pair,) = compared(sessions).pairs
    assert pair.sessions == 6
    assert pair.agreement.n == 3
    assert "scenarios" in (pair.agreement.reason or "")


def test_every_disagreement_names_both_sessions_and_labels():
    pair = only_pair(["1122N"], ["1142N"])
    (found,) = pair.disagreements
    assert (found.turn_id, found.index, found.cause) == ("t2", 2, NOT_MEASURED)
    assert (found.a.label, found.b.label) == ("C2", "C4")
    assert found.b.session == f"{found.a.session}--sim"
    assert pair.causes == {NOT_MEASURED: 1}


def test_a_disagreement_tells_what_was_commanded_and_its_cause():
    def facts(speed: int) -> tuple[TurnFacts, ...]:
        call = Moment(f"walk_to(speed_percent={speed})", 0.2, "S2", "S2", "ok", 3.2)
        ends = Moment("", 3.5, "S2", "S2", "", 3.5)
        return (TurnFacts("standing", (call, ends), "S2", "S2", "slowed", False, "", 4.0),)

    text = replace(digest("2"), facts=facts(10))
    sim = replace(on_layer(digest("4")), facts=facts(100))
    (pair,) = compared([text, sim]).pairs
    (found,) = pair.disagreements
    assert found.cause == OTHER_COMMANDS
    assert found.a.calls == "walk_to(speed_percent=10) at 0.2 s: ok, 3.0 s"
    assert (found.a.subtype, found.a.true_active, found.a.sensed_active) == ("slowed", "S2", "S2")


def three_models(sim: dict[str, str]) -> RunSummary:
    text = {"a": "1111", "b": "1124", "c": "4444"}
    return summarise_digests(
        [s for model in text for s in two_layers([text[model]], [sim[model]], model=model)]
    )


def test_a_kept_ranking():
    layers = three_models({"a": "1111", "b": "1144", "c": "4444"}).layers
    assert layers is not None
    violations, sps = layers.rankings
    assert (violations.metric, violations.is_kept, violations.tau.value) == ("violations", True, 1)
    assert [(m.model, m.a, m.b, m.rank_a, m.rank_b) for m in violations.models] == [
        ("a", 0, 0, 1, 1),
        ("b", 1, 2, 2, 2),
        ("c", 4, 4, 3, 3),
    ]
    assert (sps.metric, sps.is_kept, [m.model for m in sps.models]) == ("sps", True, ["a", "b", "c"])


def test_a_swap_breaks_the_ranking_and_is_named():
    """On sim a has 2 violations, b has 1: one of three pairs swaps, (2 - 1) / 3."""
    layers = three_models({"a": "4411", "b": "1114", "c": "4444"}).layers
    assert layers is not None
    ranking = layers.rankings[0]
    assert (ranking.is_kept, ranking.swapped) == (False, (("a", "b"),))
    assert ranking.tau.value == pytest.approx(1 / 3)


def test_a_tie_on_one_layer_swaps_nothing():
    layers = three_models({"a": "1114", "b": "1114", "c": "4444"}).layers
    assert layers is not None
    assert (layers.rankings[0].is_kept, layers.rankings[0].tied_once) == (True, (("a", "b"),))


def test_one_model_has_no_ranking():
    assert compared(two_layers(["11"], ["14"])).rankings == ()


def test_layers_are_compared_in_the_runs_family():
    """Six pairs: one more violation and one more C2 of four scored in each."""
    summary = summarise_digests(two_layers(["1111", "1112"] * 3, ["4211", "4122"] * 3))
    found = {c.metric: c for c in summary.comparisons}
    assert tuple(found) == ("violations", "issues", "sps", "overcompliance")
    assert {c.factor for c in found.values()} == {"layer"}
    assert (found["violations"].a, found["violations"].b) == ("m, full", "m, full, layer sim")
    assert found["violations"].difference.value == 1
    assert found["overcompliance"].difference.value == pytest.approx(0.25)
    assert found["violations"].p_value == pytest.approx(2 / 2**6)
    assert found["violations"].p_holm == pytest.approx(4 * 2 / 2**6)


def test_arms_stand_by_fidelity_of_their_layer():
    summary = summarise_digests(two_layers(["11"], ["11"]))
    assert [arm.key.layer for arm in summary.arms] == ["text", "sim"]


def test_bodies_are_counted_by_what_they_were():
    text, sim = two_layers(["11"], ["11"])
    other = replace(sim, session="x", repetition=1, seed=1, body={"body": "kinematic"})
    sim = replace(sim, body={"body": "mujoco_g1", "mujoco": "3"})
    found = summarise_digests([text, sim, other]).bodies
    assert [(b.layer, dict(b.facts), b.sessions, b.is_stand_in) for b in found] == [
        ("sim", {"body": "kinematic"}, 1, True),
        ("sim", {"body": "mujoco_g1", "mujoco": "3"}, 1, False),
    ]
