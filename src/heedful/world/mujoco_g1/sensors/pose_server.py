"""Find the body's keypoints in pictures: a process of its own, since MediaPipe needs another numpy.

Imports MediaPipe, numpy and the standard library only; run by `keypoints.PoseProcess` with the Python that
has them. Every message is four bytes of length, little endian, and so many bytes of JSON. The process speaks
first: {"ready": NAME, "points": [NAME, ...]}. A picture is {"width": w, "height": h} and w * h * 3 bytes of
RGB; the answer is {"found": [[u, v, visibility], ...]} in pixels, empty if nobody is found, or
{"error": TEXT}. The process ends when its input does.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import os
import sys
from typing import Any, BinaryIO

import numpy as np

COMPLEXITY = 1
"""The only model that the package brings along; the others would be downloaded."""


def main() -> None:
    """Answer pictures until the input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the answers
    pose = importlib.import_module("mediapipe").solutions.pose
    finder = pose.Pose(static_image_mode=True, model_complexity=COMPLEXITY)
    names = [point.name.lower() for point in pose.PoseLandmark]
    version = importlib.metadata.version("mediapipe")
    send(answers, {"ready": f"mediapipe {version}", "points": names})
    pictures = sys.stdin.buffer
    while (size := pictures.read(4)) and len(size) == 4:
        asked = json.loads(pictures.read(int.from_bytes(size, "little")))
        width, height = asked["width"], asked["height"]
        rgb = np.frombuffer(pictures.read(width * height * 3), np.uint8).reshape(height, width, 3)
        send(answers, find(finder, rgb))


def find(finder: Any, rgb: Any) -> dict[str, Any]:
    """Return the answer to one picture."""
    try:
        seen = finder.process(np.ascontiguousarray(rgb)).pose_landmarks
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}
    height, width = rgb.shape[:2]
    points = seen.landmark if seen else []
    return {"found": [[p.x * width, p.y * height, p.visibility] for p in points]}


def send(answers: BinaryIO, message: dict[str, Any]) -> None:
    """Write one message."""
    text = json.dumps(message).encode()
    answers.write(len(text).to_bytes(4, "little") + text)
    answers.flush()


if __name__ == "__main__":
    main()
