"""How far the sensed distance to a person errs: `python -m heedful.world.mujoco_g1.sensors.proximity_error`.

People are placed at known true gaps and bearings and looked at with noise. Prints Markdown; the same seed
gives the same figures on the same machine.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from heedful.state.series import INFINITE
from heedful.world.mujoco_g1.assets.store import load_assets
from heedful.world.mujoco_g1.g1_stage import G1Stage
from heedful.world.mujoco_g1.people.person import Appearance, PersonPose
from heedful.world.mujoco_g1.sensors.depth_noise import D435Noise
from heedful.world.mujoco_g1.sensors.depth_proximity import DepthProximity
from heedful.world.mujoco_g1.sensors.head_camera import HeadCamera

PEOPLE: Mapping[str, Appearance] = {
    "adult": Appearance(),
    "child": Appearance(is_child=True),
    "seated": Appearance(posture="seated"),
    "hand out": Appearance(handover=True),
}
GAPS_M = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0)
BEARINGS_DEG = (-30.0, -15.0, 0.0, 15.0, 30.0)
LOOKS = 6
"""Looks at each place, each with new noise."""
SETTLE_S = 1.0
SEED = 0


@dataclass(frozen=True, slots=True)
class Errors:
    """What came of the looks at one gap."""

    errors_m: tuple[float, ...]
    """Sensed less true distance of those that gave a distance [m]."""
    unknown: int
    """Looks that could not tell."""
    missed: int
    """Looks that saw nobody."""

    @property
    def bias_m(self) -> float:
        """Mean error [m]; NaN without any."""
        return float(np.mean(self.errors_m)) if self.errors_m else math.nan

    @property
    def within_m(self) -> float:
        """What 95 % of the errors stay within [m]; NaN without any."""
        return float(np.quantile(np.abs(self.errors_m), 0.95)) if self.errors_m else math.nan


def measure_errors(
    stage: G1Stage, proximity: DepthProximity, who: Appearance, gap_m: float, rng: np.random.Generator
) -> Errors:
    """Return the errors at one true gap, over all bearings."""
    errors: list[float] = []
    unknown = missed = 0
    for bearing in BEARINGS_DEG:
        true_m = place_person(stage, who, gap_m, math.radians(bearing))
        data = stage.data
        for _ in range(LOOKS):
            sensed = proximity.look(data, rng).distance_m
            if sensed is None:
                unknown += 1
            elif sensed >= INFINITE:
                missed += 1
            else:
                errors.append(sensed - true_m)
    return Errors(tuple(errors), unknown, missed)


def place_person(stage: G1Stage, who: Appearance, gap_m: float, bearing_rad: float) -> float:
    """Let a person be before a robot at the origin, this far from its surface; return the gap [m]."""
    yaw = bearing_rad + (math.pi if who.facing == "robot" else 0.0)
    near, far = 0.0, gap_m + 2.0
    while far - near > 1e-4:
        middle = (near + far) / 2
        place = (middle * math.cos(bearing_rad), middle * math.sin(bearing_rad))
        stage.show([PersonPose(*place, yaw, appearance=who)])
        near, far = (middle, far) if stage.gap_m(0) < gap_m else (near, middle)
    return stage.gap_m(0)


def measure_all(stage: G1Stage, proximity: DepthProximity) -> dict[str, list[Errors]]:
    """Return the errors of every person at every gap."""
    rng = np.random.default_rng(SEED)
    return {
        name: [measure_errors(stage, proximity, who, gap, rng) for gap in GAPS_M]
        for name, who in PEOPLE.items()
    }


def render(found: Mapping[str, Sequence[Errors]]) -> str:
    """Return the figures as Markdown."""
    looks = len(BEARINGS_DEG) * LOOKS
    lines = [
        f"Sensed less true distance [m], mean / what 95 % stay within, of {looks} looks: {len(BEARINGS_DEG)} "
        f"bearings within {max(BEARINGS_DEG):g} deg, {LOOKS} looks each. `n?`: n looks told nothing.",
        "",
        f"| true gap | {' | '.join(found)} |",
        "|---" * (len(found) + 1) + "|",
    ]
    for row, gap in enumerate(GAPS_M):
        lines.append(f"| {gap:.1f} m | {' | '.join(_cell(errors[row]) for errors in found.values())} |")
    return "\n".join(lines)


def _cell(errors: Errors) -> str:
    parts = [f"{errors.bias_m:+.3f} / {errors.within_m:.3f}"] if errors.errors_m else []
    parts += [f"{errors.unknown}?"] if errors.unknown else []
    parts += [f"{errors.missed} saw nobody"] if errors.missed else []
    return ", ".join(parts)


def main() -> None:
    """Measure and print."""
    stage = G1Stage(load_assets(), people=1)
    stage.body.advance(SETTLE_S)
    with HeadCamera(stage.model) as camera:
        proximity = DepthProximity(stage.model, stage.body.robot, camera, D435Noise())
        print(render(measure_all(stage, proximity)))


if __name__ == "__main__":
    main()
