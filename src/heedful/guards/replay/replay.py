"""A guard's log as a session's trace, so that it can be labelled and reported like any other.

A guard knows no operator's words and no turns, so both are read from the calls:

- Each command as it was issued stands for what was asked. A turn is what was read and then commanded: it ends
  with a command that moves the robot, at a quiet gap, or after the longest time a turn may take, and lasts
  until the next one's first call. Turns that no quiet gap parts are tagged `continues`.
- A judge takes what is active at a turn's start as active long before. Where that is not so, the turn is told
  from just before the rule became active, so that every window counts as it did.
- What the model had been told before, and may still act on, stands in a continuing turn's `pushed`.
- True state is not known on hardware: the true series are the sensed ones.
- Words are not judged: neither replies nor what they answer are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heedful.errors import InputError, TraceError
from heedful.guards.audit.check import read_log
from heedful.guards.audit.codec import Entry
from heedful.guards.audit.records import (
    SERVER_NOTE,
    Closed,
    Decided,
    Noted,
    Opened,
    OperatorAct,
    Outcome,
    Sensed,
    server_facts,
)
from heedful.guards.replay.calls import calls_of
from heedful.guards.replay.sensed_history import SensedHistory
from heedful.guards.replay.turns import TurnWriter, spans_of
from heedful.spec.load import parse_spec
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.reader import Trace
from heedful.trace.run_info import SessionInfo

GAP_S = 30.0
TURN_S = 60.0
PROMPT = (
    "(read from a guard's log: the prompt, the operator's words and the model's replies are unknown; each "
    "command as issued stands for what was asked, and the true state is what the sensors said)"
)


@dataclass(frozen=True)
class LoggedSession:
    """One part of a log: a session under one spec."""

    trace: Trace
    spec: SafetySpec
    """As it was enforced: with the target's tools and the robot's limits."""


@dataclass(frozen=True)
class _Part:
    opened: Opened
    number: int
    hash: str
    entries: tuple[Entry, ...]
    end_s: float
    is_closed: bool


def trace_from_log(path: Path, *, gap_s: float = GAP_S, turn_s: float = TURN_S) -> Trace:
    """Return the trace of a log that holds one session.

    Args:
        path: The log's file.
        gap_s: Time without a call after which a new turn begins [s].
        turn_s: Time from a turn's first call after which the next call begins a new one [s].

    Raises:
        InputError: If the file cannot be read, or holds several sessions: see `sessions_from_log`.
        TraceError: If the log is damaged.
    """
    found = sessions_from_log(path, gap_s=gap_s, turn_s=turn_s)
    if len(found) > 1:
        names = ", ".join(session.trace.info.session for session in found)
        raise InputError(f"{path} holds {len(found)} sessions, one for each time it was opened: {names}.")
    return found[0].trace


def sessions_from_log(
    path: Path, *, gap_s: float = GAP_S, turn_s: float = TURN_S
) -> tuple[LoggedSession, ...]:
    """Return the sessions of a log, one for each time it was opened or its spec was read again.

    Args:
        path: The log's file.
        gap_s: As for `trace_from_log`.
        turn_s: As for `trace_from_log`.

    Raises:
        InputError: If the file cannot be read.
        TraceError: If the log is damaged, or its spec cannot be read by this version.
    """
    entries = read_log(path)
    outcomes: dict[int, list[Outcome]] = {}
    for entry in entries:
        if isinstance(entry.record, Outcome):
            outcomes.setdefault(entry.record.call, []).append(entry.record)
    try:
        return tuple(_session(part, outcomes, gap_s, turn_s) for part in _parts(entries))
    except TraceError as error:
        raise TraceError(f"{path}: {error}.") from error


def spec_of_part(opened: Opened) -> SafetySpec:
    """Return the spec that a part of a log was held to.

    Raises:
        TraceError: If this version cannot read it.
    """
    try:
        document = parse_spec(opened.spec_text, f"{opened.spec}@{opened.spec_version}").document
        return SafetySpec(document.model_copy(update={"tools": dict(opened.tools)}), opened.limits)
    except InputError as error:
        raise TraceError(f"its spec cannot be read: {error}") from error


def _parts(entries: Sequence[Entry]) -> list[_Part]:
    starts = [k for k, entry in enumerate(entries) if isinstance(entry.record, Opened)]
    parts = []
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(entries)], strict=True), start=1):
        opened, within = entries[start].record, tuple(entries[start:end])
        if isinstance(opened, Opened):
            end_s = max(entry.record.at_s for entry in within)
            is_closed = isinstance(within[-1].record, Closed)
            parts.append(_Part(opened, number, entries[start].hash, within, end_s, is_closed))
    return parts


def _session(part: _Part, outcomes: dict[int, list[Outcome]], gap_s: float, turn_s: float) -> LoggedSession:
    spec = spec_of_part(part.opened)
    history = _history(part, spec)
    calls = calls_of(part.entries, outcomes, spec, history, part.end_s)
    for call in sorted(calls, key=lambda call: call.ended_s):
        history.tell(call.told, call.ended_s)
    resets = [
        e.record.at_s
        for e in part.entries
        if isinstance(e.record, OperatorAct) and e.record.deed == "reset" and e.record.accepted
    ]
    spans = spans_of(calls, resets, gap_s, turn_s)
    turns = TurnWriter(history, calls, resets, part.opened.at_s, part.end_s).records(spans)
    return LoggedSession(Trace(_info(part, len(turns)), turns, part.is_closed), spec)


def _history(part: _Part, spec: SafetySpec) -> SensedHistory:
    history = SensedHistory(spec)
    found = [e.record for e in part.entries if isinstance(e.record, Sensed | Decided)]
    for record in sorted(found, key=lambda record: record.at_s):
        history.sense(record.readings, record.at_s)
    return history


def _with_server(part: _Part) -> Opened:
    """Return a part's first record with what the server said of itself later."""
    notes = [e.record for e in part.entries if isinstance(e.record, Noted) and e.record.what == SERVER_NOTE]
    if not notes:
        return part.opened
    facts = server_facts(notes[-1])
    return replace(part.opened, server=facts.name, server_version=facts.version, tools_hash=facts.tools_hash)


def _info(part: _Part, turns: int) -> SessionInfo:
    opened = _with_server(part)
    stamp = re.sub(r"[^0-9A-Za-z]", "", opened.started)[:20]
    return SessionInfo(
        session=f"guard-{stamp}-{part.number}",
        model=opened.model,
        context="unknown",
        push="none",
        guard="on",
        layer="hardware",
        clock="wall",
        scenario="guard-log",
        scenario_version="1",
        scenario_hash=part.hash[:16],
        spec=opened.spec,
        spec_version=opened.spec_version,
        spec_hash=opened.spec_hash,
        repetition=0,
        seed=0,
        turns=turns,
        system_prompt=PROMPT,
        tools_hash=opened.tools_hash,
        robot=opened.server,
        heedful=opened.guard,
    )
