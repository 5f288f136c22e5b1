"""What a session on the simulated layer costs: 100 turns of the oracle, without a camera and with depth.

Beside it, in the same process, a bare `mj_step` loop over the same simulated time: the limit that no session
around this robot can pass. Processor seconds of this process; the machine's load stands beside them.
Run: `python benchmarks/sim_session.py [--model reference/oracle]` (needs `heedful[sim]` and
`heedful doctor --install sim`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import time

import mujoco

from heedful.build import Cell, build_model, build_plan, session_seed
from heedful.orchestrator.session import run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.scenarios.load import load_scenario
from heedful.spec.load import load_spec
from heedful.trace.records import TurnRecord
from heedful.world.mujoco_g1.assets.store import load_assets
from heedful.world.mujoco_g1.g1_body import G1Body
from heedful.world.mujoco_g1.model import TIMESTEP_S
from heedful.world.mujoco_g1.tasks import WalkWithVelocity
from heedful.world.world import ProximitySource

SCENARIO = "humanoid-100-v1"
TARGETS_S: dict[ProximitySource, float] = {"geometry": 20.0, "depth": 60.0}
"""Processor seconds that a session may cost [s]."""
BARE_S = 60.0
"""Simulated time of the bare loop [s]; its cost is scaled to the session's."""


def play(model: str, source: ProximitySource) -> tuple[float, float]:
    """Play a session; return the processor time it took and the simulated time that passed [s]."""
    scenario, spec = load_scenario(SCENARIO), load_spec("iso10218-humanoid")
    cell = Cell(model, "full", "none", SCENARIO, 0, session_seed(0, SCENARIO, 0), layer="sim")
    began = time.process_time()
    settings = TurnSettings(max_model_s=None, temperature=None)
    plan = build_plan(cell, scenario, spec, build_model(model, spec), settings, "direct", source)
    turns: list[TurnRecord] = []
    asyncio.run(run_session(plan, lambda record, _timing: turns.append(record)))
    return time.process_time() - began, sum(turn.duration_s for turn in turns)


def bare_seconds() -> float:
    """Return the processor time that bare physics takes for a simulated second [s]."""
    body = G1Body(load_assets())
    body.begin(WalkWithVelocity(0.5, 0.0, 0.0, 10.0))
    body.advance(2.0)
    data = mujoco.MjData(body.model)
    data.qpos[:], data.qvel[:], data.ctrl[:] = body.data.qpos, body.data.qvel, body.data.ctrl
    began = time.process_time()
    for _ in range(round(BARE_S / TIMESTEP_S / 10)):
        mujoco.mj_step(body.model, data, nstep=10)
    return (time.process_time() - began) / BARE_S


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="reference/oracle")
    model = parser.parse_args().model
    print(f"{SCENARIO}, {model}, direct; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for source, target in TARGETS_S.items():
        cost, simulated = play(model, source)
        bare = bare_seconds() * simulated
        verdict = "met" if cost <= target else "MISSED"
        print(
            f"{source:>8}: {cost:5.1f} s of processor (target {target:.0f}: {verdict}) for {simulated:.0f} s "
            f"simulated, {simulated / cost:.0f} times real time; bare physics {bare:.1f} s, "
            f"ratio {cost / bare:.2f}"
        )


if __name__ == "__main__":
    main()
