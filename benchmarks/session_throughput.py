"""What a session costs beside a bare loop on the MCP SDK that makes the same calls, in one run.

What a worker pays once it runs: one runner plays one repetition after the other, the first of them
to warm up. CPU time of this process, rounds interleaved, fastest and median: a busy machine matters
little to the fastest. Run: `python benchmarks/session_throughput.py [--rounds N]`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import mcp_types as types
import yaml
from mcp.client import Client
from mcp.server.lowlevel import Server

from heedful.build import Cell, build_model
from heedful.cell_runner import CellRunner
from heedful.labels.session import label_trace
from heedful.robots.client import offered_tools
from heedful.run_config import RunConfig
from heedful.run_folder import RunFolder
from heedful.scenarios.load import scenario_text
from heedful.trace.reader import Trace
from heedful.trace.writer import Durability

MODEL = "reference/oracle"
SCENARIO = "humanoid-100-v1"
CONCURRENT_SESSIONS = 20
GROWTH_ROUNDS = 5
MODES: Mapping[str, tuple[str, Durability]] = {
    "mcp, session": ("mcp", "session"),
    "mcp, turn": ("mcp", "turn"),
    "direct, session": ("direct", "session"),
    "direct, turn": ("direct", "turn"),
}
"""What is measured, as dispatch and durability."""


class Worker:
    """One runner that plays the repetitions of one cell, as a worker of a run does."""

    def __init__(
        self, folder: Path, dispatch: Any, durability: Durability, sessions: int, scenario: str = SCENARIO
    ) -> None:
        """Set up the run and play its first session, which fills the caches that all others share."""
        self._runner, self._cells = _prepare(folder, dispatch, durability, scenario, sessions + 1)
        self.costs_s: list[float] = []
        """CPU of each session so far, labels included, the first left out [s]."""
        self.trace = self._play()

    def measure(self) -> None:
        """Play and label the next repetition; what it costs is added to `costs_s`."""
        gc.collect()
        start = time.process_time()
        self._play()
        self.costs_s.append(time.process_time() - start)

    def _play(self) -> Trace:
        cell, runner = next(self._cells), self._runner
        model = build_model(MODEL, runner.spec)
        traces: list[Trace] = []

        async def play() -> None:
            traces.append(await runner.run(cell, model))

        asyncio.run(play())
        label_trace(traces[0], runner.spec)
        return traces[0]


def measure_bare_loop(trace: Trace) -> float:
    """Return the CPU of the same tool calls over the SDK's in-memory client, and nothing else [s]."""
    calls = [[(e.tool, e.args, e.result) for e in turn.events] for turn in trace.turns]
    gc.collect()
    start = time.process_time()
    asyncio.run(_bare_loop(calls))
    return time.process_time() - start


async def _bare_loop(turns: Sequence[Sequence[tuple[str, Mapping[str, Any], str]]]) -> None:
    answers: list[str] = []

    async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
        tools = [types.Tool(name=t.name, input_schema=dict(t.input_schema)) for t in offered_tools()]
        return types.ListToolsResult(tools=tools)

    async def call_tool(_ctx: Any, _params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(type="text", text=answers[-1])])

    messages: list[dict[str, Any]] = []
    async with Client(Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)) as client:
        await client.list_tools()
        for turn in turns:
            messages.append({"role": "user", "content": "go"})
            for tool, args, result in turn:
                answers.append(result)
                answer = await client.call_tool(tool, dict(args))
                messages.append({"role": "tool", "content": answer.content[0].text})  # type: ignore[union-attr]


def measure_memory() -> float:
    """Return the peak resident memory of 20 sessions at once in a fresh process [MB]."""
    code = f"import sys; sys.argv=['x']; sys.path.insert(0, {str(Path(__file__).parent)!r}); " + (
        "import session_throughput as s; s.run_concurrently()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout.strip().splitlines()[-1])


def run_concurrently() -> None:
    """Run 20 sessions over MCP on one event loop and print the peak resident memory [MB]."""
    with tempfile.TemporaryDirectory() as name:
        runner, cells = _prepare(Path(name) / "run", "mcp", "session", SCENARIO, CONCURRENT_SESSIONS)

        async def all_at_once() -> None:
            await asyncio.gather(*(runner.run(c, build_model(MODEL, runner.spec)) for c in cells))

        asyncio.run(all_at_once())
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) / 1000)


def stretched_scenario(folder: Path, turns: int) -> str:
    """Write the shipped scenario cut or repeated to `turns` turns; return the file's path."""
    data = yaml.safe_load(scenario_text(SCENARIO)[0])
    source = [
        t for t in data["turns"] if t.get("phase") == "baseline" and "continues" not in t.get("tags", [])
    ]
    data["turns"] = [{**source[k % len(source)], "id": f"T{k}"} for k in range(turns)]
    data["name"] = f"stretched-{turns}"
    path = folder / f"stretched-{turns}.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return str(path)


def _prepare(
    folder: Path, dispatch: Any, durability: Durability, scenario: str, repetitions: int
) -> tuple[CellRunner, Iterator[Cell]]:
    run = RunFolder(folder)
    run.create(
        RunConfig(
            models=(MODEL,),
            contexts=("full",),
            scenarios=(scenario,),
            repetitions=repetitions,
            dispatch=dispatch,
        )
    )
    runner = CellRunner(run, durability)
    return runner, iter(runner.config.cells())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        workers = {
            mode: Worker(Path(name) / mode, dispatch, durability, rounds)
            for mode, (dispatch, durability) in MODES.items()
        }
        trace = next(iter(workers.values())).trace
        measure_bare_loop(trace)
        bare: list[float] = []
        for _ in range(rounds):
            for worker in workers.values():
                worker.measure()
            bare.append(measure_bare_loop(trace))
    _print_costs({mode: worker.costs_s for mode, worker in workers.items()}, bare, trace)
    _print_growth()
    peak = measure_memory()
    print(f"peak memory of {CONCURRENT_SESSIONS} concurrent sessions over MCP: {peak:.0f} MB (target < 150)")


def _print_costs(costs: Mapping[str, Sequence[float]], bare: Sequence[float], trace: Trace) -> None:
    calls = sum(len(turn.events) for turn in trace.turns)
    print(f"one oracle session of 100 turns, {calls} tool calls, labels included")
    print(f"CPU of this process, {len(bare)} interleaved rounds in the steady state", end="; ")
    print(f"load {os.getloadavg()[0]:.1f}")
    print("                            fastest      median")
    print(f"    bare MCP SDK loop    {min(bare) * 1e3:7.1f} ms  {median(bare) * 1e3:7.1f} ms")
    for mode, spent in costs.items():
        best, middle = min(spent), median(spent)
        rate = f"{60 / best:5.0f} sessions/min/core at best"
        ratio = f"{best / min(bare):.2f}x the bare loop, {middle / median(bare):.2f}x in the median"
        mark = "(a)" if mode.startswith("mcp") else "(b)"
        print(f"{mark} {mode:18}   {best * 1e3:7.1f} ms  {middle * 1e3:7.1f} ms   {rate}   {ratio}")
    print("targets at session durability: (a) <= 1.5x the bare loop, which writes nothing; (b) >= 1000")


def _print_growth() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        workers = {
            turns: Worker(
                folder / str(turns), "mcp", "session", GROWTH_ROUNDS, stretched_scenario(folder, turns)
            )
            for turns in (25, 100, 400)
        }
        for _ in range(GROWTH_ROUNDS):
            for worker in workers.values():
                worker.measure()
    per_turn = {turns: f"{1e3 * min(worker.costs_s) / turns:.2f}" for turns, worker in workers.items()}
    print(f"CPU ms per turn over MCP by session length: {per_turn}")


if __name__ == "__main__":
    main()
