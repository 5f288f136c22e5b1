"""Moving along the squat's path: down, up, or holding still anywhere on it."""

from __future__ import annotations

import numpy as np

from heedful.world.mujoco_g1.body import STEP_S, Posture
from heedful.world.mujoco_g1.gesture import smooth
from heedful.world.mujoco_g1.model import Floats, Gains
from heedful.world.mujoco_g1.squat import SquatPath

CHANGE_S = 2.0
"""Time along the whole path, either way [s]."""
TAKE_OVER_S = 0.4
"""Time in which the pose at the start gives way to the path [s]."""


class SquatMotion:
    """Where the body is between standing (0) and seated (1)."""

    def __init__(self, path: SquatPath, gains: Gains, start: Floats, progress: float = 0.0) -> None:
        """Begin at a progress along the path.

        Args:
            path: The balanced poses.
            gains: The gains that the motors have on it.
            start: Motor inputs that continue what the motors do now, shape (29,) [rad].
            progress: 0 stands, 1 sits.
        """
        self._path = path
        self._gains = gains
        self._start = start
        self._taken_over = 0.0
        self.progress = progress

    @property
    def posture(self) -> Posture:
        """How the body holds itself at this progress."""
        ends = {0.0: Posture.STANDING, 1.0: Posture.SEATED}
        return ends.get(self.progress, Posture.CHANGING)

    def targets(self, goal: Posture | None) -> Floats:
        """Go one step towards a posture, or hold; return the motor inputs, shape (29,) [rad]."""
        sense = 0 if goal is None else 1 if goal is Posture.SEATED else -1
        self.progress = min(max(self.progress + sense * STEP_S / CHANGE_S, 0.0), 1.0)
        self._taken_over = min(self._taken_over + STEP_S / TAKE_OVER_S, 1.0)
        angles, torques = self._path.at(smooth(self.progress))
        share = smooth(self._taken_over)
        return np.asarray(self._start * (1 - share) + (angles + torques / self._gains.stiffness) * share)
