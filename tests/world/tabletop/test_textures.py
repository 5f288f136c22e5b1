"""Tiles of the textures: palettes and shares of area; numpy alone."""

from __future__ import annotations

import numpy as np
import pytest

from heedful.state.tabletop.textures import TEXTURES, Texture
from heedful.world.tabletop.textures import tile


def share(texture: Texture) -> float:
    """Return the share of the area that has the first colour exactly."""
    return float((tile(texture) == texture.first).all(axis=2).mean())


def of(pattern: str) -> list[Texture]:
    return [found for found in TEXTURES.values() if found.pattern == pattern]


@pytest.mark.parametrize(
    ("pattern", "wanted"), [("solid", 1.0), ("stripe", 0.5), ("polka", 0.2), ("swirl", 0.5)]
)
def test_colours_share_the_area_as_in_the_original(pattern: str, wanted: float) -> None:
    for texture in of(pattern):
        assert share(texture) == pytest.approx(wanted, abs=0.02), texture.name


def test_two_colours_are_all_there_is_in_patterns_of_two() -> None:
    for texture in (*of("stripe"), *of("polka"), *of("swirl"), *of("paisley")):
        colours = {tuple(colour) for colour in np.unique(tile(texture).reshape(-1, 3), axis=0).tolist()}
        assert colours == {texture.first, texture.second}, texture.name


def test_stripes_begin_with_the_first_colour() -> None:
    for texture in of("stripe"):
        assert tuple(tile(texture)[-1, 0].tolist()) == texture.first


def test_materials_are_near_their_palettes() -> None:
    for name in ("brick", "tiles", "wooden", "granite", "plastic", "checkerboard", "tiger", "magma"):
        texture = TEXTURES[name]
        pixels = tile(texture).reshape(-1, 3).astype(float)
        line = np.subtract(texture.second, texture.first).astype(float)
        along = np.clip((pixels - texture.first) @ line / (line @ line), 0.0, 1.0)
        nearest = np.array(texture.first) + along[:, None] * line
        assert np.abs(pixels - nearest).mean() < 10.0, name
        assert 0.05 < along.mean() < 0.95, name


def test_tiles_are_the_same_every_time_and_no_two_names_look_alike() -> None:
    drawn = {name: tile(texture).tobytes() for name, texture in TEXTURES.items()}
    assert len(set(drawn.values())) == len(drawn)
    assert drawn == {name: tile(texture).tobytes() for name, texture in TEXTURES.items()}
