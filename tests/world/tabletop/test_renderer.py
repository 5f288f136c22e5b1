"""Pictures of the table: where things appear, their colours and ids, and what the arm changes."""

from __future__ import annotations

import math
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from heedful.errors import InputError
from heedful.state.tabletop.scene import ObjectPose, Prompt, PromptImage, TableObject
from heedful.state.tabletop.textures import TEXTURES
from heedful.state.tabletop.workspace import VIEWS, to_pixel
from tests.world.tabletop.scenes import item

if TYPE_CHECKING:
    from heedful.world.tabletop.model import TabletopModel
    from heedful.world.tabletop.renderer import TabletopRenderer

QUARTER = (0.0, 0.0, math.sin(math.pi / 4), math.cos(math.pi / 4))
MARKERS = [(0.27, -0.47), (0.27, 0.47), (0.5, 0.0), (0.73, -0.47), (0.73, 0.47), (0.41, 0.2)]


@pytest.fixture
def table(renderer: TabletopRenderer) -> TabletopModel:
    return renderer.table


@pytest.fixture
def arm(renderer: TabletopRenderer) -> Any:
    module = import_module("heedful.world.tabletop.renderer")
    return module.Look(arm="visible")


def edges(mask: np.ndarray) -> list[float]:
    """Return the outer edges (top, bottom, left, right) of a mask; pixels' middles are whole."""
    rows, columns = np.nonzero(mask)
    return [rows.min() - 0.5, rows.max() + 0.5, columns.min() - 0.5, columns.max() + 0.5]


@pytest.mark.parametrize(("x", "y"), MARKERS)
def test_things_appear_where_the_pixel_maps_say(renderer: TabletopRenderer, x: float, y: float) -> None:
    renderer.table.set_scene([item(5, "small block", x, y)], "suction")
    drawn, half = renderer.draw_views(), 0.015
    low, high = to_pixel("top", x - half, y - half), to_pixel("top", x + half, y + half)
    assert edges(drawn["top"].segm == 5) == pytest.approx(
        [low.row, high.row, low.column, high.column], abs=1.0
    )
    back, front = to_pixel("front", x - half, y - half, 2 * half), to_pixel("front", x + half, y + half, 0.0)
    assert edges(drawn["front"].segm == 5) == pytest.approx(
        [back.row, front.row, back.column, front.column], abs=1.0
    )


def test_ground_and_table_have_the_originals_colours_and_ids(renderer: TabletopRenderer) -> None:
    renderer.table.set_scene((), "suction")
    for view in VIEWS:
        drawn = renderer.draw(view)
        assert set(np.unique(drawn.segm).tolist()) == {0, 1}
        assert (drawn.rgb[drawn.segm == 1] == 51).all()
        assert (drawn.rgb[drawn.segm == 0] == 239).all()
    sheet = edges(renderer.draw("top").segm == 1)
    near, far = to_pixel("top", 0.25, -0.5), to_pixel("top", 0.75, 0.5)
    assert sheet == pytest.approx([near.row, far.row, near.column, far.column], abs=1.0)


def test_level_surfaces_show_a_colour_exactly_and_sides_are_darker(renderer: TabletopRenderer) -> None:
    renderer.table.set_scene([item(5, "block", 0.5, 0.0)], "suction")
    top, front = renderer.draw("top"), renderer.draw("front")
    assert (top.rgb[top.segm == 5] == TEXTURES["red"].first).all()
    shades = np.unique(front.rgb[front.segm == 5], axis=0)
    assert len(shades) == 2
    assert 0.4 < shades[0].sum() / shades[1].sum() < 0.85


@pytest.mark.parametrize("name", ["red and blue stripe", "yellow and green polka dot", "tiger"])
def test_a_texture_shows_both_colours(renderer: TabletopRenderer, name: str) -> None:
    pose = ObjectPose(0.5, 0.0, 0.0, QUARTER)
    renderer.table.set_scene(
        [TableObject(5, "square", name, "base", (0.2, 0.04, 0.001), pose, True)], "suction"
    )
    drawn = renderer.draw("top")
    pixels = drawn.rgb[drawn.segm == 5].astype(int)
    for colour in (TEXTURES[name].first, TEXTURES[name].second):
        assert (np.abs(pixels - colour).sum(axis=1) < 40).mean() > 0.05


def test_ids_are_exact_where_things_overlap(renderer: TabletopRenderer) -> None:
    objects = [
        item(5, "bowl", 0.5, 0.0),
        item(17, "block", 0.5, 0.02, 0.04, yaw=0.5),
        item(200, "star", 0.5, 0.3),
    ]
    renderer.table.set_scene(objects, "suction")
    for view in VIEWS:
        assert set(np.unique(renderer.draw(view).segm).tolist()) == {0, 1, 5, 17, 200}


def test_a_hole_shows_the_table(renderer: TabletopRenderer) -> None:
    renderer.table.set_scene([item(5, "ring", 0.5, 0.0)], "suction")
    assert renderer.draw("top").segm[64, 128] == 1


def test_both_views_at_once_are_the_views_one_by_one(renderer: TabletopRenderer) -> None:
    renderer.table.set_scene([item(5, "bowl", 0.5, 0.0), item(6, "letter A", 0.4, 0.2)], "suction")
    together = renderer.draw_views()
    for view in VIEWS:
        alone = renderer.draw(view)
        assert np.array_equal(together[view].rgb, alone.rgb)
        assert np.array_equal(together[view].segm, alone.segm)


@pytest.mark.parametrize(("end_effector", "ids"), [("suction", {2, 3, 4}), ("spatula", {2, 3})])
def test_a_visible_arm_has_its_ids_and_a_hidden_one_none(
    renderer: TabletopRenderer, arm: Any, end_effector: Any, ids: set[int]
) -> None:
    renderer.table.set_scene([item(5, "block", 0.5, 0.0)], end_effector)
    seen = renderer.draw_as(arm)
    shown = set(np.unique([seen[view].segm for view in VIEWS]).tolist())
    assert shown - {0, 1, 5} == ids
    hidden = renderer.draw_views()
    assert set(np.unique([hidden[view].segm for view in VIEWS]).tolist()) == {0, 1, 5}


def test_the_arm_follows_the_tool(renderer: TabletopRenderer, arm: Any) -> None:
    table = renderer.table
    table.set_scene((), "suction")
    mocap = int(table.model.body_mocapid[table.model.body("suction_tip").id])
    columns = []
    for y in (-0.3, 0.3):
        table.data.mocap_pos[mocap] = (0.5, y, 0.2)
        import_module("mujoco").mj_kinematics(table.model, table.data)
        columns.append(float(np.nonzero(renderer.draw_as(arm)["front"].segm == 4)[1].mean()))
    assert columns == pytest.approx([to_pixel("front", 0.5, y).column for y in (-0.3, 0.3)], abs=1.5)


def test_depth_is_the_distance_along_the_axis(renderer: TabletopRenderer) -> None:
    renderer.table.set_scene([item(5, "block", 0.5, 0.0)], "suction")
    depth = renderer.depth("top")
    assert depth[64, 20] - depth[64, 128] == pytest.approx(0.07, abs=1e-4)


def show(renderer: TabletopRenderer, image: PromptImage) -> Any:
    module = import_module("heedful.world.tabletop.prompt_pictures")
    return module.show_prompt(renderer, Prompt("{it}", {"it": image})).images["it"]


def alone(name: str, magnification: float = 1.0) -> PromptImage:
    found = item(0, name, 0.5, 0.0, 0.0, yaw=math.pi / 2)
    return PromptImage("object", (found,), magnification)


def test_an_object_in_a_prompt_stands_alone_before_white(renderer: TabletopRenderer) -> None:
    shown = show(renderer, alone("letter T"))
    assert [(found.id, found.name, found.texture) for found in shown.objects] == [(0, "letter T", "red")]
    for view in VIEWS:
        drawn = shown.views[view]
        assert set(np.unique(drawn.segm).tolist()) == {0, 255}
        assert (drawn.rgb[drawn.segm == 255] == 255).all()


def test_a_letter_in_a_prompt_can_be_read(renderer: TabletopRenderer) -> None:
    segm = show(renderer, alone("letter T")).views["top"].segm
    rows = (segm == 0).sum(axis=1)
    widths = rows[rows > 0]
    assert widths[0] > 2 * widths[-1]


def test_a_swept_block_is_magnified_about_the_middle_of_the_table(renderer: TabletopRenderer) -> None:
    views = {factor: show(renderer, alone("small block", factor)).views for factor in (1.0, 7.0)}
    for view in VIEWS:
        small, large = (edges(views[factor][view].segm == 0) for factor in (1.0, 7.0))
        assert large[3] - large[2] == pytest.approx(7 * 0.03 * 251.0, abs=1.5)
        middle = [(small[0] + small[1]) / 2, (small[2] + small[3]) / 2]
        assert [(large[0] + large[1]) / 2, (large[2] + large[3]) / 2] == pytest.approx(middle, abs=1.0)


def test_a_scene_in_a_prompt_has_a_table_and_its_own_ids(renderer: TabletopRenderer) -> None:
    image = PromptImage("scene", (item(2, "letter T", 0.4, 0.1), item(3, "bowl", 0.6, -0.2)))
    for view in VIEWS:
        assert set(np.unique(show(renderer, image).views[view].segm).tolist()) == {0, 1, 2, 3}


def test_showing_a_prompt_leaves_the_episode_as_it_was(
    renderer: TabletopRenderer, table: TabletopModel
) -> None:
    table.set_scene([item(5, "bowl", 0.5, 0.0), item(6, "letter A", 0.4, 0.2)], "suction")
    before = renderer.draw_views()
    show(renderer, alone("pan"))
    after = renderer.draw_views()
    for view in VIEWS:
        assert np.array_equal(before[view].rgb, after[view].rgb)
        assert np.array_equal(before[view].segm, after[view].segm)


def test_a_closed_renderer_says_so(table: TabletopModel, renderer: TabletopRenderer) -> None:
    other = type(renderer)(table)
    other.close()
    other.close()
    with pytest.raises(InputError, match="closed"):
        other.draw("top")
    assert renderer.draw("top").rgb.any()
