"""A film of some of a session's turns: replayed, drawn, written over and put into a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heedful.film.lines import lines_of
from heedful.film.moment import Moment, TurnReader, speed_at
from heedful.film.panel import Layout, compose, layout_of
from heedful.film.picture import Painter
from heedful.film.recording import Recording
from heedful.film.replay import Footage, replay
from heedful.film.rings import DISTANCE, rings_of
from heedful.film.shot import Shot
from heedful.film.staging import STAND_IN
from heedful.film.video import open_video
from heedful.film.view import View, first_view, next_view
from heedful.trace.records import TurnRecord

Pixels = NDArray[np.uint8]
OnStep = Callable[[int], None]

VERDICT_S = 1.0
"""How long a turn's last picture stays with its verdict [s]."""


@dataclass(frozen=True, slots=True)
class Format:
    """What a film's frames are like."""

    width: int = 640
    height: int = 480
    fps: int = 10


@dataclass(frozen=True, slots=True)
class Span:
    """Part of a turn, by the time since its start [s]."""

    start_s: float
    end_s: float


WHOLE = Span(0.0, math.inf)


def shoot(
    recording: Recording,
    turns: Sequence[TurnRecord],
    path: Path,
    format: Format,
    on_turn: OnStep = lambda _n: None,
    on_frame: OnStep = lambda _n: None,
) -> int:
    """Film turns into a file; return how many frames it has.

    Args:
        recording: The session.
        turns: Which of its turns, in order.
        path: The file; its ending says the format.
        format: What its frames are like.
        on_turn: Called with the number of turns replayed since it was called last.
        on_frame: Called with the number of frames drawn since it was called last.

    Raises:
        InputError: If this machine can draw nothing, or the film would be too long for its format.
        TraceError: If the session does not replay here.
        StorageError: If the disk refuses.
    """
    footage = replay(recording, turns, on_turn)
    frames = 0
    with open_video(path, format.width, format.height, format.fps) as video:
        for frame in draw_frames(recording, turns, footage, format):
            video.add(frame)
            frames += 1
            on_frame(1)
    return frames


def shoot_span(recording: Recording, turn: TurnRecord, span: Span, path: Path, format: Format) -> None:
    """Film part of one turn into a file, with the turn's verdict at its end.

    Raises:
        HeedfulError: As `shoot` does.
    """
    footage = replay(recording, [turn])
    with open_video(path, format.width, format.height, format.fps) as video:
        for frame in draw_frames(recording, [turn], footage, format, span):
            video.add(frame)


def draw_frames(
    recording: Recording, turns: Sequence[TurnRecord], footage: Footage, format: Format, span: Span = WHOLE
) -> Iterator[Pixels]:
    """Yield the frames of turns in order, each turn's verdict at its end.

    Args:
        recording: The session.
        turns: Which of its turns.
        footage: Those turns, replayed.
        format: What the frames are like.
        span: Which part of each turn.
    """
    studio = _Studio(recording, footage.model, layout_of(format.width, format.height))
    try:
        for turn in turns:
            shots = footage.shots.get(turn.index, ())
            times = frame_times(turn.duration_s, format.fps, span)
            if shots:
                yield from studio.draw_turn(turn, shots, times_to_shots(times, shots), format.fps)
    finally:
        studio.close()


def frame_count(turns: Sequence[TurnRecord], fps: int) -> int:
    """Return how many frames a film of these turns has."""
    held = round(VERDICT_S * fps)
    return sum(len(frame_times(turn.duration_s, fps)) + held for turn in turns)


def frame_times(duration_s: float, fps: int, span: Span = WHOLE) -> list[float]:
    """Return the times of a turn's frames since its start, the verdict's apart [s]."""
    times = [k / fps for k in range(max(1, int(duration_s * fps + 1e-6)))]
    return [t for t in times if span.start_s <= t < span.end_s] or times[-1:]


def times_to_shots(times: Sequence[float], shots: Sequence[Shot]) -> list[int]:
    """Return for each time the newest shot by then; the first one before there is any."""
    found, k = [], 0
    for t in times:
        while k + 1 < len(shots) and shots[k + 1].now_s <= t + 1e-6:
            k += 1
        found.append(k)
    return found


def note_of(recording: Recording) -> str:
    """Return what kind of picture a film is, where that is not a simulated body."""
    info = recording.trace.info
    if info.layer == "text":
        return "text layer: positions as scripted"
    return "kinematic stand-in: moves exactly as told" if info.body.get("body") == STAND_IN else ""


class _Studio:
    """Draws one session's moments."""

    def __init__(self, recording: Recording, model: Any, layout: Layout) -> None:
        self._recording, self._layout = recording, layout
        self._note = note_of(recording)
        self._painter = Painter(model, *layout.picture)
        self._view: View | None = None

    def close(self) -> None:
        self._painter.close()

    def draw_turn(
        self, turn: TurnRecord, shots: Sequence[Shot], chosen: Sequence[int], fps: int
    ) -> Iterator[Pixels]:
        """Yield a turn's frames: the chosen of its shots, then the last of them with the verdict."""
        reader = TurnReader(turn, self._recording.turn_labels(turn), self._recording.spec)
        self._view = self._view if turn.continues else None
        for k in chosen:
            yield self._frame(shots[k], reader.read(shots[k], speed_at(shots, k)), 1 / fps)
        last = shots[chosen[-1]]
        final = self._frame(last, reader.read(last, speed_at(shots, chosen[-1]), has_ended=True), 1 / fps)
        for _ in range(round(VERDICT_S * fps)):
            yield final

    def _frame(self, shot: Shot, moment: Moment, passed_s: float) -> Pixels:
        width, height = self._layout.picture
        aspect, before, spec = width / height, self._view, self._recording.spec
        self._view = first_view(shot, aspect) if before is None else next_view(before, shot, aspect, passed_s)
        picture = self._painter.draw(shot, self._view, rings_of(spec, moment.true.get(DISTANCE)))
        return compose(picture, lines_of(moment, spec.limits, self._note), self._layout)
