"""What a person's keypoints say: posture, which way it faces, child or adult, an arm held out.

Keypoints are lifted into the room by depth, so heights and lengths are metric. Everything here is a pure
function of keypoints, a depth picture and where the camera is; numpy only. What cannot be told is None. What
a person carries cannot be told from keypoints at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heedful.world.mujoco_g1.sensors.keypoints import Keypoint

Depth = NDArray[np.float32]
Floats = NDArray[np.float64]

SURE = 0.5
"""Keypoints of less visibility are not used."""
PATCH_PX = 3
"""Depth at a keypoint is the median of a square, so many pixels to each side."""
PATCH_SHARE = 0.2
"""Share of that square that must have depth."""
LYING = 0.5
"""A trunk that rises by less than this share of its length lies: 60 degrees from upright."""
TALL = 1.6
"""Hips higher than this, in lengths of the trunk, are those of somebody who stands: of an adult or a child
about 1.8 standing, 1.1 to 1.4 seated, 1.0 kneeling."""
KNEES_UP, KNEES_DOWN = 0.65, 0.35
"""Height of the knees in heights of the hips: above the first seated, below the second kneeling."""
SHOULDER_SHARE = 0.81
"""Height of the shoulders in heights of a standing person."""
CHILD_M = 1.35
"""Who is shorter than this standing counts as a child [m]."""
CHILD_TRUNK_M = 0.39
"""Likewise by the length of the trunk, when not standing [m]."""
REACH, LONGEST_REACH = 0.6, 2.0
"""A hand that is given or taken is so far out from its shoulder, in lengths of the trunk."""
DROP = 0.6
"""And lower than its shoulder by less than this share of how far it is out."""
TRUNK = ("left_shoulder", "right_shoulder", "left_hip", "right_hip")


@dataclass(frozen=True, slots=True)
class Eye:
    """Where a picture was taken from."""

    position: Floats
    """Map frame, shape (3,) [m]."""
    rotation: Floats
    """Axes right, down, ahead in the map frame, as columns, shape (3, 3)."""
    focal_px: float


@dataclass(frozen=True, slots=True)
class PoseReading:
    """What one picture says of a person, in the words of the `human.*` signals; None where it cannot."""

    posture: str | None = None
    facing: str | None = None
    is_child: bool | None = None
    handover: bool | None = None


NOT_FOUND = PoseReading()
"""No person was found, which does not say that nobody is there."""


@dataclass(frozen=True, slots=True)
class Trunk:
    """Middles of shoulders and hips in the room [m]."""

    shoulders: Floats
    hips: Floats

    @property
    def length(self) -> float:
        """Hips to shoulders [m]."""
        return float(np.linalg.norm(self.shoulders - self.hips))

    @property
    def lies(self) -> bool:
        """Whether it is nearer to level than to upright."""
        return float(self.shoulders[2] - self.hips[2]) < LYING * self.length


def read_pose(keypoints: Sequence[Keypoint], depth: Depth, eye: Eye) -> PoseReading:
    """Return what the keypoints of one person say.

    Args:
        keypoints: All of them, or none if nobody was found.
        depth: Of the same picture, shape (h, w) [m]; 0 or infinite where there is none.
        eye: Where both were taken from; the floor is at height 0.
    """
    sure = {point.name: point for point in keypoints if point.visibility >= SURE}
    places = lift(sure, depth, eye)
    trunk, facing = _trunk(places), _facing(sure)
    if trunk is None:
        return PoseReading(facing=facing)
    posture = _posture(trunk, _middle(places, "knee"))
    return PoseReading(posture, facing, _is_child(trunk, posture), _hands_over(places, trunk, facing, eye))


def lift(points: Mapping[str, Keypoint], depth: Depth, eye: Eye) -> dict[str, Floats]:
    """Return where keypoints are in the room, map frame [m]; those out of view or without depth are left out.

    A place lies on the body's surface, not in the joint.
    """
    height, width = depth.shape
    places: dict[str, Floats] = {}
    for name, point in points.items():
        metres = _depth_at(depth, point)
        if metres is not None:
            right, down = (point.u - width / 2) / eye.focal_px, (point.v - height / 2) / eye.focal_px
            places[name] = eye.position + eye.rotation @ np.array([right, down, 1.0]) * metres
    return places


def _depth_at(depth: Depth, point: Keypoint) -> float | None:
    height, width = depth.shape
    if not (0 <= point.u < width and 0 <= point.v < height):
        return None
    row, column = int(point.v), int(point.u)
    rows = slice(max(row - PATCH_PX, 0), row + PATCH_PX + 1)
    patch = depth[rows, max(column - PATCH_PX, 0) : column + PATCH_PX + 1]
    known = patch[(patch > 0) & np.isfinite(patch)]
    return float(np.median(known)) if known.size >= PATCH_SHARE * (2 * PATCH_PX + 1) ** 2 else None


def _middle(places: Mapping[str, Floats], joint: str) -> Floats | None:
    """Return the middle of a pair of joints, or the one that is known."""
    known = [places[name] for name in (f"left_{joint}", f"right_{joint}") if name in places]
    return np.asarray(np.mean(known, axis=0)) if known else None


def _trunk(places: Mapping[str, Floats]) -> Trunk | None:
    shoulders, hips = _middle(places, "shoulder"), _middle(places, "hip")
    return None if shoulders is None or hips is None else Trunk(shoulders, hips)


def _posture(trunk: Trunk, knees: Floats | None) -> str | None:
    hips_m = float(trunk.hips[2])
    if trunk.lies:
        return "lying"
    if hips_m > TALL * trunk.length:
        return "standing"
    if knees is None:
        return None
    if knees[2] > KNEES_UP * hips_m:
        return "seated"
    return "kneeling" if knees[2] < KNEES_DOWN * hips_m else None


def _facing(sure: Mapping[str, Keypoint]) -> str | None:
    """Return whether the left side is seen on the right, as of somebody who faces the camera.

    The eyes say nothing here: MediaPipe places them, fully visible, on the back of a head too.
    """
    if any(name not in sure for name in TRUNK):
        return None
    shoulders, hips = (sure[f"left_{pair}"].u - sure[f"right_{pair}"].u for pair in ("shoulder", "hip"))
    if shoulders > 0 and hips > 0:
        return "robot"
    return "away" if shoulders < 0 and hips < 0 else None


def _is_child(trunk: Trunk, posture: str | None) -> bool:
    if posture == "standing":
        return float(trunk.shoulders[2]) / SHOULDER_SHARE < CHILD_M
    return trunk.length < CHILD_TRUNK_M


def _hands_over(places: Mapping[str, Floats], trunk: Trunk, facing: str | None, eye: Eye) -> bool | None:
    """Return whether a hand is held out to the robot; None if a hand that might be is not seen."""
    if trunk.lies or facing == "away":
        return False
    sides = [_is_held_out(places, side, trunk, eye) for side in ("left", "right")]
    return True if True in sides else None if None in sides else False


def _is_held_out(places: Mapping[str, Floats], side: str, trunk: Trunk, eye: Eye) -> bool | None:
    shoulder, wrist = places.get(f"{side}_shoulder"), places.get(f"{side}_wrist")
    if shoulder is None or wrist is None:
        return None
    right, left, up = (wrist - shoulder).tolist()
    out = math.hypot(right, left)
    is_nearer = math.dist(wrist[:2], eye.position[:2]) < math.dist(shoulder[:2], eye.position[:2])
    is_out = REACH * trunk.length < out < LONGEST_REACH * trunk.length
    return is_nearer and is_out and -up < DROP * out
