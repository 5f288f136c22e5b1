"""The stage without MuJoCo: the kinematic body, and people as upright cylinders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from heedful.state.geometry import distance, rounded
from heedful.world.mujoco_g1.kinematic_body import KinematicBody
from heedful.world.mujoco_g1.people.person import PersonPose
from heedful.world.mujoco_g1.stage import check_capacity, check_shown

ROBOT_RADIUS_M, PERSON_RADIUS_M, CHILD_RADIUS_M = 0.25, 0.25, 0.17
"""Half the width across the shoulders and arms [m]; whatever the posture and whatever is carried."""


class KinematicStage:
    """A robot that moves as told among cylinders."""

    def __init__(self, people: int = 1, body: KinematicBody | None = None) -> None:
        """Open an empty stage.

        Args:
            people: How many people can be shown at once.
            body: The robot; a new one by default.
        """
        self._body = body or KinematicBody()
        self._capacity = people
        self._people: tuple[PersonPose, ...] = ()

    @property
    def body(self) -> KinematicBody:
        """The robot."""
        return self._body

    @property
    def facts(self) -> Mapping[str, str]:
        """The body's facts and the declared radii."""
        radii = f"robot {ROBOT_RADIUS_M:g}, adult {PERSON_RADIUS_M:g}, child {CHILD_RADIUS_M:g} m"
        return {**self._body.facts, "people": f"upright cylinders of declared radii: {radii}"}

    def show(self, people: Sequence[PersonPose]) -> None:
        """Place these people and forget all others.

        Raises:
            InputError: If there are more people than the stage was opened for.
        """
        check_capacity(len(people), self._capacity)
        self._people = tuple(people)

    def gap_m(self, person: int) -> float:
        """Return the distance between the two cylinders [m], negative where they overlap.

        Raises:
            InputError: If no such person is shown.
        """
        check_shown(person, len(self._people))
        shown = self._people[person]
        radius = CHILD_RADIUS_M if shown.appearance.is_child else PERSON_RADIUS_M
        apart = distance(self._body.state.pose.point, (shown.x, shown.y))
        return rounded(apart - ROBOT_RADIUS_M - radius)
