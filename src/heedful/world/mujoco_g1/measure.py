"""Measure the simulated G1: speeds, stopping, sitting. Run: `python -m heedful.world.mujoco_g1.measure`.

Prints Markdown; `--write FILE` puts it between the markers of a guide, `--table FILE` writes the speed table.
Simulated time only: the figures do not depend on how busy the machine is.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
import yaml

from heedful.errors import InputError
from heedful.state.geometry import Pose, distance
from heedful.world.mujoco_g1.assets.store import load_assets
from heedful.world.mujoco_g1.body import STEP_S, Posture, run_task
from heedful.world.mujoco_g1.disturbed import (
    COMMANDS,
    PUSH_N,
    SEEDS,
    SQUAT_SIDES,
    scaled_noise,
    stands_push_in_squat,
    walk_disturbed,
)
from heedful.world.mujoco_g1.g1_body import G1Body
from heedful.world.mujoco_g1.tasks import SitDown, StandUp, TaskEnd, WalkWithVelocity
from heedful.world.mujoco_g1.velocity import Velocity

DIRECTIONS = {
    "forward": (1.0, 0.0, 0.0),
    "backward": (-1.0, 0.0, 0.0),
    "sideways": (0.0, 1.0, 0.0),
    "turn": (0.0, 0.0, 1.0),
}
COMMANDED = (0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0)
STOP_SPEEDS_M_S = (0.3, 0.6, 1.0)
STOP_PHASES = 8
"""A stop is measured from as many instants spread over one gait."""
GAIT_S = 1.0
SETTLE_S, MEASURED_S, WATCHED_S = 2.0, 6.0, 3.0
STANDSTILL_M_S = 0.1
NOISE_FACTORS = (0.0, 1.0, 2.0)
MORE_SEEDS = range(101, 113)
"""Seeds of the further walks."""
SQUAT_PUSHES_N = (20.0, 40.0, 60.0)
WINDOW_S = 0.5
"""The window in which the specs ask for a reaction [s]."""
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop from a walk."""

    commanded_m_s: float
    time_s: float
    """From the command until the pelvis stays slower than 0.1 m/s [s]."""
    way_m: float
    """From the command until 3 s later [m]."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Sitting down out of a walk and standing up again."""

    commanded_m_s: float
    sit_s: float
    stand_s: float
    seated: bool
    stood: bool


def measure_speed(body: G1Body, command: Velocity) -> float:
    """Return the mean speed along the command over 6 s, after 2 s [m/s, or rad/s for turns]."""
    _start(body)
    body.begin(WalkWithVelocity(command.v_x, command.v_y, command.w_z, SETTLE_S + MEASURED_S + 1.0))
    body.advance(SETTLE_S)
    begin, turned = body.state.pose, 0.0
    for _ in range(round(MEASURED_S / STEP_S)):
        before = body.state.pose.yaw
        body.advance(STEP_S)
        turned += math.remainder(body.state.pose.yaw - before, math.tau)
    if command.w_z:
        return abs(turned) / MEASURED_S
    return distance(begin.point, body.state.pose.point) / MEASURED_S


def measure_stop(body: G1Body, speed_m_s: float, phase_s: float) -> Stop:
    """Return one stop, commanded `phase_s` into a gait after settling."""
    _walk(body, speed_m_s, phase_s)
    body.stop()
    begin, last_fast_s = body.state.pose, 0.0
    for step in range(1, round(WATCHED_S / STEP_S) + 1):
        body.advance(STEP_S)
        if body.state.velocity.speed_m_s >= STANDSTILL_M_S:
            last_fast_s = step * STEP_S
    return Stop(speed_m_s, last_fast_s, distance(begin.point, body.state.pose.point))


def measure_stops(body: G1Body, speed_m_s: float) -> list[Stop]:
    """Return stops from instants spread over one gait."""
    return [measure_stop(body, speed_m_s, GAIT_S * k / STOP_PHASES) for k in range(STOP_PHASES)]


def measure_sitting(body: G1Body, speed_m_s: float) -> Sitting:
    """Return how long it takes to sit down out of a walk, and to stand up from there."""
    _walk(body, speed_m_s, 0.0)
    sat = run_task(body, SitDown(), limit_s=12.0)
    seated = body.state.posture is Posture.SEATED
    body.advance(2.0)
    stood = run_task(body, StandUp(), limit_s=12.0)
    body.advance(2.0)
    return Sitting(
        speed_m_s,
        sat.duration_s,
        stood.duration_s,
        seated and sat.end is TaskEnd.DONE,
        stood.end is TaskEnd.DONE and body.state.posture is Posture.STANDING,
    )


def measure_table(body: G1Body) -> dict[str, list[list[float]]]:
    """Return pairs (commanded, achieved) by direction."""
    return {
        direction: [[c, round(measure_speed(body, _along(unit, c)), 3)] for c in COMMANDED]
        for direction, unit in DIRECTIONS.items()
    }


def measure_falls(body: G1Body, noise_factor: float, seeds: Iterable[int] = SEEDS) -> list[str]:
    """Return the pushed walks, each command under each seed, that ended in a fall."""
    fallen = []
    for seed in seeds:
        body.set_noise(scaled_noise(noise_factor), np.random.default_rng(seed))
        for name, command in COMMANDS.items():
            if walk_disturbed(body, command, seed).posture is Posture.FALLEN:
                fallen.append(f"{name} {seed}")
    body.set_noise(None)
    return fallen


def render_disturbed(body: G1Body) -> str:
    """Measure falls under pushes and noise; return them as Markdown."""
    walks = len(COMMANDS) * len(SEEDS)
    lines = [
        f"| noise | falls in {walks} walks with pushes of {PUSH_N:.0f} N | which (command, seed) |",
        "|---|---|---|",
    ]
    for factor in NOISE_FACTORS:
        fallen = measure_falls(body, factor)
        lines.append(f"| x {factor:g} | {len(fallen)} | {', '.join(fallen) or '-'} |")
    fallen = measure_falls(body, 1.0, MORE_SEEDS)
    further = len(COMMANDS) * len(MORE_SEEDS)
    lines.append(f"| x 1, {further} further walks | {len(fallen)} | {', '.join(fallen) or '-'} |")
    lines += ["", "| push in a squat | thrown when pushed |", "|---|---|"]
    for force in SQUAT_PUSHES_N:
        thrown = [side for side, way in SQUAT_SIDES.items() if not stands_push_in_squat(body, way, force)]
        lines.append(f"| {force:.0f} N for 0.2 s | {', '.join(thrown) or '-'} |")
    return "\n".join(lines)


def render(table: dict[str, list[list[float]]], stops: Iterable[list[Stop]], sat: Iterable[Sitting]) -> str:
    """Return the figures as Markdown."""
    lines = [f"MuJoCo {mujoco.__version__}, policy `fastsac_g1_29dof`, no noise, simulated time.", ""]
    lines += ["| commanded | forward | backward | sideways | turn |", "|---|---|---|---|---|"]
    for row, commanded in enumerate(COMMANDED):
        reached = " | ".join(f"{table[name][row][1]:.2f}" for name in DIRECTIONS)
        lines.append(f"| {commanded:.2f} | {reached} |")
    lines += ["", "m/s; the turn in rad/s.", ""]
    lines += [
        f"| stop from a commanded | time to standstill, mean (worst) of {STOP_PHASES} | way, mean (worst) | "
        f"within {1000 * WINDOW_S:.0f} ms |",
        "|---|---|---|---|",
        *map(_stop_row, stops),
        "",
        "| sit down out of a walk at | seated after | standing again after |",
        "|---|---|---|",
    ]
    lines += [f"| {s.commanded_m_s:.1f} m/s | {s.sit_s:.2f} s | {s.stand_s:.2f} s |" for s in sat]
    return "\n".join(lines)


def write_between_markers(guide: Path, text: str) -> None:
    """Put `text` between the markers of a guide.

    Raises:
        InputError: If the guide has no markers.
    """
    old = guide.read_text(encoding="utf-8")
    if BEGIN not in old or END not in old:
        raise InputError(f"{guide} has no markers {BEGIN} and {END}.")
    pattern = re.compile(re.escape(BEGIN) + ".*?" + re.escape(END), re.DOTALL)
    guide.write_text(pattern.sub(lambda _: f"{BEGIN}\n\n{text}\n\n{END}", old), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure the simulated G1.")
    parser.add_argument("--write", type=Path, help="guide whose measured part is replaced")
    parser.add_argument("--table", type=Path, help="where to write the speed table (YAML)")
    asked = parser.parse_args(arguments)
    body = G1Body(load_assets())
    table = measure_table(body)
    stops = [measure_stops(body, speed) for speed in STOP_SPEEDS_M_S]
    sat = [measure_sitting(body, speed) for speed in (0.0, *STOP_SPEEDS_M_S)]
    text = f"{render(table, stops, sat)}\n\n{render_disturbed(body)}"
    print(text)
    if asked.write:
        write_between_markers(asked.write, text)
    if asked.table:
        _write_table(asked.table, table)


def _start(body: G1Body) -> None:
    body.place(Pose(0.0, 0.0), Posture.STANDING)
    body.advance(1.0)


def _walk(body: G1Body, speed_m_s: float, phase_s: float) -> None:
    _start(body)
    body.begin(WalkWithVelocity(speed_m_s, 0.0, 0.0, 60.0))
    body.advance(SETTLE_S + phase_s)


def _along(unit: tuple[float, float, float], size: float) -> Velocity:
    return Velocity(unit[0] * size, unit[1] * size, unit[2] * size)


def _stop_row(stops: list[Stop]) -> str:
    times, ways = [stop.time_s for stop in stops], [stop.way_m for stop in stops]
    within = sum(time <= WINDOW_S for time in times)
    return (
        f"| {stops[0].commanded_m_s:.1f} m/s | {sum(times) / len(times):.2f} ({max(times):.2f}) s | "
        f"{sum(ways) / len(ways):.2f} ({max(ways):.2f}) m | {within} of {len(times)} |"
    )


def _write_table(path: Path, table: dict[str, list[list[float]]]) -> None:
    head = (
        "# Pairs (commanded, achieved) [m/s; rad/s for turns], written by heedful.world.mujoco_g1.measure.\n"
    )
    body = yaml.safe_dump(
        {"policy": "fastsac_g1_29dof", "mujoco": mujoco.__version__, "achieved": table},
        sort_keys=False,
        default_flow_style=None,
    )
    path.write_text(head + body, encoding="utf-8")


if __name__ == "__main__":
    main()
