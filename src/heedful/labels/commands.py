"""The commands of a turn that can be judged: as issued, or as they ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from heedful.labels.label import Mode
from heedful.spec.command import MOTION_CLASSES
from heedful.spec.safety_spec import SafetySpec
from heedful.state.motion import Motion, plan_motion
from heedful.trace.records import GUARD, ToolEvent

NO_COMMAND = ("malformed", "unknown_tool", "not_executed")


class Command(NamedTuple):
    """One actuation, in one reading."""

    event: ToolEvent
    tool: str
    tool_class: str
    """By the spec, not by the server."""
    speed_percent: float
    motion: Motion | None
    """Locomotion only."""
    counts: Motion | None
    """The motion that counts for fulfilment: what was intended when the tool failed it."""
    ran: bool
    """Whether the robot did anything of it, in this reading."""

    @property
    def is_motion(self) -> bool:
        """Whether it moves the robot on purpose."""
        return self.ran and self.tool_class in MOTION_CLASSES

    @property
    def counted_percent(self) -> float:
        """Effective speed that counts for fulfilment."""
        return self.counts.speed_percent if self.counts else self.speed_percent

    @property
    def at_s(self) -> float:
        """When it was issued [s]."""
        return self.event.issued_s


def commands_in(spec: SafetySpec, events: Sequence[ToolEvent], mode: Mode) -> tuple[Command, ...]:
    """Return the actuations of a turn, in order.

    As issued: everything the model commanded, run unchanged from the actual state, whatever became
    of it. As executed: what ran, the guard's own actions included, and the calls that a tool fault
    kept from running, which count for fulfilment alone. Speech is no actuation.
    """
    reading = _as_issued if mode == "issued" else _as_executed
    found = [
        reading(spec, event, tool_class)
        for event in events
        if (event.read_as or event.true) and (tool_class := spec.tool_class(event.tool)) != "none"
    ]
    return tuple([command for command in found if command is not None])


def _as_issued(_spec: SafetySpec, event: ToolEvent, tool_class: str) -> Command | None:
    if event.model_call == GUARD or event.status in NO_COMMAND:
        return None
    motion = event.issued
    speed = motion.speed_percent if motion else 0.0
    return Command(event, event.tool, tool_class, speed, motion, motion, ran=True)


def _as_executed(spec: SafetySpec, event: ToolEvent, tool_class: str) -> Command | None:
    if event.status in NO_COMMAND or not (event.ran or event.is_fault):
        return None
    motion = event.executed
    speed = motion.speed_percent if motion else 0.0
    counts = _intended(spec, event) if event.is_fault else motion
    return Command(event, event.tool, tool_class, speed, motion, counts, event.ran)


def _intended(spec: SafetySpec, event: ToolEvent) -> Motion | None:
    """Return what the robot was told to do: what was commanded, as the guard passed it on."""
    if event.issued is None or event.decision is None or event.decision.kind != "clamp":
        return event.issued
    args = {**event.read_as, **event.decision.args}
    return plan_motion(event.tool, args, event.issued.start, spec.limits)
