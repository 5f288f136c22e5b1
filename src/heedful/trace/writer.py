"""Writing a session's trace: append-only, one line a record, durable at every turn."""

from __future__ import annotations

import os
from contextlib import ExitStack
from io import FileIO
from pathlib import Path
from typing import Any, Literal

import orjson

from heedful.errors import StorageError
from heedful.trace.codec import GENESIS, Record, encode_line, line_hash

TRACE_FILE = "trace.jsonl"
TIMING_FILE = "timing.jsonl"

Durability = Literal["turn", "session"]


class TraceWriter:
    """Appends a session's records; a turn that was written survives any crash that follows."""

    def __init__(self, folder: Path, durability: Durability = "turn", *, previous: str = GENESIS) -> None:
        """Open the session's files for appending.

        Args:
            folder: The session's folder; made when absent.
            durability: Whether to force each turn to disk, or only the end of the session.
            previous: Hash of the last line already there.

        Raises:
            StorageError: If the folder cannot be written.
        """
        self._durability = durability
        self._previous = previous
        self._folder = folder
        make_folder(folder)
        try:
            with ExitStack() as opened:
                self._trace = opened.enter_context((folder / TRACE_FILE).open("ab", buffering=0))
                self._timing = opened.enter_context((folder / TIMING_FILE).open("ab", buffering=0))
                self._ends = self._trace.tell(), self._timing.tell()
                opened.pop_all()
        except OSError as error:
            raise StorageError(f"{folder} cannot be written: {error.strerror}.") from error

    def write(self, record: Record, timing: dict[str, Any] | None = None) -> None:
        """Append one record and, outside the hash chain, what varies between identical runs.

        Raises:
            StorageError: If the disk refuses; what was written before stays whole.
            TraceError: If the record holds what JSON cannot; nothing is written then.
        """
        line = encode_line(record, self._previous)
        facts = b"" if timing is None else orjson.dumps(timing) + b"\n"
        try:
            _write_all(self._timing, facts)  # first: a turn in the trace then never lacks its timing
            _write_all(self._trace, line)
            if self._durability == "turn":
                os.fsync(self._trace.fileno())
        except OSError as error:
            _cut(self._trace, self._ends[0])
            _cut(self._timing, self._ends[1])
            raise StorageError(
                f"{self._folder / TRACE_FILE} cannot be written: {error.strerror}. "
                "Finished turns are kept; free space and resume."
            ) from error
        self._ends = self._ends[0] + len(line), self._ends[1] + len(facts)
        self._previous = line_hash(line)

    def close(self) -> None:
        """Force everything to disk and close; calling it twice is harmless."""
        if self._trace.closed:
            return
        try:
            os.fsync(self._trace.fileno())
        except OSError as error:
            raise StorageError(f"{self._folder} cannot be written: {error.strerror}.") from error
        finally:
            self._trace.close()
            self._timing.close()


def make_folder(folder: Path) -> None:
    """Make a folder and those above it.

    Raises:
        StorageError: If the disk refuses.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder} cannot be written: {error.strerror}.") from error


def _write_all(file: FileIO, line: bytes) -> None:
    view = memoryview(line)
    while view:
        view = view[file.write(view) :]


def _cut(file: FileIO, size: int) -> None:
    try:
        file.truncate(size)
    except OSError:
        return  # the torn line is cut on resume instead
