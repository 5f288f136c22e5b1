"""`heedful film`."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from heedful.cli import DONE
from heedful.errors import InputError
from heedful.film.needs import require
from heedful.film.recording import Recording, choose_turns, open_recording
from heedful.run_folder import RunFolder
from heedful.trace.records import TurnRecord

Names = Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")]
LEAST_PX, MOST_PX = (160, 120), (1920, 1440)
MOST_FPS = 30
_SIZE = re.compile(r"(\d{2,4})x(\d{2,4})")


def film(
    folder: Path,
    session: str,
    /,
    *,
    turns: Names = None,
    out: Path | None = None,
    size: str = "640x480",
    fps: int = 10,
) -> int:
    """Film a session: replay it and draw robot, person, rules, calls and verdicts.

    Parameters
    ----------
    folder
        A run folder.
    session
        A session of it: the name of its folder under sessions/.
    turns
        Turn ids, positions or ranges of positions, e.g. T011,T012 or 11-14; all when not given.
    out
        The film's file: .mp4, .gif, .webp, or .rrd for the Rerun viewer; films/SESSION.mp4 in the run's
        folder when not given.
    size
        Width and height in pixels, both even.
    fps
        Frames a second; the sensors sample ten times a second.
    """
    path = out or folder / "films" / f"{session}.mp4"
    require(path.suffix.lower())
    width, height = _read_size(size)
    if not 1 <= fps <= MOST_FPS:
        raise InputError(f"--fps must be between 1 and {MOST_FPS}, not {fps}.")
    recording = open_recording(RunFolder(folder), session)
    asked = [part for name in turns or () for part in name.split(",") if part]
    chosen = choose_turns(recording.trace.turns, asked)
    if path.suffix.lower() == ".rrd":
        _log(recording, chosen, path)
    else:
        _shoot(recording, chosen, path, width, height, fps)
    print(path)
    return DONE


def _shoot(
    recording: Recording, turns: list[TurnRecord], path: Path, width: int, height: int, fps: int
) -> None:
    studio = import_module("heedful.film.shoot")
    with _progress() as progress:
        replayed = progress.add_task("turns replayed", total=len(turns))
        drawn = progress.add_task("frames drawn", total=studio.frame_count(turns, fps))
        studio.shoot(
            recording,
            turns,
            path,
            studio.Format(width, height, fps),
            lambda n: progress.advance(replayed, n),
            lambda n: progress.advance(drawn, n),
        )


def _log(recording: Recording, turns: list[TurnRecord], path: Path) -> None:
    log = import_module("heedful.film.rerun_file")
    with _progress() as progress:
        replayed = progress.add_task("turns replayed", total=len(turns))
        logged = progress.add_task("turns logged", total=len(turns))
        log.write_rerun(
            recording,
            turns,
            path,
            lambda n: progress.advance(replayed, n),
            lambda n: progress.advance(logged, n),
        )


def _progress() -> Progress:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, disable=not console.is_terminal)


def _read_size(size: str) -> tuple[int, int]:
    match = _SIZE.fullmatch(size)
    width, height = (int(match[1]), int(match[2])) if match else (0, 0)
    is_within = LEAST_PX[0] <= width <= MOST_PX[0] and LEAST_PX[1] <= height <= MOST_PX[1]
    if not is_within or width % 2 or height % 2:
        (low_w, low_h), (high_w, high_h) = LEAST_PX, MOST_PX
        raise InputError(
            f"--size {size!r} is no frame size. Allowed: even WIDTHxHEIGHT, {low_w}x{low_h} to "
            f"{high_w}x{high_h}."
        )
    return width, height
