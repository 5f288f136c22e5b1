"""A guard's records as lines, and back.

A line names its number and the hash of the line before, and ends with its own hash: unlike a session's
trace, a guard's log may end anywhere, and its last line must be as well protected as the others.
What a model writes goes into the log: text of any length, numbers that JSON lacks, halves of characters.
It is cut and spelled out, never refused, since a call that cannot be logged is the one to be looked at.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import orjson
from pydantic import TypeAdapter, ValidationError

from heedful.errors import TraceError
from heedful.guards.audit.records import (
    KIND_OF,
    KINDS,
    SCHEMA_VERSION,
    Decided,
    Opened,
    Outcome,
    Record,
    Sensed,
)
from heedful.state.geometry import Pose
from heedful.state.series import INFINITE
from heedful.trace.records import Reading

MAX_RECORD_BYTES = 16_384
"""Longest record stored as it is; of longer ones the texts are cut."""
MAX_LINE_BYTES = 8_000_000
"""Longest line that can be one of ours: a part's first record holds a whole spec."""
MAX_TEXT = 500
MAX_ITEMS = 64
MAX_DEPTH = 8
MAX_TOTAL = 8_000
"""Characters that the texts of one set of arguments may have together once they are cut."""
HASH_AT = slice(-67, -3)
TAIL_BYTES = 76
"""Length of `,"hash":"<64 digits>"}` and the newline."""

_HEADS = {cls: b'{"kind":"%b","number":' % kind.encode() for cls, kind in KIND_OF.items()}
_adapters: dict[str, TypeAdapter[Any]] = {}


@dataclass(frozen=True)
class Entry:
    """One line of a log, read."""

    number: int
    previous: str
    record: Record
    hash: str


def encode_line(record: Record, number: int, previous: str) -> bytes:
    """Return one line with its newline.

    Args:
        record: What to store.
        number: Position in the log, from 1.
        previous: Hash of the line before.

    Raises:
        TraceError: If its time is not a number.
    """
    if not math.isfinite(record.at_s):
        raise TraceError(f"A guard's record needs a time, not {record.at_s}.")
    head = b'%b%d,"previous":"%b","record":' % (_HEADS[type(record)], number, previous.encode())
    body = head + _payload(record)
    return b'%b,"hash":"%b"}\n' % (body, hashlib.sha256(body).hexdigest().encode())


def hash_of(line: bytes) -> str:
    """Return the hash that the next line must name."""
    return line[HASH_AT].decode("ascii", "replace")


def decode_line(line: bytes) -> Entry:
    """Return what one line holds.

    Raises:
        TraceError: If it was changed, is no record of a guard, or of another schema; the message says why.
    """
    body, hash_ = line[:-TAIL_BYTES], hash_of(line)
    if line[-TAIL_BYTES:] != b',"hash":"%b"}\n' % hash_.encode() or not _is_object(body):
        raise TraceError(f"it is not a record of {SCHEMA_VERSION}")
    if hashlib.sha256(body).hexdigest() != hash_:
        raise TraceError("it was changed after it was written")
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise TraceError(f"it is not JSON ({error})") from error
    cls = KINDS.get(data.get("kind")) if isinstance(data.get("kind"), str) else None
    number, previous = data.get("number"), data.get("previous")
    if cls is None or not isinstance(number, int) or not isinstance(previous, str):
        raise TraceError(f"it is not a record of {SCHEMA_VERSION}")
    return Entry(number, previous, _decode(data["kind"], data.get("record")), hash_)


def _is_object(body: bytes) -> bool:
    return body.startswith(b'{"kind":"')


def _decode(kind: str, data: Any) -> Record:
    found = data.get("schema_version") if isinstance(data, dict) else None
    if kind == "opened" and found != SCHEMA_VERSION:
        raise TraceError(f"schema {str(found)[:40]!r}; this version reads {SCHEMA_VERSION!r}")
    adapter = _adapters.get(kind)
    if adapter is None:
        adapter = _adapters[kind] = TypeAdapter(KINDS[kind])
    try:
        record: Record = adapter.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise TraceError(f"{kind} record: {field}: {first['msg']}") from error
    return record


def _payload(record: Record) -> bytes:
    if _is_plain_record(record):
        try:
            payload = orjson.dumps(record)
        except TypeError:
            payload = b""
        if payload and (len(payload) <= MAX_RECORD_BYTES or isinstance(record, Opened)):
            return payload
    return orjson.dumps(_spelled_out(record, is_whole=isinstance(record, Opened)))


def _is_plain_record(record: Record) -> bool:
    """Return whether nothing in a record needs to be spelled out, its length apart."""
    if isinstance(record, Decided):
        command, pose = record.command, record.pose
        return (
            _is_plain(record.raw_args.values())
            and (command is None or _is_plain(command.args.values()))
            and (pose is None or math.isfinite(pose.x + pose.y + pose.yaw))
            and math.isfinite(record.latency_us)
            and _are_timed(record.readings)
        )
    if isinstance(record, Outcome):
        return len(record.text) <= MAX_TEXT and _are_timed(record.told)
    return isinstance(record, Sensed) and _are_timed(record.readings)


def _are_timed(readings: Mapping[str, Reading]) -> bool:
    for reading in readings.values():  # noqa: SIM110 - twice as fast as a generator
        if not math.isfinite(reading.sampled_s):
            return False
    return True


def _is_plain(values: Iterable[Any], depth: int = 1) -> bool:
    """Return whether JSON has every number in `values`; what else it lacks, the encoder refuses itself."""
    if depth > MAX_DEPTH:
        return False
    for value in values:
        if isinstance(value, float):
            if not math.isfinite(value):
                return False
        elif isinstance(value, dict | list):
            inner = value.values() if isinstance(value, dict) else value
            if not _is_plain(inner, depth + 1):
                return False
    return True


def _spelled_out(value: Any, *, is_whole: bool) -> Any:
    """Return a record's value as JSON can hold it; its texts cut, unless all of it is needed."""
    if isinstance(value, float) and not math.isfinite(value):
        return -INFINITE if value < 0 else INFINITE
    if isinstance(value, Pose) and not math.isfinite(value.x + value.y + value.yaw):
        return None
    if is_dataclass(value):
        return {f.name: _spelled_out(getattr(value, f.name), is_whole=is_whole) for f in fields(value)}
    cutter = _Cutter(math.inf, math.inf) if is_whole else _Cutter(MAX_TEXT, MAX_TOTAL)
    if isinstance(value, Mapping) and all(isinstance(item, Reading) for item in value.values()):
        timed = [(name, item) for name, item in value.items() if math.isfinite(item.sampled_s)]
        return {cutter.text(name): _known(item) for name, item in timed}
    return cutter.plain(value)


def _known(reading: Reading) -> dict[str, Any]:
    """Return a reading; a value that is not a number counts as unknown."""
    value: Any = reading.value
    is_odd = isinstance(value, float) and not math.isfinite(value)
    if is_odd or not isinstance(value, bool | int | float | str):
        value = None
    return {"value": _Cutter(MAX_TEXT, MAX_TOTAL).plain(value), "sampled_s": float(reading.sampled_s)}


class _Cutter:
    """Spells out what JSON lacks and cuts what is long."""

    def __init__(self, longest: float, total: float) -> None:
        """Set the longest text, and how many characters all texts may have together."""
        self._longest, self._left = longest, total
        self._most = MAX_ITEMS if total < math.inf else None

    def plain(self, value: Any, depth: int = 0) -> Any:
        """Return `value` as JSON can hold it."""
        if isinstance(value, str):
            return self.text(value)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return value if -(2**63) <= value < 2**63 else f"[an integer of {value.bit_length()} bits]"
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else f"[{value}]"
        if depth >= MAX_DEPTH:
            return "[nested too deep]"
        return self._container(value, depth + 1)

    def _container(self, value: Any, depth: int) -> Any:
        if is_dataclass(value):
            return {f.name: self.plain(getattr(value, f.name), depth) for f in fields(value)}
        if isinstance(value, Mapping):
            kept = list(value.items())[: self._most]
            found = {self.text(str(key)): self.plain(item, depth) for key, item in kept if self._left > 0}
            return found | self._missing(len(value) - len(found))
        if isinstance(value, list | tuple):
            items = [self.plain(item, depth) for item in value[: self._most] if self._left > 0]
            return items + [self._note(len(value) - len(items))] * (len(items) < len(value))
        return f"[{type(value).__name__}]"

    def _missing(self, count: int) -> dict[str, str]:
        return {"[cut]": self._note(count)} if count > 0 else {}

    def _note(self, count: int) -> str:
        return f"[{count} more]"

    def text(self, text: str) -> str:
        """Return a text of which nothing is left that UTF-8 lacks."""
        room = min(self._longest, self._left)
        kept = text if len(text) <= room else f"{text[: int(room)]} [cut: {len(text)} characters]"
        self._left -= len(kept)
        return kept.encode("utf-8", "backslashreplace").decode()
