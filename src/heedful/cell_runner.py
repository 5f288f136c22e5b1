"""Running one session of a run: objects built, trace written, resumed where it stopped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from heedful.build import Cell, build_plan, describe_session
from heedful.errors import InputError
from heedful.file_lock import hold_lock
from heedful.models.model import Model
from heedful.orchestrator.session import run_session
from heedful.orchestrator.turn import TurnSettings
from heedful.run_config import RunConfig
from heedful.run_folder import RunFolder
from heedful.scenarios.scenario import Scenario
from heedful.trace.codec import GENESIS
from heedful.trace.reader import COMPRESSED_FILE, Trace, compress_trace, cut_torn_line, read_trace
from heedful.trace.records import SessionEnd, TurnRecord
from heedful.trace.writer import TRACE_FILE, Durability, TraceWriter, make_folder

OnTurns = Callable[[int], None]
ORPHAN_WAIT_S = 10.0
"""How long a resumed run waits for a worker whose run was killed to notice and end [s]."""


class CellRunner:
    """Runs the sessions of one run folder, one at a time or many on one event loop."""

    def __init__(self, folder: RunFolder, durability: Durability = "turn") -> None:
        """Read what the sessions of a run share: configuration, spec and scenarios."""
        self.folder = folder
        self.config: RunConfig = folder.config()
        self.spec = folder.spec()
        self._spec_text = folder.spec_text()
        self._durability = durability
        self._scenarios: dict[str, Scenario] = {}

    async def run(self, cell: Cell, model: Model, on_turns: OnTurns = lambda _n: None) -> Trace:
        """Run a session, or the rest of it, and return its whole trace.

        Args:
            cell: Which session.
            model: The model that plays it.
            on_turns: Called with the number of turns finished since it was called last.

        Raises:
            InputError: If it was begun with other settings or another version.
            ProviderError: If the provider failed for good; finished turns are kept.
            StorageError: If the disk refuses; finished turns are kept.
        """
        path = self.folder.session(cell.session)
        make_folder(path)
        with hold_lock(path / ".lock", f"{path} is being run by another process.", wait_s=ORPHAN_WAIT_S):
            return await self._run_alone(cell, path, model, on_turns)

    async def _run_alone(self, cell: Cell, path: Path, model: Model, on_turns: OnTurns) -> Trace:
        if is_finished(path):
            return read_trace(path)
        settings = self._settings(cell)
        plan = build_plan(
            cell,
            self.scenario(cell.scenario),
            self.spec,
            model,
            settings,
            self.config.dispatch,
            self.config.proximity,
            self.config.pose,
        )
        info = describe_session(cell, plan, self._spec_text, settings)
        begun = _begun(path)
        if begun is not None and begun.info != info:
            raise InputError(
                f"{path} was begun with other settings or another version; it cannot be resumed."
            )
        if begun is not None and begun.is_complete:
            compress_trace(path)
            on_turns(len(begun.turns))
            return begun
        turns = list(begun.turns) if begun else []
        writer = TraceWriter(path, self._durability, previous=begun.last_hash if begun else GENESIS)

        def sink(record: TurnRecord, timing: dict[str, Any]) -> None:
            writer.write(record, timing)
            turns.append(record)
            on_turns(1)

        try:
            if begun is None:
                writer.write(info)
            on_turns(len(turns))
            await run_session(plan, sink, tuple(turns))
            writer.write(SessionEnd(len(turns)))
        finally:
            writer.close()
        compress_trace(path)
        return Trace(info, tuple(turns), is_complete=True)

    def scenario(self, name: str) -> Scenario:
        """Return a scenario of the run, read once."""
        if name not in self._scenarios:
            self._scenarios[name] = self.folder.scenario(self.config.scenarios.index(name))
        return self._scenarios[name]

    def _settings(self, cell: Cell) -> TurnSettings:
        config = self.config
        is_scripted = cell.model.startswith("reference/")
        return TurnSettings(
            config.max_calls,
            None if is_scripted else config.max_model_s,
            config.clock,
            None if is_scripted else config.temperature,
            config.max_output_tokens,
            cell.seed % 2**31,
        )


def is_finished(path: Path) -> bool:
    """Return whether a session ran to its end; only finished traces are compressed."""
    return (path / COMPRESSED_FILE).exists()


def _begun(path: Path) -> Trace | None:
    """Return what an interrupted session left, its torn last line removed; None if nothing usable."""
    cut_torn_line(path)
    trace = path / TRACE_FILE
    if not trace.exists() or trace.stat().st_size == 0:
        return None
    return read_trace(path)
