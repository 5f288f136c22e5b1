"""The textures' names, pools and palettes against the facts recorded from the original."""

from __future__ import annotations

import pytest

from heedful.errors import UnknownNameError
from heedful.state.tabletop.levels import SET_A, SET_B
from heedful.state.tabletop.textures import (
    CONTAINER_TEXTURES,
    DEFAULT_POOL,
    DRAGGED_TEXTURES,
    TEXTURES,
    find_texture,
)

NEW_AT_NOVEL_LEVEL = {
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


def test_pools_without_a_partition_are_the_originals() -> None:
    assert (len(DEFAULT_POOL), len(DRAGGED_TEXTURES), len(CONTAINER_TEXTURES)) == (49, 24, 25)
    red_dots = [name for name in DRAGGED_TEXTURES if name.endswith("polka dot") and name.startswith("red")]
    assert len(red_dots) == 4
    assert sum(name.endswith("stripe") for name in DRAGGED_TEXTURES) == 10
    assert set(DEFAULT_POOL) - set(SET_A) - set(SET_B) == NEW_AT_NOVEL_LEVEL


def test_every_texture_of_the_training_sets_exists() -> None:
    assert set(SET_A) | set(SET_B) <= set(TEXTURES)


def test_a_pattern_names_its_colours_in_order() -> None:
    found = find_texture("yellow and blue polka dot")
    assert (found.pattern, found.first, found.second) == ("polka", (237, 201, 72), (78, 121, 167))


def test_a_dark_variant_has_a_lower_value_and_the_same_hue() -> None:
    plain, dark = find_texture("blue").first, find_texture("dark blue").first
    assert max(dark) / 255 == pytest.approx(max(plain) / 255 - 0.3, abs=0.003)
    assert dark[0] / dark[2] == pytest.approx(plain[0] / plain[2], abs=0.01)


def test_a_name_that_is_unknown_is_refused_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="red swirl"):
        find_texture("red swrl")
