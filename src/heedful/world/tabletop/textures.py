"""Pictures of the textures, drawn by formulas: one tile each, deterministic.

Below: the names and palettes. Above: `model`. A tile's rows and columns run over [0, 1); coordinate v is up.
Stripes are slanted, so that narrow bars show both colours; they share the area evenly and begin with the
first one at the lower left. Dots cover a fifth of it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from heedful.state.tabletop.textures import Pattern, Rgb, Texture

Image = NDArray[np.uint8]
Field = NDArray[np.float64]
Colouring = Callable[[Field, Field, Texture], Field]

PIXELS = 128
"""Side of a tile [pixels]."""
STRIPE_PERIODS = 2
DOT_SHARE = 0.2
"""Of the area. Source: measured from VIMA-Bench's pictures."""
DOTS = ((0.25, 0.25), (0.75, 0.75), (0.25, 0.75), (0.75, 0.25))
NOISE_WAVES = 24
RAINBOW: tuple[Rgb, ...] = (
    (228, 59, 68),
    (247, 150, 58),
    (250, 224, 75),
    (92, 184, 92),
    (74, 144, 226),
    (144, 92, 190),
)


def tile(texture: Texture) -> Image:
    """Return one tile, shape (128, 128, 3), row 0 at the top."""
    places = (np.arange(PIXELS) + 0.5) / PIXELS
    u, v = np.meshgrid(places, 1.0 - places)
    picture = COLOURINGS[texture.pattern](u, v, texture)
    drawn: Image = np.rint(np.clip(picture, 0.0, 255.0)).astype(np.uint8)
    return drawn


def _mixed(share: Field, texture: Texture) -> Field:
    """Return the first colour where the share is 1, the second where it is 0."""
    share = np.clip(share, 0.0, 1.0)[..., None]
    picture: Field = share * np.array(texture.first, float) + (1.0 - share) * np.array(texture.second, float)
    return picture


def _where(mask: NDArray[np.bool_], texture: Texture) -> Field:
    return _mixed(mask.astype(float), texture)


def _noise(u: Field, v: Field, low: int, high: int, seed: int) -> Field:
    """Return smooth noise that repeats with the tile: waves of whole numbers of periods, about 0 +- 1."""
    draw = np.random.default_rng(seed)
    total = np.zeros_like(u)
    for _ in range(NOISE_WAVES):
        kx, ky = draw.integers(-high, high + 1, 2)
        if math.hypot(kx, ky) < low:
            kx, ky = low, low + 1
        total += np.sin(math.tau * (kx * u + ky * v + draw.random()))
    return total / math.sqrt(NOISE_WAVES / 2)


def _solid(u: Field, _v: Field, texture: Texture) -> Field:
    return _mixed(np.ones_like(u), texture)


def _stripe(u: Field, v: Field, texture: Texture) -> Field:
    return _where(((u + v) * STRIPE_PERIODS) % 1.0 < 0.5, texture)


def _polka(u: Field, v: Field, texture: Texture) -> Field:
    radius = math.sqrt(DOT_SHARE / (math.pi * len(DOTS)))
    is_dot = np.zeros(u.shape, bool)
    for x, y in DOTS:
        is_dot |= np.hypot(u - x, v - y) < radius
    return _where(is_dot, texture)


def _checkerboard(u: Field, v: Field, texture: Texture) -> Field:
    return _where(((u * 4).astype(int) + (v * 4).astype(int)) % 2 == 0, texture)


def _swirl(u: Field, v: Field, texture: Texture) -> Field:
    """Return a spiral about the middle of the tile, half of it ground."""
    x, y = u - 0.5, v - 0.5
    turn = np.arctan2(y, x) / math.tau
    return _where((turn * 2 + np.hypot(x, y) * 4.5) % 1.0 < 0.5, texture)


def _paisley(u: Field, v: Field, texture: Texture) -> Field:
    """Return drops with a bent tip, a light ring and a dark heart, two to a tile."""
    drawn = np.zeros(u.shape, bool)
    for x, y, flip in ((0.28, 0.28, 1.0), (0.72, 0.72, -1.0)):
        across, up = (u - x) * flip, (v - y) * flip
        bent = across + 1.8 * np.maximum(up, 0.0) ** 2
        width = 0.22 * np.sqrt(np.clip(1.0 - np.maximum(up, 0.0) / 0.36, 0.0, 1.0))
        reach = np.where(up > 0.0, np.abs(bent) / np.maximum(width, 1e-6), np.hypot(across, up) / 0.22)
        drawn |= (reach < 1.0) & ((reach > 0.7) | (reach < 0.45))
    small = np.hypot((u - 0.8), (v - 0.2)) < 0.11
    other = np.hypot((u - 0.2), (v - 0.8)) < 0.11
    return _where(drawn | small | other, texture)


def _brick(u: Field, v: Field, texture: Texture) -> Field:
    row = np.floor(v * 6)
    column = (u * 3 + 0.5 * (row % 2)) % 1.0
    joint = ((v * 6) % 1.0 < 0.16) | (column < 0.08)
    shade = 10.0 * _noise(u, v, 2, 9, 1)[..., None]
    return _where(~joint, texture) + shade


def _tiles(u: Field, v: Field, texture: Texture) -> Field:
    joint = ((u * 3) % 1.0 < 0.14) | ((v * 3) % 1.0 < 0.14)
    return _where(~joint, texture) + 8.0 * _noise(u, v, 2, 8, 2)[..., None]


def _wooden(u: Field, v: Field, texture: Texture) -> Field:
    grain = v * 9 + 0.35 * _noise(u, v, 1, 2, 3)
    return _mixed(0.5 + 0.5 * np.sin(math.tau * grain) + 0.15 * _noise(u, v, 6, 14, 4), texture)


def _granite(u: Field, v: Field, texture: Texture) -> Field:
    return _mixed(0.6 + 0.55 * _noise(u, v, 8, 18, 5), texture)


def _plastic(u: Field, v: Field, texture: Texture) -> Field:
    return _mixed(0.5 + 0.5 * _noise(u, v, 1, 4, 6), texture)


def _tiger(u: Field, v: Field, texture: Texture) -> Field:
    bands = np.sin(math.tau * (3 * u + 0.18 * _noise(u, v, 1, 3, 7)))
    return _where(bands + 0.35 * _noise(u, v, 1, 4, 8) < 0.35, texture)


def _magma(u: Field, v: Field, texture: Texture) -> Field:
    return _mixed(1.25 - 1.8 * np.abs(_noise(u, v, 1, 4, 9)), texture)


def _rainbow(_u: Field, v: Field, _texture: Texture) -> Field:
    picture: Field = np.array(RAINBOW, float)[(v * len(RAINBOW)).astype(int) % len(RAINBOW)]
    return picture


COLOURINGS: dict[Pattern, Colouring] = {
    "solid": _solid,
    "brick": _brick,
    "tiles": _tiles,
    "wooden": _wooden,
    "granite": _granite,
    "plastic": _plastic,
    "polka": _polka,
    "checkerboard": _checkerboard,
    "tiger": _tiger,
    "magma": _magma,
    "rainbow": _rainbow,
    "stripe": _stripe,
    "swirl": _swirl,
    "paisley": _paisley,
}
