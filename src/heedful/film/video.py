"""Frames into a file: MP4 by PyAV, GIF and WebP by Pillow. A file is there whole or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from heedful.errors import InputError
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
        """Write what is not written yet."""
        ...


@contextmanager
def open_video(path: Path, width: int, height: int, fps: int) -> Iterator[Video]:
    """Yield a film of this size [pixels]; its format is that of the file's ending.

    Raises:
        StorageError: If the disk refuses.
    """
    with written_whole(path) as partial:
        video = VIDEOS[path.suffix.lower()](partial, width, height, fps)
        yield video
        video.finish()


class _Mp4:
    """H.264 where the wheel of PyAV has it, else MPEG-4; one thread, so that the bytes stay the same."""

    def __init__(self, path: Path, width: int, height: int, fps: int) -> None:
        av = self._av = import_module("av")
        self._container = av.open(str(path), "w", format="mp4", options={"fflags": "+bitexact"})
        self._stream = self._add_stream(fps)
        self._stream.width, self._stream.height = width, height
        self._stream.pix_fmt = "yuv420p"
        self._stream.codec_context.thread_count = 1
        self._stream.codec_context.time_base = Fraction(1, fps)

    def add(self, frame: Pixels) -> None:
        picture = self._av.VideoFrame.from_ndarray(np.ascontiguousarray(frame), format="rgb24")
        self._container.mux(self._stream.encode(picture))

    def finish(self) -> None:
        self._container.mux(self._stream.encode())
        self._container.close()

    def _add_stream(self, fps: int) -> Any:
        if "libx264" in self._av.codecs_available:
            return self._container.add_stream("libx264", rate=fps, options={"crf": "20", "preset": "medium"})
        stream = self._container.add_stream("mpeg4", rate=fps)
        stream.bit_rate = 3_000_000
        return stream


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
