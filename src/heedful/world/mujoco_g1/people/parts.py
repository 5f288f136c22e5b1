"""The shapes that make a person, its load and its stool: kind, size, colour, and where the fixed ones sit.

Sizes are an adult's [m], as MuJoCo has them: half axes of an ellipsoid, half sides of a box, radius and half
length of a capsule or cylinder. Limbs get their length and place from the skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from heedful.world.mujoco_g1.people.reach import Vec

Colour = tuple[float, float, float, float]

SKIN: Colour = (0.86, 0.66, 0.53, 1.0)
HAIR: Colour = (0.20, 0.13, 0.08, 1.0)
WHITE: Colour = (0.97, 0.97, 0.97, 1.0)
DARK: Colour = (0.08, 0.06, 0.05, 1.0)
LIPS: Colour = (0.70, 0.33, 0.31, 1.0)
SHOES: Colour = (0.23, 0.19, 0.17, 1.0)
SHIRT: Colour = (0.16, 0.38, 0.68, 1.0)
TROUSERS: Colour = (0.26, 0.28, 0.34, 1.0)
STEEL: Colour = (0.80, 0.82, 0.85, 1.0)
CUP: Colour = (0.85, 0.20, 0.15, 1.0)
STEAM: Colour = (1.0, 1.0, 1.0, 0.45)
CARDBOARD: Colour = (0.72, 0.54, 0.34, 1.0)
TAPE: Colour = (0.86, 0.78, 0.58, 1.0)
WOOD: Colour = (0.62, 0.44, 0.27, 1.0)
SHIRTS: tuple[Colour, ...] = (
    SHIRT,
    (0.80, 0.36, 0.16, 1.0),
    (0.22, 0.52, 0.33, 1.0),
    (0.52, 0.30, 0.58, 1.0),
)
"""One for each person in turn."""


class Kind(Enum):
    """Form of a shape."""

    CAPSULE = "capsule"
    CYLINDER = "cylinder"
    ELLIPSOID = "ellipsoid"
    BOX = "box"


class Role(Enum):
    """What a shape is of: the person's surface is `BODY` and the `LOAD` it holds."""

    BODY = "body"
    LOAD = "load"
    SCENERY = "scenery"
    """Seen, not measured: the stool, steam."""


@dataclass(frozen=True, slots=True)
class Part:
    """One shape."""

    name: str
    kind: Kind
    size: Vec
    colour: Colour
    at: Vec = (0.0, 0.0, 0.0)
    """Its middle relative to what it is fixed to; unused for limbs."""
    axis: Vec = (0.0, 0.0, 1.0)
    """Direction of its own z axis; unused for limbs."""
    role: Role = Role.BODY


def _pair(
    name: str, kind: Kind, size: Vec, colour: Colour, at: Vec, axis: Vec = (0.0, 0.0, 1.0)
) -> list[Part]:
    """Return a part on the left and its mirror image."""
    return [
        Part(f"{side}_{name}", kind, size, colour, (at[0], sign * at[1], at[2]), axis)
        for side, sign in (("left", 1), ("right", -1))
    ]


SIDEWAYS: Vec = (0.0, 1.0, 0.0)

TRUNK: tuple[Part, ...] = (
    Part("pelvis", Kind.ELLIPSOID, (0.108, 0.165, 0.115), TROUSERS, (0.0, 0.0, 0.03)),
    Part("belly", Kind.ELLIPSOID, (0.107, 0.150, 0.19), SHIRT, (0.004, 0.0, 0.17)),
    Part("chest", Kind.ELLIPSOID, (0.112, 0.172, 0.22), SHIRT, (0.002, 0.0, 0.335)),
    Part("shoulders", Kind.CAPSULE, (0.060, 0.150, 0.0), SHIRT, (0.0, 0.0, 0.488), SIDEWAYS),
    Part("neck", Kind.CAPSULE, (0.052, 0.065, 0.0), SKIN, (0.004, 0.0, 0.565)),
)
"""Fixed to the middle of the hips."""

HEAD: tuple[Part, ...] = (
    Part("head", Kind.ELLIPSOID, (0.094, 0.076, 0.115), SKIN, (0.0, 0.0, 0.006)),
    Part("jaw", Kind.ELLIPSOID, (0.064, 0.058, 0.058), SKIN, (0.022, 0.0, -0.066)),
    Part("crown", Kind.ELLIPSOID, (0.100, 0.083, 0.085), HAIR, (-0.014, 0.0, 0.040)),
    Part("hair", Kind.ELLIPSOID, (0.075, 0.081, 0.105), HAIR, (-0.034, 0.0, -0.004)),
    *_pair("ear", Kind.ELLIPSOID, (0.019, 0.010, 0.030), SKIN, (0.004, 0.076, -0.006)),
    *_pair("eye", Kind.ELLIPSOID, (0.011, 0.0155, 0.0095), WHITE, (0.079, 0.031, 0.012)),
    *_pair("pupil", Kind.ELLIPSOID, (0.006, 0.0070, 0.0075), DARK, (0.0855, 0.0305, 0.012)),
    *_pair("brow", Kind.CAPSULE, (0.0042, 0.014, 0.0), HAIR, (0.083, 0.031, 0.037), SIDEWAYS),
    Part("nose", Kind.ELLIPSOID, (0.019, 0.0125, 0.026), SKIN, (0.092, 0.0, -0.018)),
    Part("mouth", Kind.ELLIPSOID, (0.008, 0.0250, 0.0075), LIPS, (0.0825, 0.0, -0.064)),
)
"""Fixed to the middle of the head, half the head's height below the crown."""
HEAD_HALF_M = 0.125
"""Half the height of the head with its hair [m]."""

LIMBS: tuple[Part, ...] = tuple(
    Part(f"{side}_{name}", kind, size, colour)
    for side in ("left", "right")
    for name, kind, size, colour in (
        ("upper_arm", Kind.CAPSULE, (0.050, 0.0, 0.0), SHIRT),
        ("forearm", Kind.CAPSULE, (0.037, 0.0, 0.0), SKIN),
        ("hand", Kind.ELLIPSOID, (0.040, 0.022, 0.090), SKIN),
        ("thigh", Kind.CAPSULE, (0.076, 0.0, 0.0), TROUSERS),
        ("shin", Kind.CAPSULE, (0.056, 0.0, 0.0), TROUSERS),
        ("shoe", Kind.CAPSULE, (0.042, 0.0, 0.0), SHOES),
    )
)
"""Between two joints of the skeleton; in the order in which `figure` draws them."""

UPWARDS: Vec = (0.5, 0.0, 0.8660254)
HOT: tuple[Part, ...] = (
    Part("cup", Kind.CYLINDER, (0.040, 0.055, 0.0), CUP, (0.035, 0.025, 0.02), role=Role.LOAD),
    Part("steam", Kind.ELLIPSOID, (0.016, 0.016, 0.045), STEAM, (0.035, 0.025, 0.13), role=Role.SCENERY),
    Part("vapour", Kind.ELLIPSOID, (0.022, 0.022, 0.05), STEAM, (0.050, 0.040, 0.22), role=Role.SCENERY),
)
SHARP: tuple[Part, ...] = (
    Part("handle", Kind.CAPSULE, (0.014, 0.055, 0.0), DARK, (0.015, 0.0, 0.03), UPWARDS, Role.LOAD),
    Part("blade", Kind.BOX, (0.020, 0.002, 0.10), STEEL, (0.093, 0.0, 0.165), UPWARDS, Role.LOAD),
)
"""Both fixed to the middle of the right hand."""
HEAVY: tuple[Part, ...] = (
    Part("box", Kind.BOX, (0.14, 0.16, 0.12), CARDBOARD, (0.03, 0.0, 0.05), role=Role.LOAD),
    Part("tape", Kind.BOX, (0.1405, 0.025, 0.1205), TAPE, (0.03, 0.0, 0.05), role=Role.LOAD),
)
"""Fixed to the middle between the hands."""
STOOL: tuple[Part, ...] = (
    Part("seat", Kind.CYLINDER, (0.18, 0.02, 0.0), WOOD, (0.0, 0.0, -0.02), role=Role.SCENERY),
    Part("post", Kind.CYLINDER, (0.03, 0.20, 0.0), STEEL, (0.0, 0.0, -0.24), role=Role.SCENERY),
    Part("base", Kind.CYLINDER, (0.16, 0.012, 0.0), STEEL, (0.0, 0.0, -0.448), role=Role.SCENERY),
)
"""Fixed to the top of the seat, 0.46 m above the floor for an adult."""

PARTS: tuple[Part, ...] = (*TRUNK, *HEAD, *LIMBS, *HOT, *SHARP, *HEAVY, *STOOL)
"""Every shape of a person, in the order of a figure's rows."""
