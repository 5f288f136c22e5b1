"""Names and colours of the tabletop's textures, and the order in which pools are drawn from.

Source: VIMA-Bench's texture list; the two-colour palettes were measured from its pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from heedful.errors import UnknownNameError

Rgb = tuple[int, int, int]
Pattern = Literal[
    "solid",
    "brick",
    "tiles",
    "wooden",
    "granite",
    "plastic",
    "polka",
    "checkerboard",
    "tiger",
    "magma",
    "rainbow",
    "stripe",
    "swirl",
    "paisley",
]

WHITE: Rgb = (255, 255, 255)
BLACK: Rgb = (0, 0, 0)
COLOURS: dict[str, Rgb] = {
    "blue": (78, 121, 167),
    "red": (255, 87, 89),
    "green": (89, 169, 79),
    "orange": (242, 142, 43),
    "yellow": (237, 201, 72),
    "purple": (176, 122, 161),
    "pink": (255, 157, 167),
    "cyan": (118, 183, 178),
    "olive": (128, 128, 0),
}
"""Plain colours, in the catalogue's order."""
GREY: Rgb = (186, 176, 172)
"""Optional in prompts; named `grey`."""
PATTERN_COLOURS = ("red", "yellow", "green", "blue", "purple")
"""Those of which patterns exist, in the order in which pairs name them."""
MATERIALS: dict[str, tuple[Pattern, Rgb, Rgb]] = {
    "brick": ("brick", (183, 116, 98), (185, 170, 155)),
    "tiles": ("tiles", (75, 71, 64), (156, 156, 150)),
    "wooden": ("wooden", (223, 183, 137), (207, 159, 107)),
    "granite": ("granite", (187, 200, 195), (105, 116, 122)),
    "plastic": ("plastic", (221, 220, 219), (212, 211, 210)),
    "polka dot": ("polka", BLACK, WHITE),
    "checkerboard": ("checkerboard", (189, 184, 168), (78, 77, 73)),
    "tiger": ("tiger", (212, 143, 34), (34, 17, 4)),
    "magma": ("magma", (154, 48, 11), (37, 6, 3)),
    "rainbow": ("rainbow", WHITE, WHITE),
}
DARKER = 0.3
"""By how much the value (HSV) of a dark variant is lower."""
DRAGGED_POOL_LENGTH = 24


@dataclass(frozen=True, slots=True)
class Texture:
    """How a surface looks."""

    name: str
    pattern: Pattern
    first: Rgb
    second: Rgb = WHITE
    """The other colour of a pattern; for dots and swirls the ground."""


def find_texture(name: str) -> Texture:
    """Return the texture of that name.

    Raises:
        UnknownNameError: If there is none.
    """
    if name not in TEXTURES:
        raise UnknownNameError("Texture", name, TEXTURES)
    return TEXTURES[name]


def _plain() -> list[Texture]:
    """Return the textures with dark variants excluded, in the catalogue's order."""
    pairs = list(combinations(PATTERN_COLOURS, 2))
    return [
        *(Texture(name, *parts) for name, parts in MATERIALS.items()),
        *(Texture(f"{a} and {b} stripe", "stripe", COLOURS[a], COLOURS[b]) for a, b in pairs),
        *(Texture(f"{a} and {b} polka dot", "polka", COLOURS[a], COLOURS[b]) for a, b in pairs),
        *(Texture(f"{a} swirl", "swirl", COLOURS[a]) for a in PATTERN_COLOURS),
        *(Texture(f"{a} paisley", "paisley", COLOURS[a]) for a in PATTERN_COLOURS),
        *(Texture(name, "solid", COLOURS[name]) for name in COLOURS),
    ]


def _dark(plain: Texture) -> Texture:
    return Texture(f"dark {plain.name}", plain.pattern, _darker(plain.first), _darker(plain.second))


def _darker(colour: Rgb) -> Rgb:
    """Return a colour of the same hue and saturation whose value is lower, black at the least."""
    value = max(colour) / 255
    scale = max(0.0, value - DARKER) / value if value else 0.0
    red, green, blue = (round(channel * scale) for channel in colour)
    return (red, green, blue)


DEFAULT_POOL: tuple[str, ...] = tuple(found.name for found in _plain())
"""All textures but the dark ones, in the order in which defaults are taken from them."""
DRAGGED_TEXTURES, CONTAINER_TEXTURES = DEFAULT_POOL[:DRAGGED_POOL_LENGTH], DEFAULT_POOL[DRAGGED_POOL_LENGTH:]
"""The pools of a level that names none: the novel-object level."""
TEXTURES: dict[str, Texture] = {
    found.name: found
    for found in (
        *_plain(),
        Texture("grey", "solid", GREY),
        *(_dark(found) for found in _plain() if found.name not in MATERIALS),
    )
}
"""All textures by name."""
