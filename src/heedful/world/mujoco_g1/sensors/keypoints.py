"""Keypoints of a human body in a picture, found by a process in another Python environment. Optional.

MediaPipe pins an older numpy, so it lives in an environment of its own, which HEEDFUL_POSE_PYTHON names.
Distance to people never depends on it: keypoints are lost closest in, where distance matters most.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NoAnswerError
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from heedful.errors import InputError, RobotError

VARIABLE = "HEEDFUL_POSE_PYTHON"
PACKAGE = "mediapipe==0.10.21"
"""The last versions that bring their models along; newer ones would download them."""
INSTALL = (
    f"python3.11 -m venv pose && pose/bin/pip install {PACKAGE} && export {VARIABLE}=$PWD/pose/bin/python"
)
SERVER = Path(__file__).with_name("pose_server.py")
START_LIMIT_S = 120.0
ANSWER_LIMIT_S = 20.0
ASK_VERSION = "import importlib.metadata as m; print(m.version('mediapipe'))"


@dataclass(frozen=True, slots=True)
class Keypoint:
    """One point of a body in a picture."""

    name: str
    """For example `left_wrist`; left is the person's."""
    u: float
    """To the right from the picture's left edge [pixels]; may lie outside."""
    v: float
    """Down from its top edge [pixels]; may lie outside."""
    visibility: float
    """How sure it is to be in view and not hidden, 0 to 1."""


@dataclass(frozen=True, slots=True)
class PoseState:
    """Whether keypoints can be found on this machine."""

    available: bool
    detail: str


class PoseProcess:
    """Finds keypoints by way of a child process; use it in a `with` statement or close it."""

    def __init__(
        self,
        python: str | None = None,
        script: Path = SERVER,
        start_limit_s: float = START_LIMIT_S,
        answer_limit_s: float = ANSWER_LIMIT_S,
    ) -> None:
        """Start the process and wait until it is ready.

        Args:
            python: Path of a Python that has MediaPipe; HEEDFUL_POSE_PYTHON by default.
            script: What it runs.
            start_limit_s: How long it may take to be ready [s].
            answer_limit_s: How long it may take to answer a picture [s].

        Raises:
            InputError: If no Python is named, or it cannot be run.
            RobotError: If the process is not ready in time.
        """
        python = python or os.environ.get(VARIABLE, "")
        if not python:
            raise InputError(
                f"Keypoints need a Python with MediaPipe, named by {VARIABLE}. Get it: {INSTALL}"
            )
        self._limit_s = answer_limit_s
        self._talk = ThreadPoolExecutor(1, "pose")
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._child = subprocess.Popen(  # noqa: S603 - the user's own Python, our own file
                [python, str(script)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
            )
        except OSError as error:
            self._complaints.close()
            raise InputError(f"{VARIABLE}={python} cannot be run: {error}.") from error
        ready = self._within(start_limit_s, b"")
        self.name = str(ready["ready"])
        self.points = tuple(str(name) for name in ready["points"])

    def __enter__(self) -> PoseProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def find(self, rgb: NDArray[np.uint8]) -> tuple[Keypoint, ...]:
        """Return the keypoints of the person in a picture, all of them, or none if nobody is found.

        Args:
            rgb: Shape (h, w, 3), row 0 at the top.

        Raises:
            RobotError: If the process broke or did not answer in time; it is ended then.
        """
        height, width, _ = rgb.shape
        header = json.dumps({"width": width, "height": height}).encode()
        picture = len(header).to_bytes(4, "little") + header + np.ascontiguousarray(rgb).tobytes()
        answer = self._within(self._limit_s, picture)
        if "error" in answer:
            raise RobotError(f"The pose process could not read the picture: {answer['error']}")
        return tuple(
            Keypoint(name, float(u), float(v), float(visibility))
            for name, (u, v, visibility) in zip(self.points, answer["found"], strict=False)
        )

    def close(self) -> None:
        """End the process; a second call does nothing."""
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        self._talk.shutdown()
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                _close_quietly(pipe)
        self._complaints.close()

    def _within(self, seconds: float, request: bytes) -> Mapping[str, Any]:
        """Send and return the answer, or end the process and raise what is known of why there is none."""
        if self._child.poll() is not None and self._complaints.closed:
            raise RobotError("The pose process has ended; open another.")
        try:
            return self._talk.submit(_exchange, self._child, request).result(seconds)
        except NoAnswerError:
            reason = f"no answer within {seconds:g} s"
        except (OSError, ValueError) as error:
            reason = f"{error}"
        said = self._end()
        raise RobotError(f"The pose process failed: {reason}.{said}")

    def _end(self) -> str:
        """End the process and return the last line it complained with."""
        self._child.kill()
        self._child.wait()
        self._complaints.seek(0)
        lines = self._complaints.read().decode(errors="replace").strip().splitlines()
        self.close()
        return f" It said: {lines[-1]}" if lines else ""


def pose_state() -> PoseState:
    """Return whether keypoints can be found here, without starting MediaPipe."""
    python = os.environ.get(VARIABLE, "")
    if not python:
        return PoseState(available=False, detail=f"{VARIABLE} is not set")
    try:
        done = subprocess.run(  # noqa: S603 - the user's own Python
            [python, "-c", ASK_VERSION], capture_output=True, text=True, timeout=START_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return PoseState(available=False, detail=f"{python} cannot be run: {error}")
    if done.returncode != 0:
        return PoseState(available=False, detail=f"{python} has no mediapipe")
    return PoseState(available=True, detail=f"mediapipe {done.stdout.strip()} in {python}")


def _exchange(child: subprocess.Popen[bytes], request: bytes) -> Mapping[str, Any]:
    """Write a request, if any, and read one message.

    Raises:
        OSError: If the process has gone.
        ValueError: If it does not speak the protocol.
    """
    assert child.stdin is not None  # noqa: S101 - both are pipes
    assert child.stdout is not None  # noqa: S101
    if request:
        child.stdin.write(request)
        child.stdin.flush()
    size = child.stdout.read(4)
    if len(size) < 4:
        raise OSError("it ended")
    message = json.loads(child.stdout.read(int.from_bytes(size, "little")))
    if not isinstance(message, dict):
        raise ValueError("it sent something else than an answer")
    return message


def _close_quietly(pipe: IO[bytes]) -> None:
    """Close a pipe whose other end may have gone with something unsent."""
    with suppress(OSError):
        pipe.close()
