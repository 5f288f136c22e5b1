"""The stage in MuJoCo: the simulated G1 among people of true shape, who touch nothing.

The physics belongs to the body. The stage looks at it through a second `MjData` of the same model, in which
it places the people and brings the robot up to date: whoever looks changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from functools import lru_cache
from typing import Any

import mujoco

from heedful.state.geometry import rounded
from heedful.world.mujoco_g1.assets.store import G1Assets
from heedful.world.mujoco_g1.g1_body import G1Body
from heedful.world.mujoco_g1.people.cast import Cast
from heedful.world.mujoco_g1.people.gap import nearest, robot_surface
from heedful.world.mujoco_g1.people.person import PersonPose
from heedful.world.mujoco_g1.scene import room_spec
from heedful.world.mujoco_g1.stage import check_capacity, check_shown

MEASURED = "distance of the robot's seen meshes (convex hulls) to the person's shapes and what it carries"


class G1Stage:
    """The simulated robot among people."""

    def __init__(self, assets: G1Assets, people: int = 1) -> None:
        """Build the room; nobody is shown yet.

        Args:
            assets: The checked files.
            people: How many people can be shown at once.
        """
        self.model = copy(_compiled_room(assets, people))
        self._body = G1Body(assets, model=self.model)
        self._view = mujoco.MjData(self.model)
        self._robot = robot_surface(self.model)
        self._cast = Cast(self.model, people)
        self._capacity = people
        self._shown = 0

    @property
    def body(self) -> G1Body:
        """The robot."""
        return self._body

    @property
    def facts(self) -> Mapping[str, str]:
        """The body's facts and what the gap is measured between."""
        return {**self._body.facts, "people": MEASURED}

    @property
    def data(self) -> Any:
        """Robot and people now, for cameras and measurements: positions only, no velocities or forces.

        It is brought up to date whenever it is asked for; the physics' own data is `body.data`.
        """
        self._follow()
        mujoco.mj_comPos(self.model, self._view)
        mujoco.mj_camlight(self.model, self._view)
        return self._view

    def show(self, people: Sequence[PersonPose]) -> None:
        """Place these people and hide all others.

        Raises:
            InputError: If there are more people than the stage was opened for.
        """
        check_capacity(len(people), self._capacity)
        self._cast.show(self._view, people)
        self._shown = len(people)

    def gap_m(self, person: int) -> float:
        """Return the nearest distance from the robot's surface to a shown person's [m].

        Raises:
            InputError: If no such person is shown.
        """
        check_shown(person, self._shown)
        self._follow()
        return rounded(nearest(self.model, self._view, self._robot, self._cast.surface(person)))

    def _follow(self) -> None:
        """Bring the places of all shapes up to date."""
        self._view.qpos[:] = self._body.data.qpos
        mujoco.mj_kinematics(self.model, self._view)


@lru_cache(maxsize=4)
def _compiled_room(assets: G1Assets, people: int) -> Any:
    """Return the room's model; every stage changes a copy of its own."""
    return room_spec(assets, people).compile()
