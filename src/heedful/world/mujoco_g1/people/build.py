"""How long and thick a person is: an adult and a child of about six, by our own round figures.

Frame of a person: origin on the floor under the pelvis, x ahead, y to the left, z up.
"""

from __future__ import annotations

from dataclasses import dataclass

from heedful.world.mujoco_g1.people.person import Appearance


@dataclass(frozen=True, slots=True)
class Build:
    """Lengths of one body, standing [m]; thicknesses are the adult's times `girth`."""

    height: float
    """Of the crown above the floor."""
    shoulder: float
    """Of the shoulder joints above the floor; likewise the next three."""
    hip: float
    knee: float
    ankle: float
    shoulder_half: float
    """From the middle to a shoulder joint."""
    hip_half: float
    upper_arm: float
    forearm: float
    """Elbow to wrist."""
    stride: float
    """Way of two steps."""
    girth: float
    """Thickness relative to the adult's."""
    head: float
    """Size of the head relative to the adult's."""

    @property
    def thigh(self) -> float:
        """Hip to knee [m]."""
        return self.hip - self.knee

    @property
    def shin(self) -> float:
        """Knee to ankle [m]."""
        return self.knee - self.ankle

    @property
    def arm(self) -> float:
        """Shoulder to wrist [m]."""
        return self.upper_arm + self.forearm

    @property
    def trunk(self) -> float:
        """Hips to shoulders [m]."""
        return self.shoulder - self.hip


ADULT = Build(
    height=1.75,
    shoulder=1.42,
    hip=0.92,
    knee=0.49,
    ankle=0.085,
    shoulder_half=0.19,
    hip_half=0.095,
    upper_arm=0.29,
    forearm=0.25,
    stride=1.1,
    girth=1.0,
    head=1.0,
)
CHILD = Build(
    height=1.20,
    shoulder=0.925,
    hip=0.60,
    knee=0.32,
    ankle=0.06,
    shoulder_half=0.13,
    hip_half=0.065,
    upper_arm=0.19,
    forearm=0.165,
    stride=0.7,
    girth=0.68,
    head=0.86,
)


def build_of(appearance: Appearance) -> Build:
    """Return the build that an appearance has."""
    return CHILD if appearance.is_child else ADULT
