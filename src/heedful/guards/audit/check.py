"""Checking a guard's log: whether anything in it was changed, and what it holds.

A chain of hashes shows careless and partial changes: a line changed, removed, added or moved. Whoever can
rewrite the whole file can chain it anew, so a hash of it belongs elsewhere; and a log without a closing
record may have been cut or may belong to a guard that was killed: the chain cannot tell which.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from heedful.errors import InputError, TraceError
from heedful.guards.audit.codec import MAX_LINE_BYTES, Entry, decode_line
from heedful.guards.audit.records import (
    KIND_OF,
    SCHEMA_VERSION,
    Closed,
    Decided,
    Intervened,
    Opened,
    Outcome,
    Record,
)
from heedful.trace.codec import GENESIS

DECISIONS = ("allow", "clamp", "deny", "substitute")


@dataclass(frozen=True)
class BrokenLine:
    """The first line that does not belong where it stands."""

    line: int
    why: str


@dataclass(frozen=True)
class LogCheck:
    """What a log holds, as far as it can be trusted."""

    records: int
    """Whole lines before the first broken one."""
    kinds: Mapping[str, int]
    """Records of each kind."""
    decisions: Mapping[str, int]
    """Decisions of each kind."""
    specs: tuple[str, ...]
    """Name and version of the spec of each part."""
    unclosed_parts: int
    """Parts before the last that have no closing record: the guard was killed."""
    is_closed: bool
    """Whether the last record is a closing one."""
    close_reason: str
    broken: BrokenLine | None
    torn_bytes: int
    """Length of an unfinished last line, as a crash leaves it."""
    last_hash: str
    """Hash of the last line that can be trusted."""
    has_anchor: bool | None = None
    """Whether a hash that was kept elsewhere is that of one of the lines; None if none was given."""

    @property
    def is_intact(self) -> bool:
        """Whether nothing that is there was changed, and the hash that was kept is in it."""
        return self.broken is None and self.has_anchor is not False


class Chain:
    """Follows a log line by line and refuses the first that does not belong there."""

    def __init__(self) -> None:
        self.number = 0
        self.hash = GENESIS
        self.is_open = False
        """Whether a part was begun and not closed."""
        self.records: Counter[str] = Counter()
        self.decisions: Counter[str] = Counter()
        self._calls: set[int] = set()

    def take(self, line: bytes) -> Entry:
        """Return what the next line holds.

        Raises:
            TraceError: If it is not the next line of this log; the message says why.
        """
        entry = decode_line(line)
        if entry.previous != self.hash or entry.number != self.number + 1:
            raise TraceError(self._why_misplaced(entry))
        self._place(entry)
        self.number, self.hash = entry.number, entry.hash
        return entry

    def _why_misplaced(self, entry: Entry) -> str:
        missing = entry.number - self.number - 1
        if missing > 0:
            return f"it is record {entry.number}; {missing} before it were removed or moved"
        if missing < 0:
            return f"it is record {entry.number} in the place of {self.number + 1}: doubled, added or moved"
        return "it does not follow the line before, which was replaced or added"

    def _place(self, entry: Entry) -> None:
        record = entry.record
        if not self.is_open and not isinstance(record, Opened):
            raise TraceError("a part of a log begins with an opening record")
        if isinstance(record, Opened):
            self.records.clear()
            self.decisions.clear()
        elif isinstance(record, Outcome) and record.call not in self._calls:
            raise TraceError(f"it tells the outcome of record {record.call}, which is no call")
        elif isinstance(record, Closed):
            self._check_sums(record)
        self._count(entry.number, record)

    def _check_sums(self, record: Closed) -> None:
        is_same = record.records == dict(self.records) and record.decisions == dict(self.decisions)
        if not is_same or record.last_hash != self.hash:
            raise TraceError("the closing record does not close these records")

    def _count(self, number: int, record: Record) -> None:
        self.is_open = not isinstance(record, Closed)
        self.records[KIND_OF[type(record)]] += 1
        if isinstance(record, Decided):
            self.decisions[record.decision.kind] += 1
        if isinstance(record, Decided | Intervened):
            self._calls.add(number)


@dataclass
class _Tally:
    """What a check has counted so far."""

    kinds: Counter[str] = field(default_factory=Counter)
    decisions: Counter[str] = field(default_factory=Counter)
    specs: list[str] = field(default_factory=list)
    unclosed_parts: int = 0
    close_reason: str = ""
    has_anchor: bool = False

    def add(self, record: Record, *, was_open: bool) -> None:
        """Count one record."""
        self.kinds[KIND_OF[type(record)]] += 1
        self.close_reason = record.reason if isinstance(record, Closed) else ""
        if isinstance(record, Decided):
            self.decisions[record.decision.kind] += 1
        elif isinstance(record, Opened):
            self.unclosed_parts += was_open
            self.specs.append(f"{record.spec}@{record.spec_version}")


def verify_log(path: Path, anchor: str | None = None) -> LogCheck:
    """Return what a log holds and whether anything in it was changed.

    Args:
        path: The log's file.
        anchor: A hash of one of its lines that was kept elsewhere.

    Raises:
        InputError: If the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return check_log(stream, anchor)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error


def check_log(stream: BinaryIO, anchor: str | None = None) -> LogCheck:
    """Return the facts of `verify_log` for an open file."""
    chain, tally = Chain(), _Tally()
    broken: BrokenLine | None = None
    torn = 0
    for line in lines_of(stream):
        if not line.endswith(b"\n") and len(line) < MAX_LINE_BYTES:
            torn = len(line)
            break
        was_open = chain.is_open
        try:
            record = chain.take(line).record
        except TraceError as error:
            broken = BrokenLine(chain.number + 1, f"{error}.")
            break
        tally.add(record, was_open=was_open)
        tally.has_anchor |= chain.hash == anchor
    if not chain.number and broken is None:
        broken = BrokenLine(1, f"there is no record of {SCHEMA_VERSION}.")
    return LogCheck(
        chain.number,
        dict(tally.kinds),
        {kind: tally.decisions[kind] for kind in DECISIONS},
        tuple(tally.specs),
        tally.unclosed_parts,
        broken is None and chain.number > 0 and not chain.is_open,
        tally.close_reason,
        broken,
        torn,
        chain.hash,
        None if anchor is None else tally.has_anchor,
    )


def read_log(path: Path) -> tuple[Entry, ...]:
    """Return every line of a log, an unfinished last one left out.

    Raises:
        InputError: If the file cannot be read.
        TraceError: If a line was changed, removed, added or moved, or is of another schema.
    """
    chain, found = Chain(), []
    try:
        with path.open("rb") as stream:
            for line in lines_of(stream):
                if line.endswith(b"\n") or len(line) == MAX_LINE_BYTES:
                    found.append(chain.take(line))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    except TraceError as error:
        raise TraceError(f"{path}: line {chain.number + 1}: {error}.") from error
    if not found:
        raise TraceError(f"{path} holds no record of {SCHEMA_VERSION}.")
    return tuple(found)


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file, newlines included; one that is too long in pieces."""
    while line := stream.readline(MAX_LINE_BYTES):
        yield line


def check_as_json(check: LogCheck) -> dict[str, Any]:
    """Return the facts as JSON can hold them."""
    return {"schema_version": SCHEMA_VERSION, "is_intact": check.is_intact, **asdict(check)}


def render_check(check: LogCheck, name: str) -> list[str]:
    """Return the facts as lines of text.

    Args:
        check: The facts.
        name: What to call the log.
    """
    parts = len(check.specs)
    lines = [f"{name}: {check.records} record(s) in {parts} part(s), {_verdict(check)}"]
    lines += [f"decisions: {', '.join(f'{count} {kind}' for kind, count in check.decisions.items())}"]
    if check.specs:
        lines.append(f"specs: {', '.join(dict.fromkeys(check.specs))}")
    if check.unclosed_parts:
        lines.append(f"{check.unclosed_parts} part(s) have no closing record: the guard was killed there")
    if check.torn_bytes:
        lines.append(f"the last line is unfinished ({check.torn_bytes} bytes), as a crash leaves it")
    lines.append(_ending(check))
    if check.has_anchor is not None:
        found = "is that of one of its lines" if check.has_anchor else "is that of none of its lines"
        lines.append(f"the given hash {found}")
    if check.records:
        lines.append(
            f"last hash: {check.last_hash} (kept elsewhere, it shows that nothing up to here was rewritten)"
        )
    return lines


def _verdict(check: LogCheck) -> str:
    if check.broken is None:
        return "none of them changed"
    return f"broken at line {check.broken.line}: {check.broken.why}"


def _ending(check: LogCheck) -> str:
    if check.broken is not None:
        return "what comes after the broken line was not read"
    if check.is_closed:
        return f"closed: {check.close_reason}"
    return (
        "not closed: the guard still runs, was killed, or the end of the log was cut off; "
        "the log cannot tell which"
    )
