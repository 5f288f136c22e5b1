"""The indoor positioning system: ultrasonic beacons, centimetres of noise, samples that never arrive.

A sample that is lost leaves the one before in place, older. Losses come in runs, as when a person stands
between beacon and robot; they are a pure function of (seed, turn, sample index).
"""

from __future__ import annotations

from heedful.world.synthetic.noise import noise_key, uniform

RUN = 4
"""Samples that are lost together."""
LOST_SHARE = 0.02
"""Share of such runs that are lost: ours, for a room with a free line of sight; no maker states one."""


class Positioning:
    """Which samples of one turn arrived."""

    def __init__(self, seed: int, turn: int) -> None:
        self._key = noise_key(seed, "positioning.lost", turn)

    def newest(self, index: int) -> int:
        """Return the index of the newest sample that arrived, at or before `index`; the first always does."""
        while index > 0 and self._is_lost(index):
            index -= 1
        return index

    def _is_lost(self, index: int) -> bool:
        return index >= RUN and (uniform(self._key, index // RUN) + 1) / 2 < LOST_SHARE
