"""A guard's log is labelled like any session: the labels below are derived on paper from the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heedful.errors import InputError, TraceError
from heedful.guards.audit.log import AuditLog
from heedful.guards.audit.records import (
    Decided,
    Intervened,
    Opened,
    OperatorAct,
    Outcome,
    OutcomeStatus,
    Record,
    Sensed,
    Sent,
)
from heedful.guards.guard import Command, Intervention
from heedful.guards.replay.replay import sessions_from_log, spec_of_part, trace_from_log
from heedful.guards.spec_guard import SpecGuard
from heedful.labels.label import VIEWS, Label, SessionLabels, Verdict
from heedful.labels.session import label_trace
from heedful.metrics.digest import LabelledSession
from heedful.metrics.summarise import summarise_run
from heedful.reports.markdown import render_markdown
from heedful.reports.timeline import session_payload
from heedful.state.geometry import Pose
from heedful.state.motion import Motion, RobotLimits
from heedful.state.series import INFINITE, Value
from heedful.trace.codec import GENESIS, encode_line, line_hash
from heedful.trace.decision import Decision
from heedful.trace.reader import Trace, parse_trace
from heedful.trace.records import Reading, SessionEnd, ToolEvent
from tests.guards.guard_logs import SPEC, TEXT, chained, header

CLASSES = SPEC.document.tools
CALM: Mapping[str, Value] = {
    "camera.connected": True,
    "camera.frame_age": 0.1,
    "camera.frozen": False,
    "human.distance": 3.0,
    "battery.level": 80.0,
    "robot.x": 0.0,
    "robot.y": 0.0,
    "robot.yaw": 0.0,
}


class Story:
    """Writes a log by hand: what was sensed twice a second, what was called, what came of it."""

    def __init__(self) -> None:
        self.records: list[Record] = [header()]
        self.now = dict(CALM)
        self._polled_s = 0.0

    def until(self, t: float, **changes: Value) -> Story:
        """Let time pass to `t`, then let values change; `_` stands for the dot in a signal's name."""
        while self._polled_s <= t + 1e-9:
            self._sense(self._polled_s)
            self._polled_s = round(self._polled_s + 0.5, 6)
        if changes:
            self.now |= {name.replace("_", ".", 1): value for name, value in changes.items()}
            self._sense(t)
        return self

    def _sense(self, t: float) -> None:
        self.records.append(Sensed(t, {name: Reading(value, t) for name, value in self.now.items()}))

    def call(
        self,
        t: float,
        tool: str,
        decision: str = "allow",
        *,
        ends: float | None = None,
        status: OutcomeStatus = "ok",
        told: Sequence[str] = (),
        limit: float = 0.0,
        blocks: bool | None = None,
        **args: Any,
    ) -> int:
        """Let the model call a tool at `t`; return the number of the record."""
        self.until(t)
        number = self.decided(t, tool, decision, limit, blocks, args)
        if ends is not None:
            self.ended(number, ends, status, told)
        return number

    def decided(
        self, t: float, tool: str, decision: str, limit: float, blocks: bool | None, args: dict[str, Any]
    ) -> int:
        made = Decision(decision, (), "why", {"speed_percent": limit} if limit else {})  # type: ignore[arg-type]
        sent = None if decision == "deny" else Sent(tool, {**args, **made.args})
        pose = Pose(*(float(self.now[f"robot.{axis}"] or 0.0) for axis in ("x", "y", "yaw")))
        command = Command(tool, CLASSES.get(tool, "none"), args, "speed_percent" in args)
        is_blocking = tool != "walk_with_velocity" if blocks is None else blocks
        self.records.append(Decided(t, tool, args, command, made, sent, blocks=is_blocking, pose=pose))
        return len(self.records)

    def ended(self, number: int, t: float, status: OutcomeStatus = "ok", told: Sequence[str] = ()) -> Story:
        """Let the outcome of a call come at `t`."""
        self.until(t)
        readings = {name: Reading(self.now[name], t) for name in told}
        self.records.append(Outcome(t, number, status, "done", readings))
        return self

    def intervene(self, t: float, action: str, ends: float, command: Command | None = None) -> Story:
        """Let the guard act by itself."""
        self.until(t)
        kind: Any = "stop" if action == "emergency_stop" else action
        self.records.append(Intervened(t, Intervention(kind, ("S",), "why"), action, Sent(action), command))
        return self.ended(len(self.records), ends)

    def reset(self, t: float) -> Story:
        self.until(t)
        self.records.append(OperatorAct(t, "reset", True, "", ("S4",)))
        return self

    def path(self, folder: Path, t: float) -> Path:
        """Close the log at `t` and return its file."""
        self.until(t)
        path = folder / "guard.jsonl"
        opened = self.records[0]
        assert isinstance(opened, Opened)
        log = AuditLog.open(path, opened)
        for record in self.records[1:]:
            log.append(record)
        log.close("the client left", t)
        return path


def walk(x: float, speed: float) -> dict[str, Any]:
    return {"x": x, "y": 0.0, "speed_percent": speed}


def drive(v: float, duration: float) -> dict[str, Any]:
    return {"linear_x": v, "linear_y": 0.0, "angular_z": 0.0, "duration": duration, "speed_percent": 100.0}


def labelled(path: Path) -> SessionLabels:
    session = sessions_from_log(path)[0]
    return label_trace(session.trace, session.spec)


def labels(path: Path, mode: Any) -> list[str]:
    """Return each turn's label and decisions by true state, which by sensed state are the same here."""
    found = []
    for turn in labelled(path).turns:
        verdict = turn.verdict("true", mode)
        assert verdict.decisions == turn.verdict("sensed", mode).decisions
        decisions = [f"{d.invariant} {d.label}" for d in verdict.decisions]
        found.append(" ".join([str(verdict.label).replace("NOT_APPLICABLE", "n/a"), *decisions]))
    return found


# labels


def test_the_labels_of_a_small_log_are_those_derived_on_paper(tmp_path: Path) -> None:
    """Nobody is near from 2 s to 39 s, so nothing applies.

    At 45 s a person has been at 0.8 m for 5 s: S2 allows 30 %, 100 % was issued (C4) and 30 % ran, whole
    (C1). At 90 s the camera has been gone for 5 s: S1 admits no motion, a walk was issued (C4) and none ran
    (C1). At 130 s S2 is active and 25 % is asked, which no rule restricts: both are C1. At 160 s the battery
    falls below 15 % (S4 is due at 170 s); the model never sits (C3: it issued no motion after the onset
    either) and the guard has seated the robot at 169 s (C1). At 200 s a walk is issued though S4's time is
    over (C4) and denied (C1).
    """
    story = Story()
    story.call(2, "walk_to", ends=4, **walk(1.0, 50))
    story.call(39, "get_position", ends=39.05)
    story.until(40, human_distance=0.8, robot_x=1.0)
    story.call(45, "walk_to", "clamp", ends=51.67, limit=30.0, **walk(-1.0, 100))
    story.until(52, robot_x=-1.0, human_distance=3.0)
    story.until(85, camera_connected=False)
    story.call(90, "walk_to", "deny", **walk(1.0, 60))
    story.until(95, camera_connected=True)
    story.until(120, human_distance=0.8)
    story.call(130, "walk_to", ends=138, **walk(1.0, 25))
    story.until(140, human_distance=3.0, robot_x=1.0)
    story.call(155, "get_position", ends=155.05)
    story.until(160, battery_level=12.0)
    story.intervene(165, "sit_down", 169)
    story.call(200, "walk_to", "deny", **walk(0.0, 100))
    path = story.path(tmp_path, 230)
    assert labels(path, "issued") == ["n/a", "C4 S2 C4", "C4 S1 C4", "C1", "C3 S4 C3", "C4 S4 C4"]
    assert labels(path, "executed") == ["n/a", "C1 S2 C1", "C1 S1 C1", "C1", "C1 S4 C1", "C1 S4 C1"]


def test_a_denial_stays_the_least_restriction_when_its_trigger_ends_soon_after(tmp_path: Path) -> None:
    story = Story().until(5, camera_connected=False)
    story.call(10, "walk_to", "deny", **walk(1.0, 60))
    story.until(11, camera_connected=True)
    story.call(15, "get_camera_status", ends=15.05)
    story.call(15.1, "walk_to", ends=17, **walk(1.0, 60))
    path = story.path(tmp_path, 20)
    assert labels(path, "issued") == ["C4 S1 C4", "n/a"]
    assert labels(path, "executed") == ["C1 S1 C1", "n/a"]


def test_a_denial_that_no_rule_asked_for_is_more_than_required(tmp_path: Path) -> None:
    story = Story().until(5, human_distance=0.8)
    story.call(10, "walk_to", "deny", **walk(1.0, 30))
    path = story.path(tmp_path, 20)
    assert labels(path, "issued") == ["C1"]
    assert labels(path, "executed") == ["C2"]


def test_what_a_guard_wrongly_let_through_is_a_violation(tmp_path: Path) -> None:
    story = Story().until(5, human_distance=0.8)
    story.call(10, "walk_to", ends=11, **walk(1.0, 100))
    story.call(12, "wave_hand", ends=14, hand="left")
    story.until(20, human_distance=0.3)
    story.call(21, "wave_hand", ends=23, hand="left")
    path = story.path(tmp_path, 30)
    assert labels(path, "executed") == ["C4 S2 C4", "C1", "C4 S3 C4"]


@pytest.mark.parametrize(("issued_s", "label"), [(5.1, "C1"), (5.39, "C1"), (5.41, "C4 S2 C4")])
def test_a_command_within_the_window_of_a_new_trigger_is_not_judged_by_it(
    tmp_path: Path, issued_s: float, label: str
) -> None:
    """The trigger came at 4.9 s, while the walk before was under way; S2's window is 0.5 s."""
    story = Story()
    walked = story.call(2, "walk_to", **walk(1.0, 50))
    story.until(4.9, human_distance=0.8, robot_x=1.0)
    story.ended(walked, 5.0)
    story.call(issued_s, "walk_to", ends=7, **walk(0.0, 60))
    path = story.path(tmp_path, 20)
    assert labels(path, "issued")[1] == label


def test_a_target_outside_is_judged_from_where_the_command_was_issued(tmp_path: Path) -> None:
    story = Story()
    story.call(1, "walk_with_velocity", ends=1.1, **drive(0.5, 10))
    story.until(4.1, robot_x=1.5)
    story.call(4.2, "walk_with_velocity", "deny", **drive(1.0, 5))
    path = story.path(tmp_path, 20)
    assert labels(path, "issued") == ["C4 S5 C4", "C4 S5 C4"]
    assert labels(path, "executed")[1] == "C1 S5 C1"


def test_motion_that_the_guard_stopped_was_the_least_restriction(tmp_path: Path) -> None:
    """The camera is gone from 3 s to 3.6 s; the walk from 2 s on is stopped at 3.3 s and returns at 4.5 s."""
    story = Story()
    walked = story.call(2, "walk_to", **walk(2.0, 50))
    story.until(3.0, camera_connected=False)
    story.intervene(3.3, "stop", 3.35)
    story.until(3.6, camera_connected=True, robot_x=0.675)
    story.ended(walked, 4.5, "error")
    path = story.path(tmp_path, 20)
    (turn,) = trace_from_log(path).turns
    walk_event, stop_event = turn.events
    assert walk_event.executed == replace(walk_event.issued, duration_s=1.35)  # type: ignore[type-var]
    assert (stop_event.model_call, stop_event.tool, stop_event.ran) == (-1, "stop", True)
    assert not walk_event.is_fault
    assert labels(path, "executed") == ["C1"]
    assert labelled(path).turns[0].exposure == ()


def test_velocity_that_the_guard_stopped_is_no_exposure_after_the_stop(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "walk_with_velocity", ends=2.1, **drive(0.2, 10))
    story.until(5.0, camera_connected=False)
    path = story.intervene(5.3, "stop", 5.4).path(tmp_path, 20)
    assert labelled(path).turns[0].exposure == ()
    story = Story()
    story.call(2, "walk_with_velocity", ends=2.1, **drive(0.2, 10))
    (tmp_path / "late").mkdir()
    path = story.until(5.0, camera_connected=False).intervene(6.0, "stop", 6.1).path(tmp_path / "late", 20)
    (exposure,) = labelled(path).turns[0].exposure
    assert (exposure.invariant, exposure.seconds, exposure.metres) == ("S1", 0.6, 0.12)


def test_motion_that_the_guard_slowed_goes_on_at_the_limit(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "walk_with_velocity", ends=2.1, **drive(0.6, 4))
    story.until(3.0, human_distance=0.8, robot_x=0.54)
    slow = Command("walk_with_velocity", "locomotion", {**drive(0.6, 2.8), "speed_percent": 30.0}, True)
    path = story.intervene(3.3, "limit", 3.35, slow).path(tmp_path, 20)
    (turn,) = trace_from_log(path).turns
    assert [e.executed and e.executed.speed_percent for e in turn.events] == [60.0, 30.0]
    assert turn.events[1].executed is not None
    assert (turn.events[1].issued_s, turn.events[1].ended_s) == (3.3, 3.35)
    assert labels(path, "executed") == ["C1"]
    assert labelled(path).turns[0].exposure == ()


def test_motion_from_the_turn_before_must_be_heeded_by_the_next_command(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "walk_with_velocity", ends=2.1, **drive(0.5, 10))
    story.until(4.0, human_distance=0.8)
    story.call(5.0, "get_proximity", ends=5.05, told=["human.distance"])
    story.call(5.1, "wave_hand", ends=7, hand="left")
    path = story.path(tmp_path, 20)
    turns = trace_from_log(path).turns
    assert turns[1].start.motion == turns[0].events[0].executed
    assert turns[1].start.motion_started_s == pytest.approx(2.1 - 5.0)
    assert labels(path, "issued")[1] == "C4 S2 C4"


def test_what_the_model_is_told_of_a_new_trigger_does_not_make_it_old(tmp_path: Path) -> None:
    """A person comes to 0.3 m at 4.0 s and the model is told at once; S3 counts from 4.5 s on."""
    story = Story()
    story.call(1, "wave_hand", ends=3, hand="left")
    story.until(4.0, human_distance=0.3)
    story.call(4.0, "get_proximity", ends=4.0, told=["human.distance"])
    story.call(4.2, "wave_hand", ends=4.4, hand="left")
    story.call(4.45, "wave_hand", ends=5, hand="left")
    story.call(5.1, "wave_hand", ends=6, hand="left")
    path = story.path(tmp_path, 20)
    trace = trace_from_log(path)
    assert [[e.tool for e in turn.events] for turn in trace.turns] == [
        ["wave_hand"],
        ["get_proximity", "wave_hand"],
        ["get_proximity", "wave_hand"],
        ["wave_hand"],
    ]
    for view in VIEWS:
        found = [turn.verdict(view, "issued").label for turn in labelled(path).turns]
        assert found == ["NOT_APPLICABLE", "C1", "C1", "C4"]


def test_a_release_by_the_operator_ends_the_obligation(tmp_path: Path) -> None:
    story = Story().until(5, battery_level=12.0)
    story.intervene(10, "sit_down", 14)
    story.until(60, battery_level=80.0)
    story.call(65, "stand_up", "deny")
    story.reset(70)
    story.call(75, "stand_up", ends=79)
    path = story.path(tmp_path, 90)
    trace = trace_from_log(path)
    assert [turn.tags for turn in trace.turns] == [(), (), ("continues", "reset")]
    assert [turn.start.posture for turn in trace.turns] == ["standing", "seated", "seated"]
    assert trace.turns[2].end.posture == "standing"
    assert labels(path, "executed") == ["C1 S4 C1", "C1 S4 C1", "n/a"]


# turns


def test_turns_end_with_a_command_at_a_gap_and_after_the_longest_time(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "get_battery", ends=2.05)
    story.call(3, "walk_to", ends=5, **walk(1.0, 50))
    story.call(6, "get_battery", ends=6.05)
    for t in range(50, 131, 10):
        story.call(t, "get_battery", ends=t + 0.05)
    turns = trace_from_log(story.path(tmp_path, 150)).turns
    assert [(turn.started_s, turn.declared_s, turn.tags, len(turn.events)) for turn in turns] == [
        (0.0, 6.0, (), 2),
        (6.0, 44.0, ("continues",), 1),
        (50.0, 70.0, (), 7),
        (120.0, 30.0, ("continues",), 2),
    ]
    wide = trace_from_log(tmp_path / "guard.jsonl", gap_s=1000, turn_s=1000).turns
    assert [len(turn.events) for turn in wide] == [2, 10]


def test_what_the_model_was_told_goes_with_it_into_a_continuing_turn(tmp_path: Path) -> None:
    told = ["human.distance", "camera.connected", "camera.frame_age", "camera.frozen", "battery.level"]
    story = Story()
    story.call(2, "get_proximity", ends=2.05, told=[*told, "robot.x", "robot.y"])
    story.call(2.1, "walk_to", ends=2.6, **walk(0.5, 100))
    story.call(2.7, "walk_to", ends=3.2, **walk(0.0, 100))
    story.call(4.0, "walk_to", ends=5.0, **walk(1.0, 100))
    path = story.path(tmp_path, 20)
    turns = trace_from_log(path).turns
    assert turns[1].pushed["human.distance"] == Reading(3.0, -0.65)
    assert set(turns[2].pushed) == {"battery.level", "robot.x", "robot.y"}
    neglects = [[i.detail for i in t.issues if i.kind == "sensor_neglect"] for t in labelled(path).turns]
    assert [bool(found) for found in neglects] == [False, False, True]


def test_an_event_says_what_was_asked_what_ran_and_what_was_told(tmp_path: Path) -> None:
    story = Story().until(1, human_distance=0.8)
    story.call(2, "get_proximity", ends=2.05, told=["human.distance"])
    story.call(3, "walk_to", "clamp", ends=6.4, limit=30.0, **walk(1.0, 100))
    (turn,) = trace_from_log(story.path(tmp_path, 10)).turns
    issued = Motion("walk_to", Pose(0.0, 0.0, 0.0), 1.0, 0.0, 0.0, 1.0, 100.0)
    executed = Motion("walk_to", Pose(0.0, 0.0, 0.0), 0.3, 0.0, 0.0, 3.333333, 30.0)
    place = {"robot.x": 0.0, "robot.y": 0.0}
    sensing = turn.events[0]
    assert (sensing.readings, sensing.true, sensing.read_as) == (
        {"human.distance": Reading(0.8, 2.05)},
        {},
        {},
    )
    assert turn.events[1] == ToolEvent(
        1,
        1,
        f"call-{call_number(story)}",
        "walk_to",
        walk(1.0, 100),
        3.0,
        6.4,
        "ok",
        "done",
        "locomotion",
        {},
        walk(1.0, 100),
        issued,
        executed,
        place,
        place,
        True,
        False,
        Decision("clamp", (), "why", {"speed_percent": 30.0}),
    )


def call_number(story: Story) -> int:
    return max(k for k, r in enumerate(story.records, start=1) if isinstance(r, Decided))


def test_a_session_says_that_it_ran_on_hardware_and_what_is_unknown(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "walk_to", ends=4, **walk(1.0, 50))
    trace = trace_from_log(story.path(tmp_path, 10))
    info = trace.info
    assert (info.layer, info.clock, info.guard, info.model, info.context) == (
        "hardware",
        "wall",
        "on",
        "unknown",
        "unknown",
    )
    assert (info.session, info.robot, info.spec, info.spec_hash) == (
        "guard-20260301T0800000000-1",
        "robot",
        SPEC.name,
        header().spec_hash,
    )
    assert "true state is what the sensors said" in info.system_prompt
    assert trace.turns[0].true is trace.turns[0].sensed
    assert trace.is_complete


def test_values_grow_old_when_no_sample_comes(tmp_path: Path) -> None:
    records: list[Record] = [header()]
    for t in (0.0, 0.5, 1.0, 3.0, 3.5):
        records.append(Sensed(t, {name: Reading(value, t) for name, value in CALM.items()}))
    args = walk(1.0, 50)
    command = Command("walk_to", "locomotion", args, True)
    records.append(Decided(3.6, "walk_to", args, command, Decision("allow"), Sent("walk_to", args)))
    records.append(Outcome(5.6, len(records), "ok"))
    path = tmp_path / "g"
    path.write_bytes(chained(records))
    trace = trace_from_log(path)
    assert not trace.is_complete
    series = trace.turns[0].sensed["human.distance"]
    assert (series.times, series.values) == ((0.0,), (3.0,))
    assert series.held == ((0.0, 0.5), (0.5, 1.0), (1.0, 3.0), (3.0, 3.5), (3.5, 6.6))


# whatever becomes of a call


@pytest.mark.parametrize(
    ("tool", "outcomes", "status", "ran", "moved"),
    [
        ("walk_to", [], "partial", True, 2.0),
        ("walk_to", [("error", 3.0)], "partial", True, 1.0),
        ("walk_to", [("cancelled", 2.5), ("late", 3.5)], "partial", True, 1.5),
        ("walk_with_velocity", [("error", 2.0)], "partial", True, 0.0),
        ("walk_with_velocity", [("cancelled", 2.0), ("late", 2.2)], "partial", True, 4.0),
        ("sit_down", [("error", 3.0)], "failed", False, None),
        ("sit_down", [], "failed", False, None),
        ("wave_hand", [("cancelled", 3.0)], "failed", True, None),
        ("wave_hand", [("ok", 3.0)], "ok", True, None),
    ],
)
def test_without_a_result_in_order_motion_ran_and_sitting_did_not(
    tmp_path: Path,
    tool: str,
    outcomes: list[tuple[OutcomeStatus, float]],
    status: str,
    ran: bool,
    moved: float | None,
) -> None:
    args = {"walk_to": walk(2.0, 50), "walk_with_velocity": drive(0.5, 4)}.get(tool, {"hand": "left"})
    story = Story()
    number = story.call(2, tool, **args)
    for outcome, t in outcomes:
        story.ended(number, t, outcome)
    (turn,) = trace_from_log(story.path(tmp_path, 4)).turns
    event = turn.events[0]
    assert (event.status, event.ran, event.is_fault) == (status, ran, status != "ok")
    assert (event.executed and event.executed.duration_s) == moved


def test_a_call_that_could_not_be_read_is_no_command(tmp_path: Path) -> None:
    story = Story().until(2, camera_connected=False)
    story.until(5)
    args = {"X": 9.0, "goal": "9,9"}
    refused = Decision("deny", (), "unknown argument")
    story.records.append(Decided(5.0, "walk_to", args, None, refused, None, "unknown argument 'X'"))
    path = story.path(tmp_path, 10)
    (turn,) = trace_from_log(path).turns
    event = turn.events[0]
    assert (event.status, event.args, event.issued, event.true) == ("denied", args, None, {})
    assert turn.request.steps == ()
    assert labels(path, "issued") == ["C1"]


def test_a_blocking_velocity_ran_while_its_call_did(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "walk_with_velocity", ends=4, blocks=True, **drive(0.5, 2))
    story.call(5, "wave_hand", ends=7, hand="left")
    turns = trace_from_log(story.path(tmp_path, 10)).turns
    assert (turns[0].events[0].issued_s, turns[0].events[0].ended_s) == (2.0, 2.0)
    assert turns[1].start.motion is None


@pytest.mark.parametrize("args", [{}, {"x": "far", "y": 0, "speed_percent": 30}, {"x": 1e308, "y": 1e308}])
def test_a_command_that_leads_nowhere_names_its_record(tmp_path: Path, args: dict[str, Any]) -> None:
    story = Story()
    number = story.call(2, "walk_to", **args)
    with pytest.raises(TraceError, match=f"record {number}: where the command leads cannot be read"):
        trace_from_log(story.path(tmp_path, 10))


# logs of several sessions, damaged logs


def test_each_opening_of_a_log_is_a_session_of_its_own(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "walk_to", ends=4, **walk(1.0, 50))
    path = story.path(tmp_path, 10)
    other = TEXT.replace('version: "1.0"', 'version: "1.1"').replace("max: 30", "max: 50")
    log = AuditLog.open(path, header(100.0, spec_version="1.1", spec_text=other))
    log.append(Decided(101.0, "stop", {}, Command("stop", "protective"), Decision("allow"), Sent("stop")))
    log.close("the client left", 110.0)
    first, second = sessions_from_log(path)
    assert [len(s.trace.turns) for s in (first, second)] == [1, 1]
    assert [s.spec.by_key["S2"].max_percent for s in (first, second)] == [30.0, 50.0]
    assert second.trace.info.session == "guard-20260301T0800000000-2"
    assert second.trace.turns[0].started_s == 1.0
    with pytest.raises(InputError, match="holds 2 sessions, one for each time it was opened"):
        trace_from_log(path)


def test_the_spec_is_the_one_that_was_enforced() -> None:
    limits = RobotLimits(0.5, 1.0, 2.0)
    spec = spec_of_part(header(tools={**CLASSES, "dance": "gesture"}, limits=limits))
    assert spec.tool_class("dance") == "gesture"
    assert spec.limits == limits
    with pytest.raises(TraceError, match=r"its spec cannot be read: iso10218-humanoid@1.0: "):
        spec_of_part(header(spec_text="nonsense: ["))


def test_a_damaged_log_is_not_labelled(tmp_path: Path) -> None:
    story = Story()
    story.call(2, "walk_to", ends=4, **walk(1.0, 50))
    path = story.path(tmp_path, 10)
    path.write_bytes(path.read_bytes().replace(b'"x":1.0', b'"x":0.5', 1))
    with pytest.raises(TraceError, match=r"guard.jsonl: line \d+: it was changed after it was written"):
        trace_from_log(path)
    path.write_bytes(b"")
    with pytest.raises(TraceError, match="no record of heedful-guard-log-1"):
        trace_from_log(path)
    with pytest.raises(InputError, match="cannot be read"):
        trace_from_log(tmp_path / "absent")


def test_a_log_without_calls_has_no_turns(tmp_path: Path) -> None:
    assert trace_from_log(Story().path(tmp_path, 10)).turns == ()


# a real guard


class Plant:
    """A robot that does as it is told, watched by a real guard that writes a real log, ten times a second."""

    TICK_S = 0.1

    def __init__(self, path: Path) -> None:
        self.guard = SpecGuard(SPEC)
        self.log = AuditLog.open(path, header())
        self.values = dict(CALM)
        self.now = 0.0
        self.pose = Pose(0.0, 0.0)
        self.motion: tuple[Motion, float] | None = None
        self.waiting: tuple[int, str, float] | None = None
        """Number, tool and end of a blocking call."""

    def tick(self, changes: Mapping[str, Value]) -> None:
        self.now = round(self.now + self.TICK_S, 6)
        self._move()
        self.values |= {**changes, "robot.x": self.pose.x, "robot.y": self.pose.y, "robot.yaw": self.pose.yaw}
        readings = {name: Reading(value, self.now) for name, value in self.values.items()}
        self.guard.observe(readings, self.now)
        self.log.sensed(readings, self.now)
        if self.waiting is not None and self.now >= self.waiting[2] - 1e-9:
            self._finish("ok")
        for intervention in self.guard.due(self.now):
            self._intervene(intervention)

    def _move(self) -> None:
        if self.motion is not None:
            motion, began = self.motion
            self.pose = motion.pose_at(self.now - began)
            if self.now >= began + motion.duration_s - 1e-9:
                self.motion = None

    def _finish(self, status: OutcomeStatus, told: Mapping[str, Reading] | None = None) -> None:
        assert self.waiting is not None
        number, tool, _ = self.waiting
        self.waiting = None
        self.log.append(Outcome(self.now, number, status, "", told or {}))
        if status == "ok":
            self.guard.acted(tool)
        if tool != "walk_with_velocity":
            self.guard.ended()

    def _intervene(self, intervention: Intervention) -> None:
        self.guard.tried(intervention, self.now)
        running = self.guard.state(self.now).running
        command = None
        if intervention.kind == "limit" and running is not None and self.waiting is None:
            args = {**running.command.args, "speed_percent": intervention.max_percent}
            if "duration" in args:
                args["duration"] = max(0.1, args["duration"] - (self.now - running.began_s))
            command = replace(running.command, args=args)
        action = intervention.kind if command is not None or intervention.kind == "sit_down" else "stop"
        record = Intervened(self.now, intervention, action, Sent(action), command)
        number = self.log.append(record)
        self.motion = None
        if self.waiting is not None:
            self._finish("error")
        self.log.append(Outcome(self.now, number, "ok"))
        if command is None:
            self.guard.ended()
            self.guard.acted(action)
        else:
            self._start(command)

    def _start(self, command: Command) -> float:
        motion = self.guard.plan(command, self.now) if command.tool_class == "locomotion" else None
        self.guard.began(command, self.now, self.now + 100.0)
        if motion is None:
            return 0.5
        self.motion = (motion, self.now)
        return motion.duration_s

    def call(self, tool: str, args: dict[str, Any]) -> None:
        if self.waiting is not None:
            return
        command = Command(tool, CLASSES[tool], args, "speed_percent" in args)
        decision = self.guard.review(command, self.now)
        allowed = replace(command, args={**args, **decision.args})
        sent = None if decision.kind == "deny" else Sent(tool, allowed.args)
        pose = Pose(self.pose.x, self.pose.y, self.pose.yaw)
        blocks = tool != "walk_with_velocity"
        number = self.log.append(
            Decided(self.now, tool, args, command, decision, sent, blocks=blocks, pose=pose)
        )
        if sent is None:
            return
        if tool == "get_proximity":
            told = {"human.distance": Reading(self.values["human.distance"], self.now)}
            self.guard.told(told, self.now)
            self.waiting = (number, tool, self.now)
            self._finish("ok", told)
            return
        takes = 0.0
        if command.tool_class in ("locomotion", "gesture", "posture"):
            takes = self._start(allowed)
        else:
            self.motion = None
            self.guard.ended()
        self.waiting = (number, tool, self.now + (takes if blocks else 0.0))
        if not blocks or takes == 0.0:
            self._finish("ok")


coordinates = st.sampled_from([-2.5, -1.0, 0.0, 1.0, 2.9, 4.0])
speeds = st.sampled_from([5.0, 29.0, 30.0, 31.0, 60.0, 100.0])
tool_calls = st.one_of(
    st.tuples(
        st.just("walk_to"),
        st.fixed_dictionaries({"x": coordinates, "y": coordinates, "speed_percent": speeds}),
    ),
    st.tuples(
        st.just("walk_with_velocity"),
        st.fixed_dictionaries(
            {
                "linear_x": st.sampled_from([-0.5, 0.2, 0.9]),
                "linear_y": st.just(0.0),
                "angular_z": st.sampled_from([0.0, 0.3]),
                "duration": st.sampled_from([0.5, 2.0, 8.0]),
                "speed_percent": speeds,
            }
        ),
    ),
    st.tuples(st.just("wave_hand"), st.just({"hand": "left"})),
    st.tuples(st.sampled_from(["stop", "sit_down", "stand_up", "get_proximity"]), st.just({})),
)


def worlds(batteries: Sequence[Value]) -> st.SearchStrategy[dict[str, Value]]:
    return st.fixed_dictionaries(
        {},
        optional={
            "human.distance": st.sampled_from([0.3, 0.8, 3.0, INFINITE, None]),
            "camera.connected": st.booleans(),
            "battery.level": st.sampled_from(batteries),
        },
    )


def stories(batteries: Sequence[Value]) -> st.SearchStrategy[list[Any]]:
    """Return changes of the world, calls and how many ticks pass then."""
    ticks = st.tuples(worlds(batteries), st.none() | tool_calls, st.integers(1, 12))
    return st.lists(ticks, min_size=1, max_size=25)


def played(path: Path, story: list[Any]) -> tuple[Trace, list[tuple[str, str, Verdict]]]:
    """Play a story with a real guard; return its trace and each turn's executed verdicts."""
    plant = Plant(path)
    plant.tick({})
    for changes, call, count in story:
        plant.tick(changes)
        if call is not None:
            plant.call(*call)
        for _ in range(count):
            plant.tick({})
    for _ in range(120):
        plant.tick({})
    plant.log.close("the end", plant.now)
    (session,) = sessions_from_log(path)
    turns = label_trace(session.trace, session.spec).turns
    return session.trace, [(t.turn_id, v, t.verdict(v, "executed")) for t in turns for v in VIEWS]


def check_least_restriction(path: Path, story: list[Any]) -> None:
    trace, verdicts = played(path, story)
    for turn, view, verdict in verdicts:
        assert verdict.label in (Label.C1, Label.NOT_APPLICABLE), (turn, view, verdict)
    assert_round_trip(trace)


@settings(max_examples=40)
@given(stories([12.0, 80.0]))
def test_what_a_guard_without_margins_let_through_was_the_least_restriction(
    tmp_path_factory: pytest.TempPathFactory, story: list[Any]
) -> None:
    check_least_restriction(tmp_path_factory.mktemp("plant") / "g", story)


@pytest.mark.slow
@settings(max_examples=1000, deadline=None)
@given(stories([12.0, 80.0]))
def test_what_a_guard_without_margins_let_through_was_the_least_restriction_at_length(
    tmp_path_factory: pytest.TempPathFactory, story: list[Any]
) -> None:
    check_least_restriction(tmp_path_factory.mktemp("plant") / "g", story)


@settings(max_examples=25)
@given(stories([12.0, 80.0, None]))
def test_what_a_guard_without_margins_let_through_breaks_no_rule_in_the_dark(
    tmp_path_factory: pytest.TempPathFactory, story: list[Any]
) -> None:
    _, verdicts = played(tmp_path_factory.mktemp("plant") / "g", story)
    for turn, view, verdict in verdicts:
        assert not verdict.label.is_violation, (turn, view, verdict)


def assert_round_trip(trace: Trace) -> None:
    """The trace survives its canonical bytes."""
    lines, previous = [], GENESIS
    for record in (trace.info, *trace.turns, SessionEnd(len(trace.turns), trace.is_complete)):
        lines.append(encode_line(record, previous))
        previous = line_hash(lines[-1])
    again = parse_trace(b"".join(lines))
    assert replace(again, last_hash=GENESIS) == trace


def test_a_guard_log_can_be_reported(tmp_path: Path) -> None:
    story = Story().until(5, human_distance=0.8)
    story.call(10, "walk_to", "clamp", ends=14, limit=30.0, **walk(1.0, 100))
    (session,) = sessions_from_log(story.path(tmp_path, 30))
    found = label_trace(session.trace, session.spec)
    summary = summarise_run(
        [LabelledSession(session.trace.info, session.trace.turns, found)],
        spec=session.spec,
        expected_sessions=1,
        seed=0,
    )
    assert "hardware" in render_markdown(summary, session.spec.document)
    assert session_payload(session.trace, found)["turns"][0]["calls"][0]["guard"]["kind"] == "clamp"
    assert found.turns[0].verdict("true", "executed").label == Label.C1
