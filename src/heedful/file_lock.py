"""A lock on a file that the operating system lets go when its holder ends, however it ends."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heedful.errors import InputError, StorageError

POLL_S = 0.05

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def hold_lock(path: Path, held_elsewhere: str, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the lock on `path` for this process.

    Args:
        path: The lock's file; made when absent, left behind when done.
        held_elsewhere: What to say when another process holds it.
        wait_s: How long to wait for that process to let go [s].

    Raises:
        InputError: If another process holds it.
        StorageError: If the file cannot be made.
    """
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
    try:
        _take_in_time(descriptor, held_elsewhere, wait_s)
        yield
    finally:
        os.close(descriptor)


def _take_in_time(descriptor: int, held_elsewhere: str, wait_s: float) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            _take(descriptor)
            return
        except OSError as error:
            if time.monotonic() >= deadline:
                raise InputError(held_elsewhere) from error
        time.sleep(POLL_S)
