from __future__ import annotations

from pathlib import Path

import pytest

from heedful.errors import InputError, UnknownNameError
from heedful.state.tabletop.catalogue import SHAPES
from heedful.state.tabletop.level_file import load_partition, parse_partition
from heedful.state.tabletop.levels import PARTITIONS, SET_A, SET_B, Pools, default_pools, find_partition
from heedful.state.tabletop.scene import LEVELS, TASKS
from heedful.state.tabletop.textures import CONTAINER_TEXTURES, DRAGGED_TEXTURES, TEXTURES

WHOLE = """
format: heedful-tabletop-level-1
name: letters-on-wood
tasks:
  visual_manipulation:
    dragged: [letter A, letter E]
    containers: [bowl]
    dragged_textures: [red, green]
    container_textures: [wooden]
  sweep_without_exceeding: {}
"""


def test_a_file_gives_the_level_it_describes(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(WHOLE, encoding="utf-8")
    found = load_partition(str(path))
    assert found.name == "letters-on-wood"
    assert found.pools == {
        "visual_manipulation": Pools(("letter A", "letter E"), ("bowl",), ("red", "green"), ("wooden",)),
        "sweep_without_exceeding": default_pools("sweep_without_exceeding"),
    }
    assert not found.has("scene_understanding")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("letter E", "letter B"),
            "Shape 'letter B' in level: visual_manipulation.dragged is not known. Did",
        ),
        (("[bowl]", "[block]"), "Shape 'block'"),
        (("[wooden]", "[woden]"), "'wooden'"),
        (("containers:", "container:"), "Did you mean 'containers'"),
        (("visual_manipulation", "visual_manipulations"), "Did you mean 'visual_manipulation'"),
        (("tasks:", "task:"), "tasks: Field required"),
        (("level-1", "level-2"), "this version reads 'heedful-tabletop-level-1'"),
        (("letters-on-wood", "../escape"), "1 to 64 of a-z"),
        (("letters-on-wood", "placement"), "shipped level"),
        (("[red, green]", "[red, red]"), "'red' is given twice"),
        (("[red, green]", "[]"), "dragged_textures"),
        (("[red, green]", "red"), "dragged_textures"),
        (("name: letters-on-wood", "name: a\nname: b"), "'name' is written twice"),
        (("sweep_without_exceeding: {}", "sweep_without_exceeding: {dragged: [block]}"), "shapes are fixed"),
        (("sweep_without_exceeding: {}", "sweep_without_exceeding: {dragged_textures: [red]}"), "2 or more"),
        (("{}", "&a [*a]"), "anchors are not allowed"),
        (("{}", "[" * 9 + "]" * 9), "nested more than 8"),
        (("{}", "{"), "not valid YAML"),
        (("{}", "!!python/name:os.system"), "not valid YAML"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_what_is_wrong(
    change: tuple[str, str], message: str
) -> None:
    assert change[0] in WHOLE
    with pytest.raises(InputError) as caught:
        parse_partition(WHOLE.replace(*change, 1))
    assert message in str(caught.value)


def test_names_that_are_neither_levels_nor_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="placement"):
        load_partition("placment")
    with pytest.raises(InputError, match="cannot be read"):
        load_partition(str(tmp_path / "absent.yaml"))
    with pytest.raises(UnknownNameError):
        find_partition("novel")


def test_the_shipped_levels_are_those_of_the_paper() -> None:
    assert tuple(PARTITIONS) == LEVELS
    assert (len(SET_A), len(SET_B), len(set(SET_A) & set(SET_B))) == (19, 20, 0)
    assert (len(DRAGGED_TEXTURES), len(CONTAINER_TEXTURES)) == (24, 25)
    assert not PARTITIONS["novel_object"].has("sweep_without_exceeding")
    placement, combinatorial = (PARTITIONS[level].pools for level in ("placement", "combinatorial"))
    for task in TASKS:
        here, there = placement[task], combinatorial[task]
        assert (here.dragged, here.containers) == (there.dragged, there.containers)
        assert (here.dragged_textures, here.container_textures) == (SET_A, SET_B)
        assert (there.dragged_textures, there.container_textures) == (SET_B, SET_A)
    novel = PARTITIONS["novel_object"].pools
    seen = placement["visual_manipulation"].shapes
    assert not set(novel["visual_manipulation"].shapes) & set(seen)
    assert novel["pick_in_order_then_restore"].containers == ("pallet",)
    new = set(novel["visual_manipulation"].textures) - {*SET_A, *SET_B}
    assert new == {
        "brick",
        "magma",
        "orange",
        "pink",
        "red and green stripe",
        "green and blue stripe",
        "red and purple polka dot",
        "yellow and green polka dot",
        "yellow swirl",
        "purple paisley",
    }


def test_every_name_of_the_shipped_levels_is_in_the_catalogue() -> None:
    for partition in PARTITIONS.values():
        for pools in partition.pools.values():
            assert {*pools.shapes} <= {*SHAPES}
            assert {*pools.textures} <= {*TEXTURES}
    assert "block" not in default_pools("pick_in_order_then_restore").dragged
