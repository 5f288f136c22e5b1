"""Writing a guard's log: append-only, chained by hash, on the disk before a restriction takes effect.

A record of anything but an allowed call is forced to disk before the call that appends it returns, so that
no answer goes out whose record a power cut could take back. Allowed calls are handed to the operating
system at once: a crash of the guard keeps them, a crash of the machine may cost the last of them.
When the disk refuses, the log stays refused until it is opened again: a guard without a log admits no motion.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, NoReturn

from heedful.errors import InputError, StorageError, TraceError
from heedful.guards.audit.codec import MAX_LINE_BYTES, decode_line, encode_line, hash_of
from heedful.guards.audit.records import (
    KIND_OF,
    Closed,
    Decided,
    Opened,
    Record,
    Sensed,
    is_forced,
)
from heedful.trace.codec import GENESIS
from heedful.trace.records import Reading

if sys.platform != "win32":
    import fcntl

FIRST_BYTES = b'{"kind":"opened","number":1,'
"""How every log begins."""
BLOCK_BYTES = 65_536


class AuditLog:
    """One log, open for appending by this process alone."""

    def __init__(self, path: Path, file: int, size: int, end: ChainEnd) -> None:
        """Take an open file; use `AuditLog.open`."""
        self.path = path
        self.last_hash = end.hash
        """Hash of the last line; kept elsewhere, it shows that nothing up to here was rewritten."""
        self._file, self._size, self._number = file, size, end.number
        self._failure = ""
        self._newest: dict[str, Reading] = {}
        self._records: Counter[str] = Counter()
        self._decisions: Counter[str] = Counter()

    @classmethod
    def open(cls, path: Path, header: Opened) -> AuditLog:
        """Open a new log, or go on with one; an unfinished last line, as a crash leaves it, is cut off.

        Args:
            path: The log's file.
            header: What the guard enforces, and for whom.

        Raises:
            InputError: If the file is no guard's log, or another guard writes it.
            StorageError: If it cannot be written.
            TraceError: If its last line is damaged; the chain cannot go on from there.
        """
        file = _open_file(path)
        try:
            _take_alone(file, path)
            size = _cut_torn_line(file, path)
            end = _chain_end(file, size, path)
            log = cls(path, file, size, end)
            log.append(replace(header, after="restart" if end.number else "start"))
            _keep_name(path)
        except OSError as error:
            os.close(file)
            raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
        except BaseException:
            os.close(file)
            raise
        return log

    @property
    def is_writable(self) -> bool:
        """Whether everything so far was stored; else the guard must admit no motion."""
        return not self._failure and self._file >= 0

    def append(self, record: Record) -> int:
        """Append a record; return the number by which others refer to it.

        Raises:
            StorageError: If the disk refuses, now or earlier; the record is not in the log then.
            TraceError: If the record's time is not a number.
        """
        self._check()
        line = encode_line(record, self._number + 1, self.last_hash)
        try:
            self._write(line, is_durable=is_forced(record))
        except OSError as error:
            self._fail(error.strerror or "the system gives no reason", error)
        self._number += 1
        self.last_hash = hash_of(line)
        self._count(record)
        return self._number

    def sensed(self, readings: Mapping[str, Reading], now_s: float) -> None:
        """Append those of the newest readings that are not in the log yet, if any.

        Raises:
            StorageError: If the disk refuses.
        """
        known = self._newest
        changed = {name: reading for name, reading in readings.items() if known.get(name) != reading}
        if changed:
            self.append(Sensed(now_s, changed))

    def start_part(self, header: Opened, reason: str) -> None:
        """Go on under another spec, map or server: close this part and open the next.

        Raises:
            StorageError: If the disk refuses.
        """
        self.append(self._closing(reason, header.at_s))
        self.append(replace(header, after="reload"))

    def close(self, reason: str, now_s: float) -> None:
        """Write the closing record and let the file go; calling it twice is harmless.

        Raises:
            StorageError: If the disk refuses the closing record.
        """
        if self._file < 0:
            return
        try:
            if not self._failure:
                self.append(self._closing(reason, now_s))
        finally:
            os.close(self._file)
            self._file = -1

    def _check(self) -> None:
        if self._failure:
            raise StorageError(self._failure)
        if self._file < 0:
            raise StorageError(f"{self.path} is closed; nothing can be recorded.")

    def _write(self, line: bytes, *, is_durable: bool) -> None:
        found = os.fstat(self._file)
        if found.st_size != self._size or not found.st_nlink:
            self._fail("another program changed or removed it", None)
        written = os.write(self._file, line)
        while written < len(line):
            written += os.write(self._file, line[written:])
        if is_durable:
            os.fsync(self._file)
        self._size += len(line)

    def _fail(self, why: str, cause: OSError | None) -> NoReturn:
        """Take back what was written of a record and refuse from now on."""
        self._failure = (
            f"{self.path} cannot be written: {why}. What was recorded is kept; the guard admits no motion "
            "until it is started again."
        )
        if cause is not None:
            with contextlib.suppress(OSError):  # else the torn line is cut when the log is opened again
                os.ftruncate(self._file, self._size)
        raise StorageError(self._failure) from cause

    def _count(self, record: Record) -> None:
        if isinstance(record, Opened):
            self._records.clear()
            self._decisions.clear()
            self._newest.clear()
        self._records[KIND_OF[type(record)]] += 1
        if isinstance(record, Decided):
            self._decisions[record.decision.kind] += 1
        elif isinstance(record, Sensed):
            self._newest.update(record.readings)

    def _closing(self, reason: str, now_s: float) -> Closed:
        return Closed(now_s, reason, dict(self._records), dict(self._decisions), self.last_hash)


class ChainEnd(NamedTuple):
    """Where a chain goes on."""

    number: int
    hash: str


def _open_file(path: Path) -> int:
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT
    for name in ("O_CLOEXEC", "O_NONBLOCK", "O_BINARY"):  # not every system has each
        flags |= getattr(os, name, 0)
    try:
        file = os.open(path, flags, 0o640)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise InputError(f"{path} is no plain file; a guard's log must be one.")
    return file


def _take_alone(file: int, path: Path) -> None:
    """Hold the file for this process, where the system can."""
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"{path} is being written by another guard; give each its own log.") from error


def _cut_torn_line(file: int, path: Path) -> int:
    """Cut an unfinished last line off a guard's log; return its size then."""
    size = os.fstat(file).st_size
    start = _read(file, 0, len(FIRST_BYTES))
    if start != FIRST_BYTES[: len(start)]:
        raise InputError(f"{path} is no guard's log of this version; choose another file.")
    whole = _last_newline(file, size) + 1
    if whole < size:
        os.ftruncate(file, whole)
    return whole


def _chain_end(file: int, size: int, path: Path) -> ChainEnd:
    """Return where the chain of a log of whole lines goes on."""
    if size == 0:
        return ChainEnd(0, GENESIS)
    start = _last_newline(file, size - 1) + 1
    try:
        if size - start > MAX_LINE_BYTES:
            raise TraceError("it is too long")
        entry = decode_line(_read(file, start, size - start))
    except TraceError as error:
        raise TraceError(
            f"{path}: the last line cannot be gone on from: {error}. Keep the file as evidence, see "
            "`heedful guard verify`, and begin another log."
        ) from error
    return ChainEnd(entry.number, entry.hash)


def _last_newline(file: int, end: int) -> int:
    """Return where the last newline before `end` is, or -1."""
    while end > 0:
        start = max(0, end - BLOCK_BYTES)
        found = _read(file, start, end - start).rfind(b"\n")
        if found >= 0:
            return start + found
        end = start
    return -1


def _read(file: int, start: int, size: int) -> bytes:
    os.lseek(file, start, os.SEEK_SET)
    data = b""
    while len(data) < size and (more := os.read(file, size - len(data))):
        data += more
    return data


def _keep_name(path: Path) -> None:
    """Force the file's entry in its folder to the disk, where the system can."""
    if sys.platform != "win32":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
