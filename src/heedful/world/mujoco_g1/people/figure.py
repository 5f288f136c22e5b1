"""A person as rows of shapes: where each part is, how large, and whether it is seen.

Pure functions of appearance and gait; frame of the person: origin on the floor, x ahead, y left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from heedful.world.mujoco_g1.people.arms import Arm
from heedful.world.mujoco_g1.people.build import ADULT, Build, build_of
from heedful.world.mujoco_g1.people.parts import (
    HEAD,
    HEAD_HALF_M,
    HEAVY,
    HOT,
    LIMBS,
    PARTS,
    SHARP,
    STOOL,
    TRUNK,
    Kind,
    Part,
    Role,
)
from heedful.world.mujoco_g1.people.person import Appearance
from heedful.world.mujoco_g1.people.reach import Vec, between
from heedful.world.mujoco_g1.people.skeleton import (
    HEEL_M,
    SPINE_M,
    TOES_M,
    Leg,
    Skeleton,
    seat_height,
    skeleton_of,
)

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

ADULT_TRUNK_M = ADULT.trunk
LAID = np.array([2**-0.5, 0.0, -(2**-0.5), 0.0])
"""Turns a standing figure onto its back, face up, feet ahead (w, x, y, z)."""
BY_PELVIS = slice(0, len(TRUNK) + len(HEAD))
BY_JOINTS = slice(BY_PELVIS.stop, BY_PELVIS.stop + len(LIMBS))
BY_HAND = slice(BY_JOINTS.stop, BY_JOINTS.stop + len(HOT) + len(SHARP))
BY_HANDS = slice(BY_HAND.stop, BY_HAND.stop + len(HEAVY))
"""Rows of what is fixed to the pelvis, goes from joint to joint, lies in the right hand, in both."""
MEASURED: Mask = np.array([part.role is not Role.SCENERY for part in PARTS])
"""Which rows belong to the person's surface, if they are seen."""


@dataclass(frozen=True, slots=True)
class Figure:
    """The shapes of one person, a row for each of `PARTS`; not to be written to."""

    positions: Floats
    """Middles, shape (n, 3) [m]."""
    rotations: Floats
    """Quaternions (w, x, y, z), shape (n, 4)."""


def figure_of(appearance: Appearance, stride_m: float, speed_m_s: float) -> Figure:
    """Return where a person's shapes are, in the person's frame."""
    if speed_m_s == 0.0 or appearance.posture != "standing":
        return _resting(appearance)
    return _drawn(appearance, stride_m, speed_m_s)


@cache
def sizes_of(build: Build) -> Floats:
    """Return the sizes of every part as MuJoCo has them, shape (n, 3) [m]."""
    limbs = [
        _limb_size(part, length, build) for part, length in zip(LIMBS, _limb_lengths(build), strict=True)
    ]
    stool = np.array([part.size for part in STOOL]) * build.girth
    stool[1, 1] = (seat_height(build) - 0.04 * build.girth) / 2
    return np.array(
        [
            *(_trunk_size(part, build) for part in TRUNK),
            *(np.array(part.size) * build.head for part in HEAD),
            *limbs,
            *(np.array(part.size) * build.girth for part in (*HOT, *SHARP, *HEAVY)),
            *stool,
        ]
    )


@cache
def seen_of(appearance: Appearance) -> Mask:
    """Return which parts are seen, shape (n,)."""
    shown = {
        *TRUNK,
        *HEAD,
        *LIMBS,
        *{"hot": HOT, "sharp": SHARP, "heavy": HEAVY}.get(appearance.carrying, ()),
    }
    if appearance.posture == "seated":
        shown |= set(STOOL)
    return np.array([part in shown for part in PARTS])


@lru_cache(maxsize=64)
def _resting(appearance: Appearance) -> Figure:
    return _drawn(appearance, 0.0, 0.0)


def _drawn(appearance: Appearance, stride_m: float, speed_m_s: float) -> Figure:
    build = build_of(appearance)
    bones = skeleton_of(appearance, stride_m, speed_m_s)
    left, right = bones.left_arm.hand(build), bones.right_arm.hand(build)
    starts, ends = np.array(_limb_ends(bones, build)).transpose(1, 0, 2)
    positions, rotations = _offsets(build).copy(), _fixed_rotations().copy()
    positions[BY_PELVIS] += bones.pelvis
    positions[BY_JOINTS] = (starts + ends) / 2
    positions[BY_HAND] += right
    positions[BY_HANDS] += between(left, right, 0.5)
    rotations[BY_JOINTS] = _turned_to(ends - starts)
    if appearance.posture == "lying":
        return _laid(positions, rotations, bones.pelvis, build)
    return Figure(positions, rotations)


@cache
def _offsets(build: Build) -> Floats:
    """Return the middles of all parts relative to what they are fixed to, shape (n, 3) [m]."""
    stretch = np.array([build.girth, build.girth, build.trunk / ADULT_TRUNK_M])
    head = np.array([0.0, 0.0, build.height - build.hip - HEAD_HALF_M * build.head])
    seat, thin = seat_height(build), 0.02 * build.girth
    offsets = np.array([part.at for part in PARTS]) * build.girth
    offsets[: len(TRUNK)] = np.array([part.at for part in TRUNK]) * stretch
    offsets[len(TRUNK) : BY_PELVIS.stop] = np.array([part.at for part in HEAD]) * build.head + head
    offsets[BY_HANDS.stop :] = [(0.0, 0.0, seat - thin), (0.0, 0.0, seat / 2), (0.0, 0.0, 0.6 * thin)]
    return offsets


@cache
def _fixed_rotations() -> Floats:
    return _turned_to(np.array([part.axis for part in PARTS]))


def _trunk_size(part: Part, build: Build) -> Floats:
    height = build.trunk / ADULT_TRUNK_M
    size = np.array(part.size) * build.girth
    if part.kind is Kind.ELLIPSOID:
        size[2] = part.size[2] * height
    return size


def _limb_size(part: Part, length: float, build: Build) -> Floats:
    size = np.array(part.size) * build.girth
    if part.kind is Kind.CAPSULE:
        size[1] = length / 2
    return size


def _limb_lengths(build: Build) -> tuple[float, ...]:
    """Return the lengths of `LIMBS`; a hand's stands in its size [m]."""
    shoe = (TOES_M - HEEL_M) * build.girth
    return (build.upper_arm, build.forearm, 0.0, build.thigh, build.shin, shoe) * 2


def _limb_ends(bones: Skeleton, build: Build) -> list[tuple[Vec, Vec]]:
    """Return start and end of every limb, in the order of `LIMBS`."""
    sides = ((bones.left_arm, bones.left_leg), (bones.right_arm, bones.right_leg))
    return [ends for arm, leg in sides for ends in (*_arm_ends(arm, build), *_leg_ends(leg))]


def _arm_ends(arm: Arm, build: Build) -> tuple[tuple[Vec, Vec], ...]:
    hand = arm.hand(build)
    return (
        (arm.shoulder, arm.elbow),
        (arm.elbow, arm.wrist),
        (arm.wrist, between(arm.wrist, hand, 2.0)),
    )


def _leg_ends(leg: Leg) -> tuple[tuple[Vec, Vec], ...]:
    return ((leg.hip, leg.knee), (leg.knee, leg.ankle), (leg.heel, leg.toes))


def _laid(positions: Floats, rotations: Floats, pelvis: Vec, build: Build) -> Figure:
    """Return the figure on its back, the pelvis over the origin."""
    up = positions - pelvis
    laid = np.stack((-up[:, 2], up[:, 1], up[:, 0] + SPINE_M * build.head), axis=1)
    return Figure(laid, _product(LAID, rotations))


def _turned_to(axes: Floats) -> Floats:
    """Return the shortest turns of the z axis to each direction or its opposite, shape (n, 4)."""
    upward = np.where(axes[:, 2:] < 0, -axes, axes)
    turns = np.zeros((len(axes), 4))
    turns[:, 0] = upward[:, 2] + np.linalg.norm(upward, axis=1)
    turns[:, 1] = -upward[:, 1]
    turns[:, 2] = upward[:, 0]
    return np.asarray(turns / np.linalg.norm(turns, axis=1, keepdims=True))


def _product(turn: Floats, rotations: Floats) -> Floats:
    """Return quaternions turned by one more, shape (n, 4)."""
    w, x, y, z = turn
    left = np.array([[w, -x, -y, -z], [x, w, -z, y], [y, z, w, -x], [z, -y, x, w]])
    return np.asarray(rotations @ left.T)
