"""The stage in MuJoCo: the gap is the true one, people are ghosts, and looking changes nothing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from heedful.errors import InputError
from heedful.state.geometry import Pose
from heedful.world.mujoco_g1.body import Posture
from heedful.world.mujoco_g1.fallback import open_stage
from heedful.world.mujoco_g1.people.build import build_of
from heedful.world.mujoco_g1.people.figure import sizes_of
from heedful.world.mujoco_g1.people.parts import PARTS
from heedful.world.mujoco_g1.people.person import LOADS, POSTURES, Appearance, PersonPose
from heedful.world.mujoco_g1.people.skeleton import skeleton_of
from heedful.world.mujoco_g1.tasks import SitDown, WalkTo

if TYPE_CHECKING:
    from heedful.world.mujoco_g1.assets.store import G1Assets
    from heedful.world.mujoco_g1.g1_stage import G1Stage

TOLERANCE_M = 2e-6
LIMBS = ("upper_arm", "forearm", "thigh", "shin", "shoe")


@pytest.fixture(scope="module")
def shared_stage(assets: G1Assets) -> G1Stage:
    module = pytest.importorskip("heedful.world.mujoco_g1.g1_stage")
    stage: G1Stage = module.G1Stage(assets, people=2)
    return stage


@pytest.fixture
def stage(shared_stage: G1Stage) -> G1Stage:
    """A robot that stands at the origin and looks along x; nobody is shown."""
    shared_stage.body.place(Pose(0.0, 0.0), Posture.STANDING)
    shared_stage.show([])
    return shared_stage


def robot_corners(stage: G1Stage) -> np.ndarray:
    """Return every corner of the robot's seen meshes, map frame, shape (n, 3) [m]."""
    model, data = stage.model, stage.data
    clouds = []
    for shape in np.flatnonzero(model.geom_group == 2):
        mesh = model.geom_dataid[shape]
        first = model.mesh_vertadr[mesh]
        corners = model.mesh_vert[first : first + model.mesh_vertnum[mesh]]
        clouds.append(corners @ data.geom_xmat[shape].reshape(3, 3).T + data.geom_xpos[shape])
    return np.concatenate(clouds)


def limbs_in_map(pose: PersonPose) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Return both ends [m] and the radius [m] of arms and legs, from the skeleton, map frame."""
    bones = skeleton_of(pose.appearance, pose.stride_m, pose.speed_m_s)
    sizes = {part.name: size for part, size in zip(PARTS, sizes_of(build_of(pose.appearance)), strict=True)}
    c, s = math.cos(pose.yaw), math.sin(pose.yaw)
    turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    found = []
    for arm, leg in ((bones.left_arm, bones.left_leg), (bones.right_arm, bones.right_leg)):
        ends = (
            (arm.shoulder, arm.elbow),
            (arm.elbow, arm.wrist),
            (leg.hip, leg.knee),
            (leg.knee, leg.ankle),
            (leg.heel, leg.toes),
        )
        for name, (start, end) in zip(LIMBS, ends, strict=True):
            start_map, end_map = (turn @ point + (pose.x, pose.y, 0.0) for point in (start, end))
            found.append((start_map, end_map, float(sizes[f"left_{name}"][0])))
    return found


def distance_to_limb(points: np.ndarray, start: np.ndarray, end: np.ndarray, radius: float) -> float:
    share = np.clip((points - start) @ (end - start) / ((end - start) @ (end - start)), 0.0, 1.0)
    return float(np.linalg.norm(points - start - share[:, None] * (end - start), axis=1).min() - radius)


@pytest.mark.parametrize(
    "pose",
    [
        PersonPose(1.2, 0.1, math.pi, appearance=Appearance("seated")),
        PersonPose(0.9, -0.3, 2.5, appearance=Appearance("seated", is_child=True)),
        PersonPose(1.3, 0.2, 0.0, appearance=Appearance("kneeling")),
        PersonPose(0.0, 0.8, 0.0, appearance=Appearance(is_child=True)),
        PersonPose(0.1, -1.0, 0.0, 0.15, 1.0, Appearance(is_child=True)),
        PersonPose(0.0, 1.3, math.pi, 0.4, 1.0, Appearance(is_child=True)),
    ],
    ids=["knees", "child's knees", "shoes", "child's arm", "child walking", "child passing"],
)
def test_where_a_limb_is_nearest_the_gap_is_that_to_it(stage: G1Stage, pose: PersonPose) -> None:
    stage.show([pose])
    corners = robot_corners(stage)
    derived = min(distance_to_limb(corners, *limb) for limb in limbs_in_map(pose))
    # corners only, so it may be a little more than that of the faces between them
    assert derived - 0.002 < stage.gap_m(0) <= derived + 1e-6


@pytest.mark.parametrize("posture", POSTURES)
@pytest.mark.parametrize("carrying", LOADS)
@pytest.mark.parametrize("is_child", [False, True], ids=["adult", "child"])
def test_the_gap_is_that_of_measuring_every_pair(
    stage: G1Stage, posture: str, carrying: str, is_child: bool
) -> None:
    mujoco = pytest.importorskip("mujoco")
    appearance = Appearance(posture, is_child=is_child, carrying=carrying, handover=is_child)
    for turn, way in enumerate((0.25, 0.6, 1.1, 2.5)):
        angle = 0.7 + 1.9 * turn
        stage.show(
            [PersonPose(way * math.cos(angle), way * math.sin(angle), 2.3 * turn, 0.3, 1.0, appearance)]
        )
        model, data = stage.model, stage.data
        robot, person = np.flatnonzero(model.geom_group == 2), measured_shapes(model)
        every = [mujoco.mj_geomDistance(model, data, a, b, 100.0, None) for a in robot for b in person]
        assert stage.gap_m(0) == pytest.approx(min(every), abs=TOLERANCE_M)


def measured_shapes(model: Any) -> list[int]:
    unmeasured = {"steam", "vapour", "seat", "post", "base"}
    shapes = [model.geom(f"person_0/{part.name}").id for part in PARTS if part.name not in unmeasured]
    return [shape for shape in shapes if model.geom_group[shape] == 1]


def test_a_person_inside_the_robot_has_a_negative_gap(stage: G1Stage) -> None:
    stage.show([PersonPose(0.0, 0.0, 0.0)])
    assert -0.3 < stage.gap_m(0) < -0.05


def test_reaching_out_and_carrying_come_nearer(stage: G1Stage) -> None:
    gaps = []
    for appearance in (
        Appearance(),
        Appearance(carrying="heavy"),
        Appearance(handover=True),
        Appearance(carrying="heavy", handover=True),
    ):
        stage.show([PersonPose(2.0, 0.0, math.pi, appearance=appearance)])
        gaps.append(stage.gap_m(0))
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] - gaps[-1] > 0.3


def test_the_gap_follows_the_robot_without_being_shown_again(stage: G1Stage) -> None:
    stage.show([PersonPose(2.0, 0.0, math.pi)])
    before = stage.gap_m(0)
    stage.show([PersonPose(3.0, 0.5, math.pi)])
    assert stage.gap_m(0) > before + 0.9
    stage.body.place(Pose(1.0, 0.5), Posture.STANDING)
    assert stage.gap_m(0) == pytest.approx(before, abs=TOLERANCE_M)


def test_two_people_are_told_apart_and_hidden_again(stage: G1Stage) -> None:
    near, far = PersonPose(1.0, 0.0, 0.0), PersonPose(0.0, 3.0, 0.0, appearance=Appearance(is_child=True))
    stage.show([near, far])
    first, second = stage.gap_m(0), stage.gap_m(1)
    assert first < 1.0
    assert second > 2.0
    stage.show([far, near])
    assert (stage.gap_m(0), stage.gap_m(1)) == pytest.approx((second, first), abs=TOLERANCE_M)
    stage.show([near])
    assert stage.gap_m(0) == pytest.approx(first, abs=TOLERANCE_M)
    with pytest.raises(InputError, match="Person 1 is not shown; allowed: 0 to 0"):
        stage.gap_m(1)
    with pytest.raises(InputError, match=r"3 people were to be shown; .* opened for 2"):
        stage.show([near] * 3)


def test_what_is_hidden_is_not_drawn(stage: G1Stage) -> None:
    groups = stage.model.geom_group
    shapes = {part.name: stage.model.geom(f"person_0/{part.name}").id for part in PARTS}
    assert {groups[shape] for shape in shapes.values()} == {5}
    stage.show([PersonPose(1.0, 0.0, 0.0, appearance=Appearance(carrying="hot"))])
    assert [groups[shapes[name]] for name in ("head", "cup", "blade", "seat")] == [1, 1, 5, 5]


def test_a_child_leaves_no_trace_in_the_adult_shown_after_it(stage: G1Stage) -> None:
    adult = PersonPose(0.9, 0.4, 2.0)
    stage.show([adult])
    before = stage.gap_m(0)
    stage.show([PersonPose(0.9, 0.4, 2.0, 0.2, 1.0, Appearance("lying", is_child=True, carrying="heavy"))])
    assert stage.gap_m(0) != pytest.approx(before, abs=0.01)
    stage.show([adult])
    assert stage.gap_m(0) == before


def test_the_bounds_of_every_shape_hold_it(stage: G1Stage) -> None:
    """What MuJoCo compiles for a size must be what is written for it at run time."""
    model = stage.model
    bounds = [model.geom(f"person_1/{part.name}").rbound[0] for part in PARTS]
    boxes = [model.geom_aabb[model.geom(f"person_1/{part.name}").id].copy() for part in PARTS]
    stage.show([PersonPose(1.0, 0.0, 0.0), PersonPose(2.0, 0.0, 0.0, appearance=Appearance(is_child=True))])
    crown = model.geom("person_1/crown")
    assert crown.rbound[0] == crown.size.max() == pytest.approx(0.086)
    stage.show([PersonPose(1.0, 0.0, 0.0), PersonPose(2.0, 0.0, 0.0)])
    for part, bound, box in zip(PARTS, bounds, boxes, strict=True):
        shape = model.geom(f"person_1/{part.name}")
        assert shape.rbound[0] == pytest.approx(bound, abs=1e-9), part.name
        assert model.geom_aabb[shape.id] == pytest.approx(box, abs=1e-9), part.name


def test_a_person_is_where_it_is_shown_and_looks_there(stage: G1Stage) -> None:
    stage.show([PersonPose(2.0, 1.0, math.pi / 2)])
    data = stage.data
    nose, head = (data.geom(f"person_0/{name}").xpos for name in ("nose", "head"))
    assert head[:2].tolist() == pytest.approx([2.0, 1.0], abs=1e-6)
    assert (nose - head)[:2].tolist() == pytest.approx([0.0, 0.092], abs=0.001)


def test_people_and_room_weigh_and_touch_nothing(stage: G1Stage) -> None:
    model = stage.model
    assert (model.nv, model.nu) == (35, 29)
    assert model.body_mass.sum() == pytest.approx(stage.body.robot.mass_kg)
    people = np.isin(model.geom_bodyid, [model.body(f"person_{k}").id for k in (0, 1)])
    assert people.sum() == 2 * len(PARTS)
    assert not model.geom_contype[people].any()
    assert not model.geom_conaffinity[people].any()


def test_looking_changes_nothing_down_to_the_last_byte(assets: G1Assets) -> None:
    """The bare robot, a stage nobody looks at, and one that is looked at every step."""
    module = pytest.importorskip("heedful.world.mujoco_g1.g1_stage")
    bare = module.G1Body(assets)
    unseen, seen = (module.G1Stage(assets, people=1) for _ in range(2))
    hashes = [walk_and_sit(bare), walk_and_sit(unseen.body), walk_and_sit(seen.body, seen)]
    assert hashes[0] == hashes[1] == hashes[2]


def walk_and_sit(body: Any, looked_at: G1Stage | None = None) -> list[str]:
    """Return the state's hash after a walk and in the squat after it, which looks at the feet's places."""
    hashes = []
    for task, steps in ((WalkTo(3.0, 1.0, 80), 100), (SitDown(), 150)):
        body.begin(task)
        for step in range(steps):
            body.advance(0.02)
            if looked_at is not None:
                looked_at.show([PersonPose(1.5, 0.1, math.pi, 0.02 * step, 1.0)])
                looked_at.gap_m(0)
                assert looked_at.data.time == 0.0
        hashes.append(body.state_hash())
    return hashes


def test_with_everything_the_true_shapes_are_measured(assets: G1Assets) -> None:
    stage = open_stage(0)
    assert stage.facts["body"] == "mujoco_g1"
    assert "convex hulls" in stage.facts["people"]
    with pytest.raises(InputError, match="Person 0 is not shown"):
        stage.gap_m(0)
