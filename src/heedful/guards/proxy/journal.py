"""What goes into the guard's log, in the order it happened; a log that cannot be written refuses calls."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from heedful.guards.audit.records import (
    Decided,
    Intervened,
    Noted,
    Opened,
    OperatorAct,
    OperatorDeed,
    Outcome,
    OutcomeStatus,
    Record,
    Sensed,
    Sent,
    ServerFacts,
    server_note,
)
from heedful.guards.guard import Command, GuardState, Intervention
from heedful.guards.proxy.call import Ask, Call
from heedful.guards.proxy.rules import Rules
from heedful.state.geometry import Pose
from heedful.trace.decision import Decision
from heedful.trace.records import Reading

SENSED_EVERY_S = 0.5
"""How often readings are logged at least, when no condition can answer otherwise [s]."""
LONGEST_TEXT = 500
"""Characters of a result that are kept."""


def sensed_every(max_ages_s: Iterable[float]) -> float:
    """Return how often readings must be logged so that none looks too old in the log and was not [s].

    Args:
        max_ages_s: How old a reading of each signal may be [s].
    """
    return min(SENSED_EVERY_S, min(max_ages_s, default=math.inf) / 2)


class Log(Protocol):
    """Keeps records."""

    def append(self, record: Record) -> int:
        """Append a record; return the number of its line."""
        ...

    def start_part(self, header: Opened, reason: str) -> None:
        """Close the part under the rules so far and begin the next."""
        ...


class NoLog:
    """Keeps nothing, where the user asked for no file."""

    def __init__(self) -> None:
        self._count = 0

    def append(self, record: Record) -> int:
        """Count a record."""
        del record
        self._count += 1
        return self._count

    def start_part(self, header: Opened, reason: str) -> None:
        """Begin nothing."""
        del header, reason


class Journal:
    """Writes the log; keeps the last decisions for the page."""

    def __init__(self, log: Log, *, spec: str = "", sensed_every_s: float = SENSED_EVERY_S) -> None:
        """Take the log.

        Args:
            log: Where records go.
            spec: The spec's name and version, as name@version.
            sensed_every_s: How often readings are logged at least [s]; see `sensed_every`.
        """
        self._log, self._spec, self._every_s = log, spec, sensed_every_s
        self._fresh: dict[str, Reading] = {}
        self.known: dict[str, Reading] = {}
        """The newest reading of each signal."""
        self._sensed_s = 0.0
        self._server = ServerFacts()
        self.recent: list[Decided | Intervened | Noted | OperatorAct] = []
        self.broken = ""
        """Why the log cannot be written, or empty."""

    def decided(
        self,
        ask: Ask,
        command: Command | None,
        decision: Decision,
        args: Mapping[str, Any] | None,
        *,
        refusal: str,
        blocks: bool,
        state: GuardState,
        pose: Pose | None,
        latency_us: float,
    ) -> int:
        """Log a decision before anything is sent; return its number.

        Raises:
            OSError: If the log cannot be written.
        """
        self.flush(state.now_s)
        record = Decided(
            state.now_s,
            ask.tool,
            dict(ask.args),
            command,
            decision,
            None if args is None else Sent(ask.tool, dict(args)),
            refusal,
            blocks,
            state.active,
            state.enforced,
            dict(self.known),
            pose,
            self._spec,
            round(latency_us, 1),
            str(ask.client),
        )
        return self._keep(record)

    def outcome(
        self,
        call: Call,
        status: OutcomeStatus,
        text: str,
        now_s: float,
        told: Mapping[str, Reading] | None = None,
    ) -> None:
        """Log what became of a call that was sent, and whose decision is in the log."""
        if call.number:
            self._try(Outcome(now_s, call.number, status, text[:LONGEST_TEXT], dict(told or {})))

    def answered(self, number: int, status: OutcomeStatus, text: str, now_s: float) -> None:
        """Log what became of a call of the guard's own."""
        self._try(Outcome(now_s, number, status, text[:LONGEST_TEXT]))

    def intervened(
        self,
        intervention: Intervention,
        action: str,
        tool: str,
        args: Mapping[str, Any],
        command: Command | None,
        now_s: float,
    ) -> int:
        """Log a call that the guard makes by itself; return its number."""
        self.flush(now_s)
        return self._try(Intervened(now_s, intervention, action, Sent(tool, dict(args)), command))

    def sensed(self, readings: Mapping[str, Reading], now_s: float, *, is_news: bool = False) -> None:
        """Keep readings; they are written at once when a condition may answer otherwise, else soon."""
        self._fresh.update(readings)
        self.known.update(readings)
        if is_news:
            self.flush(now_s)
        else:
            self.flush_old(now_s)

    def flush_old(self, now_s: float) -> None:
        """Write down readings that have waited for as long as they may."""
        if now_s - self._sensed_s >= self._every_s:
            self.flush(now_s)

    def start_part(self, rules: Rules, known: Mapping[str, Reading], now_s: float) -> None:
        """Go on under other rules.

        Args:
            rules: The new rules.
            known: The readings that still count; they stand in the new part too, which is judged alone.
            now_s: The guard's clock [s].
        """
        self.flush(now_s)
        self._spec, facts = rules.name, self._server
        self._every_s = sensed_every(rules.guard.spec.max_age_s.values())
        header = replace(
            rules.header, server=facts.name, server_version=facts.version, tools_hash=facts.tools_hash
        )
        try:
            self._log.start_part(header, f"{rules.name} from now on")
        except Exception as error:
            self._break(error)
        self._fresh, self.known = dict(known), dict(known)
        self.flush(now_s)

    def operator(self, deed: OperatorDeed, text: str, now_s: float, released: tuple[str, ...] = ()) -> None:
        """Log what a person did."""
        self._try(OperatorAct(now_s, deed, True, text, released))

    def refused(self, deed: OperatorDeed, text: str, now_s: float) -> None:
        """Log what a person wanted and did not get."""
        self._try(OperatorAct(now_s, deed, False, text))

    def noted(self, what: str, text: str, now_s: float, call: Call | None = None) -> None:
        """Log anything else."""
        self._try(Noted(now_s, what, text[:LONGEST_TEXT], None if call is None else call.number))

    def server(self, facts: ServerFacts, now_s: float) -> None:
        """Log what the robot's server says of itself."""
        self._server = facts
        self._try(server_note(facts, now_s))

    def flush(self, now_s: float) -> None:
        """Write down every reading that is not in the log."""
        if self._fresh:
            fresh, self._fresh = self._fresh, {}
            self._sensed_s = now_s
            self._try(Sensed(now_s, fresh))

    def _try(self, record: Record) -> int:
        """Append a record; a failure refuses every later call instead of breaking this one."""
        try:
            return self._keep(record)
        except Exception as error:
            self._break(error)
            return 0

    def _break(self, error: Exception) -> None:
        self.broken = self.broken or f"the log cannot be written: {error}"

    def _keep(self, record: Record) -> int:
        if isinstance(record, Decided) and self.broken:
            raise OSError(self.broken)
        if isinstance(record, Decided | Intervened | Noted | OperatorAct):
            self.recent = [*self.recent[-49:], record]
        return self._log.append(record)
