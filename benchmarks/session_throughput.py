"""What a session costs beside a bare loop on the MCP SDK that makes the same calls, in one run.

Prints CPU time, so that a busy machine matters little; rounds are interleaved and the fastest counts.
Run: python benchmarks/session_throughput.py [--rounds N]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import mcp_types as types
from mcp.client import Client
from mcp.server.lowlevel import Server

from heedful.batch import run_cell
from heedful.build import Cell, session_seed
from heedful.labels.session import label_trace
from heedful.run_config import RunConfig
from heedful.run_folder import RunFolder
from heedful.scenarios.load import load_scenario
from heedful.scenarios.scenario import Scenario
from heedful.scenarios.write import scenario_to_yaml
from heedful.spec.load import load_spec
from heedful.trace.reader import Trace, read_trace
from heedful.trace.records import TurnRecord

SCENARIO, MODEL = "humanoid-100-v1", "reference/oracle"
MEMORY_SESSIONS = 20


def cpu(work: Callable[[], object]) -> float:
    """Return the CPU seconds that `work` takes in this process."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def record(dispatch: str, durability: str, folder: Path, scenario: str = SCENARIO) -> Trace:
    """Run one oracle session, labels included; return its trace."""
    run = RunFolder(folder)
    if not run.exists():
        run.create(
            RunConfig(models=(MODEL,), contexts=("full",), scenarios=(scenario,), repetitions=1, dispatch=dispatch)  # type: ignore[arg-type]
        )
    cell = Cell(MODEL, "full", "none", scenario, 0, session_seed(0, scenario, 0))
    run_cell(folder, cell, durability)
    return read_trace(run.session(cell.session))


def measured_session(dispatch: str, durability: str, scenario: str = SCENARIO) -> float:
    """Return the CPU seconds of one session with its labels, from an empty folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "run"
        run = RunFolder(folder)
        run.create(
            RunConfig(models=(MODEL,), contexts=("full",), scenarios=(scenario,), repetitions=1, dispatch=dispatch)  # type: ignore[arg-type]
        )
        cell = Cell(MODEL, "full", "none", scenario, 0, session_seed(0, scenario, 0))
        turns: list[TurnRecord] = []
        return cpu(lambda: _run_and_label(folder, cell, durability, turns))


def _run_and_label(folder: Path, cell: Cell, durability: str, turns: list[TurnRecord]) -> None:
    run_cell(folder, cell, durability, keep=turns)
    label_trace(Trace(_info(folder, cell), tuple(turns), True), SPEC)


def _info(folder: Path, cell: Cell) -> object:
    return _INFO


async def bare_loop(calls: list[list[tuple[str, dict[str, object]]]], result: str) -> None:
    """Make a session's tool calls over the SDK's in-memory client, keeping a plain message list."""

    async def list_tools(_ctx: object, _params: object) -> types.ListToolsResult:
        tool = types.Tool(name="walk_to", input_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_ctx: object, _params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text=result)])

    messages: list[dict[str, object]] = []
    async with Client(Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)) as client:
        await client.list_tools()
        for turn in calls:
            messages.append({"role": "user", "content": "go"})
            for name, args in turn:
                await asyncio.sleep(0)
                answer = await client.call_tool(name, args)
                messages.append({"role": "tool", "content": answer.content[0].text})  # type: ignore[union-attr]


SPEC = load_spec("iso10218-humanoid")
_INFO: object = None


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--memory-child", action="store_true")
    options = parser.parse_args()
    raise SystemExit(options.rounds)
