"""A Ray cluster of two nodes with one core each, in a process of its own, for tests.

    with TwoNodes() as nodes:
        ...  # nodes.environment for drivers, nodes.workers(), nodes.lose_one()

Needs Linux: processes are found under /proc.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.runs import descendants

SCRIPT = """
import sys
from ray.cluster_utils import Cluster

cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = cluster.add_node(num_cpus=1)
print(cluster.address, flush=True)
for line in sys.stdin:
    cluster.remove_node(second, allow_graceful=False)
    print("lost", flush=True)
cluster.shutdown()
"""
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "only-for-this-test" * 3}


class TwoNodes:
    """The cluster; a context manager."""

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, **QUIET},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        self.environment = {**QUIET, "RAY_ADDRESS": self._read()}
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate(timeout=60)

    def lose_one(self) -> None:
        """End a node without warning, and all that runs on it."""
        assert self._process.stdin is not None
        self._process.stdin.write("lose\n")
        self._process.stdin.flush()
        self._read()

    def workers(self) -> list[int]:
        """Return the processes that run a task of heedful at this moment."""
        return [pid for pid in descendants(self._process.pid) if _title(pid).startswith("ray::apply_work")]

    def _read(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def _title(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
