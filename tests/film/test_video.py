"""Films as files: readable back, the same bytes twice, whole or not at all."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from heedful.errors import StorageError

pytest.importorskip("PIL", reason="needs the extra `film`")
from PIL import Image

from heedful.film.video import open_video

WIDTH, HEIGHT, FRAMES, FPS = 96, 64, 12, 10


def need(ending: str) -> None:
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        pytest.skip("needs ffmpeg")


def write(path: Path) -> bytes:
    with open_video(path, WIDTH, HEIGHT, FPS) as video:
        for k in range(FRAMES):
            frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
            frame[:, 8 * k : 8 * k + 8] = (250, 40, 40)
            video.add(frame)
    return path.read_bytes()


def write_until_interrupted(path: Path) -> None:
    with open_video(path, WIDTH, HEIGHT, FPS) as video:
        video.add(np.zeros((HEIGHT, WIDTH, 3), np.uint8))
        raise KeyboardInterrupt


@pytest.mark.parametrize("ending", [".gif", ".webp"])
def test_an_animation_has_the_size_frames_and_duration_that_were_written(tmp_path: Path, ending: str) -> None:
    write(tmp_path / f"film{ending}")
    with Image.open(tmp_path / f"film{ending}") as film:
        assert film.size == (WIDTH, HEIGHT)
        lasted = 0
        for k in range(film.n_frames):
            film.seek(k)
            film.load()
            lasted += film.info["duration"]
        assert (film.n_frames, lasted) == (FRAMES, FRAMES * 1000 // FPS)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="needs ffmpeg")
def test_an_mp4_has_the_size_frames_and_rate_that_were_written(tmp_path: Path) -> None:
    write(tmp_path / "film.mp4")
    asked = "stream=width,height,avg_frame_rate,nb_read_frames"
    probe = ["ffprobe", "-v", "error", "-count_frames", "-show_entries", asked, "-of", "csv=p=0"]
    told = subprocess.run([*probe, str(tmp_path / "film.mp4")], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == f"{WIDTH},{HEIGHT},{FPS}/1,{FRAMES}"
    raw = [
        "ffmpeg",
        "-v",
        "error",
        "-i",
        str(tmp_path / "film.mp4"),
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-",
    ]
    pixels = subprocess.run(raw, capture_output=True, check=True).stdout
    frames = np.frombuffer(pixels, np.uint8).reshape(FRAMES, HEIGHT, WIDTH, 3)
    assert [int(frame[32, :, 0].argmax()) // 8 for frame in frames] == list(range(FRAMES))


@pytest.mark.parametrize("ending", [".mp4", ".gif", ".webp"])
def test_the_same_frames_give_the_same_bytes(tmp_path: Path, ending: str) -> None:
    need(ending)
    assert write(tmp_path / f"one{ending}") == write(tmp_path / f"two{ending}")


@pytest.mark.parametrize("ending", [".mp4", ".gif", ".webp"])
def test_an_interrupted_film_leaves_nothing_and_keeps_what_was_there(tmp_path: Path, ending: str) -> None:
    need(ending)
    path = tmp_path / f"film{ending}"
    path.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        write_until_interrupted(path)
    assert path.read_bytes() == b"before"
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(StorageError, match="taken"), open_video(tmp_path / "taken/a.gif", 96, 64, FPS):
        pass
