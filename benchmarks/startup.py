"""What starting heedful costs beside a bare interpreter, and how much the default install takes.

Run: `python benchmarks/startup.py`. Wall time of whole processes, the fastest of nine, interleaved.
"""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement

COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "import heedful": [sys.executable, "-c", "import heedful"],
    "heedful --help": [sys.executable, "-m", "heedful", "--help"],
}
TARGETS_S = {"import heedful": 0.3, "heedful --help": 0.5}
TARGET_MB = 250
ROUNDS = 9


def run_time(command: list[str]) -> float:
    """Return the wall time of one process [s]."""
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def installed(name: str, seen: dict[str, float]) -> None:
    """Add the size of a distribution and of everything it requires to `seen` [MB]."""
    try:
        found = distribution(name)
    except PackageNotFoundError:
        return
    if name in seen:
        return
    paths = [file.locate() for file in found.files or ()]
    seen[name] = sum(path.stat().st_size for path in paths if path.is_file()) / 1e6
    for text in found.requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
            installed(requirement.name.lower().replace("_", "-"), seen)


def main() -> None:
    """Measure and print."""
    best = dict.fromkeys(COMMANDS, float("inf"))
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            best[name] = min(best[name], run_time(command))
    bare = best["python -c pass"]
    for name, seconds in best.items():
        target = f" (target < {TARGETS_S[name]} s)" if name in TARGETS_S else ""
        print(f"{name:16} {seconds:.3f} s, {seconds / bare:.1f}x a bare interpreter{target}")
    seen: dict[str, float] = {}
    installed("heedful", seen)
    largest = ", ".join(f"{n} {mb:.0f}" for n, mb in sorted(seen.items(), key=lambda kv: -kv[1])[:4])
    total = sum(seen.values())
    print(f"default install: {len(seen)} packages, {total:.0f} MB (target < {TARGET_MB}); {largest}")
    print(f"torch or pandas among them: {sorted({'torch', 'pandas'} & set(seen)) or 'no'}")


if __name__ == "__main__":
    main()
