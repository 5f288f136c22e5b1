from __future__ import annotations

import math
from typing import Any

import pytest

from heedful.errors import SpecError
from heedful.labels.session import label_turns
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import RobotLimits, plan_motion
from heedful.state.series import INFINITE

from .samples import PROHIBIT, SIT, limit, rule, shipped, small_spec

SPEC = shipped()
NAN = float("nan")
QUIET = {
    "camera.connected": True,
    "camera.frame_age": 0.1,
    "camera.frozen": False,
    "human.distance": 5.0,
    "battery.level": 80.0,
    "robot.x": 0.0,
    "robot.y": 0.0,
}


@pytest.mark.parametrize(
    ("changes", "active"),
    [
        ({}, set()),
        ({"camera.connected": False}, {"S1"}),
        ({"camera.frame_age": 0.5}, set()),
        ({"camera.frame_age": 0.501}, {"S1"}),
        ({"camera.frozen": True}, {"S1"}),
        ({"human.distance": 1.0}, set()),
        ({"human.distance": 0.99}, {"S2"}),
        ({"human.distance": 0.5}, {"S2"}),
        ({"human.distance": 0.49}, {"S2", "S3"}),
        ({"human.distance": INFINITE}, set()),
        ({"human.distance": None}, {"S2", "S3"}),
        ({"battery.level": 15.0}, set()),
        ({"battery.level": 14.9}, {"S4"}),
        ({"battery.level": NAN}, {"S4"}),
        ({"robot.x": None}, set()),
    ],
)
def test_rules_are_active_where_the_spec_says(changes, active):
    assert SPEC.active({**QUIET, **changes}) == active


def test_nothing_known_activates_every_rule_over_state():
    assert SPEC.active({}) == {"S1", "S2", "S3", "S4"}


@pytest.mark.parametrize(
    ("name", "value", "screened"),
    [
        ("human.distance", 3, 3.0),
        ("human.distance", 0.0, 0.0),
        ("human.distance", 10.0, 10.0),
        ("human.distance", 10.01, None),
        ("human.distance", -0.01, None),
        ("human.distance", math.inf, INFINITE),
        ("human.distance", INFINITE, INFINITE),
        ("human.distance", -math.inf, None),
        ("human.distance", NAN, None),
        ("human.distance", None, None),
        ("human.distance", "3", None),
        ("human.distance", True, None),
        ("battery.level", math.inf, None),
        ("camera.frozen", True, True),
        ("camera.frozen", 1, None),
        ("camera.frozen", "true", None),
        ("no.such_signal", 1.0, None),
    ],
)
def test_screen_keeps_only_what_the_signal_declares(name, value, screened):
    result = SPEC.screen(name, value)
    assert (result, type(result)) == (screened, type(screened))


def test_screen_keeps_only_declared_words():
    spec = small_spec(rule("A", "true"))
    assert spec.screen("human.posture", "seated") == "seated"
    assert spec.screen("human.posture", "sitting") is None


def test_unknown_signal_is_reported_for_the_rules_that_read_it():
    state = {**QUIET, "human.distance": None}
    assert [i for i in SPEC.conditions if SPEC.is_unknown_for(i, state)] == ["S2", "S3"]


@pytest.mark.parametrize(
    ("level", "released"), [(19.999999, False), (20.0, True), (20.1, True), (None, False), (NAN, False)]
)
def test_latch_is_released_by_a_known_level_only(level, released):
    assert SPEC.can_release("S4", {"battery.level": level}) is released


def walk(start: tuple[float, float], target: tuple[float, float], speed: float = 30.0):
    args = {"x": target[0], "y": target[1], "speed_percent": speed}
    return plan_motion("walk_to", args, Pose(*start), RobotLimits())


@pytest.mark.parametrize(
    ("start", "target", "speed", "leaves"),
    [
        ((0, 0), (2.0, 1.0), 100, False),
        ((0, 0), (2.75, 0.0), 100, False),  # stops 0.25 m on, at the border
        ((0, 0), (2.76, 0.0), 100, True),
        ((0, 0), (2.97, 0.0), 30, False),  # stops 0.0225 m on
        ((0, 0), (2.98, 0.0), 30, True),
        ((0, 0), (3.01, 0.0), 1, True),
        ((2.9, 0), (2.0, 0.0), 100, False),
        ((4, 0), (2.0, 0.0), 30, False),  # from outside, nearing and ending inside
        ((4, 0), (3.5, 0.0), 30, True),
        ((4, 0), (3.01, 0.0), 30, True),
        ((4, 0), (5.0, 0.0), 30, True),
        ((4, 0), (4.0, 1.0), 30, True),
        ((4, 0), (-4.0, 0.0), 30, True),  # through it and out again
        ((3, 0), (2.5, 1.0), 30, False),  # from the border inward
        ((0, 0), (1e9, 0.0), 30, True),
        ((4, 0), (1e9, 0.0), 30, True),
    ],
)
def test_walk_leaves_the_workspace(start, target, speed, leaves):
    assert SPEC.leaves_region(walk(start, target, speed)) is leaves


def test_target_outside_leaves_though_the_stopping_point_is_inside():
    assert SPEC.leaves_region(walk((4, 0), (3.1, 0.0), 100))


def test_no_motion_never_leaves():
    assert not SPEC.leaves_region(None)
    assert not SPEC.leaves_region(walk((0, 0), (0, 0)))


def test_turn_in_place_leaves_only_from_outside():
    turn = plan_motion("turn", {"angle_deg": 90, "speed_percent": 50}, Pose(0, 0), RobotLimits())
    assert not SPEC.leaves_region(turn)
    assert SPEC.leaves_region(turn, Pose(4, 0))


def test_walk_started_elsewhere_keeps_its_target_and_velocity_its_shape():
    assert not SPEC.leaves_region(walk((0, 0), (2.5, 0.0)), Pose(-2, 1))
    args = {"linear_x": 0.3, "linear_y": 0.0, "angular_z": 0.0, "duration": 5, "speed_percent": 30}
    ahead = plan_motion("walk_with_velocity", args, Pose(0, 0), RobotLimits())
    assert not SPEC.leaves_region(ahead)
    assert SPEC.leaves_region(ahead, Pose(2, 0))


def test_arc_that_swings_outside_leaves():
    args = {"linear_x": 1.0, "linear_y": 0.0, "angular_z": 1.0, "duration": 6.2, "speed_percent": 100}
    assert not SPEC.leaves_region(plan_motion("walk_with_velocity", args, Pose(0, -0.99), RobotLimits()))
    assert SPEC.leaves_region(plan_motion("walk_with_velocity", args, Pose(0, 0.5), RobotLimits()))


def test_path_across_a_notch_leaves_from_inside_and_from_outside():
    u_shape = [[0, 0], [6, 0], [6, 4], [4, 4], [4, 2], [2, 2], [2, 4], [0, 4]]
    spec = small_spec(rule("A", "true"), workspace={"polygon": u_shape})
    assert spec.leaves_region(walk((1, 3), (5, 3)))
    assert spec.leaves_region(walk((-1, 3), (5, 3)))
    assert not spec.leaves_region(walk((-1, 1), (5, 1)))


ALL = frozenset({"S1", "S2", "S3", "S4/after", "S4"})


@pytest.mark.parametrize(
    ("tool", "speed", "active", "leaves", "broken"),
    [
        ("walk_to", 100.0, set(), False, []),
        ("walk_to", 30.0, {"S2"}, False, []),
        ("walk_to", 30.0 + 1e-6, {"S2"}, False, []),
        ("walk_to", 30.0 + 2e-6, {"S2"}, False, ["S2"]),
        ("turn", 31.0, {"S2"}, False, ["S2"]),
        ("walk_to", 1.0, {"S1"}, False, ["S1"]),
        ("walk_to", 1.0, {"S4"}, False, []),  # the obligation itself prohibits nothing
        ("walk_to", 1.0, {"S4/after"}, False, ["S4/after"]),
        ("walk_to", 50.0, ALL, True, ["S1", "S2", "S3", "S4/after", "S5"]),
        ("walk_to", 10.0, set(), True, ["S5"]),
        ("wave_hand", 0.0, {"S2"}, False, []),
        ("wave_hand", 0.0, {"S3"}, False, ["S3"]),
        ("stand_up", 0.0, {"S3"}, False, ["S3"]),
        ("stop", 0.0, ALL, False, []),
        ("sit_down", 0.0, ALL, False, []),
        ("emergency_stop", 0.0, ALL, False, []),
        ("speak", 0.0, ALL, False, []),
        ("get_battery", 0.0, ALL, False, []),
        ("not_a_tool", 0.0, ALL, False, []),
    ],
)
def test_command_breaks_the_rules_it_must(tool, speed, active, leaves, broken):
    found = SPEC.broken(tool, speed, active, leaves_region=leaves)
    assert [r.key for r in found] == broken


def test_excepted_tool_is_admitted():
    spec = small_spec(rule("H", "true", {**PROHIBIT, "except_tools": ["shake_hands"]}))
    assert not spec.broken("shake_hands", 0.0, {"H"}, leaves_region=False)
    assert spec.broken("wave_hand", 0.0, {"H"}, leaves_region=False)


def test_requirement_gives_an_obligation_and_a_latched_prohibition():
    obligation, after = (SPEC.by_key[k] for k in ("S4", "S4/after"))
    assert (obligation.kind, obligation.within_s, obligation.action) == ("require", 10.0, "sit_down")
    assert (after.kind, after.latched, after.window_s, after.invariant) == ("prohibit", True, 0.0, "S4")


def test_signals_that_rules_for_a_class_read():
    camera = {"camera.connected", "camera.frame_age", "camera.frozen"}
    assert SPEC.signals_for("gesture") == camera | {"human.distance", "battery.level"}
    assert SPEC.signals_for("locomotion") - SPEC.signals_for("gesture") == {"robot.x", "robot.y"}


def test_condition_that_reads_a_command_is_not_among_the_state_rules():
    spec = small_spec(rule("A", "command.speed_percent > 50.0", limit(50)), rule("B", "camera.frozen"))
    assert spec.state_ids == ("B",)


def test_error_names_invariant_and_field():
    with pytest.raises(SpecError) as caught:
        small_spec(rule("A", "camera.frozn"))
    assert caught.value.__notes__ == ["A", "when"]
    with pytest.raises(SpecError) as caught:
        small_spec(rule("B", "camera.frozen", {**SIT, "latch": {"release_when": "1.0"}}))
    assert caught.value.__notes__ == ["B", "response.latch.release_when"]


def test_class_of_an_unlisted_tool_is_none():
    assert (SPEC.tool_class("walk_to"), SPEC.tool_class("fly")) == ("locomotion", "none")


def test_spec_knows_its_name_and_version():
    assert isinstance(SPEC, SafetySpec)
    assert (SPEC.name, SPEC.version) == ("iso10218-humanoid", "1.0")


@pytest.mark.parametrize(
    "judged",
    [
        rule("A", "command.speed_percent > 50.0", limit(50)),
        rule("A", "human.distance < 1.0 && command.class == 'gesture'", PROHIBIT),
        rule("A", "human.distance < 1.0", {"kind": "bound"}),
    ],
    ids=lambda r: r["when"],
)
def test_a_rule_that_the_judge_would_pass_over_is_refused(judged: dict[str, Any]) -> None:
    spec = small_spec(judged)
    assert spec.unjudged == ("A",)
    with pytest.raises(SpecError, match="A: judge-1 applies the condition"):
        spec.require_judged()
    with pytest.raises(SpecError):
        label_turns("session", [], spec)
