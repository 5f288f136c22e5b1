from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.catalogue import find_shape
from heedful.state.tabletop.codec import scene_from_json, scene_to_json
from heedful.state.tabletop.footprint import do_overlap, footprint
from heedful.state.tabletop.level_file import parse_partition
from heedful.state.tabletop.levels import PARTITIONS
from heedful.state.tabletop.progress import TableState
from heedful.state.tabletop.rules import begin, judge
from heedful.state.tabletop.scene import TASKS, TableObject, TableScene, Task
from heedful.state.tabletop.workspace import is_inside
from heedful.world.tabletop.spawn import draw_scene, find_fault

CELLS = [(task, level) for level, partition in PARTITIONS.items() for task in partition.pools]
SCENES = 240
each_cell = pytest.mark.parametrize(("task", "level"), CELLS)
PLACING = ("visual_manipulation", "scene_understanding")


@cache
def scenes(task: Task, level: str) -> tuple[TableScene, ...]:
    return tuple(draw_scene(task, level, seed) for seed in range(SCENES))


def is_uniform(found: Sequence[object], options: Sequence[object]) -> bool:
    """A chi-square test at about four standard deviations; nothing but the options may occur."""
    counts, expected = Counter(found), len(found) / len(options)
    freedom = len(options) - 1
    chi = sum((counts[option] - expected) ** 2 / expected for option in options)
    return set(counts) <= set(options) and chi < freedom + 4 * math.sqrt(2 * freedom) + 4


def role(scene: TableScene, name: str) -> TableObject:
    return next(found for found in scene.objects if found.role == name)


@each_cell
def test_the_same_seed_is_the_same_scene_in_any_order(task: Task, level: str) -> None:
    again = {seed: draw_scene(task, level, seed) for seed in (7, 3, 239, 3, 0)}
    assert all(scenes(task, level)[seed] == scene for seed, scene in again.items())
    assert len({scene.objects for scene in scenes(task, level)}) == SCENES


@each_cell
def test_sound_scenes_are_sound(task: Task, level: str) -> None:
    for scene in scenes(task, level):
        solid = [found for found in scene.objects if find_shape(found.name).kind != "mark"]
        corners = {found.id: footprint(found, found.pose) for found in solid}
        assert all(is_inside(*corner) for outline in corners.values() for corner in outline.tolist())
        apart = [
            (a, b)
            for a, b in combinations(solid, 2)
            if task != "pick_in_order_then_restore" or a.role == b.role != "dragged"
        ]
        assert not any(do_overlap(corners[a.id], corners[b.id]) for a, b in apart)
        for image in scene.prompt.images.values():
            if image.kind == "scene":
                one, other = (footprint(found, found.pose) for found in image.objects)
                assert not do_overlap(one, other)
        start = TableState({found.id: found.pose for found in scene.objects})
        assert judge(scene, begin(scene), start, "centre") == begin(scene)
        assert judge(scene, begin(scene), start, "strict") == begin(scene)


@each_cell
def test_scenes_survive_json(task: Task, level: str) -> None:
    for scene in scenes(task, level)[:20]:
        assert scene_from_json(scene_to_json(scene)) == scene


@each_cell
def test_ids_and_step_limits_are_those_of_the_original(task: Task, level: str) -> None:
    limit = {
        "visual_manipulation": 5,
        "scene_understanding": 5,
        "sweep_without_exceeding": 10,
        "pick_in_order_then_restore": 6,
    }
    first = 4 if task == "sweep_without_exceeding" else 5
    for scene in scenes(task, level)[:50]:
        assert [found.id for found in scene.objects] == list(range(first, first + len(scene.objects)))
        assert scene.max_steps == limit[task]
        assert scene.end_effector == ("spatula" if first == 4 else "suction")
        shown = {name for name in scene.prompt.images if f"{{{name}}}" in scene.prompt.template}
        assert shown == set(scene.prompt.images)


@pytest.mark.parametrize("task", PLACING)
@pytest.mark.parametrize("level", list(PARTITIONS))
def test_looks_are_drawn_from_the_level_evenly(task: Task, level: str) -> None:
    pools, found = PARTITIONS[level].pools[task], scenes(task, level)
    dragged, bases = ([role(scene, name) for scene in found] for name in ("dragged", "base"))
    assert is_uniform([thing.name for thing in dragged], pools.dragged)
    assert is_uniform([thing.texture for thing in dragged], pools.dragged_textures)
    assert is_uniform([thing.name for thing in bases], pools.containers)
    assert is_uniform([thing.texture for thing in bases], pools.container_textures)
    assert all(thing.is_fixed for thing in bases)
    assert not any(thing.is_fixed for thing in dragged)


@pytest.mark.parametrize("level", list(PARTITIONS))
def test_a_distractor_is_any_other_look(level: str) -> None:
    pools = PARTITIONS[level].pools["visual_manipulation"]
    others = []
    for scene in scenes("visual_manipulation", level):
        base, dragged, distractor = scene.objects
        look = (distractor.name, distractor.texture)
        assert look not in {(base.name, base.texture), (dragged.name, dragged.texture)}
        assert distractor.is_fixed == (distractor.name in pools.containers)
        others.append(distractor)
    assert is_uniform([thing.name for thing in others], pools.shapes)
    assert is_uniform([thing.texture for thing in others], pools.textures)


@pytest.mark.parametrize("level", list(PARTITIONS))
def test_scene_understanding_confuses_by_texture_or_by_shape(level: str) -> None:
    pools, like_target = PARTITIONS[level].pools["scene_understanding"], 0
    for scene in scenes("scene_understanding", level):
        base, dragged, distractor = scene.objects
        shown, other = scene.prompt.images["scene"].objects
        assert base.texture != dragged.texture
        words = f"Put the {dragged.texture} object in {{scene}} into the {base.texture} object."
        assert scene.prompt.template == words
        assert (shown.name, shown.texture, shown.id, other.id) == (dragged.name, dragged.texture, 2, 3)
        assert other.texture != dragged.texture
        assert other.name in pools.shapes
        if distractor.is_fixed:
            assert (distractor.name, distractor.texture != base.texture) == (base.name, True)
        else:
            like_target += 1
            assert (distractor.texture, distractor.name != dragged.name) == (dragged.texture, True)
    assert abs(like_target / SCENES - 0.5) < 4 * 0.5 / math.sqrt(SCENES)


@pytest.mark.parametrize("level", ["placement", "combinatorial"])
def test_sweeps_have_the_counts_words_and_places_of_the_original(level: str) -> None:
    counts, words = Counter[int](), []
    for scene in scenes("sweep_without_exceeding", level):
        targets = [found for found in scene.objects if found.role == "dragged"]
        others = [found for found in scene.objects if found.role == "distractor"]
        assert len(targets) == len(others)
        assert len({found.texture for found in targets}) == 1
        assert targets[0].texture != others[0].texture
        word = scene.prompt.template.split()[1]
        number = {"any": 1, "one": 1, "two": 2, "three": 3, "all": len(targets)}[word]
        assert scene.goals[0].count == number <= len(targets)
        assert 0.3425 <= role(scene, "constraint").pose.x <= 0.437
        low = (0.57, -0.22) if targets[0].pose.y < -0.03 else (0.58, 0.03)
        other = (0.58, 0.03) if low == (0.57, -0.22) else (0.57, -0.22)
        for corner, side, blocks in ((low, 0.18, targets), (other, 0.09, others)):
            for block in blocks:
                assert corner[0] <= block.pose.x <= min(corner[0] + side, 0.75)
                assert corner[1] <= block.pose.y <= corner[1] + side
        counts[len(targets)] += 1
        if len(targets) == 3:
            words.append(word)
    for number, chance in ((1, 0.5), (2, 0.25), (3, 0.25)):
        assert abs(counts[number] / SCENES - chance) < 4 * math.sqrt(chance * (1 - chance) / SCENES)
    assert is_uniform(words, ("any", "one", "two", "three", "all"))


@pytest.mark.parametrize("level", list(PARTITIONS))
def test_pick_in_order_fills_the_grid(level: str) -> None:
    pools, cells = PARTITIONS[level].pools["pick_in_order_then_restore"], []
    for scene in scenes("pick_in_order_then_restore", level):
        boxes = [found for found in scene.objects if found.role != "dragged"]
        grid = {(x, y) for x in (0.375, 0.625) for y in (-0.25, 0.0, 0.25)}
        assert {(box.pose.x, box.pose.y) for box in boxes} == grid
        assert len({box.texture for box in boxes}) == 6
        assert len({(box.name, box.size) for box in boxes}) == 1
        goals = [goal.target for goal in scene.goals]
        home, dragged = scene.object(goals[2]), role(scene, "dragged")
        assert (dragged.pose.x, dragged.pose.y) == (home.pose.x, home.pose.y)
        assert len(set(goals)) == 3
        cells.append((home.pose.x, home.pose.y))
        assert boxes[0].name in pools.containers
    assert is_uniform(cells, sorted(set(cells)))


def test_original_leaves_what_sound_draws_anew() -> None:
    """The square's nominal size is not its true one, so that the original lets it leave the table."""
    faults = [
        find_fault(draw_scene("visual_manipulation", "placement", seed, "original")) for seed in range(200)
    ]
    assert {"outside", ""} <= set(faults)
    for seed, fault in enumerate(faults):
        sound = scenes("visual_manipulation", "placement")[seed]
        assert (sum(sound.redraws.values()) > 0) or not fault


def test_the_first_layout_without_a_fault_is_the_originals() -> None:
    same = [scene for scene in scenes("visual_manipulation", "placement")[:100] if not scene.redraws]
    assert same
    for scene in same:
        assert draw_scene("visual_manipulation", "placement", scene.seed, "original") == scene


def test_users_levels_are_drawn_from() -> None:
    text = "format: heedful-tabletop-level-1\nname: mine\ntasks:\n  visual_manipulation: {dragged: [ring]}\n"
    scene = draw_scene("visual_manipulation", parse_partition(text), 1)
    assert (scene.level, role(scene, "dragged").name) == ("mine", "ring")


@pytest.mark.parametrize(
    ("draw", "error"),
    [
        (lambda: draw_scene("sweep_without_exceeding", "novel_object", 0), InputError),
        (lambda: draw_scene("stack", "placement", 0), UnknownNameError),
        (lambda: draw_scene(TASKS[0], "plasement", 0), UnknownNameError),
        (lambda: draw_scene(TASKS[0], "placement", 0, "loud"), UnknownNameError),
        (lambda: draw_scene(TASKS[0], "placement", -1), InputError),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        draw()
