"""Running every session of a design: in parallel, crash-safe, resumable.

A session is the unit of distribution, a turn the unit of resume. Scripted models run in worker
processes; served models share this process, so that a provider's rate limit is one limit. On a Ray
cluster (`ray_batch`) both run in its workers, and one of them keeps the limits.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from heedful.build import Cell, build_model
from heedful.call_ledger import LedgeredModel
from heedful.cell_runner import CellRunner, OnTurns, is_finished
from heedful.errors import HeedfulError, StorageError
from heedful.process_pool import run_in_processes
from heedful.ray_batch import run_on_ray
from heedful.run_config import Execution
from heedful.run_folder import RunFolder
from heedful.session_work import Ended, is_scripted, run_cell


@dataclass(slots=True)
class Outcome:
    """What became of a run."""

    expected: int
    finished: int = 0
    problems: list[str] = field(default_factory=list)
    """One line for each session that did not end, with the cause."""

    @property
    def is_complete(self) -> bool:
        """Whether every session ran to its end."""
        return self.finished == self.expected

    def count(self, cell: Cell, work: Callable[[], None]) -> None:
        """Do the end of one session's work and note how it went; a full disk ends the run."""
        try:
            work()
        except StorageError:
            raise
        except HeedfulError as error:
            self.note(cell, str(error))
        else:
            self.note(cell)

    def note(self, cell: Cell, problem: str = "") -> None:
        """Note that a session ended, or why it did not."""
        if problem:
            self.problems.append(f"{cell.session}: {problem}")
        else:
            self.finished += 1


def run_batch(folder: RunFolder, execution: Execution, on_turns: OnTurns = lambda _n: None) -> Outcome:
    """Run the sessions of the design in `folder` that have not ended yet.

    Args:
        folder: A run that was created before.
        execution: How to carry it out.
        on_turns: Called with the number of turns that were finished since it was called last.

    Raises:
        InputError: If a model cannot be built; nothing runs then.
        StorageError: If the disk refuses; finished turns are kept.
        KeyboardInterrupt: On Ctrl-C, after workers stopped; finished turns are kept.
    """
    with folder.locked():
        runner = CellRunner(folder, execution.durability)
        for name in runner.config.models:
            build_model(name, runner.spec)
        cells = runner.config.cells()
        open_cells = [cell for cell in cells if not is_finished(folder.session(cell.session))]
        outcome = Outcome(len(cells), len(cells) - len(open_cells))
        done = set(cells) - set(open_cells)
        on_turns(sum(len(runner.scenario(cell.scenario).turns) for cell in done))
        if execution.workers == "ray":
            _run_on_ray(folder, open_cells, execution, outcome, on_turns)
        else:
            _run_here(runner, open_cells, execution, outcome, on_turns)
    return outcome


def _run_on_ray(
    folder: RunFolder, cells: Sequence[Cell], execution: Execution, outcome: Outcome, on_turns: OnTurns
) -> None:
    run_on_ray(folder, cells, execution, partial(_note, outcome, on_turns))


def _run_here(
    runner: CellRunner, cells: Sequence[Cell], execution: Execution, outcome: Outcome, on_turns: OnTurns
) -> None:
    _run_scripted(runner.folder, [c for c in cells if is_scripted(c)], execution, outcome, on_turns)
    served = [c for c in cells if not is_scripted(c)]
    if served:
        asyncio.run(_run_served(runner, served, execution, outcome, on_turns))


def _run_scripted(
    folder: RunFolder, cells: Sequence[Cell], execution: Execution, outcome: Outcome, on_turns: OnTurns
) -> None:
    asked = execution.workers if isinstance(execution.workers, int) else 0
    workers = min(asked or os.cpu_count() or 1, len(cells))
    if workers <= 1:
        for cell in cells:
            outcome.count(cell, lambda c=cell: on_turns(run_cell(folder.path, c, execution.durability)))  # type: ignore[misc]
        return
    run_in_processes(folder, cells, workers, execution.durability, partial(_note, outcome, on_turns))


def _note(outcome: Outcome, on_turns: OnTurns, cell: Cell, ended: Ended) -> None:
    on_turns(ended.turns)
    outcome.note(cell, ended.problem)


async def _run_served(
    runner: CellRunner, cells: Sequence[Cell], execution: Execution, outcome: Outcome, on_turns: OnTurns
) -> None:
    models = {name: build_model(name, runner.spec) for name in dict.fromkeys(c.model for c in cells)}
    gate = asyncio.Semaphore(max(1, execution.concurrency))

    async def run_one(cell: Cell) -> None:
        async with gate:
            try:
                model = LedgeredModel(models[cell.model], runner.folder.session(cell.session))
                await runner.run(cell, model, on_turns)
            except StorageError:
                raise
            except HeedfulError as error:
                outcome.note(cell, str(error))
            else:
                outcome.note(cell)

    try:
        async with asyncio.TaskGroup() as group:
            for cell in cells:
                group.create_task(run_one(cell))
    except* StorageError as errors:
        raise errors.exceptions[0] from None
    finally:
        for model in models.values():
            await model.aclose()
