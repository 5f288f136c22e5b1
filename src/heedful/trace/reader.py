"""Reading a session's trace back, whole or as far as it got.

Every line but the last is covered by the hash in its successor; the session's end must be canonical
and count the turns before it. So no changed byte of a finished session goes unseen; the last turn of
an unfinished one is covered once the session goes on.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard

from heedful.errors import StorageError, TraceError
from heedful.trace.codec import GENESIS, decode_line, encode_line, line_hash
from heedful.trace.records import TurnRecord
from heedful.trace.run_info import SessionInfo
from heedful.trace.writer import TIMING_FILE, TRACE_FILE

COMPRESSED_FILE = TRACE_FILE + ".zst"
MAX_TRACE_BYTES = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Trace:
    """One session as recorded."""

    info: SessionInfo
    turns: tuple[TurnRecord, ...]
    is_complete: bool
    """Whether the session ran to its end."""
    last_hash: str = GENESIS
    """Hash of the last line, for appending."""


def read_trace(folder: Path) -> Trace:
    """Return the session in `folder`.

    Raises:
        TraceError: If it is absent, damaged, or of another schema.
    """
    return parse_trace(trace_bytes(folder), str(folder / TRACE_FILE))


def trace_bytes(folder: Path) -> bytes:
    """Return the canonical, uncompressed bytes of a session's trace, an unfinished last line left out.

    Raises:
        TraceError: If there is none, or its compressed form is damaged.
    """
    packed = folder / COMPRESSED_FILE
    try:
        if packed.exists():
            return _unpacked(packed.read_bytes(), str(packed))
        data = (folder / TRACE_FILE).read_bytes()
    except (OSError, zstandard.ZstdError) as error:
        raise TraceError(f"{folder}: no readable trace: {error}.") from error
    return data[: data.rfind(b"\n") + 1]


def _unpacked(data: bytes, where: str) -> bytes:
    with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)) as stream:
        found = stream.read(MAX_TRACE_BYTES + 1)
    if len(found) > MAX_TRACE_BYTES:
        raise TraceError(f"{where}: more than {MAX_TRACE_BYTES:,} bytes when unpacked.")
    if zstandard.frame_content_size(data) not in (-1, len(found)):
        raise TraceError(f"{where}: the file is cut short.")
    return found


def parse_trace(data: bytes, where: str = "trace") -> Trace:
    """Return the session in canonical bytes.

    Raises:
        TraceError: If a line is damaged or the chain is broken.
    """
    info: SessionInfo | None = None
    turns: list[TurnRecord] = []
    is_complete = has_ended = False
    previous = GENESIS
    for number, line in _lines(data):
        record = decode_line(line, previous, f"{where}: line {number}")
        before, previous = previous, line_hash(line)
        if has_ended or (info is None) != isinstance(record, SessionInfo):
            raise TraceError(f"{where}: line {number}: a record out of order.")
        if isinstance(record, SessionInfo):
            info = record
        elif isinstance(record, TurnRecord):
            if record.index != len(turns):
                raise TraceError(f"{where}: line {number}: turn {record.index}, expected {len(turns)}.")
            turns.append(record)
        else:
            has_ended, is_complete = True, record.completed
            if record.turns != len(turns) or line != encode_line(record, before):
                raise TraceError(f"{where}: line {number}: not the end of these {len(turns)} turns.")
    if info is None:
        raise TraceError(f"{where}: the file is empty.")
    return Trace(info, tuple(turns), is_complete, previous)


def cut_torn_line(folder: Path) -> int:
    """Remove an unfinished last line, as a crash leaves it; return how many bytes of the trace were cut.

    Raises:
        StorageError: If the disk refuses.
    """
    try:
        _cut_torn(folder / TIMING_FILE)
        return _cut_torn(folder / TRACE_FILE)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror}.") from error


def _cut_torn(path: Path) -> int:
    if not path.exists():
        return 0
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)
    return len(data) - whole


def compress_trace(folder: Path) -> None:
    """Replace a finished trace by its compressed form; the canonical bytes stay the same.

    Raises:
        StorageError: If the disk refuses; the uncompressed trace is still there then.
    """
    path, packed = folder / TRACE_FILE, folder / COMPRESSED_FILE
    partial = packed.with_suffix(".part")
    try:
        data = zstandard.ZstdCompressor(level=3).compress(path.read_bytes())
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(packed)
        path.unlink()
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise StorageError(f"{packed} cannot be written: {error.strerror}. Free space and resume.") from error


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    yield from enumerate(data.splitlines(keepends=True), start=1)
