"""The robot's motion as the guard follows it through the calls: what runs, what must be stopped, and how."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from heedful.guards.guard import Command, Intervention, Refusal
from heedful.guards.proxy.call import Call, ProxySettings
from heedful.guards.proxy.journal import Journal
from heedful.guards.spec_guard import FAILED, SpecGuard
from heedful.guards.tool_map.tool_map import ToolMap
from heedful.state.geometry import Pose

Ending = Literal["done", "failed", "open", "background"]
"""How a call ended: carried out, refused, waiting for more input, or going on without a result."""

STANDING = ("locomotion", "posture")
"""What a robot that sits stands up for, or may."""


@dataclass(frozen=True)
class Act:
    """A call that the guard makes by itself."""

    intervention: Intervention
    tool: str
    args: Mapping[str, Any]
    command: Command | None = None
    """The motion to go on with, when it is slowed."""
    call: Call | None = None
    """The call whose motion that is."""


class Motions:
    """The calls that the robot's server has, and the motion they began.

    The guard follows one motion at a time; a gesture beside a walk is followed here.
    """

    def __init__(
        self, guard: SpecGuard, tool_map: ToolMap, journal: Journal, settings: ProxySettings
    ) -> None:
        self._guard, self._map, self._journal, self._settings = guard, tool_map, journal, settings
        self._calls: dict[Hashable, Call] = {}
        self._current: Call | None = None
        self._beside: list[Call] = []
        self._last_stop = ""
        self._stopping_until_s = 0.0
        self.notes: list[str] = []
        """What no call that waits for its result can be told; the next result tells it."""

    def follow(self, guard: SpecGuard, tool_map: ToolMap) -> None:
        """Hold what runs to other rules from now on."""
        self._guard, self._map = guard, tool_map

    @property
    def is_moving(self) -> bool:
        """Whether a motion is under way, or a stop has not been sent yet, as far as the guard knows."""
        return self._current is not None or bool(self._beside) or bool(self._last_stop)

    @property
    def is_busy(self) -> bool:
        """Whether a motion that somebody waits for is under way."""
        return any(c.is_motion and c.blocks and not c.abandoned for c in self._calls.values())

    @property
    def abandoned(self) -> Call | None:
        """A motion that nobody waits for and that may not have ended."""
        return next((c for c in self._calls.values() if c.is_motion and c.abandoned), None)

    def begin(self, call: Call, now_s: float) -> None:
        """Take note that a call is sent."""
        if call.is_motion:
            call.until_s = now_s + self._time_to_live(call, now_s)
            self._stopping_until_s = 0.0
            if call.command.tool_class in STANDING:
                self._guard.acted("stand_up")
            self._place(call, now_s)
        self._calls[call.ask.key] = call

    def _place(self, call: Call, now_s: float) -> None:
        """Follow a motion, alone or beside the one that is followed."""
        current = self._current
        if self._is_beside(call):
            self._beside.append(call)
            return
        if current is not None and current.command.tool_class != "locomotion":
            self._beside.append(current)
        else:
            call.before = current
        self._follow(call, now_s)

    def end(self, key: Hashable) -> Call | None:
        """Return, once, the call that a result belongs to."""
        return self._calls.pop(key, None)

    def settle(self, call: Call, ending: Ending, now_s: float) -> None:
        """Draw from a call's result what the robot does now.

        Args:
            call: The call, ended.
            ending: How.
            now_s: The guard's clock [s].
        """
        is_error = ending == "failed"
        if call.is_motion:
            if call.abandoned:
                self.stop(f"the late result of {call.tool} arrived: {call.abandoned}")
            elif ending == "background":
                self.stop(f"{call.tool} went on in the background")
            elif ending == "failed" and self._may_go_on(call):
                self.stop(f"{call.tool} failed: whether it still moves the robot is not known")
            is_over = call.blocks or ending == "open" or bool(call.abandoned)
            if is_over and ending != "background":
                self._drop(call)
            self._go_back(call, is_refused=ending in ("failed", "open"), now_s=now_s)
        if not is_error and call.stops:
            self.stopped(call.command.tool, now_s)
        elif not is_error and call.command.tool_class == "posture":
            self._guard.acted(call.command.tool)

    def stopped(self, action: str, now_s: float) -> None:
        """Take note that the robot accepted a protective action.

        Open calls may still move it: one that has not ended a moment later is stopped again.
        """
        self._last_stop = ""
        self._guard.acted(action)
        open_calls = list(self._calls.values())
        last_s = now_s + self._guard.settings.retry_s
        outlived = [call for call in open_calls if call.until_s > last_s]
        for call in open_calls:
            call.before, call.is_stopped = None, True
            call.until_s = min(call.until_s, last_s)
        self._beside = [c for c in self._beside if c in open_calls]
        if self._current is not None and self._current not in open_calls:
            self._drop(self._current)
        elif self._current in outlived:
            self._follow(self._current, now_s)

    def abandon(self, key: Hashable, why: str, now_s: float) -> None:
        """Take note that nobody waits for a call: what it moves is stopped until its result is in."""
        call = self._calls.get(key)
        if call is None or call.abandoned:
            return
        call.abandoned = why
        self._journal.outcome(call, "cancelled", why, now_s)
        if call.is_motion:
            call.until_s = now_s
            self._follow(call, now_s)

    def leave(self, client: Hashable, now_s: float) -> None:
        """Stop what a client that is gone has set in motion."""
        for key, call in list(self._calls.items()):
            if call.ask.client == client:
                self.abandon(key, "its client is gone", now_s)
        moving = self._beside if self._current is None else [self._current, *self._beside]
        left = next((call for call in moving if call.ask.client == client), None)
        if left is not None:
            self.stop(f"the client that called {left.tool} is gone")

    def stop(self, why: str) -> None:
        """Stop whatever moves, at once and until the robot has accepted it."""
        self._last_stop, self._stopping_until_s = why, 0.0

    def forget_abandoned(self) -> None:
        """Stop waiting, on the operator's word, for results that do not come."""
        for key, call in list(self._calls.items()):
            if call.abandoned:
                del self._calls[key]
                self._drop(call)

    def due(self, now_s: float, pose: Pose | None) -> list[Act]:
        """Return what the guard must do itself now, most urgent first."""
        self._end_watches(now_s)
        try:
            found = [*self._due(now_s), *map(self._explained, self._guard.due(now_s))]
        except Exception as error:
            found = [Intervention("stop", (), FAILED.format(type(error).__name__))]
        return [act for i in found if (act := self._act(i, now_s, pose)) is not None]

    def tried(self, act: Act, action: str, tool: str, args: Mapping[str, Any], now_s: float) -> int:
        """Take note that the guard sends a call of its own; return its record's number."""
        if act.intervention.kind != "sit_down":
            self._stopping_until_s = now_s + self._guard.settings.retry_s
        self._guard.tried(act.intervention, now_s)
        note = f"intervention: {act.intervention.reason}"
        current = self._current
        target = self.notes if current is None or current not in self._calls.values() else current.notes
        if note not in target[-8:]:
            target.append(note)
        command = act.command if action == "limit" else None
        return self._journal.intervened(act.intervention, action, tool, args, command, now_s)

    def accepted(self, act: Act, action: str, now_s: float) -> None:
        """Take note that the robot accepted it."""
        if action != "limit":
            self.stopped(action, now_s)
        elif act.command is not None and act.call is not None and act.call is self._current:
            act.call.args, act.call.command = act.args, act.command
            self._follow(act.call, now_s)
        else:
            self.doubted(act)

    def doubted(self, act: Act) -> None:
        """Stop a slowed motion that the robot may have begun after all, where nothing should move."""
        if act.call is not None and self._current is None:
            self.stop(f"{act.tool} was stopped while it was being slowed")

    def _go_back(self, call: Call, *, is_refused: bool, now_s: float) -> None:
        """Follow again what moved before a call that the robot did not carry out."""
        before, call.before = call.before, None
        if before is None or not is_refused or call.abandoned:
            return
        if before.blocks and before not in self._calls.values():
            return
        if self._current is None:
            self._follow(before, now_s)
        elif self._current is call:
            self._beside.append(before)

    def _due(self, now_s: float) -> list[Intervention]:
        if now_s < self._stopping_until_s:
            return []
        if self._last_stop:
            return [Intervention("stop", (), self._last_stop)]
        for call in self._beside:
            decision = self._guard.review(call.command, now_s)
            if decision.kind != "allow" or now_s >= call.until_s:
                reason = decision.reason or f"the time to live of {call.tool} has run out"
                return [Intervention("stop", decision.rules, reason)]
        return []

    def _explained(self, intervention: Intervention) -> Intervention:
        """Return an intervention that says why a call that nobody waits for is stopped."""
        call = self._current
        if intervention.rules or call is None or not call.abandoned:
            return intervention
        return replace(intervention, reason=f"{call.tool} is stopped: {call.abandoned}")

    def _act(self, intervention: Intervention, now_s: float, pose: Pose | None) -> Act | None:
        if intervention.kind == "limit":
            slowed = self._slowed(intervention, now_s, pose)
            if slowed is not None:
                return slowed
        wanted = "sit_down" if intervention.kind == "sit_down" else "stop"
        action = self._map.action(wanted) or self._map.action("emergency_stop")
        if action is None:
            self._give_up(now_s)
            return None
        return Act(intervention, *action)

    def _slowed(self, intervention: Intervention, now_s: float, pose: Pose | None) -> Act | None:
        """Return the motion under way at a lower speed; None where it can only be stopped."""
        call = self._current
        if call is None or call.blocks or call in self._calls.values() or not call.replaces:
            return None
        try:
            args = self._map.rewrite(call.tool, call.args, {"speed_percent": intervention.max_percent})
            command = self._map.read(call.tool, args, pose)
        except Exception:
            return None
        if isinstance(command, Refusal) or self._guard.review(command, now_s).kind != "allow":
            return None
        return Act(intervention, call.tool, args, command, call)

    def _may_go_on(self, call: Call) -> bool:
        """Return whether a failed walk is to be stopped: its server may have given up, not the robot."""
        is_walk = call.blocks and call.command.tool_class == "locomotion"
        has_ended = call.is_stopped or call.before is not None
        return is_walk and not has_ended and self._map.action("stop") is not None

    def _give_up(self, now_s: float) -> None:
        """Without a way to stop the robot, a motion counts until its time to live ends."""
        self._last_stop = ""
        self._beside = [c for c in self._beside if now_s < c.until_s]
        if self._current is not None and now_s >= self._current.until_s:
            self._drop(self._current)

    def _is_beside(self, call: Call) -> bool:
        """Return whether a motion goes on beside the one that is followed; a walk always takes its place."""
        current = self._current
        is_walk = call.command.tool_class == "locomotion"
        return current is not None and current.command.tool_class == "locomotion" and not is_walk

    def _follow(self, call: Call, now_s: float) -> None:
        self._current = call
        self._guard.began(call.command, now_s, call.until_s)

    def _drop(self, call: Call) -> None:
        if call in self._beside:
            self._beside.remove(call)
        if call is self._current:
            self._current = None
            self._guard.ended()

    def _end_watches(self, now_s: float) -> None:
        for key, call in list(self._calls.items()):
            if call.abandoned and now_s >= call.until_s + self._settings.watch_s:
                del self._calls[key]
                self._drop(call)
                self._journal.noted("watch_over", f"no result of {call.tool}: {call.abandoned}", now_s, call)

    def _time_to_live(self, call: Call, now_s: float) -> float:
        """Return how long a motion may last [s]; at its end the guard stops it."""
        motion = self._guard.plan(call.command, now_s)
        if motion is None:
            return self._settings.unplanned_s
        limits = self._map.limits
        if call.blocks:
            return min(1.5 * motion.duration_s, limits.longest_motion_s) + self._settings.slack_s
        return min(motion.duration_s, limits.time_to_live_s) + self._settings.slack_s
