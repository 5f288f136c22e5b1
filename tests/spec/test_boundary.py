from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.spec.boundary import BoundaryCase, boundary_cases, render_boundary_cases
from heedful.spec.boundary.exact import InexactError, evaluate, is_active
from heedful.spec.conditions import Condition
from heedful.spec.load import load_spec, shipped_specs
from heedful.state.geometry import Pose
from heedful.state.motion import plan_motion

from .samples import PROHIBIT, SIT, limit, rule, shipped, small_spec

SPECS = {name: load_spec(name) for name in shipped_specs()}
CASES = [(SPECS[name], case) for name in SPECS for case in boundary_cases(SPECS[name])]
IDS = [f"{spec.name}:{case.id}" for spec, case in CASES]


def of_kind(*kinds: str):
    chosen = [(pair, i) for pair, i in zip(CASES, IDS, strict=True) if pair[1].kind in kinds]
    return pytest.mark.parametrize(("spec", "case"), [p for p, _ in chosen], ids=[i for _, i in chosen])


def screened(spec, case: BoundaryCase) -> dict:
    return {name: spec.screen(name, value) for name, value in case.values.items()}


def is_rule_active(spec, case: BoundaryCase) -> bool:
    return spec.conditions[case.rule].holds(screened(spec, case), case.command)


def broken(spec, case: BoundaryCase) -> tuple:
    command = case.command
    return spec.broken(
        command["command.tool"],
        command["command.speed_percent"],
        spec.active(screened(spec, case)),
        leaves_region=command["command.leaves_workspace"],
    )


@of_kind("trigger", "unknown", "range")
def test_rule_is_active_where_paper_says(spec, case):
    assert is_rule_active(spec, case) is case.expected_active


@of_kind("release")
def test_latch_holds_where_paper_says(spec, case):
    assert (not spec.can_release(case.rule, screened(spec, case))) is case.expected_active


@of_kind("speed", "class")
def test_command_is_permitted_where_paper_says(spec, case):
    assert is_rule_active(spec, case) is case.expected_active
    assert (not broken(spec, case)) is case.expected_permitted


@of_kind("target")
def test_walk_is_permitted_where_plane_geometry_says(spec, case):
    command = case.command
    args = {
        "x": command["command.target_x"],
        "y": command["command.target_y"],
        "speed_percent": command["command.speed_percent"],
    }
    start = Pose(case.values["robot.x"], case.values["robot.y"])
    leaves = spec.leaves_region(plan_motion("walk_to", args, start, spec.limits))
    assert leaves is command["command.leaves_workspace"]
    assert leaves is case.expected_active
    assert (not broken(spec, case)) is case.expected_permitted


@of_kind("deadline")
def test_deadline_divides_what_is_in_time_from_what_is_late(spec, case):
    required = spec.by_key[case.rule]
    assert is_rule_active(spec, case)
    if case.command["command.tool"] == required.action:
        assert case.expected_permitted is (case.elapsed_s <= required.within_s)
    else:
        late = {f"{case.rule}/after"} if case.elapsed_s > required.within_s else set()
        found = spec.broken(case.command["command.tool"], 10.0, late, leaves_region=False)
        assert (not found) is case.expected_permitted


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_every_rule_has_cases_on_both_sides(spec):
    cases = boundary_cases(spec)
    for name in spec.conditions:
        own = [c for c in cases if c.rule == name]
        assert {c.expected_active for c in own} == {True, False}
        if spec.by_key[name].kind != "require":
            assert {c.expected_permitted for c in own} >= {True, False}


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_every_threshold_is_met_just_below_at_and_just_above(spec):
    cases = boundary_cases(spec)
    for name, cuts in spec.cuts.items():
        for cut in cuts or ():
            met = {c.values[name] for c in cases if c.kind in {"trigger", "release"}}
            assert {round(cut - 1e-6 * max(1, cut), 9), cut, round(cut + 1e-6 * max(1, cut), 9)} <= met


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_other_rules_rest_in_trigger_cases_of_rules_that_imply_no_other(spec):
    for case in boundary_cases(spec):
        if case.rule in {"S1", "S4"} and case.kind == "trigger":
            assert spec.active(screened(spec, case)) <= {case.rule}


def test_s2_speeds_on_paper():
    speeds = {
        c.command["command.speed_percent"]: c.expected_permitted
        for c in boundary_cases(shipped())
        if c.rule == "S2" and c.kind == "speed" and c.expected_active
    }
    assert speeds == {
        29.0: True,
        30.0: True,
        30.0 + 5e-7: True,
        30.0 + 2e-6: False,
        31.0: False,
        100.0: False,
    }


def test_s5_targets_on_paper():
    cases = [c for c in boundary_cases(shipped()) if c.rule == "S5"]
    right = {
        (c.values["robot.x"], c.command["command.target_x"]): c.expected_permitted
        for c in cases
        if c.command["command.speed_percent"] == 100.0
        and c.values["robot.y"] == 0
        and c.values["robot.x"] > 0
    }
    assert right == {
        (2.0, 2.74): True,  # 0.25 m to stop
        (2.0, 2.75): True,
        (2.0, 2.76): False,
        (2.0, 3.01): False,
        (3.5, 2.74): True,
        (3.5, 3.01): False,
        (3.5, 3.51): False,
    }


def test_s4_deadline_on_paper():
    cases = [c for c in boundary_cases(shipped()) if c.kind == "deadline"]
    found = {(c.command["command.tool"], c.elapsed_s): c.expected_permitted for c in cases}
    assert found == {
        ("sit_down", 9.9): True,
        ("sit_down", 10.0): True,
        ("sit_down", 10.1): False,
        **{(tool, 9.9): True for tool in ("walk_to", "wave_hand", "stand_up")},
        **{(tool, 10.1): False for tool in ("walk_to", "wave_hand", "stand_up")},
    }


def test_signal_is_varied_where_it_alone_decides():
    spec = small_spec(rule("A", "human.posture == 'seated' && human.distance < 1.5", limit(20)))
    cases = [c for c in boundary_cases(spec) if c.kind == "trigger"]
    at = {c.values["human.distance"]: c.expected_active for c in cases if "threshold" in c.why}
    assert at == {1.49: True, 1.4999985: True, 1.5: False, 1.5000015: False, 1.51: False}
    words = {c.values["human.posture"]: c.expected_active for c in cases if "posture is" in c.why}
    assert words == {"standing": False, "seated": True, "lying": False}


def test_threshold_of_a_sum_is_found():
    spec = small_spec(rule("A", "human.distance - 2.0 * human.closing < 1.0"))
    cases = [c for c in boundary_cases(spec) if c.kind == "trigger" and c.why.startswith("human.closing")]
    assert {c.expected_active for c in cases} == {True, False}
    for case in cases:
        assert is_rule_active(spec, case) is case.expected_active


def test_condition_on_the_command_is_varied_too():
    spec = small_spec(rule("A", "command.class == 'gesture' || command.speed_percent > 50.0", PROHIBIT))
    cases = [c for c in boundary_cases(spec) if c.kind == "trigger"]
    assert {c.command["command.speed_percent"] for c in cases} >= {49.0, 50.0, 51.0}
    assert {c.command["command.class"] for c in cases} >= {"gesture", "locomotion"}
    for case in cases:
        assert is_rule_active(spec, case) is case.expected_active


def test_slanted_and_hollow_workspace_agrees_with_the_region():
    shape = [[0, 0], [6, 1], [6, 4], [4, 4], [4, 2], [2, 2], [1, 4]]
    spec = small_spec(rule("B", "command.leaves_workspace", {"kind": "bound"}), workspace={"polygon": shape})
    turned = small_spec(
        rule("B", "command.leaves_workspace", {"kind": "bound"}), workspace={"polygon": shape[::-1]}
    )
    for each in (spec, turned):
        cases = boundary_cases(each)
        assert len(cases) > 50
        for case in cases:
            test_walk_is_permitted_where_plane_geometry_says(each, case)


@pytest.mark.parametrize(
    "when", ["human.posture.startsWith('s')", "human.distance / 2.0 < 1.0", "int(1.0) == 1"]
)
def test_rule_beyond_paper_has_no_cases_and_others_keep_theirs(when):
    cases = boundary_cases(small_spec(rule("A", when), rule("B", "camera.frozen")))
    assert {c.rule for c in cases} == {"B"}


def test_cases_are_the_same_every_time_and_ids_are_unique():
    first, again = boundary_cases(shipped()), boundary_cases(shipped())
    assert first == again
    assert len({c.id for c in first}) == len(first)


def test_rendered_cases_are_json_one_a_line():
    cases = boundary_cases(shipped())
    text = render_boundary_cases(cases)
    assert json.loads(text)["schema"] == "heedful-boundary-1"
    assert json.loads(text)["cases"] == [c.as_dict() for c in cases]
    assert len(text.splitlines()) == len(cases) + 2


def test_obligation_that_never_triggers_has_no_response_cases():
    spec = small_spec(rule("A", "battery.level < 0.0", SIT))
    assert {c.kind for c in boundary_cases(spec)} <= {"trigger", "unknown", "range", "release"}


TEXTS = [
    "human.distance < 1.0 || human.closing >= 0.5 && !camera.frozen",
    "human.posture in ['seated', 'lying'] && human.distance != 2.0",
    "camera.frozen ? human.distance <= 0.5 : -human.closing > 0.25",
    "human.distance == 1.0 || human.posture == 'seated'",
]
CONDITIONS = [Condition(text, small_spec(rule("A", "true")).document.signals, {}) for text in TEXTS]


@given(
    st.fixed_dictionaries(
        {
            "human.distance": st.one_of(st.sampled_from([0.5, 1.0, 2.0]), st.floats(0, 10), st.none()),
            "human.closing": st.one_of(st.sampled_from([-0.25, 0.5]), st.floats(-2, 2)),
            "camera.frozen": st.booleans(),
            "human.posture": st.sampled_from(["standing", "seated", "lying", None]),
        }
    ),
    st.sampled_from(CONDITIONS),
)
def test_paper_and_cel_agree(state, condition):
    assert is_active(condition.tree, state) is condition.holds(state)


def test_paper_computes_in_fractions_and_refuses_the_rest():
    tree = CONDITIONS[0].tree
    assert evaluate(tree.args[0].args[1], {}) == Fraction(1)
    with pytest.raises(InexactError):
        evaluate(tree, {})
