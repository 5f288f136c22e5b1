"""Records to canonical bytes and back. A line is one JSON object, chained to the line before by hash.

JSON has no NaN and no infinities: such a value would be stored as null, which reads as unknown. The
robot and the wires refuse them before they get here.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal

import orjson
from pydantic import TypeAdapter, ValidationError

from heedful.errors import TraceError
from heedful.trace.records import SessionEnd, TurnRecord
from heedful.trace.run_info import SCHEMA_VERSION, SessionInfo

Record = SessionInfo | TurnRecord | SessionEnd
Kind = Literal["session", "turn", "end"]
GENESIS = "0" * 64

_KINDS: dict[str, type[Record]] = {"session": SessionInfo, "turn": TurnRecord, "end": SessionEnd}
_adapters: dict[str, TypeAdapter[Any]] = {}


def encode_line(record: Record, previous: str) -> bytes:
    """Return one line with its newline; `previous` is the hash of the line before.

    Raises:
        TraceError: If the record holds what JSON cannot: half a surrogate pair, a number over 64 bits.
    """
    kind = next(name for name, cls in _KINDS.items() if isinstance(record, cls))
    try:
        return orjson.dumps({"kind": kind, "previous": previous, "record": record}) + b"\n"
    except TypeError as error:
        raise TraceError(f"A {kind} record cannot be stored: {error}.") from error


def line_hash(line: bytes) -> str:
    """Return the hash that the next line must name."""
    return hashlib.sha256(line).hexdigest()


def content_hash(text: str | bytes) -> str:
    """Return the short hash by which traces and guard logs name a text: a spec, a scenario, a tool list."""
    data = text.encode() if isinstance(text, str) else text
    return hashlib.sha256(data).hexdigest()[:16]


def decode_line(line: bytes, previous: str, where: str) -> Record:
    """Return the record in one line.

    Raises:
        TraceError: If the line is damaged, of another schema, or not the successor of `previous`.
    """
    try:
        data = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise TraceError(f"{where}: not a JSON line: {error}.") from error
    if not isinstance(data, dict) or str(data.get("kind")) not in _KINDS:
        raise TraceError(f"{where}: not a record of {SCHEMA_VERSION}.")
    if data.get("previous") != previous:
        raise TraceError(f"{where}: the hash chain is broken; a line before it was changed or removed.")
    record = _decode(data["kind"], data.get("record"), where)
    if isinstance(record, SessionInfo) and record.schema_version != SCHEMA_VERSION:
        raise TraceError(f"{where}: schema {record.schema_version!r}; this version reads {SCHEMA_VERSION!r}.")
    return record


def _decode(kind: str, data: Any, where: str) -> Record:
    adapter = _adapters.get(kind)
    if adapter is None:
        adapter = _adapters[kind] = TypeAdapter(_KINDS[kind])
    try:
        record: Record = adapter.validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise TraceError(f"{where}: {kind} record: {field}: {first['msg']}.") from error
    return record
