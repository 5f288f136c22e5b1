"""How fast the simulated G1 runs: walking under its policy against bare physics, and its camera's pictures.

Rounds are interleaved in one process: one simulated second of the whole body (policy, pilot, state), then
the same stretch of bare `mj_step` from the same state with the motors' targets held. The bare loop is the
limit that no policy runner can pass. Each figure is simulated seconds by processor seconds of this process;
the wall clock and the machine's load stand beside it.

Pictures are of a room with one person, on whatever OpenGL there is; a software renderer takes every core, so
these figures are pictures for each second of the wall clock. Beside them stands `mujoco.Renderer` on the same
camera, told to leave out shadows and the robot as ours does; it still smooths edges.
Run: `python benchmarks/sim_speed.py [--rounds N]` (needs `heedful[sim]` and `heedful doctor --install sim`).
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from heedful.world.drawing.gl import choose_backend

choose_backend()  # before MuJoCo is imported, which makes the choice for its own renderer then

import mujoco  # noqa: E402
import numpy as np  # noqa: E402

from heedful.state.geometry import Pose  # noqa: E402
from heedful.world.mujoco_g1.assets.store import load_assets  # noqa: E402
from heedful.world.mujoco_g1.body import Posture  # noqa: E402
from heedful.world.mujoco_g1.g1_body import G1Body  # noqa: E402
from heedful.world.mujoco_g1.g1_stage import G1Stage  # noqa: E402
from heedful.world.mujoco_g1.model import TIMESTEP_S  # noqa: E402
from heedful.world.mujoco_g1.people.person import PersonPose  # noqa: E402
from heedful.world.mujoco_g1.policy import PERIOD_S  # noqa: E402
from heedful.world.mujoco_g1.sensors.depth_noise import D435Noise  # noqa: E402
from heedful.world.mujoco_g1.sensors.depth_proximity import DepthProximity  # noqa: E402
from heedful.world.mujoco_g1.sensors.head_camera import CAMERA, ROBOT_GROUPS, HeadCamera  # noqa: E402
from heedful.world.mujoco_g1.tasks import WalkWithVelocity  # noqa: E402

TARGET_TIMES_REAL = 30.0
ROUND_S = 1.0
PICTURES_TARGET = {"rgb 424x240": 60.0, "depth 424x240": 120.0, "rgbd 424x240": 40.0}
"""Pictures a second that each should reach."""
PICTURES = 10
"""Pictures of each kind in a round."""
PERSON = PersonPose(1.5, 0.0, math.pi)
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


def measure_pictures(rounds: int) -> dict[str, list[float]]:
    """Return pictures a second by the wall clock, for each kind, round by round."""
    stage = G1Stage(load_assets(), people=1)
    stage.body.advance(1.0)
    stage.show([PERSON])
    data, rng = stage.data, np.random.default_rng(0)
    rates: dict[str, list[float]] = {}
    with (
        HeadCamera(stage.model) as small,
        HeadCamera(stage.model, 640, 480) as large,
        mujoco.Renderer(stage.model, 240, 424) as plain,
        mujoco.Renderer(stage.model, 240, 424) as plain_depth,
    ):
        plain_depth.enable_depth_rendering()
        option = mujoco.MjvOption()
        option.geomgroup[list(ROBOT_GROUPS)] = 0
        plain.scene.flags[
            [mujoco.mjtRndFlag.mjRND_SHADOW.value, mujoco.mjtRndFlag.mjRND_REFLECTION.value]
        ] = 0
        noise = D435Noise()
        proximity = DepthProximity(stage.model, stage.body.robot, small, noise)
        true = small.depth(data)
        takes: dict[str, Callable[[], object]] = {
            "rgb 424x240": lambda: small.rgb(data),
            "depth 424x240": lambda: small.depth(data),
            "rgbd 424x240": lambda: small.rgbd(data),
            "rgb 640x480": lambda: large.rgb(data),
            "rgbd 640x480": lambda: large.rgbd(data),
            "noise 424x240": lambda: noise.apply(true, small.focal_px, rng),
            "proximity look": lambda: proximity.look(data, rng),
            "bare Renderer rgb 424x240": lambda: draw(plain, data, option),
            "bare Renderer depth 424x240": lambda: draw(plain_depth, data, option),
        }
        for _ in range(rounds):
            for name, take in takes.items():
                rates.setdefault(name, []).append(rate_of(take))
    return rates


def draw(renderer: Any, data: Any, option: Any) -> object:
    renderer.update_scene(data, CAMERA, option)
    return renderer.render()


def rate_of(take: Callable[[], object]) -> float:
    start = time.perf_counter()
    for _ in range(PICTURES):
        take()
    return PICTURES / (time.perf_counter() - start)


def print_pictures(rates: dict[str, list[float]]) -> None:
    print(f"pictures a second ({os.environ['MUJOCO_GL']}), load {os.getloadavg()[0]:.1f}")
    for name, found in rates.items():
        middle = statistics.median(found)
        target = PICTURES_TARGET.get(name)
        verdict = (
            "" if target is None else f"; target {target:g}: {'met' if middle >= target else 'NOT met now'}"
        )
        print(
            f"{name:>28}: {middle:6.1f} ({1000 / middle:.1f} ms; "
            f"best {max(found):.1f}, worst {min(found):.1f}){verdict}"
        )


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
    print_pictures(measure_pictures(rounds))


if __name__ == "__main__":
    main()
