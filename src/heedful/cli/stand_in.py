"""What a user is told when the simulated layer has only its kinematic stand-in here."""

from __future__ import annotations

import sys

from heedful.world.mujoco_g1.fallback import missing_parts


def tell_stand_in() -> None:
    """Say what this machine lacks for the simulated G1, since figures of the stand-in mean less."""
    for part in missing_parts():
        print(f"heedful: layer sim runs a kinematic stand-in; missing is {part}", file=sys.stderr)
