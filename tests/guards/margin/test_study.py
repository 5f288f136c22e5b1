from __future__ import annotations

import json
from dataclasses import asdict, replace

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.guards.margin.law import Approach, Noise
from heedful.guards.margin.study import MarginStudy, RuleStudy, render_study, study_margin
from heedful.guards.spec_guard import SpecGuard
from heedful.metrics.intervals import clopper_pearson
from heedful.spec.load import load_spec
from heedful.spec.safety_spec import SafetySpec

UNIFORM = Noise("uniform", 0.1)
DECISIONS = 3000


@pytest.fixture(scope="module")
def spec() -> SafetySpec:
    return load_spec("iso10218-humanoid")


def upper_bound(events: int, trials: int) -> float:
    return clopper_pearson(events, trials).high


def studied(spec: SafetySpec, rate: float, decisions: int = DECISIONS, seed: int = 1) -> MarginStudy:
    return study_margin(spec, "human.distance", UNIFORM, 0.15, 1.6, rate, decisions, seed)


def test_each_threshold_that_reads_the_signal_is_studied_with_a_command_it_alone_decides(spec: SafetySpec):
    study = studied(spec, 0.0)
    assert [(r.invariant, r.threshold, r.unsafe, r.command) for r in study.rules] == [
        ("S2", 1.0, "below", "walk_to at 100 %"),
        ("S3", 0.5, "below", "wave_hand"),
    ]
    assert study.not_studied == ()


def test_wanted_rate_of_zero_gives_half_width_plus_travel_and_no_violation(spec: SafetySpec):
    study = studied(spec, 0.0)
    assert (study.base, study.per_s, study.margin) == (0.1, 1.6, 0.1 + 0.15 * 1.6)
    assert (study.expected_rate, [r.violations for r in study.rules]) == (0.0, [0, 0])


def test_counts_of_the_guard_agree_with_the_calculation(spec: SafetySpec):
    study = studied(spec, 0.1, decisions=6000)
    for rule in study.rules:
        assert rule.violations / rule.let_through == pytest.approx(study.expected_rate, abs=0.02)
        assert rule.needless / rule.safe == pytest.approx(study.expected_needless, abs=0.03)
        assert rule.decisions == 6000
        assert upper_bound(rule.violations, rule.let_through) <= 0.1


def test_too_small_a_margin_is_caught_by_the_guards_own_decisions(
    spec: SafetySpec, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("heedful.guards.margins._span", lambda *_: None)
    study = studied(spec, 0.01)
    assert all(r.violations / r.let_through > 0.2 for r in study.rules)
    assert any("DOES NOT keep" in line for line in render_study(study, upper_bound))


def test_decisions_are_those_of_the_real_guard(spec: SafetySpec, monkeypatch: pytest.MonkeyPatch):
    reviewed = []
    original = SpecGuard.review
    monkeypatch.setattr(SpecGuard, "review", lambda *a: (reviewed.append(1), original(*a))[1])
    studied(spec, 0.01, decisions=50)
    assert len(reviewed) >= 2 * 50


def test_rule_about_large_values_is_mirrored(spec: SafetySpec):
    study = study_margin(spec, "camera.frame_age", Noise("uniform", 0.03), 0.1, 1.0, 0.0, DECISIONS, 1)
    (rule,) = study.rules
    assert (rule.invariant, rule.threshold, rule.unsafe, rule.violations) == ("S1", 0.5, "above", 0)
    assert study.unit == "s"
    assert rule.needless / rule.safe == pytest.approx(study.expected_needless, abs=0.03)


def test_gaussian_noise_keeps_its_rate(spec: SafetySpec):
    study = study_margin(spec, "human.distance", Noise("gaussian", 0.05), 0.15, 1.6, 0.05, DECISIONS, 1)
    for rule in study.rules:
        assert upper_bound(rule.violations, rule.let_through) <= 0.05


def test_same_seed_gives_the_same_study(spec: SafetySpec):
    assert studied(spec, 0.05, seed=7) == studied(spec, 0.05, seed=7)
    assert studied(spec, 0.05, seed=7) != studied(spec, 0.05, seed=8)


def test_study_is_json(spec: SafetySpec):
    study = studied(spec, 0.01, decisions=100)
    assert json.loads(json.dumps(asdict(study)))["rules"][0]["invariant"] == "S2"


def test_text_states_margin_bound_target_and_price(spec: SafetySpec):
    rule = RuleStudy("S2", 1.0, "below", "walk_to at 100 %", 1000, 400, 2, 500, 50)
    study = replace(studied(spec, 0.0, decisions=10), wanted_rate=0.01, rules=(rule,), not_studied=("S9",))
    assert render_study(study, lambda k, n: k / n + 0.001)[2:] == [
        "margin 0.34 m at that age: base 0.1 m, per_s 1.6 m/s",
        "true violations among commands let through: wanted at most 0.01, calculated 0, "
        "without a margin 0.414",
        "price, calculated: 14.7% of safe decisions restricted while approaching, 50.0% while standing still",
        "S2, below 1 m, walk_to at 100 %: 1000 decisions through the guard, 400 let through",
        "  true violations 2, rate 0.005, upper 95 % bound 0.006, wanted 0.01: "
        "the bound keeps the wanted rate",
        "  needless restrictions 50 of 500 safe decisions (10.0%)",
        "not studied, since no command depends on it alone: S9",
    ]


def test_signal_of_an_obligation_alone_is_refused(spec: SafetySpec):
    with pytest.raises(InputError, match=r"No rule .* restricts a command by 'battery.level' alone"):
        study_margin(spec, "battery.level", UNIFORM, 0.1, 0.0, 0.01, 10, 1)


def test_unknown_signal_is_refused_with_the_nearest_name(spec: SafetySpec):
    with pytest.raises(UnknownNameError, match=r"human\.distance"):
        study_margin(spec, "human.distanc", UNIFORM, 0.1, 1.6, 0.01, 10, 1)


def test_signal_that_is_no_number_is_refused(spec: SafetySpec):
    with pytest.raises(InputError, match="only a number can have a margin"):
        study_margin(spec, "camera.frozen", UNIFORM, 0.1, 1.6, 0.01, 10, 1)


def test_sample_too_old_to_count_is_refused(spec: SafetySpec):
    with pytest.raises(InputError, match="unknown from 1 s on"):
        study_margin(spec, "human.distance", UNIFORM, 1.0, 1.6, 0.01, 10, 1)


def test_no_decisions_are_refused(spec: SafetySpec):
    with pytest.raises(InputError, match="At least 1 decision"):
        studied(spec, 0.01, decisions=0)


@pytest.mark.slow
@pytest.mark.parametrize("rate", [0.0, 1e-3, 1e-2])
def test_full_study_keeps_the_wanted_rate_of_the_declared_noise(spec: SafetySpec, rate: float):
    study = studied(spec, rate, decisions=300_000)
    for rule in study.rules:
        assert upper_bound(rule.violations, rule.let_through) <= max(rate, 1e-4)


def test_approach_of_the_study_is_the_laws(spec: SafetySpec):
    study = studied(spec, 0.05, decisions=100)
    approach = Approach(UNIFORM, 0.15, 1.6)
    assert study.expected_rate == approach.violation_rate(study.margin)
    assert study.rate_without == approach.violation_rate(0.0)
