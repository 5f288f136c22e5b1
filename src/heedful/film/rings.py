"""The rings around the robot: how near a person may come before a rule holds, read from the spec itself."""

from __future__ import annotations

from dataclasses import dataclass

from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import INFINITE, Value
from heedful.world.mujoco_g1.kinematic_stage import ROBOT_RADIUS_M

Colour = tuple[float, float, float, float]

DISTANCE = "human.distance"
CLEAR: Colour = (0.13, 0.55, 0.52, 1.0)
NEAR: Colour = (0.93, 0.58, 0.05, 1.0)
WITHIN: Colour = (0.84, 0.12, 0.14, 1.0)
MOST_RINGS = 4


@dataclass(frozen=True, slots=True)
class Ring:
    """One threshold of the distance to a person, drawn on the floor."""

    distance_m: float
    """The threshold, body to body [m]."""
    colour: Colour
    is_crossed: bool
    """Whether the nearest person is nearer."""

    @property
    def radius_m(self) -> float:
        """Radius on the floor: the threshold, from half the robot's width on [m]."""
        return ROBOT_RADIUS_M + self.distance_m


def rings_of(spec: SafetySpec, distance_m: Value) -> tuple[Ring, ...]:
    """Return the rings of a spec from the innermost, coloured by where the nearest person is.

    Args:
        spec: Its conditions name the thresholds; none where it compares the distance with nothing.
        distance_m: True distance to the nearest person [m]; infinite or None without one.
    """
    cuts = [cut for cut in spec.cuts.get(DISTANCE) or () if 0 < cut < INFINITE][:MOST_RINGS]
    return tuple(
        Ring(cut, *_state(cut, distance_m, is_inner=k < len(cuts) - 1)) for k, cut in enumerate(cuts)
    )


def gap_colour(rings: tuple[Ring, ...]) -> Colour:
    """Return the colour of the line to the nearest person: that of the innermost ring crossed."""
    return next((ring.colour for ring in rings if ring.is_crossed), CLEAR)


def _state(cut: float, distance_m: Value, *, is_inner: bool) -> tuple[Colour, bool]:
    if not isinstance(distance_m, float) or distance_m >= cut:
        return CLEAR, False
    return (WITHIN if is_inner else NEAR), True
