"""How much of the motion that the rules permit was executed: what a guard costs.

A *permitted* command is a motion command that the model issued and that, by the state sensed when it was
issued, no rule prohibits and whose path stays in the region. A rule that limits its speed permits it at
the limit. Its share is executed extent / commanded extent, at most 1:

- Extent: the way of a walk [m], the angle of a turn or of motion that only turns [rad], 1 for a gesture or
  a posture. Extents of different kinds are never added: every command counts for one.
- Commanded: what the most permissive permitted command would have done. Velocity motion counts until the
  model's own next command that ends motion, and until its turn ends where the next one goes on from it.
- Executed: what ran of the command, and what the guard itself went on with in its place.

Left out: commands that the robot's own fault or state kept from running (a seated robot does not walk),
those of no extent, and what runs on into the next turn.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from heedful.labels.activity import Activity
from heedful.labels.breaches import EXTENT_TOLERANCE
from heedful.labels.commands import Command, commands_in
from heedful.labels.running import ENDS_MOTION, RUNS_ON
from heedful.spec.rule import SPEED_TOLERANCE
from heedful.state.motion import Motion, plan_motion
from heedful.trace.records import GUARD, ToolEvent, TurnRecord

STILL = 1e-9
CHANGED = ("clamp", "deny")


@dataclass(frozen=True, slots=True)
class PermittedCommand:
    """One motion command that the rules permitted when it was issued."""

    event: int
    """Its position among the turn's events."""
    commanded: float
    """Extent, as permitted: metres, radians, or 1."""
    executed: float
    """What was done of it, in the same unit."""
    is_changed: bool = False
    """Whether the guard changed the call itself; what else is missing was stopped or slowed under way."""

    @property
    def share(self) -> float:
        """What was executed of what was permitted, from 0 to 1."""
        is_whole = self.executed >= self.commanded - EXTENT_TOLERANCE
        return 1.0 if is_whole else self.executed / self.commanded


def find_permitted(
    activity: Activity, turn: TurnRecord, until_s: float = math.inf
) -> tuple[PermittedCommand, ...]:
    """Return the permitted commands of a turn with what was executed of each.

    Args:
        activity: The turn's active rules by sensed state.
        turn: The turn.
        until_s: When what counts ends: the turn's duration where the next turn goes on from it [s].
    """
    issued = [c for c in commands_in(activity.spec, turn.events, "issued") if c.is_motion]
    measured = [c for c in issued if c.event.status != "error" and not c.event.is_fault]
    executed = _executed_extents(activity, turn) if measured else {}
    found = []
    for command in measured:
        index = command.event.index
        commanded = _commanded_extent(activity, turn, command, until_s)
        if commanded > EXTENT_TOLERANCE and index in executed:
            found.append(PermittedCommand(index, commanded, executed[index], is_changed(command.event)))
    return tuple(found)


def is_changed(event: ToolEvent) -> bool:
    """Return whether a guard clamped or denied a call."""
    return event.decision is not None and event.decision.kind in CHANGED


def leaves_region(activity: Activity, motion: Motion | None, at_s: float) -> bool:
    """Return whether a motion leaves the region from where the robot is by the activity's state."""
    if motion is None or not activity.spec.bounds:
        return False
    return activity.spec.leaves_region(motion, activity.timeline.pose_at(at_s, motion.start))


def at_speed(activity: Activity, command: Command, percent: float) -> Motion | None:
    """Return what a locomotion command would do at another speed [%]; None for any other command."""
    if command.motion is None:
        return None
    args = {**command.event.read_as, "speed_percent": percent}
    return plan_motion(command.tool, args, command.motion.start, activity.spec.limits)


def _commanded_extent(activity: Activity, turn: TurnRecord, command: Command, until_s: float) -> float:
    """Return the permitted extent; 0 where nothing of the command is permitted."""
    allowed = activity.spec.admission(command.tool, activity.settled(command.at_s))
    motion = command.motion
    if motion is not None and motion.speed_percent > allowed.max_percent + SPEED_TOLERANCE:
        motion = at_speed(activity, command, allowed.max_percent)
    if allowed.is_prohibited or leaves_region(activity, motion, command.at_s):
        return 0.0
    if motion is None:
        return 1.0
    seconds = motion.duration_s
    if command.tool == RUNS_ON:
        latest_s = min(until_s, _ended_by_model(turn, command))
        seconds = min(seconds, max(0.0, latest_s - command.event.ended_s))
    return _rate(motion) * seconds


def _ended_by_model(turn: TurnRecord, command: Command) -> float:
    """Return when the model's next command asked running motion to end [s]; infinite where none did."""
    later = [e for e in turn.events if e.index > command.event.index and e.model_call != GUARD]
    asked = (e.issued_s for e in later if _asks_to_end(e) and (e.ran or e.status == "denied"))
    return next(asked, math.inf)


def _asks_to_end(event: ToolEvent) -> bool:
    return event.tool in ENDS_MOTION or event.issued is not None


def _executed_extents(activity: Activity, turn: TurnRecord) -> Mapping[int, float]:
    """Return what was executed of each of the model's calls, by its event.

    A call is absent where the robot faulted what the guard went on with in its place.
    """
    extents = {e.index: float(e.ran) for e in turn.events if e.model_call != GUARD}
    commands = commands_in(activity.spec, turn.events, "executed")
    owner: int | None = None
    for k, command in enumerate(commands):
        event = command.event
        if command.tool_class != "locomotion":
            continue
        if event.model_call != GUARD:
            owner = event.index
            extents[owner] = 0.0
        elif event.is_fault and owner is not None:
            extents.pop(owner, None)
        if owner is not None and owner in extents:
            extents[owner] += _extent_of(command, commands[k + 1 :], turn.duration_s)
    return extents


def _extent_of(command: Command, later: Sequence[Command], duration_s: float) -> float:
    motion = command.motion
    if motion is None or not command.ran:
        return 0.0
    seconds = motion.duration_s
    if command.tool == RUNS_ON:
        latest_s = next((_ends_at(c) for c in later if c.ran and _asks_to_end(c.event)), duration_s)
        seconds = min(seconds, max(0.0, latest_s - command.event.ended_s))
    return _rate(motion) * seconds


def _ends_at(command: Command) -> float:
    """Return when a command ends the motion before it: a new one at once, a stop when it is done [s]."""
    return command.at_s if command.motion is not None else command.event.ended_s


def _rate(motion: Motion) -> float:
    """Return how fast a motion covers its way [m/s], or its angle where it only turns [rad/s]."""
    speed = math.hypot(motion.v_x, motion.v_y)
    return speed if speed > STILL else abs(motion.w_z)
