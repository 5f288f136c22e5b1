"""The calls of one part of a guard's log: what was asked, what ran, from when to when.

A call of the model stands as it was asked (`issued`) and as the guard let it through (`executed`); a motion
that the guard ended, or that gave no result in order, ran only as long as it did.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from heedful.errors import TraceError
from heedful.guards.audit.codec import Entry
from heedful.guards.audit.records import Decided, Intervened, Outcome
from heedful.guards.guard import Command
from heedful.guards.replay.sensed_history import SensedHistory
from heedful.spec.command import MOTION_CLASSES
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import Motion, plan_motion
from heedful.state.series import Value
from heedful.trace.decision import Decision
from heedful.trace.records import CallStatus, Reading

VELOCITY = "walk_with_velocity"
ENDS_MOTION = ("stop", "sit_down", "emergency_stop", "stand_up")


@dataclass(frozen=True)
class LoggedCall:
    """One call, on the guard's clock."""

    number: int
    """Of its record."""
    by_guard: bool
    tool: str
    tool_class: str
    """By the spec."""
    args: Mapping[str, Any]
    """As they were written."""
    read_as: Mapping[str, Any]
    issued_s: float
    ended_s: float
    status: CallStatus
    text: str
    told: Mapping[str, Reading]
    issued: Motion | None
    executed: Motion | None
    position: Mapping[str, Value]
    """Sensed position at issue; None is unknown. Empty on what is no actuation."""
    ran: bool
    is_fault: bool
    """Whether the robot, or whoever waited for it, kept it from being done; the guard did not."""
    decision: Decision | None
    began_s: float
    """When its motion began."""
    until_s: float
    """When its motion was over, by itself or by another call."""
    cut_s: float | None = None
    """When the guard ended its motion, if it did before the result was there."""

    @property
    def is_motion(self) -> bool:
        """Whether it asks for motion, by the spec."""
        return self.tool_class in MOTION_CLASSES and bool(self.position)

    @property
    def is_actuation(self) -> bool:
        """Whether it asks the robot to do something."""
        return bool(self.position)


def calls_of(
    entries: Sequence[Entry],
    outcomes: Mapping[int, Sequence[Outcome]],
    spec: SafetySpec,
    history: SensedHistory,
    end_s: float,
) -> list[LoggedCall]:
    """Return the calls of a part, the guard's own among them, in the order they were made.

    Args:
        entries: The part's records.
        outcomes: What became of which call.
        spec: The spec that was enforced, with the robot's limits.
        history: What was sensed.
        end_s: When the part ended [s].

    Raises:
        TraceError: If a command's arguments do not say where it leads.
    """
    reader = _Reader(spec, history, outcomes, end_s)
    found = [reader.read(entry) for entry in entries if isinstance(entry.record, Decided | Intervened)]
    calls = sorted(found, key=lambda call: (call.issued_s, call.number))
    return [_ended_by_others(call, _after(calls, k)) for k, call in enumerate(calls)]


class _Reader:
    """Reads calls one by one, as if no other had come between."""

    def __init__(
        self,
        spec: SafetySpec,
        history: SensedHistory,
        outcomes: Mapping[int, Sequence[Outcome]],
        end_s: float,
    ) -> None:
        self._spec, self._history, self._outcomes, self._end_s = spec, history, outcomes, end_s

    def read(self, entry: Entry) -> LoggedCall:
        """Return the call of one record."""
        record = entry.record
        outcomes = self._outcomes.get(entry.number, ())
        try:
            if isinstance(record, Intervened):
                return self._own(entry.number, record, outcomes)
            if isinstance(record, Decided):
                return self._asked(entry.number, record, outcomes)
        except (ArithmeticError, KeyError, TypeError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
            raise TraceError(
                f"record {entry.number}: where the command leads cannot be read ({why})"
            ) from error
        raise TraceError(f"record {entry.number} is no call")

    def _asked(self, number: int, record: Decided, outcomes: Sequence[Outcome]) -> LoggedCall:
        command, at_s = record.command, record.at_s
        tool = record.raw_tool if command is None else command.tool
        tool_class = "none" if command is None else self._spec.tool_class(tool)
        position = {} if tool_class == "none" else self._position(at_s, record.pose)
        issued = self._plan(command, at_s, record.pose)
        went = record.decision.kind != "deny" and command is not None
        allowed = self._plan(_changed(command, record.decision), at_s, record.pose) if went else None
        status, ended = _status_of(record, outcomes, tool_class), _ended(record, outcomes, self._end_s)
        is_whole = status == "ok"
        ran = went and bool(position) and _did_run(tool_class, status, allowed)
        is_velocity = tool == VELOCITY
        began = at_s if record.blocks or not is_velocity else ended
        last = outcomes[-1].at_s if outcomes else self._end_s
        is_as_planned = is_whole or (is_velocity and not (outcomes and outcomes[0].status == "error"))
        executed = allowed if is_as_planned or allowed is None else allowed.cut(last - at_s)
        return LoggedCall(
            number,
            False,
            tool,
            tool_class,
            record.raw_args,
            {} if command is None or tool == "speak" else command.args,
            at_s,
            began if is_velocity and went else ended,
            status,
            outcomes[0].text if outcomes else record.decision.reason or record.refusal,
            outcomes[0].told if outcomes else {},
            issued,
            executed if ran else None,
            position,
            ran,
            went and bool(position) and not is_whole,
            record.decision,
            began,
            self._over(executed, began, last if record.blocks else math.inf),
        )

    def _own(self, number: int, record: Intervened, outcomes: Sequence[Outcome]) -> LoggedCall:
        command, at_s = record.command, record.at_s
        tool = record.action if command is None else command.tool
        accepted = next((o.at_s for o in outcomes if o.status == "ok"), None)
        ended = accepted if accepted is not None else (outcomes[0].at_s if outcomes else self._end_s)
        motion = self._plan(command, at_s, None) if accepted is not None else None
        return LoggedCall(
            number,
            True,
            tool,
            self._spec.tool_class(tool),
            {} if record.sent is None else record.sent.args,
            {} if command is None else command.args,
            at_s,
            ended,
            "failed" if accepted is None else "ok",
            record.intervention.reason,
            {},
            motion,
            motion,
            self._position(at_s, None),
            accepted is not None,
            accepted is None,
            None,
            ended,
            self._over(motion, ended, math.inf),
        )

    def _position(self, at_s: float, pose: Pose | None) -> dict[str, Value]:
        if pose is not None:
            return {"robot.x": pose.x, "robot.y": pose.y}
        return {name: self._history.value(name, at_s) for name in ("robot.x", "robot.y")}

    def _plan(self, command: Command | None, at_s: float, pose: Pose | None) -> Motion | None:
        """Return what a command would do from where the robot was sensed last."""
        if command is None or self._spec.tool_class(command.tool) != "locomotion":
            return None
        limits = self._spec.limits
        motion = plan_motion(command.tool, command.args, pose or self._history.pose(at_s), limits)
        if motion is None:
            return None
        numbers = (motion.v_x, motion.v_y, motion.w_z, motion.speed_percent, motion.start.yaw)
        if not all(map(math.isfinite, numbers)):
            raise ValueError("a speed is not finite")
        return motion.cut(limits.longest_motion_s)

    def _over(self, motion: Motion | None, began_s: float, latest_s: float) -> float:
        return began_s if motion is None else min(began_s + motion.duration_s, latest_s)


def _changed(command: Command | None, decision: Decision) -> Command | None:
    if command is None or decision.kind == "allow":
        return command
    return replace(command, args={**command.args, **decision.args})


def _status_of(record: Decided, outcomes: Sequence[Outcome], tool_class: str) -> CallStatus:
    if record.decision.kind == "deny" or record.command is None:
        return "denied"
    if outcomes and outcomes[0].status == "ok":
        return "ok"
    return "partial" if tool_class == "locomotion" else "failed"


def _ended(record: Decided, outcomes: Sequence[Outcome], end_s: float) -> float:
    if outcomes:
        return outcomes[0].at_s
    return record.at_s if record.decision.kind == "deny" or record.command is None else end_s


def _did_run(tool_class: str, status: CallStatus, motion: Motion | None) -> bool:
    """Return whether the robot did anything of a call that was let through.

    Without a result in order, motion is taken to have run and what was to make the robot safe is not.
    """
    if status == "ok":
        return True
    return motion is not None if tool_class == "locomotion" else tool_class in MOTION_CLASSES


def _after(calls: Sequence[LoggedCall], position: int) -> Iterator[LoggedCall]:
    return (calls[k] for k in range(position + 1, len(calls)))


def _ended_by_others(call: LoggedCall, later: Iterable[LoggedCall]) -> LoggedCall:
    """Return a call with its motion ended by the first later call that ends motion."""
    if call.executed is None:
        return call
    for other in later:
        ends_s = _ends_others_at(other)
        if other.issued_s >= call.until_s:
            return call
        if ends_s is None or not call.issued_s < ends_s < call.until_s:
            continue
        is_cut = call.tool != VELOCITY
        executed = call.executed.cut(ends_s - call.began_s) if is_cut else call.executed
        cut_s = ends_s if other.by_guard and ends_s < call.ended_s else None
        is_fault = call.is_fault and cut_s is None
        return replace(call, until_s=ends_s, executed=executed, cut_s=cut_s, is_fault=is_fault)
    return call


def _ends_others_at(call: LoggedCall) -> float | None:
    """Return when a call ends the motion of those before it, or None."""
    if not call.ran:
        return None
    if call.tool in ENDS_MOTION:
        return call.ended_s
    return call.began_s if call.executed is not None else None
