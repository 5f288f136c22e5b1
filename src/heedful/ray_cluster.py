"""A Ray cluster as heedful uses it: functions run on it, nodes asked one by one, one keeper of limits.

The only module that imports Ray (the extra `heedful[ray]`). RAY_ADDRESS names a running cluster;
without it a local one is started, with this machine's cores. Ray's ports cannot be bound to loopback
everywhere, so a local cluster takes orders only from those who know its random token.
"""

from __future__ import annotations

import logging
import os
import secrets
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from heedful.errors import InputError
from heedful.models.shared_limits import LimitKeeper

Item = TypeVar("Item")
Result = TypeVar("Result")

INSTALL = "--workers ray needs Ray: pip install 'heedful[ray]'."
IN_FLIGHT_PER_CPU = 4
"""Tasks handed to the cluster ahead of their turn, so that no worker waits for the next one."""
MAX_LOSSES = 20
"""How often a task is begun anew because its worker or node was lost."""
OBJECT_STORE_BYTES = 80 * 1024 * 1024
NODE_ANSWER_S = 120.0
"""How long a node may take to answer: its first worker has to import heedful [s]."""


@dataclass(frozen=True, slots=True)
class Landed(Generic[Item, Result]):
    """What became of one item: a result, or why its worker was lost for good."""

    item: Item
    result: Result | None
    loss: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """How much of a cluster some work takes."""

    cpus_each: float = 1.0
    most: int | None = None
    """How many are in flight at most; None is as many as keep all cores busy."""


class KeeperActor:
    """The link to a `LimitKeeper` that lives in an actor; goes along with tasks."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    async def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the keeper and return its result."""
        return await getattr(self._actor, method).remote(*arguments)

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method of the keeper and wait for nothing."""
        getattr(self._actor, method).remote(*arguments)


class RayCluster:
    """A cluster that is connected."""

    def __init__(self, ray: Any) -> None:
        self._ray = ray

    @property
    def cpus(self) -> float:
        """Cores of all nodes that are there now."""
        return float(self._ray.cluster_resources().get("CPU", 0.0))

    def ask_nodes(self, question: Callable[[str], str]) -> dict[str, str]:
        """Return what `question`, given the node's name, returns on every node that has cores.

        Raises:
            InputError: If a node cannot run it.
        """
        affinity = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy
        asked = {}
        for node in self._nodes():
            place = affinity(node["NodeID"], soft=False)
            task = self._ray.remote(apply_work).options(num_cpus=0, scheduling_strategy=place)
            name = f"{node['NodeManagerHostname']}-{node['NodeID'][:8]}"
            asked[name] = task.remote(question, name)
        return {name: self._answer(name, reference) for name, reference in asked.items()}

    def start_keeper(self) -> KeeperActor:
        """Start the one that keeps the limits of providers, on this node where possible."""
        ray = self._ray
        here = ray.get_runtime_context().get_node_id()
        place = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(here, soft=True)
        options = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1, "max_concurrency": 10_000}
        return KeeperActor(ray.remote(LimitKeeper).options(**options, scheduling_strategy=place).remote())

    def run_each(
        self, work: Callable[[Item], Result], items: Iterable[Item], load: Load
    ) -> Iterator[Landed[Item, Result]]:
        """Yield what became of each item, in the order of their ends.

        Args:
            work: What workers run; begun anew elsewhere when its worker is lost.
            items: What it is given; must be small.
            load: How many run at a time.
        """
        ray = self._ray
        options = {"num_cpus": load.cpus_each, "max_retries": MAX_LOSSES, "scheduling_strategy": "SPREAD"}
        task = ray.remote(apply_work).options(**options)
        waiting = deque(items)
        flying: dict[Any, Item] = {}
        while waiting or flying:
            room = (load.most or max(1, int(IN_FLIGHT_PER_CPU * self.cpus))) - len(flying)
            for _ in range(min(room, len(waiting))):
                item = waiting.popleft()
                flying[task.remote(work, item)] = item
            ended, _ = ray.wait(list(flying), num_returns=1)
            for reference in ended:
                yield self._landed(reference, flying.pop(reference))

    def _landed(self, reference: Any, item: Item) -> Landed[Item, Any]:
        known = self._ray.exceptions
        losses = (
            known.WorkerCrashedError,
            known.NodeDiedError,
            known.LocalRayletDiedError,
            known.OutOfMemoryError,
        )
        try:
            return Landed(item, self._ray.get(reference))
        except losses as error:
            return Landed(item, None, f"its worker was lost again and again: {_gist(error)}")

    def _nodes(self) -> list[dict[str, Any]]:
        nodes = [node for node in self._ray.nodes() if node["Alive"] and node["Resources"].get("CPU")]
        if not nodes:
            raise InputError("The Ray cluster has no node with a core.")
        return nodes

    def _answer(self, name: str, reference: Any) -> str:
        try:
            return str(self._ray.get(reference, timeout=NODE_ANSWER_S))
        except self._ray.exceptions.RayError as error:
            raise InputError(
                f"Ray node {name} runs nothing of heedful ({_gist(error)}). "
                "Every node needs the same version of it."
            ) from error


def apply_work(work: Callable[[Item], Result], item: Item) -> Result:
    """Return what `work` makes of `item`, in a worker process: Ray takes plain functions only."""
    return work(item)


@contextmanager
def open_cluster() -> Iterator[RayCluster]:
    """Connect to the cluster at RAY_ADDRESS, or start one here, and leave or end it afterwards.

    Leaving ends what is in flight. Nothing else may: a task that ends while it is cancelled makes Ray
    abort the whole process (ray-project/ray#54785).

    Raises:
        InputError: If Ray is not installed, in use already, or the cluster cannot be reached.
    """
    address = os.environ.get("RAY_ADDRESS", "")
    ray = _import_ray(address)
    if ray.is_initialized():
        raise InputError("This process is connected to Ray already. Set RAY_ADDRESS instead.")
    with redirect_stdout(sys.stderr):  # Ray prints on stdout what workers died of
        _connect(ray, address)
        try:
            yield RayCluster(ray)
        finally:
            ray.shutdown()


def _import_ray(address: str) -> Any:
    if "ray" not in sys.modules:
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        if not address:
            _guard_local_cluster()
    try:
        import ray  # noqa: PLC0415 - an extra that takes a second
        import ray.util.scheduling_strategies  # noqa: PLC0415
    except ImportError as error:
        raise InputError(INSTALL) from error
    return ray


def _guard_local_cluster() -> None:
    os.environ.setdefault("RAY_AUTH_MODE", "token")
    if "RAY_AUTH_TOKEN_PATH" not in os.environ:
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _connect(ray: Any, address: str) -> None:
    quiet = {"log_to_driver": False, "logging_level": logging.ERROR}
    local = {"address": "local", "num_cpus": os.cpu_count(), "include_dashboard": False}
    local["object_store_memory"] = OBJECT_STORE_BYTES
    try:
        ray.init(**quiet, **({"address": address} if address else local))
    except (OSError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        where = f"The Ray cluster at {address} cannot be reached" if address else "Ray cannot be started here"
        raise InputError(f"{where}: {_gist(error)} Check RAY_ADDRESS.") from error


def _gist(error: BaseException) -> str:
    cause = getattr(error, "cause", None) or error
    return next(iter(str(cause).strip().splitlines()), type(cause).__name__)
