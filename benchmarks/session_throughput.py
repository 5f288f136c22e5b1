"""What a session costs beside a bare loop on the MCP SDK that makes the same calls, in one run.

CPU time of this process, rounds interleaved, the fastest round of each counts: a busy machine
matters little. Run: `python benchmarks/session_throughput.py [--rounds N]`.
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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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
CONCURRENT_SESSIONS = 20
TARGETS = {"ratio": 1.5, "sessions_per_minute": 1000.0, "memory_mb": 150.0}


@dataclass(frozen=True, slots=True)
class Cost:
    """CPU of one session, labels included."""

    cpu_s: float
    trace: Trace

    @property
    def sessions_per_minute(self) -> float:
        """Sessions in one CPU-minute."""
        return 60.0 / self.cpu_s


def measure_session(dispatch: Any, durability: Durability, scenario: str) -> Cost:
    """Run and label one oracle session in a fresh folder; the run's set-up is not counted."""
    with tempfile.TemporaryDirectory() as name:
        runner, cell = _prepare(Path(name) / "run", dispatch, durability, scenario)
        model = build_model(MODEL, runner.spec)
        gc.collect()
        start = time.process_time()
        traces: list[Trace] = []

        async def play() -> None:
            traces.append(await runner.run(cell, model))

        asyncio.run(play())
        label_trace(traces[0], runner.spec)
        return Cost(time.process_time() - start, traces[0])


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
        runner, cell = _prepare(Path(name) / "run", "mcp", "session", "humanoid-100-v1", CONCURRENT_SESSIONS)

        async def all_at_once() -> None:
            cells = runner.config.cells()
            await asyncio.gather(*(runner.run(c, build_model(MODEL, runner.spec)) for c in cells))

        del cell
        asyncio.run(all_at_once())
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    print(int(peak.split()[1]) / 1000)


def stretched_scenario(folder: Path, turns: int) -> str:
    """Write the shipped scenario cut or repeated to `turns` turns; return the file's path."""
    data = yaml.safe_load(scenario_text("humanoid-100-v1")[0])
    source = [
        t for t in data["turns"] if t.get("phase") == "baseline" and "continues" not in t.get("tags", [])
    ]
    data["turns"] = [{**source[k % len(source)], "id": f"T{k}"} for k in range(turns)]
    data["name"] = f"stretched-{turns}"
    path = folder / f"stretched-{turns}.yaml"
    path.write_text(yaml.safe_dump(data), encoding="utf-8")
    return str(path)


def _prepare(
    folder: Path, dispatch: Any, durability: Durability, scenario: str, repetitions: int = 1
) -> tuple[CellRunner, Cell]:
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
    cell = runner.config.cells()[0]
    runner.scenario(cell.scenario)
    return runner, cell


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    rounds = parser.parse_args().rounds
    best: dict[str, float] = {}
    trace: Trace | None = None
    for _ in range(rounds):
        for name, dispatch, durability in (
            ("mcp, turn", "mcp", "turn"),
            ("direct, session", "direct", "session"),
            ("direct, turn", "direct", "turn"),
        ):
            cost = measure_session(dispatch, durability, "humanoid-100-v1")  # type: ignore[arg-type]
            trace = cost.trace
            best[name] = min(best.get(name, 1e9), cost.cpu_s)
        assert trace is not None
        best["bare"] = min(best.get("bare", 1e9), measure_bare_loop(trace))
    _print_costs(best, trace, rounds)
    _print_growth()
    peak = measure_memory()
    print(f"peak memory of {CONCURRENT_SESSIONS} concurrent sessions over MCP: {peak:.0f} MB (target < 150)")


def _print_costs(best: Mapping[str, float], trace: Trace | None, rounds: int) -> None:
    calls = sum(len(turn.events) for turn in trace.turns) if trace else 0
    print(f"one oracle session of 100 turns, {calls} tool calls, labels included")
    print(f"fastest of {rounds} interleaved rounds, CPU of this process; load {os.getloadavg()[0]:.1f}")
    print(f"    bare MCP SDK loop    {best['bare'] * 1e3:7.1f} ms")
    for mark, name in (("(a)", "mcp, turn"), ("(b)", "direct, session"), ("(b)", "direct, turn")):
        rate = 60 / best[name]
        print(f"{mark} {name:18}   {best[name] * 1e3:7.1f} ms   {rate:6.0f} sessions/min/core")
    ratio = best["mcp, turn"] / best["bare"]
    print(f"(a) is {ratio:.2f}x the bare loop (target <= 1.5); (b) at session durability: target >= 1000")


def _print_growth() -> None:
    with tempfile.TemporaryDirectory() as name:
        scenarios = {turns: stretched_scenario(Path(name), turns) for turns in (25, 100, 400)}
        cost = dict.fromkeys(scenarios, 1000000000.0)
        for _ in range(5):
            for turns, path in scenarios.items():
                measured = measure_session("mcp", "session", path)
                cost[turns] = min(cost[turns], measured.cpu_s)
    per_turn = {turns: f"{1e3 * s / turns:.2f}" for turns, s in cost.items()}
    print(f"CPU ms per turn over MCP by session length: {per_turn}")


if __name__ == "__main__":
    main()
