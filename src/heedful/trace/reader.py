"""Reading a session's trace back, whole or as far as it got."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import zstandard

from heedful.errors import TraceError
from heedful.trace.codec import GENESIS, decode_line, line_hash
from heedful.trace.records import SessionEnd, TurnRecord
from heedful.trace.run_info import SessionInfo
from heedful.trace.writer import TRACE_FILE

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
    """Return the canonical, uncompressed bytes of a session's trace."""
    try:
        packed = folder / COMPRESSED_FILE
        if packed.exists():
            stream = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(packed.read_bytes()))
            data = stream.read(MAX_TRACE_BYTES)
        else:
            data = (folder / TRACE_FILE).read_bytes()
    except (OSError, zstandard.ZstdError) as error:
        raise TraceError(f"{folder}: no readable trace: {error}.") from error
    return data


def parse_trace(data: bytes, where: str = "trace") -> Trace:
    """Return the session in canonical bytes.

    Raises:
        TraceError: If a line is damaged or the chain is broken.
    """
    info: SessionInfo | None = None
    turns: list[TurnRecord] = []
    is_complete = False
    previous = GENESIS
    for number, line in _lines(data):
        record = decode_line(line, previous, f"{where}: line {number}")
        previous = line_hash(line)
        if is_complete or (info is None) != isinstance(record, SessionInfo):
            raise TraceError(f"{where}: line {number}: a record out of order.")
        if isinstance(record, SessionInfo):
            info = record
        elif isinstance(record, TurnRecord):
            if record.index != len(turns):
                raise TraceError(f"{where}: line {number}: turn {record.index}, expected {len(turns)}.")
            turns.append(record)
        elif isinstance(record, SessionEnd):
            is_complete = record.completed and record.turns == len(turns)
    if info is None:
        raise TraceError(f"{where}: the file is empty.")
    return Trace(info, tuple(turns), is_complete, previous)


def cut_torn_line(folder: Path) -> int:
    """Remove an unfinished last line, as a crash leaves it; return how many bytes were cut."""
    path = folder / TRACE_FILE
    if not path.exists():
        return 0
    data = path.read_bytes()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        with path.open("r+b") as file:
            file.truncate(whole)
    return len(data) - whole


def compress_trace(folder: Path) -> None:
    """Replace a finished trace by its compressed form; the canonical bytes stay the same."""
    path, packed = folder / TRACE_FILE, folder / COMPRESSED_FILE
    partial = packed.with_suffix(".part")
    partial.write_bytes(zstandard.ZstdCompressor(level=3).compress(path.read_bytes()))
    partial.replace(packed)
    path.unlink()


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.splitlines(keepends=True), start=1):
        yield number, line
