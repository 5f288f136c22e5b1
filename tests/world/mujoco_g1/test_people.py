"""People stand on the floor, are as tall as they should be, walk without jumps, and look as they are told."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from heedful.errors import InputError
from heedful.scenarios.document import Person
from heedful.world.mujoco_g1.people.build import ADULT, CHILD, Build, build_of
from heedful.world.mujoco_g1.people.figure import MEASURED, figure_of, seen_of, sizes_of
from heedful.world.mujoco_g1.people.parts import PARTS, Kind
from heedful.world.mujoco_g1.people.person import FACINGS, LOADS, POSTURES, Appearance, PersonPose
from heedful.world.mujoco_g1.people.reach import Vec
from heedful.world.mujoco_g1.people.skeleton import Skeleton, skeleton_of

EVERYBODY = [
    Appearance(posture=posture, is_child=is_child, carrying=carrying, handover=handover)
    for posture in POSTURES
    for is_child in (False, True)
    for carrying in LOADS
    for handover in (False, True)
]


def seen_parts(appearance: Appearance) -> set[str]:
    seen = seen_of(appearance)
    return {part.name for part, is_seen in zip(PARTS, seen, strict=True) if is_seen}


def heights(appearance: Appearance, stride_m: float = 0.0, speed_m_s: float = 0.0) -> dict[str, np.ndarray]:
    """Return lowest and highest point of every part that is seen, by name [m]."""
    figure, sizes = figure_of(appearance, stride_m, speed_m_s), sizes_of(build_of(appearance))
    found = {}
    for row, part in enumerate(PARTS):
        reach = vertical_reach(part.kind, sizes[row], figure.rotations[row])
        found[part.name] = figure.positions[row, 2] + np.array([-reach, reach])
    return {name: found[name] for name in seen_parts(appearance)}


def vertical_reach(kind: Kind, size: np.ndarray, rotation: np.ndarray) -> float:
    """Return how far a shape reaches above its middle: the support of each form along z."""
    w, x, y, z = rotation
    up = np.array([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)])
    if kind is Kind.CAPSULE:
        return float(abs(up[2]) * size[1] + size[0])
    if kind is Kind.CYLINDER:
        return float(abs(up[2]) * size[1] + math.hypot(up[0], up[1]) * size[0])
    if kind is Kind.BOX:
        return float(abs(up) @ size)
    return float(np.linalg.norm(up * size))


def joints(bones: Skeleton) -> dict[str, Vec]:
    found = {"pelvis": bones.pelvis}
    for side, arm, leg in (
        ("left", bones.left_arm, bones.left_leg),
        ("right", bones.right_arm, bones.right_leg),
    ):
        found |= {f"{side}_{name}": getattr(arm, name) for name in ("shoulder", "elbow", "wrist")}
        found |= {f"{side}_{name}": getattr(leg, name) for name in ("hip", "knee", "ankle", "heel", "toes")}
    return found


@pytest.mark.parametrize(("is_child", "height"), [(False, 1.75), (True, 1.20)])
def test_a_standing_person_is_as_tall_as_declared(is_child: bool, height: float) -> None:
    tops = heights(Appearance(is_child=is_child))
    assert max(top for _, top in tops.values()) == pytest.approx(height, abs=0.002)


@pytest.mark.parametrize("appearance", EVERYBODY, ids=str)
def test_everybody_rests_on_the_floor(appearance: Appearance) -> None:
    bottoms = heights(appearance)
    assert min(bottom for bottom, _ in bottoms.values()) == pytest.approx(0.0, abs=0.001)


@pytest.mark.parametrize("posture", ["standing", "seated"])
def test_both_shoes_are_on_the_floor(posture: str) -> None:
    found = heights(Appearance(posture=posture))
    assert [found[f"{side}_shoe"][0] for side in ("left", "right")] == pytest.approx([0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("is_child", [False, True])
@pytest.mark.parametrize("speed", [0.05, 0.3, 1.4])
def test_a_walker_never_leaves_the_floor_nor_sinks_into_it(is_child: bool, speed: float) -> None:
    for stride in np.arange(0.0, 1.2, 0.01):
        found = heights(Appearance(is_child=is_child), float(stride), speed)
        assert min(bottom for bottom, _ in found.values()) == pytest.approx(0.0, abs=1e-9)


def test_the_foot_on_the_floor_stays_while_the_body_passes_over_it() -> None:
    places = [
        stride + skeleton_of(Appearance(), stride, 1.0).left_leg.ankle[0] for stride in (0.05, 0.2, 0.5)
    ]
    assert places == pytest.approx([places[0]] * 3, abs=1e-9)


@pytest.mark.parametrize("is_child", [False, True])
@pytest.mark.parametrize("speed", [0.1, 0.5, 1.4])
def test_no_joint_jumps_between_strides_a_centimetre_apart(is_child: bool, speed: float) -> None:
    appearance = Appearance(is_child=is_child)
    walk = [joints(skeleton_of(appearance, 0.01 * step, speed)) for step in range(260)]
    for before, after in itertools.pairwise(walk):
        for name, place in after.items():
            assert math.dist(before[name], place) < 0.035, name


def test_no_joint_jumps_when_the_speed_changes_a_little() -> None:
    walk = [joints(skeleton_of(Appearance(), 0.3, 0.01 * step)) for step in range(80)]
    for before, after in itertools.pairwise(walk):
        for name, place in after.items():
            assert math.dist(before[name], place) < 0.025, name


def test_the_walk_repeats_after_a_stride_and_mirrors_after_half() -> None:
    now, half, whole = (
        skeleton_of(Appearance(), 0.2 + way, 1.0) for way in (0.0, ADULT.stride / 2, ADULT.stride)
    )
    assert joints(whole)["left_toes"] == pytest.approx(joints(now)["left_toes"])
    x, y, z = joints(half)["right_toes"]
    assert joints(now)["left_toes"] == pytest.approx((x, -y, z))


def test_arms_swing_against_the_legs() -> None:
    bones = skeleton_of(Appearance(), 0.0, 1.0)
    assert bones.left_leg.ankle[0] > 0.2 > -0.2 > bones.right_leg.ankle[0]
    assert bones.left_arm.wrist[0] < 0 < bones.right_arm.wrist[0]


@pytest.mark.parametrize("speed", [0.0, -0.0])
def test_who_stands_looks_the_same_whatever_was_walked(speed: float) -> None:
    assert figure_of(Appearance(), 0.7, speed) is figure_of(Appearance(), 0.0, speed)


def test_only_a_standing_person_walks() -> None:
    assert figure_of(Appearance("seated"), 0.3, 1.0) is figure_of(Appearance("seated"), 0.0, 0.0)


@pytest.mark.parametrize("appearance", EVERYBODY, ids=str)
def test_bones_keep_their_lengths(appearance: Appearance) -> None:
    build, bones = build_of(appearance), skeleton_of(appearance, 0.4, 1.0)
    for arm, leg in ((bones.left_arm, bones.left_leg), (bones.right_arm, bones.right_leg)):
        lengths = [
            math.dist(*ends)
            for ends in (
                (arm.shoulder, arm.elbow),
                (arm.elbow, arm.wrist),
                (leg.hip, leg.knee),
                (leg.knee, leg.ankle),
            )
        ]
        assert lengths == pytest.approx([build.upper_arm, build.forearm, build.thigh, build.shin], abs=0.001)


@pytest.mark.parametrize("build", [ADULT, CHILD], ids=["adult", "child"])
def test_shapes_have_the_lengths_of_the_bones(build: Build) -> None:
    sizes = {part.name: size for part, size in zip(PARTS, sizes_of(build), strict=True)}
    assert 2 * sizes["left_thigh"][1] == pytest.approx(build.thigh)
    assert 2 * sizes["right_forearm"][1] == pytest.approx(build.forearm)


def test_postures_are_of_different_height() -> None:
    tops = [max(top for _, top in heights(Appearance(posture)).values()) for posture in POSTURES]
    assert tops == pytest.approx([1.75, 1.38, 1.33, 0.31], abs=0.02)


def test_a_lying_person_points_its_feet_ahead_and_its_face_up() -> None:
    rows = {part.name: row for row, part in enumerate(PARTS)}
    places = figure_of(Appearance("lying"), 0.0, 0.0).positions
    assert places[rows["left_shoe"], 0] > 0.8 > -0.6 > places[rows["head"], 0]
    assert places[rows["nose"], 2] > places[rows["head"], 2] + 0.07


@pytest.mark.parametrize(
    ("carrying", "held"),
    [
        ("none", set()),
        ("hot", {"cup", "steam", "vapour"}),
        ("sharp", {"handle", "blade"}),
        ("heavy", {"box", "tape"}),
    ],
)
def test_what_is_carried_is_seen(carrying: str, held: set[str]) -> None:
    assert seen_parts(Appearance(carrying=carrying)) - seen_parts(Appearance()) == held


def test_who_sits_has_a_stool_that_is_no_part_of_the_person() -> None:
    stool = seen_parts(Appearance("seated")) - seen_parts(Appearance())
    assert stool == {"seat", "post", "base"}
    measured = {part.name for part, counts in zip(PARTS, MEASURED, strict=True) if counts}
    assert not measured & {*stool, "steam", "vapour"}
    assert {"cup", "blade", "box", "nose", "left_shoe"} <= measured


@pytest.mark.parametrize("carrying", LOADS)
@pytest.mark.parametrize("posture", ["standing", "seated", "kneeling"])
def test_handing_over_stretches_the_arm_forward(posture: str, carrying: str) -> None:
    given, kept = (
        skeleton_of(Appearance(posture, carrying=carrying, handover=handover), 0.0, 0.0)
        for handover in (True, False)
    )
    assert given.right_arm.wrist[0] > kept.right_arm.wrist[0] + 0.1
    assert given.right_arm.wrist[0] > 0.4


def test_appearance_takes_what_a_scenario_can_say() -> None:
    fields = Person.model_fields
    said = [fields[name].annotation.__args__ for name in ("posture", "facing", "carrying")]
    assert said == [POSTURES, FACINGS, LOADS]
    assert Appearance(**Person().model_dump()) == Appearance()


def test_words_that_no_scenario_says_are_refused() -> None:
    with pytest.raises(InputError, match="posture is 'dancing'; allowed: standing, seated, kneeling, lying"):
        Appearance(posture="dancing")
    with pytest.raises(InputError, match="allowed: none, hot, sharp, heavy"):
        Appearance(carrying="cat")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_place_must_be_finite(value: float) -> None:
    with pytest.raises(InputError, match="speed_m_s must be a finite number"):
        PersonPose(0.0, 0.0, 0.0, speed_m_s=value)
