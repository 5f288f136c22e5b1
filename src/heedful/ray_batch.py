"""The sessions of a run on a Ray cluster: one task each, begun anew elsewhere when a worker is lost.

Results are merged by reading the run's folder, which every node sees; only counts travel back.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from heedful.build import Cell, build_model
from heedful.errors import HeedfulError, StorageError
from heedful.models.shared_limits import KeeperLink, SharedLimiters
from heedful.ray_cluster import Load, RayCluster, open_cluster
from heedful.run_config import Execution
from heedful.run_folder import RunFolder
from heedful.session_work import (
    Ended,
    OnEnded,
    is_scripted,
    run_scripted_cell,
    run_served_cell,
    session_runner,
)
from heedful.shared_folder import ADVICE, Mark, answer_mark, check_answer, marked
from heedful.trace.writer import Durability

SMALLEST_SHARE = 0.01
"""The least share of a core that a session of a served model is counted for."""


def run_on_ray(folder: RunFolder, cells: Sequence[Cell], execution: Execution, on_ended: OnEnded) -> None:
    """Run sessions on the cluster at RAY_ADDRESS, or on a local one that is started for them.

    Args:
        folder: The run; the caller holds its lock.
        cells: The sessions.
        execution: How to carry it out.
        on_ended: Called for each session when it ended or could not be run.

    Raises:
        InputError: If Ray, a node or the folder cannot be used; nothing runs then.
        StorageError: If a disk refuses; finished turns are kept.
    """
    if not cells:
        return
    with marked(folder) as mark, open_cluster() as cluster:
        _check_nodes(cluster, mark, tuple(dict.fromkeys(cell.model for cell in cells)))
        scripted = [cell for cell in cells if is_scripted(cell)]
        if scripted:
            _run(cluster, partial(work_scripted, mark, execution.durability), scripted, Load(), on_ended)
        served = [cell for cell in cells if not is_scripted(cell)]
        if served:
            work = partial(work_served, mark, execution.durability, cluster.start_keeper())
            _run(cluster, work, served, _served_load(cluster, execution), on_ended)


def work_scripted(mark: Mark, durability: Durability, cell: Cell) -> Ended:
    """Run one session of a scripted model in a worker process."""
    return _work(mark, lambda count: run_scripted_cell(session_runner(mark.folder, durability), cell, count))


def work_served(mark: Mark, durability: Durability, keeper: KeeperLink, cell: Cell) -> Ended:
    """Run one session of a served model in a worker process, within limits kept in another."""
    limiters = SharedLimiters(keeper, cell.session)
    return _work(
        mark, lambda count: run_served_cell(session_runner(mark.folder, durability), cell, limiters, count)
    )


def _work(mark: Mark, run: Callable[[Callable[[int], None]], None]) -> Ended:
    if not _join(mark):
        return Ended(0, f"A node that joined the cluster does not see {mark.folder}. {ADVICE}", ends_run=True)
    counted: list[int] = []
    try:
        run(counted.append)
    except StorageError as error:
        return Ended(sum(counted), str(error), ends_run=True)
    except HeedfulError as error:
        return Ended(sum(counted), str(error))
    return Ended(sum(counted))


@lru_cache(maxsize=4)
def _join(mark: Mark) -> bool:
    """Make this process ready for a run; return whether it sees it: nodes may join after the first check."""
    gc.freeze()
    return mark.is_seen()


def _check_nodes(cluster: RayCluster, mark: Mark, models: tuple[str, ...]) -> None:
    for node, problem in cluster.ask_nodes(partial(_answer, mark, models)).items():
        check_answer(mark, node, problem)


def _answer(mark: Mark, models: tuple[str, ...], node: str) -> str:
    problem = answer_mark(mark, node)
    if problem:
        return problem
    try:
        spec = session_runner(mark.folder, "turn").spec
        for name in models:
            build_model(name, spec)
    except HeedfulError as error:
        return f"cannot run the models: {error}"
    return ""


def _served_load(cluster: RayCluster, execution: Execution) -> Load:
    most = max(1, execution.concurrency)
    return Load(max(SMALLEST_SHARE, min(1.0, cluster.cpus / most)), most)


def _run(
    cluster: RayCluster, work: Callable[[Cell], Ended], cells: Sequence[Cell], load: Load, on_ended: OnEnded
) -> None:
    for landed in cluster.run_each(work, cells, load):
        ended = landed.result or Ended(problem=landed.loss)
        if ended.ends_run:
            raise StorageError(ended.problem)
        on_ended(landed.item, ended)
