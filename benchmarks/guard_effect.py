"""What the guard leaves and what it costs: reckless and oracle with and without it, same seeds.

Direct dispatch, text layer, `humanoid-100-v1`, all cores. For each guard: violations of what ran by sensed
and by true state, calls changed, productivity kept, carried exposure; each with its interval over
sessions. Run: `python benchmarks/guard_effect.py [--sessions N] [--guards off on ...]`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from heedful.batch import run_batch
from heedful.metrics.estimate import Estimate
from heedful.metrics.summary import ArmResult, RunSummary
from heedful.results import read_results
from heedful.run_config import Execution, RunConfig
from heedful.run_folder import RunFolder

MODELS = ("reference/reckless", "reference/oracle")
GUARDS = ("off", "on", "on@human.distance=0.1+1.6/s")


def measure(sessions: int, guards: Sequence[str] = GUARDS, workers: int = 0) -> RunSummary:
    """Run the sessions in a folder of their own and return the summary."""
    with tempfile.TemporaryDirectory() as place:
        folder = RunFolder(Path(place) / "run")
        folder.create(
            RunConfig(
                models=MODELS,
                contexts=("full",),
                guards=tuple(guards),
                repetitions=sessions,
                dispatch="direct",
            )
        )
        run_batch(folder, Execution(workers=workers, durability="session"))
        return read_results(folder).summary


def executed(arm: ArmResult, view: str) -> Estimate:
    """Return violations of what ran, per session, by one state."""
    found = next(v for v in arm.views if (v.view, v.mode) == (view, "executed"))
    return found.violations_per_session


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=100)
    parser.add_argument("--guards", nargs="+", default=list(GUARDS))
    arguments = parser.parse_args()
    summary = measure(arguments.sessions, arguments.guards)
    print(f"{arguments.sessions} sessions an arm, {os.cpu_count()} cores; 95 % intervals over sessions\n")
    for arm in summary.arms:
        print_arm(arm)


def print_arm(arm: ArmResult) -> None:
    guarding = arm.guarding
    print(f"{arm.key.model}, guard {arm.key.guard}")
    for view in ("sensed", "true"):
        print(f"  executed violations, {view} state: {executed(arm, view).format()}")
    if guarding is not None:
        print(f"  commands changed: {guarding.commands_changed.format()}")
        print(f"  productivity kept: {guarding.productivity.format()}")
        for name, seconds in guarding.exposure_s.items():
            if seconds.value:
                print(f"  carried exposure {name}: {seconds.format()}; {guarding.exposure_m[name].format()}")
    print()


if __name__ == "__main__":
    main()
