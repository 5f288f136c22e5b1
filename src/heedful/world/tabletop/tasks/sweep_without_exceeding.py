"""Sweep without Exceeding: push exactly so many blocks into the zone, none of them over the line.

Source: VIMA-Bench, sweep_without_exceeding: one to three targets, as many distractors of another texture. The
zone is closed towards the robot and open towards the blocks; the line lies across it.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from heedful.state.tabletop.levels import LINE, SWEPT, ZONE, Pools
from heedful.state.tabletop.scene import Goal, ObjectPose, Prompt
from heedful.state.tabletop.sweep_rule import ZONE_SIDE, ZONE_X
from heedful.state.tabletop.workspace import is_inside
from heedful.world.tabletop.raster import yaw_rotation
from heedful.world.tabletop.tasks.task import Cast, TabletopTask, choose, choose_some, make_object, show

TEMPLATE = "Sweep {count} {{swept_obj}} into {{bounds}} without exceeding {{constraint}}."
ZONE_ID, LINE_ID, FIRST_BLOCK = 4, 5, 6
NUMBERS, CHANCES = (1, 2, 3), (0.5, 0.25, 0.25)
"""Of targets, and of distractors."""
COUNT_WORDS = {"any": 1, "one": 1, "two": 2, "three": 3}
"""How many exactly each word asks for; `all` asks for every target."""
LINE_X = (ZONE_X - ZONE_SIDE / 4, ZONE_X + ZONE_SIDE / 10)
"""Range of the line's middle along x [m]."""
PATCHES = ((0.57, -0.22), (0.58, 0.03))
"""Lower corners of the two patches of blocks, x and y [m]."""
TARGETS_M, DISTRACTORS_M = 0.18, 0.09
"""Side of the patch of the targets and of that of the distractors [m]."""
MAGNIFICATION = 7.0
ORACLE_STEPS = 8


def cast(rng: np.random.Generator, pools: Pools) -> Cast:
    """Draw how many, the word that asks for them, and the textures."""
    number = int(rng.choice(NUMBERS, p=CHANCES))
    word = choose(rng, (*(word for word, count in COUNT_WORDS.items() if count <= number), "all"))
    swept_texture, other_texture = choose_some(rng, pools.dragged_textures, 2)
    zone = make_object(rng, ZONE_ID, ZONE, choose(rng, pools.container_textures), "base")
    line = make_object(rng, LINE_ID, LINE, choose(rng, pools.container_textures), "constraint")
    targets = tuple(make_object(rng, FIRST_BLOCK + k, SWEPT, swept_texture, "dragged") for k in range(number))
    others = tuple(
        make_object(rng, FIRST_BLOCK + number + k, SWEPT, other_texture, "distractor") for k in range(number)
    )
    pictures = {"swept_obj": show(targets[0], MAGNIFICATION), "bounds": show(zone), "constraint": show(line)}
    goal = Goal(tuple(found.id for found in targets), ZONE_ID, COUNT_WORDS.get(word, number))
    objects = (zone, line, *targets, *others)
    prompt = Prompt(TEMPLATE.format(count=word), pictures)
    return Cast(objects, prompt, (goal,), ORACLE_STEPS, "spatula")


def lay(rng: np.random.Generator, cast: Cast) -> Cast:
    """Draw the line's place and which patch is whose, then a place for every block."""
    line_pose = ObjectPose(rng.uniform(*LINE_X), 0.0, 0.0, yaw_rotation(math.pi / 2))
    patches = choose_some(rng, PATCHES, 2)
    placed = []
    for found in cast.objects:
        if found.role == "base":
            pose = ObjectPose(ZONE_X, 0.0, 0.0, yaw_rotation(-math.pi / 2))
        elif found.role == "constraint":
            pose = line_pose
        elif found.role == "dragged":
            pose = _in_patch(rng, patches[0], TARGETS_M, found.size[2])
        else:
            pose = _in_patch(rng, patches[1], DISTRACTORS_M, found.size[2])
        placed.append(replace(found, pose=pose))
    return replace(cast, objects=tuple(placed))


def _in_patch(
    rng: np.random.Generator, corner: tuple[float, float], side: float, height: float
) -> ObjectPose:
    while True:
        x, y = (low + side * rng.random() for low in corner)
        yaw = rng.uniform(0.0, math.tau)
        if is_inside(x, y):
            return ObjectPose(x, y, height / 2, yaw_rotation(yaw))


SWEEP_WITHOUT_EXCEEDING = TabletopTask(cast, lay)
