"""How fast the simulated G1 runs on one core: walking under its policy, no camera, against bare physics.

Rounds are interleaved in one process: one simulated second of the whole body (policy, pilot, state), then
the same stretch of bare `mj_step` from the same state with the motors' targets held. The bare loop is the
limit that no policy runner can pass. Each figure is simulated seconds by processor seconds of this process;
the wall clock and the machine's load stand beside it. Run: `python benchmarks/sim_speed.py [--rounds N]`
(needs `heedful[sim]` and `heedful doctor --install sim`).
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import mujoco

from heedful.state.geometry import Pose
from heedful.world.mujoco_g1.assets.store import load_assets
from heedful.world.mujoco_g1.body import Posture
from heedful.world.mujoco_g1.g1_body import G1Body
from heedful.world.mujoco_g1.model import TIMESTEP_S
from heedful.world.mujoco_g1.policy import PERIOD_S
from heedful.world.mujoco_g1.tasks import WalkWithVelocity

TARGET_TIMES_REAL = 30.0
ROUND_S = 1.0
BLOCK = round(PERIOD_S / TIMESTEP_S)


@dataclass(frozen=True, slots=True)
class Pace:
    """Simulated seconds for each second of one kind of clock."""

    processor: float
    wall: float


def pace_of(run: Callable[[], None]) -> Pace:
    wall, processor = time.perf_counter(), time.process_time()
    run()
    processor, wall = time.process_time() - processor, time.perf_counter() - wall
    return Pace(ROUND_S / processor, ROUND_S / wall)


def step_bare(model: Any, data: Any) -> None:
    for _ in range(round(ROUND_S / PERIOD_S)):
        mujoco.mj_step(model, data, nstep=BLOCK)


def measure(rounds: int) -> dict[str, list[Pace]]:
    body = G1Body(load_assets())
    bare = mujoco.MjData(body.model)
    body.place(Pose(0.0, 0.0), Posture.STANDING)
    body.begin(WalkWithVelocity(0.5, 0.0, 0.0, 10.0 + rounds * ROUND_S))
    body.advance(2.0)
    paces: dict[str, list[Pace]] = {"walking": [], "bare mj_step": []}
    for _ in range(rounds):
        mujoco.mj_copyData(bare, body.model, body.data)
        paces["walking"].append(pace_of(lambda: body.advance(ROUND_S)))
        paces["bare mj_step"].append(pace_of(lambda: step_bare(body.model, bare)))
    return paces


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    paces = measure(rounds)
    print(f"MuJoCo {mujoco.__version__}, {rounds} rounds of {ROUND_S:g} s, load {os.getloadavg()[0]:.1f}")
    for name, found in paces.items():
        processor = [pace.processor for pace in found]
        wall = statistics.median(pace.wall for pace in found)
        print(
            f"{name:>14}: {statistics.median(processor):6.1f} x real time by processor "
            f"(best {max(processor):.1f}, worst {min(processor):.1f}), {wall:.1f} x by wall clock"
        )
    ratio = statistics.median(
        walk.processor / bare.processor for walk, bare in zip(*paces.values(), strict=True)
    )
    best = statistics.median(pace.processor for pace in paces["walking"])
    verdict = "met" if best >= TARGET_TIMES_REAL else "NOT met on this machine, now"
    print(f"walking / bare: {ratio:.2f}; target {TARGET_TIMES_REAL:g} x: {verdict}")


if __name__ == "__main__":
    main()
