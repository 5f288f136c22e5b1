"""Visual Manipulation: put what one picture shows into what another shows.

Source: VIMA-Bench, visual_manipulation: one dragged object, one container, one distractor.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from heedful.state.tabletop.levels import Pools
from heedful.state.tabletop.scene import Goal, Prompt
from heedful.world.tabletop.tasks.task import Cast, TabletopTask, choose, lay_table, make_object, show

TEMPLATE = "Put the {dragged_obj_1} into the {base_obj}."
BASE, DRAGGED, DISTRACTOR = 5, 6, 7
ORACLE_STEPS = 3


def cast(rng: np.random.Generator, pools: Pools) -> Cast:
    """Draw textures, container, dragged object, then a distractor of any other shape or texture."""
    base_texture, dragged_texture = choose(rng, pools.container_textures), choose(rng, pools.dragged_textures)
    base = make_object(rng, BASE, choose(rng, pools.containers), base_texture, "base")
    dragged = make_object(rng, DRAGGED, choose(rng, pools.dragged), dragged_texture, "dragged")
    taken = {(base.name, base.texture), (dragged.name, dragged.texture)}
    left = [look for look in product(pools.shapes, pools.textures) if look not in taken]
    distractor = make_object(rng, DISTRACTOR, *choose(rng, left), "distractor")
    prompt = Prompt(TEMPLATE, {"dragged_obj_1": show(dragged), "base_obj": show(base)})
    return Cast((base, dragged, distractor), prompt, (Goal((DRAGGED,), BASE),), ORACLE_STEPS)


VISUAL_MANIPULATION = TabletopTask(cast, lay_table)
