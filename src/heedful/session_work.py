"""One session as a worker process runs it, whoever started that process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from heedful.build import Cell, build_model
from heedful.call_ledger import LedgeredModel
from heedful.cell_runner import CellRunner, OnTurns
from heedful.models.rate_limit import Limiters
from heedful.models.served import build_served_model
from heedful.run_folder import RunFolder
from heedful.trace.writer import Durability


@dataclass(frozen=True, slots=True)
class Ended:
    """What comes back of one session."""

    turns: int = 0
    problem: str = ""
    """Why the session did not end, if so."""
    ends_run: bool = False
    """Whether no other session can go on either."""


OnEnded = Callable[[Cell, Ended], None]


def is_scripted(cell: Cell) -> bool:
    """Return whether a session's model runs in this process, without a provider."""
    return cell.model.startswith("reference/")


@lru_cache(maxsize=4)
def session_runner(path: Path, durability: Durability) -> CellRunner:
    """Return the runner of a run folder, the same for every session of this process."""
    return CellRunner(RunFolder(path), durability)


def run_cell(path: Path, cell: Cell, durability: Durability) -> int:
    """Run one session of a scripted model; return how many turns were run."""
    counted: list[int] = []
    run_scripted_cell(session_runner(path, durability), cell, counted.append)
    return sum(counted)


def run_scripted_cell(runner: CellRunner, cell: Cell, on_turns: OnTurns) -> None:
    """Run one session of a scripted model."""

    async def play() -> None:
        # The task's result must stay small: asyncio.run formats the task when it restores signal handlers.
        await runner.run(cell, build_model(cell.model, runner.spec), on_turns)

    asyncio.run(play())


def run_served_cell(runner: CellRunner, cell: Cell, limiters: Limiters, on_turns: OnTurns) -> None:
    """Run one session of a served model, within limits that are kept elsewhere."""
    served = build_served_model(cell.model, limiters=limiters)
    model = LedgeredModel(served, runner.folder.session(cell.session))

    async def play() -> None:
        try:
            await runner.run(cell, model, on_turns)
        finally:
            await served.aclose()

    asyncio.run(play())
