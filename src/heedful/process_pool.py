"""The sessions of a run in worker processes here; a worker that is killed costs its turn in flight.

A session whose worker is gone is begun anew by another: it goes on at the turn that was under way.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing.context import BaseContext

from heedful.build import Cell
from heedful.errors import HeedfulError, StorageError
from heedful.run_folder import RunFolder
from heedful.session_work import Ended, OnEnded, run_cell
from heedful.trace.writer import Durability

PRELOADED = ["heedful.batch", "heedful.robots.serve", "heedful.robots.mcp_client"]
MOST_LOSSES = 20
"""So often workers may be killed before a session is given up."""
LOST = f"its worker was killed {MOST_LOSSES} times in a row"


def run_in_processes(
    folder: RunFolder, cells: Sequence[Cell], workers: int, durability: Durability, on_ended: OnEnded
) -> None:
    """Run sessions of scripted models, so many at a time.

    Args:
        folder: The run; the caller holds its lock.
        cells: The sessions.
        workers: Processes.
        durability: When turns are forced to disk.
        on_ended: Called for each session when it ended or could not be run.

    Raises:
        StorageError: If a disk refuses; finished turns are kept.
        KeyboardInterrupt: On Ctrl-C, after workers stopped; finished turns are kept.
    """
    left, losses = list(cells), 0
    while left and losses < MOST_LOSSES:
        before = len(left)
        left = _run_in_pool(folder, left, workers, durability, on_ended)
        losses = losses + 1 if len(left) == before else 1
    for cell in left:
        on_ended(cell, Ended(problem=LOST))


def _run_in_pool(
    folder: RunFolder, cells: Sequence[Cell], workers: int, durability: Durability, on_ended: OnEnded
) -> list[Cell]:
    """Run sessions until they ended or a worker was killed; return those that are left."""
    with ProcessPoolExecutor(workers, mp_context=_process_context(), initializer=_begin_worker) as pool:
        try:
            futures = dict(_submit(pool, partial(run_cell, folder.path, durability=durability), cells))
            return [cell for cell, ended in _ends(futures) if not _tell(cell, ended, on_ended)]
        except BaseException:
            _end_workers(pool)
            raise


def _submit(
    pool: ProcessPoolExecutor, work: partial[int], cells: Sequence[Cell]
) -> Iterator[tuple[Future[int], Cell]]:
    for cell in cells:
        try:
            yield pool.submit(work, cell), cell
        except BrokenProcessPool as error:
            broken: Future[int] = Future()
            broken.set_exception(error)
            yield broken, cell


def _ends(futures: dict[Future[int], Cell]) -> Iterator[tuple[Cell, Ended | None]]:
    """Yield how each session ended; None for those whose worker, or another, was killed."""
    for future in as_completed(futures):
        try:
            yield futures[future], Ended(future.result())
        except BrokenProcessPool:
            yield futures[future], None
        except StorageError:
            raise
        except HeedfulError as error:
            yield futures[future], Ended(problem=str(error))


def _tell(cell: Cell, ended: Ended | None, on_ended: OnEnded) -> bool:
    """Pass on how a session ended, if it did; return whether it did."""
    if ended is not None:
        on_ended(cell, ended)
    return ended is not None


def _process_context() -> BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOADED)
    return context


def _begin_worker() -> None:
    """Take what is loaded by now out of the garbage collector's sight, and end with the run."""
    gc.freeze()
    _end_with_parent()


def _end_with_parent() -> None:
    """End this worker when the run that started it is gone, even by `kill -9`."""
    parent = multiprocessing.parent_process()

    def watch() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _end_workers(pool: ProcessPoolExecutor) -> None:
    """Stop the workers at once; each loses at most the turn in flight."""
    processes = list((pool._processes or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.terminate()
