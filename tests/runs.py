"""Small runs for tests: a short scenario cut from the shipped one, and runs in a child process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from functools import lru_cache
from pathlib import Path

import yaml

from heedful.scenarios.load import scenario_text
from heedful.trace.reader import trace_bytes

SHORT = ("T000", "T001", "T005", "T006", "T007", "T012", "T013", "T014", "T030", "T031")


def short_scenario(folder: Path, ids: tuple[str, ...] = SHORT) -> Path:
    """Write the named turns of humanoid-100-v1 as a scenario of their own; return its file."""
    data = yaml.safe_load(scenario_text("humanoid-100-v1")[0])
    data["turns"] = [turn for turn in data["turns"] if turn["id"] in ids]
    data["name"] = "short"
    path = folder / "short.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return path


def start(arguments: list[str], cwd: Path, **environment: str) -> subprocess.Popen[str]:
    """Start `heedful` in a child process."""
    return subprocess.Popen(
        [sys.executable, "-m", "heedful", *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_heed_interrupts,  # noqa: PLW1509 - no thread runs here
    )


def _heed_interrupts() -> None:
    """Undo what a shell does to background jobs: they, and all they start, ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def heedful(arguments: list[str], cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `heedful` to its end."""
    process = start(arguments, cwd, **environment)
    out, err = process.communicate(timeout=240)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def written(run: Path) -> int:
    """Return how many canonical bytes of traces a run has written, finished sessions included."""
    return sum(_size(path) for path in run.glob("sessions/*"))


def _size(session: Path) -> int:
    try:
        if (session / "trace.jsonl.zst").exists():
            return _packed_size(session)
        return (session / "trace.jsonl").stat().st_size
    except FileNotFoundError:  # being compressed at this moment
        return 0


@lru_cache(maxsize=256)
def _packed_size(session: Path) -> int:
    return len(trace_bytes(session))


def kill_after(process: subprocess.Popen[str], run: Path, size: int) -> None:
    """Kill a run, without warning, once its traces hold `size` bytes, or let it end."""
    while process.poll() is None and written(run) < size:
        time.sleep(0.001)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def descendants(root: int) -> list[int]:
    """Return the processes that a process started, and those that they started, nearest first."""
    parents = {int(path.name): _parent(path) for path in Path("/proc").iterdir() if path.name.isdigit()}
    found, new = [], {root}
    while new:
        new = {pid for pid, parent in parents.items() if parent in new}
        found += sorted(new)
    return found


def _parent(process: Path) -> int:
    try:
        return int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return 0
