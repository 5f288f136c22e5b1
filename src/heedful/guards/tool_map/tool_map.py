"""The tool map: which tool of a target robot's server does what, and where its signals come from.

Everything a model asks of a target passes through `ToolMap.read`, and only what the map declares passes.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from heedful.errors import InputError
from heedful.guards.guard import Command, Refusal
from heedful.guards.tool_map.document import ProtectiveAction, ToolMapDocument
from heedful.guards.tool_map.entry import DEFAULT_DENY, ToolEntry, build_entry
from heedful.guards.tool_map.reading import ToolReader
from heedful.guards.tool_map.results import Content
from heedful.guards.tool_map.signals import Poll, SignalSource
from heedful.guards.tool_map.spec_fit import Offer, fitted_spec
from heedful.guards.tool_map.values import listed, shorten
from heedful.spec.safety_spec import SafetySpec
from heedful.state.geometry import Pose
from heedful.state.motion import RobotLimits
from heedful.trace.records import Reading

PROTECTIVE_ACTIONS: tuple[ProtectiveAction, ...] = get_args(ProtectiveAction)


class ToolMap:
    """A checked and compiled tool map of one target; `load_tool_map` gives one.

    It keeps no state but the stamps and pictures that tell when a sensor's results bring nothing new.
    """

    def __init__(self, document: ToolMapDocument, where: str = "") -> None:
        """Compile a document without faults; `parse_tool_map` finds them.

        Args:
            document: What was written.
            where: Its file, for messages.
        """
        self.document = document
        self.where = where or document.name
        self.limits: RobotLimits = document.limits.robot_limits()
        self.tools: Mapping[str, ToolEntry] = _entries(document, self.limits)
        self.signals: Mapping[str, SignalSource] = {
            name: SignalSource(name, signal) for name, signal in document.signals.items()
        }
        self._polls = _polls(document)
        self._calls: dict[str, tuple[str, dict[str, Any]]] = {
            name: call for name in PROTECTIVE_ACTIONS if (call := self._find_call(name))
        }

    @property
    def name(self) -> str:
        """The map's name as users type it."""
        return self.document.name

    @property
    def version(self) -> str:
        """The map's own version."""
        return self.document.version

    def polls(self) -> tuple[Poll, ...]:
        """Return what the guard asks the target for, each with its period and the signals it gives."""
        return self._polls

    def spec_for(self, spec: SafetySpec) -> SafetySpec:
        """Return `spec` with this robot's limits and the classes of its own actions.

        Raises:
            InputError: If the map lacks what the spec needs: a signal's source, a stop, a required action;
                the message names each, the invariants that cannot be guarded, and where to add it.
        """
        readers = tuple(reader for entry in self.tools.values() for reader in entry.readers)
        offer = Offer(
            self.name,
            self.where,
            self.limits,
            readers,
            self.signals,
            self.document.missing,
            frozenset(self._calls),
        )
        return fitted_spec(offer, spec)

    def read(self, tool: str, args: Mapping[str, Any], pose: Pose | None) -> Command | Refusal:
        """Return a call of the target in heedful's words, or why it does not pass.

        Args:
            tool: The target's name of the tool.
            args: Raw arguments, of any shape.
            pose: Where the robot's sensors say it stands; None if unknown.
        """
        entry = self.tools.get(tool)
        if entry is None:
            return self._refuse_tool(tool)
        return entry.read(args, pose)

    def rewrite(self, tool: str, args: Mapping[str, Any], decision_args: Mapping[str, Any]) -> dict[str, Any]:
        """Return the raw arguments with the speed that a guard decided; unchanged if it decided none.

        Args:
            tool: The target's name of the tool.
            args: Raw arguments of a call that was read.
            decision_args: `speed_percent` [%], or nothing.

        Raises:
            InputError: If the call cannot be changed in that way; it must not pass as it is then.
        """
        if not decision_args:
            return dict(args)
        entry = self.tools.get(tool)
        reader = None if entry is None else entry.reader_for(args)
        if reader is None or set(decision_args) != {"speed_percent"}:
            raise InputError(f"A call of {tool!r} cannot be changed to {dict(decision_args)}.")
        return reader.with_speed(args, float(decision_args["speed_percent"]))

    def action(self, name: str) -> tuple[str, dict[str, Any]] | None:
        """Return the target's tool and arguments that do `stop`, `sit_down` or `emergency_stop`, if any."""
        call = self._calls.get(name)
        return None if call is None else (call[0], dict(call[1]))

    def readings(self, source: Poll, result: Any, asked_s: float, now_s: float) -> dict[str, Reading]:
        """Return what a poll's result says of its signals; what is not plainly there is unknown.

        Args:
            source: What was asked.
            result: The JSON of a `CallToolResult` or a `ReadResourceResult`, of any shape.
            asked_s: When it was asked [s], on the clock that readings are on.
            now_s: When the result arrived [s].
        """
        return self._read_signals(source.signals, result, asked_s, now_s)

    def readings_of(
        self,
        tool: str,
        result: Any,
        asked_s: float,
        now_s: float,
        args: Mapping[str, Any] | None = None,
    ) -> dict[str, Reading]:
        """Return what the result of a call that the model made says of the signals read by that tool.

        Args:
            tool: The target's name of the tool.
            result: The JSON of its result, of any shape.
            asked_s: When it was asked [s].
            now_s: When the result arrived [s].
            args: The call's arguments; signals that are read with others are left out. None takes all.
        """
        names = [
            name
            for poll in self._polls
            if poll.tool == tool and (args is None or poll.args == args)
            for name in poll.signals
        ]
        return self._read_signals(names, result, asked_s, now_s)

    def forget(self) -> None:
        """Take the next results as the first ones, after the target was started anew."""
        for source in self.signals.values():
            source.forget()

    def _read_signals(
        self, names: Sequence[str], result: Any, asked_s: float, now_s: float
    ) -> dict[str, Reading]:
        if not names:
            return {}
        content = Content(result)
        return {name: self.signals[name].read(content, asked_s, now_s) for name in names}

    def _refuse_tool(self, tool: str) -> Refusal:
        denied = self.document.denied
        if tool in denied:
            return Refusal(f"{tool} is denied by the tool map {self.name}: {denied[tool]}")
        near = difflib.get_close_matches(tool[:60], self.tools, n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else f"Declared: {listed(self.tools)}."
        return Refusal(f"unknown tool {shorten(tool)}. {DEFAULT_DENY} {hint}")

    def _find_call(self, name: ProtectiveAction) -> tuple[str, dict[str, Any]] | None:
        written = self.document.actions.get(name)
        if written is not None:
            return written.tool, dict(written.args)
        for entry in self.tools.values():
            for reader in entry.readers:
                if reader.does != name:
                    continue
                args = reader.example()
                if args is not None and entry.reader_for(args) is reader:
                    return entry.name, args
        return None


def _entries(document: ToolMapDocument, limits: RobotLimits) -> dict[str, ToolEntry]:
    robot = document.robot
    single = {
        name: build_entry([ToolReader(name, tool, limits, robot)]) for name, tool in document.tools.items()
    }
    chosen = {
        name: build_entry([ToolReader(name, tool, limits, robot, is_choice=True) for tool in tools])
        for name, tools in document.choices.items()
    }
    return single | chosen


def _polls(document: ToolMapDocument) -> tuple[Poll, ...]:
    """Return one poll for all signals that the same call or resource gives, as often as any needs it."""
    polls: list[Poll] = []
    for name, s in document.signals.items():
        new = Poll(s.tool, s.resource, s.args, s.poll_s, (name,))
        for k, old in enumerate(polls):
            if (old.tool, old.resource, old.args) == (s.tool, s.resource, s.args):
                period_s = min(old.period_s, s.poll_s)
                polls[k] = Poll(old.tool, old.resource, old.args, period_s, (*old.signals, name))
                break
        else:
            polls.append(new)
    return tuple(polls)
