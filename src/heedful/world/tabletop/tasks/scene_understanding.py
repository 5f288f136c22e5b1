"""Scene Understanding: textures are told in words, a picture of another table shows which object is meant.

Source: VIMA-Bench, scene_understanding: one dragged object, one container, a distractor in the picture and
one on the table. The distractor on the table is, as often as not, of the target's texture and another shape.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from heedful.state.tabletop.levels import Pools
from heedful.state.tabletop.scene import Goal, Prompt, PromptImage, TableObject
from heedful.world.tabletop.tasks.task import Cast, TabletopTask, choose, lay_apart, lay_table, make_object

TEMPLATE = "Put the {dragged} object in {{scene}} into the {base} object."
PICTURE = "scene"
BASE, DRAGGED, DISTRACTOR = 5, 6, 7
FIRST_SHOWN = 2
"""Id of the first object in the picture, where there is no robot."""
ORACLE_STEPS = 3


def cast(rng: np.random.Generator, pools: Pools) -> Cast:
    """Draw textures, container, dragged object, the table's distractor, then the picture."""
    base_texture = choose(rng, pools.container_textures)
    dragged_texture = choose(rng, _without(pools.dragged_textures, base_texture))
    base = make_object(rng, BASE, choose(rng, pools.containers), base_texture, "base")
    dragged = make_object(rng, DRAGGED, choose(rng, pools.dragged), dragged_texture, "dragged")
    distractor = _distractor(rng, pools, base, dragged)
    template = TEMPLATE.format(dragged=dragged_texture, base=base_texture)
    prompt = Prompt(template, {PICTURE: PromptImage("scene", _shown(rng, pools, dragged))})
    return Cast((base, dragged, distractor), prompt, (Goal((DRAGGED,), BASE),), ORACLE_STEPS)


def lay(rng: np.random.Generator, cast: Cast) -> Cast | None:
    """Lay out the table, then the picture's."""
    laid, shown = lay_table(rng, cast), lay_apart(rng, cast.prompt.images[PICTURE].objects)
    if laid is None or shown is None:
        return None
    return replace(laid, prompt=replace(cast.prompt, images={PICTURE: PromptImage("scene", shown)}))


def _distractor(
    rng: np.random.Generator, pools: Pools, base: TableObject, dragged: TableObject
) -> TableObject:
    """Return another shape in the target's texture, or the container's shape in another texture."""
    if rng.random() < 0.5:
        name, texture = choose(rng, _without(pools.dragged, dragged.name)), dragged.texture
    else:
        name, texture = base.name, choose(rng, _without(pools.container_textures, base.texture))
    return make_object(rng, DISTRACTOR, name, texture, "distractor")


def _shown(rng: np.random.Generator, pools: Pools, dragged: TableObject) -> tuple[TableObject, ...]:
    """Return the target and any shape in any other texture, for a table of their own."""
    texture = choose(rng, _without(pools.textures, dragged.texture))
    other = make_object(rng, FIRST_SHOWN + 1, choose(rng, pools.shapes), texture, "distractor")
    return (replace(dragged, id=FIRST_SHOWN), other)


def _without(names: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(other for other in names if other != name)


SCENE_UNDERSTANDING = TabletopTask(cast, lay)
