"""A robot behind a guard: every command is reviewed, and running motion is watched on the sensors' clock."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson

from heedful.guards.activity import HEADING
from heedful.guards.guard import Command, Intervention
from heedful.guards.settings import POSITION
from heedful.guards.spec_guard import SpecGuard
from heedful.guards.watchdog import Watchdog
from heedful.robots.arguments import ArgumentError, read_arguments
from heedful.robots.robot import INTERRUPTED, Robot
from heedful.robots.tools import TOOLS
from heedful.spec.command import MOTION_CLASSES
from heedful.state.geometry import rounded
from heedful.state.motion import Motion, plan_motion
from heedful.trace.decision import Decision
from heedful.trace.records import GUARD, Reading, ToolEvent
from heedful.world.world import Ran, World

PERIOD_S = 0.1
"""Time between two looks at the sensors: the period at which they are sampled [s]."""
LATE, LATE_S = 2.0, 10.0
"""A command that takes this many times its time, and so many seconds more, has outlived itself."""
DENIED_TAKES_S = 0.05
UNDONE = {"error": INTERRUPTED}
ALLOW = Decision("allow")


@dataclass(slots=True, eq=False)
class _Carried:
    """A command that is being carried out."""

    command: Command
    is_over: bool = False
    """Whether the guard ended it, before it began to move or after."""

    @property
    def is_pending(self) -> bool:
        """Whether it moves the robot, or will."""
        return not self.is_over and self.command.tool_class in MOTION_CLASSES


class GuardedRobot(Robot):
    """A robot whose commands pass a guard first; same calls, same journal, plus the guard's own actions.

    The guard sees the robot's samples and what the model was told, never the true state. What it does
    itself goes through the robot's own tools, faults included.
    """

    def __init__(self, world: World, guard: SpecGuard, watchdog: Watchdog | None = None) -> None:
        super().__init__(world)
        self._guard = guard
        self._watchdog = watchdog or Watchdog()
        self._names = tuple(dict.fromkeys((*guard.spec.state_signals, *POSITION, HEADING)))
        self._untold: dict[str, Reading] = {}
        self._untold_by = GUARD
        self._busy: list[_Carried] = []
        """The commands that are being carried out, outermost first."""
        self.review_s: list[float] = []
        """Wall-clock time of each review since the turn began [s]; no part of the trace."""
        world.watch = self

    def begin_turn(self) -> None:
        """Start a turn: another scene, in which the model has been told nothing yet."""
        super().begin_turn()
        self.review_s.clear()
        self._untold.clear()
        self._guard.new_scene()
        self._observe()
        if self.world.script.resets:
            self._guard.reset(self._now())
        self._guard.place(self.world.posture)
        self._watchdog.begin_turn(self._now())

    def tell(self, readings: Mapping[str, Reading]) -> None:
        """Take note of values that the model was told outside a tool's result."""
        self._guard.told(self._on_clock(readings), self._now())

    def next_s(self) -> float:
        """Return when the sensors are sampled next, in the turn's time [s]."""
        return rounded((int(self.world.now_s / PERIOD_S + 1e-6) + 1) * PERIOD_S)

    def look(self) -> None:
        """Take the newest samples and do what is due."""
        self._observe()
        self._follow()
        for intervention in self._guard.due(self._now()):
            is_done = intervention not in self._guard.due(self._now())  # while the one before was carried out
            if not is_done and intervention.kind not in [carried.command.tool for carried in self._busy]:
                self._intervene(intervention)

    def call(self, name: str, args: Mapping[str, Any]) -> ToolEvent:
        """Carry out a tool call as far as the guard lets it."""
        first = len(self.journal)
        self._tell_answered()
        event = self._review(name, args)
        own = [e for e in self.journal[first:] if e.model_call == GUARD]
        if own:
            event = _with_notes(event, [e.decision.reason for e in own if e.decision])
        if any(e.ran for e in own):
            event = _ended_with(event, next(e for e in own if e.ran))
        self.journal[first:] = [event, *own]
        self._watchdog.note(name, args, event.result, event.status != "ok", self._now())
        self._untold |= event.readings
        self._untold_by = event.model_call
        return event

    def _review(self, name: str, args: Mapping[str, Any]) -> ToolEvent:
        tool = TOOLS.get(name)
        try:
            read = None if tool is None else read_arguments(tool, args)
        except ArgumentError:
            read = None
        if read is None:
            return super().call(name, args)  # the robot itself refuses it, and says why
        self._observe()
        command = Command(name, self._guard.spec.tool_class(name), read, "speed_percent" in read)
        decision = self._decide(command, args)
        if decision.kind == "deny":
            return self._deny(command, args, decision)
        return self._pass(command, args, decision)

    def _decide(self, command: Command, args: Mapping[str, Any]) -> Decision:
        began = time.perf_counter()
        decision = self._guard.review(command, self._now())
        if decision.kind != "deny":
            is_protective = command.tool_class == "protective"
            loop = self._watchdog.review(command.tool, args, self._now(), is_protective=is_protective)
            decision = decision if loop is None else Decision("deny", (), loop)
        self.review_s.append(time.perf_counter() - began)
        return decision

    def _deny(self, command: Command, args: Mapping[str, Any], decision: Decision) -> ToolEvent:
        world = self.world
        issued_s, true, sensed = world.now_s, world.true_position(), world.sensed_position()
        issued = plan_motion(command.tool, command.args, world.pose, world.limits)
        world.advance(DENIED_TAKES_S)
        return ToolEvent(
            *self.asked_by,
            command.tool,
            args,
            issued_s,
            world.now_s,
            "denied",
            _text({"error": f"denied by the guard: {decision.reason}"}),
            command.tool_class,
            read_as=command.args,
            issued=issued,
            true=true,
            sensed=sensed,
            decision=decision,
        )

    def _pass(self, command: Command, args: Mapping[str, Any], decision: Decision) -> ToolEvent:
        """Send a command to the robot, as asked or as the guard changed it."""
        if decision.kind == "allow":
            event = self._carry(command, args)
            return replace(event, decision=decision) if command.tool_class in MOTION_CLASSES else event
        asked = plan_motion(command.tool, command.args, self.world.pose, self.world.limits)
        changed = replace(command, args={**command.args, **decision.args})
        event = self._carry(changed, {**args, **decision.args})
        event = replace(event, args=args, read_as=command.args, issued=asked, decision=decision)
        return _with_notes(event, [decision.reason])

    def _carry(self, command: Command, args: Mapping[str, Any]) -> ToolEvent:
        """Let the robot do it, watched; the record ends when its own motion did."""
        before, moved = self._guard.running, self.world.robot().motion
        if moved is None or command.tool_class == "locomotion":
            self._watch(command)
        self._busy.append(_Carried(command))
        try:
            event = super().call(command.tool, args)
        finally:
            carried = self._busy.pop()
        if carried.is_over and command.tool_class == "posture":
            event = self.journal[-1] = replace(event, status="partial", result=_text(UNDONE), ran=False)
        if before is not None and moved is not None and self.world.robot().motion is moved:
            self._guard.began(before.command, self._now(), before.until_s)  # it goes on as if nothing came
        self._follow()
        if event.ran:
            self._guard.acted(command.tool)
        return event

    def _do(self, name: str, read: Mapping[str, Any], motion: Motion | None) -> Ran:
        """Do it, unless the guard ended the command before it began."""
        if not (self._busy and self._busy[-1].is_over):
            return super()._do(name, read, motion)
        if motion is None and not self.world.has_body:
            return Ran()  # the declared time of a gesture has passed by now
        return Ran(None if motion is None else motion.cut(0.0), "stopped")

    def _watch(self, command: Command) -> None:
        started_s = self._now()
        self._guard.began(command, started_s, self._time_to_live(command, started_s))

    def _follow(self) -> None:
        """Let the guard watch what is still to come where nothing moves any more, or nothing at all."""
        if self.world.robot().motion is not None:
            return
        pending = [carried.command for carried in self._busy if carried.is_pending]
        running = self._guard.running
        if not pending:
            self._guard.ended()
        elif running is None or running.command is not pending[-1]:
            self._watch(pending[-1])

    def _time_to_live(self, command: Command, started_s: float) -> float:
        motion = self._guard.plan(command, started_s)
        longest = TOOLS[command.tool].takes_s + (0.0 if motion is None else motion.duration_s)
        return started_s + LATE * longest + LATE_S

    def _intervene(self, intervention: Intervention) -> None:
        """Do one thing the guard decided on, through the robot's own tools."""
        running = self._guard.running
        command = None if running is None else running.command
        tool, args = _action(intervention, command, self.world.motion_left())
        self._guard.tried(intervention, self._now())
        asked_by, self.asked_by = self.asked_by, (0, GUARD, "guard")
        position = len(self.journal)
        own = Command(tool, self._guard.spec.tool_class(tool), args, "speed_percent" in args)
        event = self._carry(own, args)
        self.asked_by = asked_by
        self._supersede(own, event, intervention)
        decision = Decision("substitute", intervention.rules, intervention.reason)
        self.journal[position:] = [
            replace(event, decision=decision),
            *[e for e in self.journal[position:] if e is not event],
        ]

    def _supersede(self, own: Command, event: ToolEvent, intervention: Intervention) -> None:
        """End what is being carried out in favour of the guard's own action, or try that again later."""
        if not event.ran:
            self._guard.tried(intervention, self.world.session_s + event.issued_s)
            return
        for carried in self._busy:
            if own.tool_class in ("protective", carried.command.tool_class):
                carried.is_over = carried.is_over or carried.is_pending
        self._follow()

    def _observe(self) -> None:
        self._guard.observe(self._on_clock({n: self.world.sample(n) for n in self._names}), self._now())

    def _tell_answered(self) -> None:
        """Count the readings of an answer as told once the model has answered again."""
        if self._untold and self.asked_by[1] != self._untold_by:
            self._guard.told(self._on_clock(self._untold), self._now())
            self._untold.clear()

    def _on_clock(self, readings: Mapping[str, Reading]) -> dict[str, Reading]:
        start = self.world.session_s
        return {name: Reading(r.value, start + r.sampled_s) for name, r in readings.items()}

    def _now(self) -> float:
        return self.world.session_s + self.world.now_s


def render_notices(events: Sequence[ToolEvent]) -> str:
    """Return what the guard did in a turn that no result told the model; for its next message."""
    told = [event.result for event in events if event.model_call != GUARD]
    reasons = [e.decision.reason for e in events if e.model_call == GUARD and e.decision]
    untold = [r for r in dict.fromkeys(reasons) if not any(_quoted(r) in text for text in told)]
    return "".join(f"\n[guard] {reason}" for reason in untold)


def _action(
    intervention: Intervention, command: Command | None, left: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return the tool call that carries an intervention out."""
    if intervention.kind != "limit" or command is None:
        return ("sit_down" if intervention.kind == "sit_down" else "stop"), {}
    return command.tool, {**command.args, **left, "speed_percent": intervention.max_percent}


def _ended_with(event: ToolEvent, own: ToolEvent) -> ToolEvent:
    """Return the record of a call whose motion the guard ended: it ends where its motion did."""
    if event.executed is None or event.executed == event.issued or event.tool == "walk_with_velocity":
        return event
    return replace(event, ended_s=own.ended_s if own.tool == "stop" else own.issued_s)


def _with_notes(event: ToolEvent, notes: list[str]) -> ToolEvent:
    """Return the record of a call whose result tells the model what the guard did."""
    result = orjson.loads(event.result)
    told = [*result.get("guard", ()), *notes]
    return replace(event, result=_text({**result, "guard": list(dict.fromkeys(told))}))


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()


def _text(told: Mapping[str, Any]) -> str:
    return orjson.dumps(told).decode()
