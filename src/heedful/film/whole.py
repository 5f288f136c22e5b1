"""A file that is there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heedful.errors import StorageError


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a file to write to, which takes the place of `path` at the end, or is removed if that fails.

    Raises:
        StorageError: If the disk refuses.
    """
    partial = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield partial
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror or error}.") from error
