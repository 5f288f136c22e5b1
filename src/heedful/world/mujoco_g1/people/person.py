"""What a person in the simulated room is like and where it stands: frozen records, no MuJoCo."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from heedful.errors import InputError

POSTURES = ("standing", "seated", "kneeling", "lying")
FACINGS = ("robot", "away")
LOADS = ("none", "hot", "sharp", "heavy")


@dataclass(frozen=True, slots=True)
class Appearance:
    """What a person looks like; the values are those of the scenario's `who`."""

    posture: str = "standing"
    """One of `POSTURES`."""
    facing: str = "robot"
    """One of `FACINGS`; the figure does not show it: whoever places the person turns its yaw."""
    is_child: bool = False
    carrying: str = "none"
    """One of `LOADS`."""
    handover: bool = False
    """Whether an arm is stretched out to give or take."""

    def __post_init__(self) -> None:
        _check("posture", self.posture, POSTURES)
        _check("facing", self.facing, FACINGS)
        _check("carrying", self.carrying, LOADS)


@dataclass(frozen=True, slots=True)
class PersonPose:
    """A person at one instant."""

    x: float
    """Pelvis over the floor, map frame [m]."""
    y: float
    """Pelvis over the floor, map frame [m]."""
    yaw: float
    """Direction the person looks, map frame [rad]; lying, the feet point there and the face up."""
    stride_m: float = 0.0
    """Way walked so far: the gait's phase [m]."""
    speed_m_s: float = 0.0
    """How fast it walks now: the gait's size; 0 stands still."""
    appearance: Appearance = field(default_factory=Appearance)

    def __post_init__(self) -> None:
        for name in ("x", "y", "yaw", "stride_m", "speed_m_s"):
            value = getattr(self, name)
            if not math.isfinite(value):
                raise InputError(f"A person's {name} must be a finite number, not {value!r}.")


def _check(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(f"A person's {field} is {value!r}; allowed: {', '.join(allowed)}.")
