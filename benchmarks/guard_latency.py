"""What a decision of the guard costs, beside the gate pipeline of ghostloop in the same process.

Five rules of `iso10218-humanoid`, a new command each time, rounds interleaved; wall time of single
calls, timer included. Run: `python benchmarks/guard_latency.py [--calls N] [--rounds N]`. The peer is
optional: `pip install ghostloop`. Peers that need torch (robot-dam) are left out.

The peer has no gate that reads a sensor: its user sets the gates from outside. So `one gate` is its
geofence alone, and `five gates` are one for each rule as far as its own gates go: three deny lists (S1,
S3, S4), a cap that refuses where S2 would slow down, and a box around the target for S5, which neither
follows the path nor adds the stopping distance.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

from heedful.guards.guard import Command
from heedful.guards.settings import GuardSettings, Margin
from heedful.guards.spec_guard import SpecGuard
from heedful.spec.load import load_spec
from heedful.trace.records import Reading

SPEC = "iso10218-humanoid"
SENSOR_PERIOD_S = 0.01
TARGET_P50_US, TARGET_P99_US = 14.0, 100.0
MANY_CALLS = 100_000
MARGINS = {"human.distance": Margin(0.1, 1.6)}
REVIEW, OBSERVE, BOTH = "review", "observe", "observe + review"

Costs = dict[str, list[float]]
"""Seconds of each single call, by what was called."""


@dataclass
class Stream:
    """A seeded stream of sensor values and commands, and the clock they come on."""

    rng: random.Random = field(default_factory=lambda: random.Random(1))  # noqa: S311 - a test input
    now_s: float = 1.0

    def readings(self) -> dict[str, Reading]:
        """Return all sensors' next samples: the person and the robot move, rules come and go."""
        self.now_s += SENSOR_PERIOD_S
        values = {
            "camera.connected": True,
            "camera.frame_age": self.rng.uniform(0.0, 0.1),
            "camera.frozen": False,
            "human.distance": self.rng.uniform(0.3, 3.0),
            "battery.level": self.rng.uniform(60.0, 80.0),
            "robot.x": self.rng.uniform(-1.0, 1.0),
            "robot.y": self.rng.uniform(-1.0, 1.0),
            "robot.yaw": self.rng.uniform(-3.0, 3.0),
        }
        return {name: Reading(value, self.now_s) for name, value in values.items()}

    def command(self) -> Command:
        """Return a walk, now and then out of the workspace."""
        args = {
            "x": self.rng.uniform(-3.2, 3.2),
            "y": self.rng.uniform(-2.1, 2.1),
            "speed_percent": self.rng.uniform(1.0, 100.0),
        }
        return Command("walk_to", "locomotion", args, has_speed=True)


class GuardCase:
    """One way in which a guard is used; its state lives on from round to round."""

    def __init__(self, *, settings: GuardSettings | None = None, told: bool = False, warm: int = 0) -> None:
        """Build the guard; `warm` decisions are made before any is timed."""
        self._guard, self._stream = SpecGuard(load_spec(SPEC), settings), Stream()
        self._told = told
        for _ in range(warm):
            self._guard.observe(self._stream.readings(), self._stream.now_s)
            self._guard.review(self._stream.command(), self._stream.now_s)

    def evaluated(self, calls: int) -> Costs:
        """Time decisions each of which follows new samples of every sensor."""
        costs: Costs = {OBSERVE: [], REVIEW: [], BOTH: []}
        guard, stream, clock = self._guard, self._stream, time.perf_counter
        for _ in range(calls):
            readings, command = stream.readings(), stream.command()
            now_s = stream.now_s
            if self._told:
                distance = Reading(stream.rng.uniform(0.3, 3.0), now_s)
                guard.told({"human.distance": distance}, now_s)
            start = clock()
            guard.observe(readings, now_s)
            between = clock()
            guard.review(command, now_s)
            end = clock()
            costs[OBSERVE].append(between - start)
            costs[REVIEW].append(end - between)
            costs[BOTH].append(end - start)
        return costs

    def cached(self, calls: int) -> Costs:
        """Time decisions on new commands between two samples of the sensors."""
        self._guard.observe(self._stream.readings(), self._stream.now_s)
        return {REVIEW: timed(lambda c: self._guard.review(c, self._stream.now_s), self._commands(calls))}

    def _commands(self, calls: int) -> Iterator[Command]:
        return (self._stream.command() for _ in range(calls))


class PeerCase:
    """ghostloop's pipeline with some of its gates."""

    def __init__(self, gates: Sequence[Any]) -> None:
        """Build the pipeline."""
        from ghostloop.core import Intent, PolicyPipeline, Primitive  # noqa: PLC0415 - optional

        self._pipeline, self._stream = PolicyPipeline(list(gates)), Stream()
        self._primitive, self._intent = Primitive("walk_to", lambda **_: None), Intent

    def check(self, calls: int) -> Costs:
        """Time checks of new commands."""
        return {"check": timed(lambda i: self._pipeline.check(i, self._primitive), self._intents(calls))}

    def _intents(self, calls: int) -> Iterator[Any]:
        for _ in range(calls):
            args = self._stream.command().args
            yield self._intent(
                name="walk_to",
                args={"x": args["x"], "y": args["y"], "z": 0.5, "speed": args["speed_percent"]},
            )


def timed(call: Callable[[Any], object], inputs: Iterator[Any]) -> list[float]:
    """Return the wall time of each call [s]."""
    costs, clock = [], time.perf_counter
    for value in inputs:
        start = clock()
        call(value)
        costs.append(clock() - start)
    return costs


def guard_cases() -> dict[str, Callable[[int], Costs]]:
    with_margin = GuardSettings(MARGINS)
    return {
        "heedful, conditions evaluated anew": GuardCase().evaluated,
        "heedful, cached since the last samples": GuardCase().cached,
        "heedful, margin, evaluated anew": GuardCase(settings=with_margin).evaluated,
        "heedful, margin, cached": GuardCase(settings=with_margin).cached,
        "heedful, model told, evaluated anew": GuardCase(told=True).evaluated,
        f"heedful, after {MANY_CALLS} decisions, anew": GuardCase(warm=MANY_CALLS).evaluated,
        f"heedful, after {MANY_CALLS} decisions, cached": GuardCase(warm=MANY_CALLS).cached,
    }


def peer_cases() -> dict[str, Callable[[int], Costs]]:
    if find_spec("ghostloop") is None:
        print("ghostloop: not installed (pip install ghostloop)")
        return {}
    from ghostloop.policies.deny_list import DenyListGate  # noqa: PLC0415 - optional
    from ghostloop.policies.force_cap import ForceCapGate  # noqa: PLC0415 - optional
    from ghostloop.policies.geofence import GeofenceGate  # noqa: PLC0415 - optional

    box = GeofenceGate((-3.0, -2.0, 0.0), (3.0, 2.0, 2.0))
    deny = [DenyListGate({"dance"}, name=rule) for rule in ("S1", "S3", "S4")]
    five = [*deny, ForceCapGate(velocity_max=100.0), box]
    return {
        "ghostloop, one gate": PeerCase([box]).check,
        "ghostloop, five gates": PeerCase(five).check,
    }


def quantiles_us(costs: Sequence[float]) -> tuple[float, float, float]:
    """Return p50, p95 and p99 [us]."""
    ordered = sorted(costs)
    p50, p95, p99 = (ordered[int(share * len(ordered))] * 1e6 for share in (0.50, 0.95, 0.99))
    return p50, p95, p99


def measure(
    cases: Mapping[str, Callable[[int], Costs]], calls: int, rounds: int
) -> dict[tuple[str, str], list[float]]:
    """Run every case in turn, round after round; the first round warms up and is dropped."""
    found: dict[tuple[str, str], list[float]] = {}
    for k in range(rounds + 1):
        for name, case in cases.items():
            gc.collect()
            for part, costs in case(calls).items():
                found.setdefault((name, part), []).extend(costs if k else ())
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=4000, help="calls of each case in a round")
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    peers = peer_cases()
    found = measure({**guard_cases(), **peers}, options.calls, options.rounds)
    print(
        f"{options.rounds} interleaved rounds of {options.calls} calls, {SPEC}, load {os.getloadavg()[0]:.1f}"
    )
    print(f"{'':58} {'p50':>7} {'p95':>7} {'p99':>7}  [us]")
    for (name, part), costs in found.items():
        p50, p95, p99 = quantiles_us(costs)
        print(f"{name + ': ' + part:58} {p50:7.1f} {p95:7.1f} {p99:7.1f}{verdict(part, p50, p99)}")
    print_ratios(found, peers)


def verdict(part: str, p50: float, p99: float) -> str:
    if part != REVIEW:
        return ""
    is_met = p50 < TARGET_P50_US and p99 < TARGET_P99_US
    return f"  {'within' if is_met else 'ABOVE'} p50 < {TARGET_P50_US:g}, p99 < {TARGET_P99_US:g}"


def print_ratios(found: Mapping[tuple[str, str], Sequence[float]], peers: Mapping[str, object]) -> None:
    p50 = {key: quantiles_us(costs)[0] for key, costs in found.items()}
    names = list(dict.fromkeys(name for name, _ in found))
    anew, cached = names[0], names[1]
    for fresh, late in ((anew, names[5]), (cached, names[6])):
        print(f"{late}: {p50[late, REVIEW] / p50[fresh, REVIEW]:.2f}x the p50 of the first thousands")
    for peer in peers:
        for own, part in ((anew, REVIEW), (anew, BOTH), (cached, REVIEW)):
            print(f"{own}, {part}: {p50[own, part] / p50[peer, 'check']:.2f}x {peer}")


if __name__ == "__main__":
    main()
