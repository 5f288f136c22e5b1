"""The guard compiled from a spec, example by example, each derived on paper from labels.md 1-5."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from heedful.errors import SpecError
from heedful.guards.guard import Command, Intervention
from heedful.guards.spec_guard import SpecGuard
from heedful.guards.watchdog import Watchdog
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.decision import Decision
from heedful.trace.records import Reading
from tests.spec.samples import limit, rule, small_spec

from .specs import HUMANOID, calm_values
from .trial import Trial, compiled

SPEC = compiled(HUMANOID)
CALM: dict[str, Any] = {
    **calm_values(HUMANOID),
    "human.distance": 5.0,
    "battery.level": 80.0,
    "robot.yaw": 0.0,
}
ALLOW = Decision("allow")
WALK = Command("walk_to", "locomotion", {"x": 1.0, "y": 0.5, "speed_percent": 100.0}, True)
WAVE = Command("wave_hand", "gesture", {"hand": "left"})
DRIVE = {"linear_x": 0.2, "linear_y": 0.0, "angular_z": 0.0, "duration": 10.0, "speed_percent": 100.0}


def readings(at_s: float, values: Mapping[str, Any]) -> dict[str, Reading]:
    return {name: Reading(value, at_s) for name, value in values.items()}


def guard_with(spec: SafetySpec = SPEC, **changes: Any) -> SpecGuard:
    """Return a guard whose first samples, at 0 s, are calm except for these."""
    guard = SpecGuard(spec)
    values = {**CALM, **{name.replace("__", "."): value for name, value in changes.items()}}
    guard.observe(readings(0.0, values), 0.0)
    return guard


def walk(x: float, y: float, speed_percent: float = 100.0) -> Command:
    return replace(WALK, args={"x": x, "y": y, "speed_percent": speed_percent})


def drive(**changes: float) -> Command:
    return Command("walk_with_velocity", "locomotion", {**DRIVE, **changes}, True)


def test_command_that_needs_no_restriction_is_unchanged():
    assert guard_with().review(WALK, 0.0) == ALLOW


def test_speed_near_a_person_is_clamped_to_the_limit_and_the_model_told_why():
    assert guard_with(human__distance=0.8).review(WALK, 0.0) == Decision(
        "clamp",
        ("S2",),
        "S2 (Slow near people): speed limited to 30 %; 100 % was asked.",
        {"speed_percent": 30.0},
    )


@pytest.mark.parametrize(("speed", "kind"), [(30.0, "allow"), (30.0 + 5e-7, "allow"), (30.001, "clamp")])
def test_speed_at_the_limit_is_no_breach(speed, kind):
    assert guard_with(human__distance=0.8).review(walk(1.0, 0.5, speed), 0.0).kind == kind


def test_slow_velocity_under_a_high_cap_is_not_clamped():
    """Effective speed is the lesser of the cap and the velocity: 0.3 m/s is 30 % of 1.0 m/s."""
    guard = guard_with(human__distance=0.8)
    assert guard.review(drive(linear_x=0.3, duration=1.0), 0.0) == ALLOW
    assert guard.review(drive(linear_x=0.31, duration=1.0), 0.0).args == {"speed_percent": 30.0}


def test_turning_rate_counts_as_speed():
    spin = drive(linear_x=0.0, angular_z=-0.5, duration=1.0)
    assert guard_with(human__distance=0.8).review(spin, 0.0).args == {"speed_percent": 30.0}


def test_tool_without_a_speed_is_refused_where_a_limit_holds():
    decision = guard_with(human__distance=0.8).review(replace(WALK, has_speed=False), 0.0)
    assert (decision.kind, decision.rules) == ("deny", ("S2",))


def test_gestures_are_free_near_and_forbidden_within_reach():
    assert guard_with(human__distance=0.8).review(WAVE, 0.0) == ALLOW
    assert guard_with(human__distance=0.4).review(WAVE, 0.0).rules == ("S3",)


def test_rules_that_hold_together_are_all_named():
    decision = guard_with(human__distance=0.4, camera__connected=False).review(WALK, 0.0)
    assert (decision.kind, decision.rules) == ("deny", ("S1", "S2", "S3"))


@pytest.mark.parametrize("tool", ["stop", "sit_down", "emergency_stop"])
def test_protective_calls_pass_in_any_state(tool):
    for guard in (
        SpecGuard(SPEC),
        guard_with(human__distance=0.1, battery__level=1.0, camera__connected=False),
    ):
        assert guard.review(Command(tool, "protective"), 0.0) == ALLOW


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (walk(2.75, 0.0), "allow"),
        (walk(2.76, 0.0), "deny"),
        (walk(2.9, 0.0, 40.0), "allow"),
        (walk(3.01, 0.0, 1.0), "deny"),
        (walk(0.0, 1.76), "deny"),
    ],
)
def test_target_and_stopping_distance_stay_inside(target, kind):
    """Braking at 2 m/s^2 from 1.0 m/s takes 0.25 m, from 0.4 m/s 0.04 m; the border is at x = 3, y = 2."""
    assert guard_with().review(target, 0.0).kind == kind


def test_clamped_walk_is_judged_by_its_clamped_stopping_distance():
    """2.9 m at 100 % would need 0.25 m to stop; at 30 % it is 0.0225 m, and that is inside."""
    assert guard_with(human__distance=0.8).review(walk(2.9, 0.0), 0.0).kind == "clamp"
    assert guard_with(human__distance=0.8).review(walk(2.98, 0.0), 0.0).rules == ("S5",)


def test_path_across_a_bay_of_the_workspace_is_refused():
    """The floor is a U: from one arm to the other the straight way leads outside."""
    corners = [[0, 0], [3, 0], [3, 3], [2, 3], [2, 1], [1, 1], [1, 3], [0, 3]]
    guard = guard_with(
        small_spec(rule("B1", "command.leaves_workspace", {"kind": "bound"}), **floor(corners))
    )
    guard.observe(readings(0.0, {"robot.x": 0.5, "robot.y": 2.0, "robot.yaw": 0.0}), 0.0)
    assert guard.review(walk(2.5, 2.0, 10.0), 0.0).rules == ("B1",)
    assert guard.review(walk(0.5, 0.5, 10.0), 0.0) == ALLOW


def test_from_outside_only_the_way_back_in_is_allowed():
    guard = guard_with(robot__x=3.5)
    assert guard.review(walk(2.0, 0.0), 0.0) == ALLOW
    assert guard.review(walk(3.2, 0.0, 10.0), 0.0).rules == ("S5",)
    assert guard.review(walk(4.0, 0.0, 10.0), 0.0).rules == ("S5",)
    assert guard.review(drive(linear_x=-0.2), 0.0).kind == "allow"
    assert guard.review(drive(linear_x=0.2), 0.0).rules == ("S5",)


def test_walk_is_judged_from_where_the_model_was_told_too():
    """The stream has the robot at 0, the model was told 2.5 m: 1 m forward is inside from one of them."""
    guard = guard_with()
    forward = drive(linear_x=0.5, duration=2.0)
    assert guard.review(forward, 0.0) == ALLOW
    guard.told({"robot.x": Reading(2.5, 0.0), "robot.y": Reading(0.0, 0.0)}, 0.1)
    assert guard.review(forward, 0.1).rules == ("S5",)
    guard.observe(readings(5.05, CALM), 5.05)
    assert guard.review(forward, 5.05) == ALLOW


@pytest.mark.parametrize("gone", ["robot.x", "robot.y"])
def test_nobody_walks_from_an_unknown_place(gone):
    guard = SpecGuard(SPEC)
    guard.observe(readings(0.0, {name: value for name, value in CALM.items() if name != gone}), 0.0)
    assert guard.review(WALK, 0.0).reason == (
        "the robot's pose is unknown, so the path of walk_to cannot be checked."
    )


def test_heading_is_needed_for_a_velocity_only():
    guard = SpecGuard(SPEC)
    guard.observe(readings(0.0, {name: value for name, value in CALM.items() if name != "robot.yaw"}), 0.0)
    assert guard.review(WALK, 0.0) == ALLOW
    assert guard.review(drive(), 0.0).kind == "deny"


def test_rule_counts_after_its_window_less_the_reaction():
    """S2 begins at 0.1 s with a window of 0.5 s; the guard acts 0.2 s before it ends, at 0.4 s."""
    guard = guard_with()
    guard.observe(readings(0.1, {**CALM, "human.distance": 0.8}), 0.1)
    assert [guard.review(WALK, t).kind for t in (0.1, 0.39, 0.4, 0.6)] == ["allow", "allow", "clamp", "clamp"]


def test_what_is_active_in_the_first_samples_of_a_scene_counts_at_once():
    guard = guard_with()
    guard.new_scene()
    guard.told({"human.distance": Reading(5.0, 1.0)}, 1.0)
    guard.observe(readings(1.0, {**CALM, "human.distance": 0.8}), 1.0)
    assert guard.review(WALK, 1.0).rules == ("S2",)


def test_the_newest_told_value_counts_until_it_is_too_old():
    guard = guard_with()
    guard.told({"human.distance": Reading(0.8, 0.0)}, 0.1)
    for k in range(1, 12):
        guard.observe(readings(k / 10, CALM), k / 10)
    assert guard.review(WALK, 0.99 + 0.2).kind == "allow"
    guard.told({"human.distance": Reading(0.8, 1.2)}, 1.2)
    guard.observe(readings(1.55, CALM), 1.55)
    assert guard.review(WALK, 1.55).rules == ("S2",)


@pytest.mark.parametrize(
    "command",
    [
        replace(WALK, tool="jump_forward"),
        replace(WALK, tool="damp", tool_class="gesture"),
        replace(WALK, tool_class="none"),
        replace(WALK, tool_class="protective"),
        replace(WALK, tool_class="gesture"),
        replace(WALK, tool_class="Locomotion"),
        Command("get_position", "locomotion"),
    ],
)
def test_tool_that_is_not_what_it_is_said_to_be_is_refused(command):
    assert guard_with().review(command, 0.0).kind == "deny"


BAD_ARGS: list[Any] = [
    {},
    {"x": 1.0, "speed_percent": 50.0},
    {"x": 1.0, "y": 0.5},
    {"X": 1.0, "y": 0.5, "speed_percent": 50.0},
    {"position": [9, 9, 9], "speed_percent": 50.0},
    {"goal": "9,9,9", "x": 1.0, "y": 0.5, "speed_percent": 50.0},
    *[
        {"x": x, "y": 0.5, "speed_percent": 50.0}
        for x in (math.nan, math.inf, True, "1", None, [1.0], 10**400)
    ],
    *[{"x": 1.0, "y": 0.5, "speed_percent": s} for s in (math.nan, 0, -5.0, 100.1, "30", True, None)],
]


@pytest.mark.parametrize("args", BAD_ARGS, ids=str)
@pytest.mark.parametrize(
    "spec", [SPEC, small_spec(rule("R1", "human.distance < 0.5"))], ids=["bound", "free"]
)
def test_malformed_walk_is_refused_with_and_without_a_border(spec, args):
    """Threads 3 and 4: NaN, booleans, text, a missing axis, aliases, whatever the robot would make of it."""
    decision = guard_with(spec).review(replace(WALK, args=args), 0.0)
    assert decision.kind == "deny"
    assert decision.reason


@pytest.mark.parametrize("change", [{"duration": 0.0}, {"duration": -5.0}, {"linear_x": math.nan}])
def test_malformed_velocity_is_refused(change):
    assert guard_with().review(drive(**change), 0.0).kind == "deny"


def test_guard_that_fails_refuses(monkeypatch):
    guard = guard_with()
    monkeypatch.setattr(guard.spec, "admission", lambda *_: 1 / 0)
    assert guard.review(WALK, 0.0) == Decision("deny", (), "the guard failed and refuses: ZeroDivisionError")


def test_spec_with_a_rule_that_would_be_without_effect_starts_no_guard():
    with pytest.raises(SpecError, match="R1"):
        SpecGuard(small_spec(rule("R1", "command.speed_percent > 50.0 && human.distance < 2.0")))


# Motion under way: threads 10, 10b and 6.


def test_stop_yields_zero_motion_whatever_the_state():
    """Thread 10: the model's stop passes at once and the robot stands from then on."""
    trial = Trial(HUMANOID, CALM)
    trial.command("walk_with_velocity", DRIVE)
    trial.wait(10)
    trial.values.update({"human.distance": None, "battery.level": 3.0})
    trial.wait(1)
    assert trial.command("stop", {}) == ALLOW
    stood = trial.robot.at(trial.now)
    trial.wait(30)
    assert (trial.robot.doing, trial.robot.at(trial.now)) == (None, stood)


def test_stop_that_fails_is_sent_again_until_the_robot_stands():
    """Thread 10: the stops at 0.9 s and 1.9 s fail; the one at 2.9 s does not."""
    trial = Trial(HUMANOID, CALM)
    trial.command("walk_with_velocity", DRIVE)
    trial.wait(5)
    trial.robot.fails["stop"] = 2
    trial.values["camera.connected"] = False
    trial.wait(23)
    assert trial.robot.doing is not None
    trial.wait(1)
    assert (trial.now, trial.robot.doing) == (2.9, None)


def test_running_motion_is_stopped_before_the_window_ends():
    """S1 begins with the sample at 0.6 s; 0.2 s before its 0.5 s are over, at 0.9 s, the guard stops it."""
    trial = Trial(HUMANOID, CALM)
    trial.command("walk_with_velocity", DRIVE)
    trial.wait(5)
    trial.values["camera.frozen"] = True
    trial.wait(3)
    assert trial.robot.doing is not None
    trial.wait(1)
    assert (trial.now, trial.robot.doing) == (0.9, None)


def test_running_motion_is_slowed_to_the_limit():
    trial = Trial(HUMANOID, CALM)
    trial.command("walk_with_velocity", {**DRIVE, "linear_x": 0.5, "duration": 4.0})
    trial.wait(5)
    trial.values["human.distance"] = 0.8
    trial.wait(4)
    assert trial.robot.doing is not None
    assert trial.robot.doing.motion is not None
    assert trial.robot.doing.motion.speed_percent == 30.0


def test_intervention_says_what_why_and_by_which_rules():
    guard = guard_with()
    guard.began(drive(linear_x=0.5, duration=4.0), 0.0, 4.1)
    guard.observe(readings(0.1, {**CALM, "human.distance": 0.8}), 0.1)
    assert guard.due(0.3) == ()
    why = "S2 (Slow near people): walk_with_velocity under way is slowed to 30 %."
    assert guard.due(0.4) == (Intervention("limit", ("S2",), why, 30.0),)


def test_stricter_intervention_does_not_wait_for_the_retry_of_a_milder_one():
    guard = guard_with(camera__connected=True)
    guard.began(drive(linear_x=0.5, duration=4.0), 0.0, 4.1)
    guard.observe(readings(0.1, {**CALM, "human.distance": 0.8}), 0.1)
    guard.observe(readings(0.3, {**CALM, "human.distance": 0.8, "camera.connected": False}), 0.3)
    guard.tried(guard.due(0.4)[0], 0.4)
    assert guard.due(0.5) == ()
    assert [(i.kind, i.rules) for i in guard.due(0.6)] == [("stop", ("S1", "S2"))]


def test_motion_whose_place_was_unknown_when_it_began_is_limited_all_the_same():
    guard = SpecGuard(SPEC)
    guard.observe(readings(0.0, {n: v for n, v in CALM.items() if n != "robot.x"}), 0.0)
    guard.began(drive(linear_x=0.5, duration=4.0), 0.0, 4.1)
    guard.observe(readings(0.1, {**CALM, "human.distance": 0.8}), 0.1)
    assert [(i.kind, i.max_percent) for i in guard.due(0.4)] == [("limit", 30.0)]


def test_velocity_command_ends_with_its_time_to_live_when_the_link_is_lost():
    """Thread 10b: the robot ignores its own deadline and no call ever comes; the guard stops it at 1.1 s."""
    trial = Trial(HUMANOID, CALM)
    trial.robot.overruns = True
    trial.command("walk_with_velocity", {**DRIVE, "duration": 1.0})
    trial.wait(10)
    assert trial.robot.doing is not None
    trial.wait(1)
    assert (trial.now, trial.robot.doing) == (1.1, None)


@pytest.mark.parametrize(
    "command", [drive(linear_x=math.nan), drive(linear_x=9.0), replace(drive(), tool="fly")]
)
def test_refused_command_does_not_prolong_running_motion(command):
    """Thread 6: a malformed, forbidden or unknown command refreshes no deadline."""
    guard = guard_with()
    guard.began(drive(duration=1.0), 0.0, 1.1)
    assert guard.review(command, 1.0).kind == "deny"
    assert [i.kind for i in guard.due(1.1)] == ["stop"]


# One sensor of several, and commands that come again: threads 8 and 5.


def test_one_dead_camera_stops_what_relies_on_it_and_nothing_else():
    """Thread 8: the front camera guards walking, the wrist camera gestures; each fires for itself."""
    spec = small_spec(
        rule("C1", "!front.connected", {"kind": "prohibit", "classes": ["locomotion"]}),
        rule("C2", "!wrist.connected", {"kind": "prohibit", "classes": ["gesture"]}),
        signals={
            name: {"type": "boolean", "max_age_s": 1, "tool": "get_camera"}
            for name in ("front.connected", "wrist.connected")
        },
    )
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"front.connected": True, "wrist.connected": True}, "allow", "allow"),
        ({"front.connected": False, "wrist.connected": True}, "deny", "allow"),
        ({"front.connected": True, "wrist.connected": False}, "allow", "deny"),
        ({"front.connected": True}, "allow", "deny"),
        ({}, "deny", "deny"),
    ]
    for values, walks, waves in cases:
        guard = SpecGuard(spec)
        guard.observe(readings(0.0, values), 0.0)
        assert guard.review(WALK, 0.0).kind == walks
        assert guard.review(WAVE, 0.0).kind == waves


def test_model_is_told_of_a_clamp_and_its_reissues_are_counted():
    """Thread 5: the same command, clamped again and again, passes four times and no more in a turn."""
    guard, dog = guard_with(human__distance=0.8), Watchdog()
    dog.begin_turn(0.0)
    told = []
    for k in range(5):
        why = dog.review(WALK.tool, WALK.args, 0.0, is_protective=False)
        decision = guard.review(WALK, 0.0) if why is None else Decision("deny", (), why)
        if decision.kind == "clamp":
            dog.restricted(WALK.tool, WALK.args)
        dog.note(WALK.tool, WALK.args, f"arrived {k}. {decision.reason}", decision.kind == "deny", 0.0)
        told.append(decision.reason)
    assert told[:4] == ["S2 (Slow near people): speed limited to 30 %; 100 % was asked."] * 4
    assert told[4].startswith("Watchdog: walk_to was restricted and came again 3 times unchanged")


def test_strictest_of_several_limits_holds():
    spec = small_spec(
        rule("L1", "human.distance < 3.0", limit(60)),
        rule("L2", "human.distance < 2.0", limit(25)),
        rule("L3", "human.distance < 1.0", limit(40)),
    )
    for distance, most in ((2.5, 60.0), (1.5, 25.0), (0.5, 25.0)):
        guard = SpecGuard(spec)
        guard.observe(readings(0.0, {"human.distance": distance}), 0.0)
        assert guard.review(WALK, 0.0).args == {"speed_percent": most}


def floor(corners: list[list[float]]) -> dict[str, Any]:
    """Return a workspace, and the position that its border is checked from."""
    place = {"type": "number", "unit": "m", "range": [-50, 50], "max_age_s": 5, "tool": "get_position"}
    near = {"type": "number", "unit": "m", "range": [0, 10], "max_age_s": 1, "tool": "get_proximity"}
    signals = {"robot.x": place, "robot.y": place, "human.distance": near}
    return {"workspace": {"polygon": corners}, "signals": signals}
