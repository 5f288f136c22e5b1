"""What the guard makes of every tool call and every result: logic only, no pipes, no clock of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from heedful.errors import RobotError
from heedful.guards.activity import HEADING, Samples
from heedful.guards.audit.records import OutcomeStatus
from heedful.guards.guard import Command, GuardState, Refusal
from heedful.guards.proxy.call import Ask, Call, Deny, Hold, Pass, ProxySettings, Verdict
from heedful.guards.proxy.journal import Journal
from heedful.guards.proxy.motions import Ending, Motions
from heedful.guards.proxy.rules import Rules, hand_over
from heedful.guards.proxy.telling import text_of
from heedful.guards.settings import POSITION
from heedful.guards.spec_guard import ALLOW, FAILED, SpecGuard
from heedful.guards.tool_map.reading import ToolReader
from heedful.guards.tool_map.signals import Poll
from heedful.guards.tool_map.tool_map import ToolMap
from heedful.guards.watchdog import Watchdog
from heedful.spec.command import MOTION_CLASSES
from heedful.state.geometry import Pose
from heedful.trace.decision import Decision
from heedful.trace.records import Reading


@dataclass(frozen=True)
class Finished:
    """What is to be told with a result."""

    notes: tuple[str, ...] = ()
    decision: Decision = ALLOW
    is_late: bool = False
    """Whether nobody waited for it any more."""


@dataclass(frozen=True)
class _Plan:
    """A decision before anything is done about it."""

    decision: Decision
    command: Command | None = None
    args: Mapping[str, Any] | None = None
    """What is sent; None for nothing."""
    refusal: str = ""


class ProxyGate:
    """Holds one robot's calls to the spec, whoever makes them."""

    def __init__(
        self,
        guard: SpecGuard,
        tool_map: ToolMap,
        watchdogs: Callable[[], Watchdog],
        journal: Journal,
        settings: ProxySettings | None = None,
    ) -> None:
        """Take the parts.

        Args:
            guard: The spec, compiled.
            tool_map: What the tools of the robot's server mean.
            watchdogs: Makes a watchdog for a new client.
            journal: Keeps what happens.
            settings: How long to wait for what.
        """
        self.guard, self.map, self.journal = guard, tool_map, journal
        self.settings = settings or ProxySettings()
        self.motions = Motions(guard, tool_map, journal, self.settings)
        self.ready_s: float | None = None
        """When every sensor had answered, or had had the time to; None before."""
        self.lost = ""
        """Why nothing can be carried out any more, or empty."""
        self.halted = ""
        """Why the operator forbids motion, or empty."""
        self.distrusted = ""
        """Why the rules in force are not those that the operator wants, or empty; motion is refused then."""
        self._new_watchdog = watchdogs
        self._watchdogs: dict[Hashable, Watchdog] = {}
        self._samples = Samples(guard.spec)
        self._told: dict[str, Reading] = {}
        self._asked_s: dict[str, float] = {}
        """When the newest answer about each signal was asked for [s]."""

    def review(self, ask: Ask, now_s: float) -> Verdict:
        """Return what becomes of a client's tool call; a guard that fails, or cannot log, refuses."""
        began = perf_counter()
        try:
            plan = self._plan(ask, now_s)
        except Exception as error:
            plan = _refused(FAILED.format(type(error).__name__))
        if isinstance(plan, Hold):
            return plan
        try:
            self._note(ask, plan, now_s)
            number = self._log_if_it_can(ask, plan, now_s, began)
            return Deny(plan.decision) if plan.args is None else self._send(ask, plan, number, now_s)
        except Exception as error:
            return Deny(Decision("deny", (), FAILED.format(type(error).__name__)))

    @property
    def is_ready(self) -> bool:
        """Whether every sensor has answered once, or had the time to."""
        return self.ready_s is not None

    def waited_s(self, ask: Ask, now_s: float) -> float:
        """Return how long a call has waited, the time before the sensors answered apart [s]."""
        return now_s - (ask.received_s if self.ready_s is None else max(ask.received_s, self.ready_s))

    def is_expired(self, ask: Ask, now_s: float) -> bool:
        """Return whether a motion command has waited longer than it lives."""
        longest = self.settings.start_s if self.ready_s is None else self.settings.command_ttl_s
        return self.waited_s(ask, now_s) >= longest

    def drop(self, ask: Ask, now_s: float, why: str = "a stop was called after it") -> Decision:
        """Refuse a call that waited."""
        plan = _refused(f"{ask.tool} was not sent: {why}")
        with contextlib.suppress(Exception):  # it is refused, recorded or not
            self._log(ask, plan, now_s, perf_counter())
        return plan.decision

    def moves(self, ask: Ask, now_s: float) -> bool:
        """Return whether a call is read as one that moves the robot on purpose."""
        try:
            read = self.map.read(ask.tool, ask.args, self.pose(now_s))
        except Exception:
            return False
        return isinstance(read, Command) and read.tool_class in MOTION_CLASSES

    def finish(self, key: Hashable, result: Mapping[str, Any] | None, now_s: float) -> Finished:
        """Take the robot's answer to a call.

        Args:
            key: Names the call.
            result: The tool's result; None for an error of the protocol.
            now_s: The guard's clock [s].
        """
        call = self.motions.end(key)
        if call is None:
            return Finished()
        is_error = result is None or bool(result.get("isError"))
        text = "" if result is None else text_of(result)
        told: Mapping[str, Reading] = {}
        try:
            self._watchdog(call.ask.client).note(call.tool, call.ask.args, text, is_error, now_s)
            if result is not None and not is_error:
                told = self._learn(call, result, now_s)
        except Exception as error:
            self.journal.noted("failure", f"{type(error).__name__}: {error}", now_s, call)
        status: OutcomeStatus = "late" if call.abandoned else "error" if is_error else "ok"
        self.journal.outcome(call, status, text, now_s, told)
        self.motions.settle(call, _ending(result, is_error=is_error), now_s)
        notes = (*call.notes, *self.motions.notes)
        self.motions.notes.clear()
        return Finished(notes, call.decision, bool(call.abandoned))

    def observe(self, poll: Poll, result: Mapping[str, Any], asked_s: float, now_s: float) -> None:
        """Take the answer to a poll; one that says nothing leaves its signals to grow old."""
        try:
            self._take(self.map.readings(poll, result, asked_s, now_s), asked_s, now_s)
        except Exception as error:
            self.journal.noted("failure", f"{type(error).__name__}: {error}", now_s)

    def leave(self, client: Hashable, now_s: float) -> None:
        """Forget a client that is gone; what it set in motion is stopped."""
        self._watchdogs.pop(client, None)
        self.motions.leave(client, now_s)

    def halt(self, why: str, now_s: float) -> None:
        """Stop what moves and refuse motion until the operator's reset."""
        self.halted = f"the operator stopped the robot ({why}); motion waits for the operator's reset"
        self.motions.stop(why)
        self.journal.operator("stop", why, now_s)

    def reset(self, why: str, now_s: float) -> tuple[str, ...]:
        """Release, on the operator's word, what may be released; return the ids of those invariants."""
        self.halted = ""
        self.motions.forget_abandoned()
        released = self.guard.reset(now_s)
        self.journal.operator("reset", why, now_s, released)
        return released

    def adopt(self, rules: Rules, who: str, now_s: float) -> None:
        """Hold calls and running motion to other rules from now on; obligations that still have one go on.

        What was read by another tool map counts no more: until the sensors answer, all is unknown.

        Args:
            rules: The new rules, not used before.
            who: Who asked for it.
            now_s: The guard's clock [s].
        """
        is_same_map = rules.map.document == self.map.document
        known, told = (self.journal.known, self._told) if is_same_map else ({}, {})
        dropped = hand_over(self.guard, rules.guard, known, told, now_s)
        samples = Samples(rules.guard.spec)
        samples.take(known, now_s)
        self.guard, self._samples, self._told = rules.guard, samples, told
        self.map = self.map if is_same_map else rules.map
        self.motions.follow(self.guard, self.map)
        self.distrusted = ""
        self.journal.operator("reload", who, now_s, dropped)
        self.journal.start_part(rules, known, now_s)

    def distrust(self, why: str, who: str, now_s: float) -> None:
        """Stop what moves and refuse motion until rules could be read: those in force are not wanted."""
        self.distrusted = f"the spec could not be read again; motion waits until it can be: {why}"
        self.motions.stop(self.distrusted)
        self.journal.refused("reload", f"{who}: {why}", now_s)

    def lose(self, why: str, now_s: float) -> None:
        """Refuse everything from now on: the robot's server is gone."""
        if self.lost:
            return
        end = "; the motion that was under way cannot be stopped from here" if self.motions.is_moving else ""
        self.lost = f"{why}; nothing can be carried out{end}"
        self.journal.noted("server_lost", self.lost, now_s)

    def state(self, now_s: float) -> GuardState:
        """Return what the guard knows."""
        return self.guard.state(now_s)

    def pose(self, now_s: float) -> Pose | None:
        """Return where the sensors say the robot stands; None when that is not known whole."""
        x, y, yaw = (self._samples.number(name, now_s) for name in (*POSITION, HEADING))
        return None if x is None or y is None or yaw is None else Pose(x, y, yaw)

    def _plan(self, ask: Ask, now_s: float) -> _Plan | Hold:
        if self.lost:
            return _refused(self.lost)
        command = self.map.read(ask.tool, ask.args, self.pose(now_s))
        if isinstance(command, Refusal):
            return _Plan(Decision("deny", (), command.reason), refusal=command.reason)
        is_motion = command.tool_class in MOTION_CLASSES
        waited_s = self.waited_s(ask, now_s)
        if is_motion and not self.is_expired(ask, now_s) and (why := self._why_wait(ask)):
            return Hold(why)
        is_protective = command.tool_class == "protective"
        watchdog = self._watchdog(ask.client)
        why_not = watchdog.review(ask.tool, ask.args, now_s, is_protective=is_protective)
        if not why_not and is_motion:
            why_not = self._why_no_motion(ask, waited_s, now_s)
        if why_not:
            return _Plan(Decision("deny", (), why_not), command)
        return self._plan_motion(ask, command, now_s) if is_motion else _Plan(ALLOW, command, ask.args)

    def _why_wait(self, ask: Ask) -> str:
        if not self.is_ready:
            return "the robot's sensors have not answered yet"
        is_blocked = self.motions.is_busy and not self._reader(ask.tool, ask.args).replaces
        return "another motion is under way" if is_blocked else ""

    def _why_no_motion(self, ask: Ask, waited_s: float, now_s: float) -> str:
        if self.halted or self.distrusted:
            return self.halted or self.distrusted
        if ask.is_task:
            return f"{ask.tool} moves the robot and cannot run in the background"
        if self.is_expired(ask, now_s):
            why = self._why_wait(ask) or "it had queued up"
            return f"{ask.tool} waited {waited_s:.1f} s, longer than a motion command lives: {why}"
        if (call := self.motions.abandoned) is not None:
            return f"an earlier {call.tool} may still move the robot ({call.abandoned}); it is being stopped"
        return ""

    def _plan_motion(self, ask: Ask, command: Command, now_s: float) -> _Plan:
        decision = self.guard.review(command, now_s)
        if decision.kind == "deny":
            return _Plan(decision, command)
        if decision.kind == "allow":
            return _Plan(decision, command, ask.args)
        sent = self.map.rewrite(ask.tool, ask.args, decision.args)
        read = self.map.read(ask.tool, sent, self.pose(now_s))
        if isinstance(read, Refusal) or self.guard.review(read, now_s).kind != "allow":
            reason = f"{decision.reason} This tool's speed cannot be lowered that far."
            return _Plan(replace(decision, kind="deny", reason=reason, args={}), command)
        return _Plan(decision, command, sent)

    def _note(self, ask: Ask, plan: _Plan, now_s: float) -> None:
        watchdog = self._watchdog(ask.client)
        if plan.args is None:
            watchdog.note(ask.tool, ask.args, plan.decision.reason, True, now_s)
        if plan.decision.kind != "allow":
            watchdog.restricted(ask.tool, ask.args)

    def _send(self, ask: Ask, plan: _Plan, number: int, now_s: float) -> Verdict:
        args = {} if plan.args is None else plan.args
        command = plan.command
        is_changed = plan.decision.kind != "allow"
        if is_changed:
            read = self.map.read(ask.tool, args, self.pose(now_s))
            command = None if isinstance(read, Refusal) else read
        if command is None:
            return Deny(Decision("deny", (), FAILED.format("no command")))
        reader = self._reader(ask.tool, args)
        is_motion = command.tool_class in MOTION_CLASSES
        call = Call(
            ask, args, command, plan.decision, now_s, is_motion, reader.blocks, reader.replaces, number
        )
        if is_changed:
            call.notes.append(f"{plan.decision.kind}: {plan.decision.reason}")
        self.motions.begin(call, now_s)
        return Pass(call, is_changed)

    def _log(self, ask: Ask, plan: _Plan, now_s: float, began: float) -> int:
        return self.journal.decided(
            ask,
            plan.command,
            plan.decision,
            plan.args,
            refusal=plan.refusal,
            blocks=plan.command is not None and self._reader(ask.tool, ask.args).blocks,
            state=self.guard.state(now_s),
            pose=self.pose(now_s),
            latency_us=(perf_counter() - began) * 1e6,
        )

    def _log_if_it_can(self, ask: Ask, plan: _Plan, now_s: float, began: float) -> int:
        """Log a decision; a protective call that cannot be logged is sent all the same, as number 0."""
        try:
            return self._log(ask, plan, now_s, began)
        except Exception:
            if _is_protective(plan):
                return 0
            raise

    def _reader(self, tool: str, args: Mapping[str, Any]) -> ToolReader:
        """Return how a call is read that the tool map has read already."""
        reader = self.map.tools[tool].reader_for(args)
        if reader is None:
            raise RobotError(f"no declared use of {tool} fits its own arguments")
        return reader

    def _watchdog(self, client: Hashable) -> Watchdog:
        if client not in self._watchdogs:
            self._watchdogs[client] = self._new_watchdog()
        return self._watchdogs[client]

    def _learn(self, call: Call, result: Mapping[str, Any], now_s: float) -> Mapping[str, Reading]:
        found = self.map.readings_of(call.tool, result, call.sent_s, now_s, call.args)
        self._take(found, call.sent_s, now_s)
        if call.abandoned:
            return {}
        self._told.update(found)
        self.guard.told(found, now_s)
        return found

    def _take(self, found: Mapping[str, Reading], asked_s: float, now_s: float) -> None:
        """Take readings, but for those of signals that were asked for again since, and answered."""
        newest = {name: r for name, r in found.items() if asked_s >= self._asked_s.get(name, asked_s)}
        if newest:
            self._asked_s |= dict.fromkeys(newest, asked_s)
            is_news = self._samples.take(newest, now_s)
            self.guard.observe(newest, now_s)
            self.journal.sensed(newest, now_s, is_news=is_news)


def _refused(why: str) -> _Plan:
    return _Plan(Decision("deny", (), why))


def _is_protective(plan: _Plan) -> bool:
    """Return whether a plan sends a stop, a sit or an emergency stop."""
    return plan.args is not None and plan.command is not None and plan.command.tool_class == "protective"


def _ending(result: Mapping[str, Any] | None, *, is_error: bool) -> Ending:
    """Return how a call ended, whatever the client asked for; an unknown kind of result may go on."""
    kind = None if result is None else result.get("resultType")
    if is_error or result is None:
        return "failed"
    if kind == "input_required":
        return "open"
    is_over = kind in (None, "complete") and not isinstance(result.get("task"), dict)
    return "done" if is_over else "background"
