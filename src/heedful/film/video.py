"""Frames into a file: MP4 by the system's ffmpeg, GIF and WebP by Pillow. It is whole or not there."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from heedful.errors import InputError, StorageError
from heedful.film.needs import FFMPEG
from heedful.film.whole import written_whole

Pixels = NDArray[np.uint8]

MOST_IN_MEMORY = 1500
"""GIF and WebP are written at once; with more frames than this they would not fit in memory."""
GIF_COLOURS = 128
WEBP_QUALITY = 62


class Video(Protocol):
    """A film that is being written."""

    def add(self, frame: Pixels) -> None:
        """Add a frame, shape (h, w, 3)."""
        ...

    def finish(self) -> None:
        """Write what is not written yet.

        Raises:
            StorageError: If it cannot be written.
        """
        ...

    def abandon(self) -> None:
        """Give up: nothing will be kept."""
        ...


@contextmanager
def open_video(path: Path, width: int, height: int, fps: int) -> Iterator[Video]:
    """Yield a film of this size [pixels]; its format is that of the file's ending.

    Raises:
        StorageError: If the disk refuses.
    """
    with written_whole(path) as partial:
        video = VIDEOS[path.suffix.lower()](partial, width, height, fps)
        try:
            yield video
            video.finish()
        except BaseException:
            video.abandon()
            raise


class _Mp4:
    """H.264 by the system's ffmpeg; one thread, so that the bytes stay the same.

    No wheel that carries an encoder is used: those are under the GPL.
    """

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        frames = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r", str(fps), "-i", "-"]
        coded = ["-c:v", "libx264", "-crf", "20", "-threads", "1", "-pix_fmt", "yuv420p"]
        exact = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"]
        self._path = path
        self._process = subprocess.Popen(  # noqa: S603 - our own options, and a path that is no option
            [FFMPEG, "-v", "error", "-y", *frames, "-an", *coded, *exact, "-f", "mp4", str(path.absolute())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def add(self, frame: Pixels) -> None:
        assert self._process.stdin is not None, "it was opened with a pipe"  # noqa: S101 - impossible
        try:
            self._process.stdin.write(np.ascontiguousarray(frame).tobytes())
        except BrokenPipeError:
            self.finish()

    def finish(self) -> None:
        _, said = self._process.communicate()
        if self._process.returncode != 0:
            why = said.decode(errors="replace").strip()
            raise StorageError(f"ffmpeg could not write {self._path}: {why}")

    def abandon(self) -> None:
        self._process.kill()
        self._process.communicate()


class _Animation:
    """An animated picture, kept in memory until it is finished."""

    def __init__(self, path: Path, fps: int) -> None:
        self._path, self._fps = path, fps
        self._frames: list[Any] = []

    def add(self, frame: Pixels) -> None:
        if len(self._frames) >= MOST_IN_MEMORY:
            raise InputError(
                f"A {self._path.suffixes[-2]} film has at most {MOST_IN_MEMORY} frames. Choose fewer turns "
                "(--turns), fewer frames a second (--fps), or .mp4."
            )
        self._frames.append(self._prepared(Image.fromarray(np.ascontiguousarray(frame))))

    def finish(self) -> None:
        first, *rest = self._frames
        duration = round(1000 / self._fps)
        first.save(self._path, save_all=True, append_images=rest, duration=duration, loop=0, **self._options)

    def abandon(self) -> None:
        self._frames.clear()

    _options: dict[str, Any]

    def _prepared(self, image: Any) -> Any:
        return image


class _Gif(_Animation):
    """A GIF: every frame with a palette of its own."""

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        del width, height
        super().__init__(path, fps)
        self._options = {"format": "GIF", "optimize": False, "disposal": 1}

    def _prepared(self, image: Any) -> Any:
        return image.quantize(GIF_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


class _Webp(_Animation):
    """An animated WebP: a third of a GIF, and read by every browser."""

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        del width, height
        super().__init__(path, fps)
        self._options = {"format": "WEBP", "quality": WEBP_QUALITY, "method": 4, "allow_mixed": False}


VIDEOS: dict[str, Callable[[Path, int, int, int], Video]] = {".mp4": _Mp4, ".gif": _Gif, ".webp": _Webp}
"""What writes a film, by the file's ending."""
