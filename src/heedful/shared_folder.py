"""Whether every machine of a cluster sees the run's folder, and keeps the others' locks.

The machine that starts a run leaves a mark; each of the others must read it, write an answer that
the first one can read, and find the run's lock taken.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from heedful.errors import InputError, StorageError
from heedful.file_lock import hold_lock
from heedful.run_folder import RunFolder
from heedful.version import __version__

ADVICE = "Put the run on storage that every node mounts at the same path, e.g. NFS: --out /shared/RUN."

PREFIX = ".mark-"


@dataclass(frozen=True, slots=True)
class Mark:
    """What the machine that starts a run leaves in its folder."""

    folder: Path
    """The run's folder, absolute."""
    nonce: str

    @property
    def path(self) -> Path:
        """The mark's file."""
        return self.folder / f"{PREFIX}{self.nonce}"

    def answer(self, node: str) -> Path:
        """Return where a node answers."""
        return self.folder / f"{PREFIX}{self.nonce}-{node}"

    def is_seen(self) -> bool:
        """Return whether this machine sees the folder."""
        try:
            return self.path.read_text(encoding="ascii") == self.nonce
        except OSError:
            return False


@contextmanager
def marked(folder: RunFolder) -> Iterator[Mark]:
    """Leave a mark while a run goes on; it and all answers, a killed run's too, are removed afterwards.

    Raises:
        StorageError: If the folder cannot be written.
    """
    mark = Mark(folder.path.resolve(), secrets.token_hex(8))
    try:
        mark.path.write_text(mark.nonce, encoding="ascii")
    except OSError as error:
        raise StorageError(f"{mark.path} cannot be written: {error.strerror}.") from error
    try:
        yield mark
    finally:
        for path in mark.folder.glob(f"{PREFIX}*"):
            with suppress(OSError):
                path.unlink()


def answer_mark(mark: Mark, node: str) -> str:
    """Answer a mark on this machine; return what is wrong here, or nothing."""
    if not mark.is_seen():
        return f"does not see {mark.folder}. {ADVICE}"
    try:
        mark.answer(node).write_text(__version__, encoding="ascii")
    except OSError as error:
        return f"cannot write to {mark.folder}: {error.strerror}. {ADVICE}"
    if not _is_locked(mark.folder):
        return f"ignores the locks that other nodes hold in {mark.folder}. Mount it with locks."
    return ""


def check_answer(mark: Mark, node: str, problem: str) -> None:
    """Refuse a node that cannot work in the run's folder.

    Args:
        mark: The mark that it was shown.
        node: The node's name.
        problem: What `answer_mark` returned there.

    Raises:
        InputError: With the node, and what is wrong there.
    """
    if problem:
        raise InputError(f"Ray node {node} {problem}")
    try:
        version = mark.answer(node).read_text(encoding="ascii")
    except OSError:
        raise InputError(
            f"Ray node {node} has another folder at {mark.folder}: what it writes is not seen here. {ADVICE}"
        ) from None
    if version != __version__:
        raise InputError(f"Ray node {node} has heedful {version}, this machine has {__version__}.")


def _is_locked(folder: Path) -> bool:
    try:
        with hold_lock(folder / ".lock", "held"):
            return False
    except InputError:
        return True
    except StorageError:
        return False
