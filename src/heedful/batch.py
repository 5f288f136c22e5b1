"""Running every session of a design: in parallel, crash-safe, resumable.

A session is the unit of distribution, a turn the unit of resume. Scripted models run in worker
processes; served models share this process, so that a provider's rate limit is one limit.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from heedful.build import Cell, build_model, build_plan, describe_session
from heedful.errors import HeedfulError, InputError, StorageError
from heedful.models.model import Model
from heedful.orchestrator.session import run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.run_config import Execution, RunConfig
from heedful.run_folder import RunFolder
from heedful.scenarios.scenario import Scenario
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.codec import GENESIS
from heedful.trace.reader import COMPRESSED_FILE, Trace, compress_trace, cut_torn_line, read_trace
from heedful.trace.records import SessionEnd, TurnRecord
from heedful.trace.writer import TRACE_FILE, TraceWriter

OnTurns = Callable[[int], None]


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


def run_batch(folder: RunFolder, execution: Execution, on_turns: OnTurns = lambda _n: None) -> Outcome:
    """Run the sessions of the design in `folder` that have not ended yet.

    Args:
        folder: A run that was created before.
        execution: How to carry it out.
        on_turns: Called with the number of turns that were finished since it was called last.

    Raises:
        InputError: If a model cannot be built; nothing runs then.
        KeyboardInterrupt: On Ctrl-C, after workers stopped; finished turns are kept.
    """
    config = folder.config()
    cells = config.cells()
    outcome = Outcome(len(cells))
    with folder.locked():
        spec = folder.spec()
        for name in config.models:
            build_model(name, spec)
        open_cells = [cell for cell in cells if not _is_finished(folder.session(cell.session))]
        outcome.finished = len(cells) - len(open_cells)
        on_turns(sum(len(folder.scenario(config.scenarios.index(c.scenario)).turns) for c in cells if c not in open_cells))
        scripted = [cell for cell in open_cells if cell.model.startswith("reference/")]
        served = [cell for cell in open_cells if not cell.model.startswith("reference/")]
        _run_scripted(folder, scripted, execution, outcome, on_turns)
        if served:
            asyncio.run(_run_served(folder, served, execution, outcome, on_turns))
    return outcome


def run_cell(path: Path, cell: Cell, durability: str) -> int:
    """Run one session in this process; return how many turns were run."""
    folder = RunFolder(path)
    count = 0

    def count_turn(turns: int) -> None:
        nonlocal count
        count += turns

    runner = _CellRunner(folder, folder.config(), folder.spec(), durability)
    asyncio.run(runner.run(cell, build_model(cell.model, runner.spec), count_turn))
    return count


class _CellRunner:
    def __init__(self, folder: RunFolder, config: RunConfig, spec: SafetySpec, durability: str) -> None:
        self.folder, self.config, self.spec = folder, config, spec
        self._durability = durability
        self._spec_text = folder.spec_text()
        self._scenarios: dict[str, Scenario] = {}

    async def run(self, cell: Cell, model: Model, on_turns: OnTurns) -> None:
        settings = self._settings(cell)
        plan = build_plan(cell, self._scenario(cell), self.spec, model, settings, self.config.dispatch)
        path = self.folder.session(cell.session)
        trace = _begun(path)
        writer = TraceWriter(path, self._durability, previous=trace.last_hash if trace else GENESIS)  # type: ignore[arg-type]

        def sink(record: TurnRecord, timing: dict[str, Any]) -> None:
            writer.write(record, timing)
            on_turns(1)

        try:
            info = describe_session(cell, plan, self._spec_text, settings)
            if trace is None:
                writer.write(info)
            elif trace.info != info:
                raise InputError(f"{path} was begun with other settings or another version; it cannot be resumed.")
            done = trace.turns if trace else ()
            on_turns(len(done))
            await run_session(plan, sink, done)
            writer.write(SessionEnd(len(plan.scenario.turns)))
        finally:
            writer.close()
        compress_trace(path)

    def _settings(self, cell: Cell) -> TurnSettings:
        config = self.config
        is_scripted = cell.model.startswith("reference/")
        return TurnSettings(
            config.max_calls,
            None if is_scripted else config.max_model_s,
            config.clock,
            None if is_scripted else config.temperature,
            config.max_output_tokens,
            cell.repetition,
        )

    def _scenario(self, cell: Cell) -> Scenario:
        if cell.scenario not in self._scenarios:
            position = self.config.scenarios.index(cell.scenario)
            self._scenarios[cell.scenario] = self.folder.scenario(position)
        return self._scenarios[cell.scenario]


def _run_scripted(
    folder: RunFolder, cells: Sequence[Cell], execution: Execution, outcome: Outcome, on_turns: OnTurns
) -> None:
    workers = min(execution.workers or os.cpu_count() or 1, len(cells))
    if workers <= 1:
        for cell in cells:
            _count(outcome, cell, lambda c=cell: on_turns(run_cell(folder.path, c, execution.durability)))  # type: ignore[misc]
        return
    with ProcessPoolExecutor(workers, mp_context=_process_context()) as pool:
        futures = {pool.submit(run_cell, folder.path, cell, execution.durability): cell for cell in cells}
        try:
            _collect(futures, outcome, on_turns)
        except BaseException:
            _end_workers(pool)
            raise


def _collect(futures: dict[Future[int], Cell], outcome: Outcome, on_turns: OnTurns) -> None:
    for future in as_completed(futures):
        _count(outcome, futures[future], lambda f=future: on_turns(f.result()))  # type: ignore[misc]


def _count(outcome: Outcome, cell: Cell, work: Callable[[], None]) -> None:
    """Do one session's work and note how it went; a full disk ends the run."""
    try:
        work()
    except StorageError:
        raise
    except HeedfulError as error:
        outcome.problems.append(f"{cell.session}: {error}")
    else:
        outcome.finished += 1


async def _run_served(
    folder: RunFolder, cells: Sequence[Cell], execution: Execution, outcome: Outcome, on_turns: OnTurns
) -> None:
    runner = _CellRunner(folder, folder.config(), folder.spec(), execution.durability)
    models = {name: build_model(name, runner.spec) for name in dict.fromkeys(c.model for c in cells)}
    gate = asyncio.Semaphore(max(1, execution.concurrency))

    async def run_one(cell: Cell) -> None:
        async with gate:
            try:
                await runner.run(cell, models[cell.model], on_turns)
                outcome.finished += 1
            except StorageError:
                raise
            except HeedfulError as error:
                outcome.problems.append(f"{cell.session}: {error}")

    try:
        async with asyncio.TaskGroup() as group:
            for cell in cells:
                group.create_task(run_one(cell))
    except* StorageError as errors:
        raise errors.exceptions[0] from None
    finally:
        for model in models.values():
            await model.aclose()


def _begun(path: Path) -> Trace | None:
    """Return what an interrupted session left, its torn last line removed; None if nothing usable."""
    cut_torn_line(path)
    trace = path / TRACE_FILE
    if not trace.exists() or trace.stat().st_size == 0:
        return None
    return read_trace(path)


def _is_finished(path: Path) -> bool:
    return (path / COMPRESSED_FILE).exists()


def _process_context() -> multiprocessing.context.BaseContext:
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["heedful.batch", "heedful.robots.serve", "heedful.robots.mcp_client"])
    return context


def _end_workers(pool: ProcessPoolExecutor) -> None:
    pool.shutdown(wait=False, cancel_futures=True)
    for process in list((pool._processes or {}).values()):
        process.terminate()
