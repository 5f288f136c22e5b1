"""What the guard costs on the way: a stdio tool call with and without the proxy, and calls a second.

    python benchmarks/guard_proxy.py [--calls 400] [--map MAP]

Both arms run side by side and take turns call by call, so that whatever else the machine does meets both
alike. The client is two pipes and nothing else. "robot" is heedful's own server; "answers" is a loop that
answers at once, so that what is measured is the proxy.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence

ANSWERER = """
import json, sys
SENSED = {"human_distance_m": 2.5, "status": "ok", "age_s": 0.0, "connected": True, "frame_age_s": 0.0}
SENSED |= {"frozen": False, "battery_percent": 90.0, "x": 0.0, "y": 0.0, "heading_deg": 0.0}
HELLO = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
HELLO |= {"serverInfo": {"name": "a", "version": "1"}}
TOLD = {"content": [{"type": "text", "text": json.dumps(SENSED)}], "isError": False}
for line in sys.stdin.buffer:
    asked = json.loads(line)
    if "id" in asked:
        told = HELLO if asked["method"] == "initialize" else TOLD
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": told}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n")
        sys.stdout.buffer.flush()
"""
SENSE = ("get_proximity", {})
MOVE = ("walk_to", {"x": 0.2, "y": 0.0, "speed_percent": 20})


class Wire:
    """An MCP client that is two pipes."""

    def __init__(self, command: Sequence[str]) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._next = 0
        hello = {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "benchmark", "version": "1"},
        }
        self.send("initialize", hello)
        self.receive()
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, method: str, params: dict) -> None:
        """Send a request."""
        self._next += 1
        self._write({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})

    def call(self, tool: str, args: dict) -> float:
        """Return how long a call takes [s]."""
        began = time.perf_counter()
        self.send("tools/call", {"name": tool, "arguments": args})
        told = self.receive()
        took = time.perf_counter() - began
        if told.get("result", {}).get("isError", True):
            raise SystemExit(f"{tool} failed: {told}")
        return took

    def flood(self, tool: str, args: dict, calls: int, in_flight: int) -> float:
        """Return calls a second with `in_flight` of them on the way at any time."""
        began = time.perf_counter()
        for k in range(calls + in_flight):
            if k < calls:
                self.send("tools/call", {"name": tool, "arguments": args})
            if k >= in_flight:
                self.receive()
        return calls / (time.perf_counter() - began)

    def receive(self) -> dict:
        """Return the next message."""
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the server ended")
        return json.loads(line)

    def close(self) -> None:
        """End the server."""
        self.process.stdin.close()
        self.process.wait(timeout=20)

    def _write(self, message: dict) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def quantiles(times: list[float]) -> list[float]:
    """Return the 50th, 95th and 99th percentile in milliseconds."""
    ordered = sorted(times)
    return [1e3 * ordered[min(len(ordered) - 1, int(len(ordered) * q))] for q in (0.5, 0.95, 0.99)]


def measure(name: str, server: Sequence[str], tool_map: str, calls: int) -> None:
    guard = [sys.executable, "-m", "heedful", "guard", "--map", tool_map, "--max-calls", "0", "--", *server]
    bare, guarded = Wire(server), Wire(guard)
    try:
        for what, (tool, args) in (("sensing", SENSE), ("motion", MOVE)):
            for wire in (bare, guarded):
                for _ in range(20):
                    wire.call(tool, args)
            pairs = [(bare.call(tool, args), guarded.call(tool, args)) for _ in range(calls)]
            without, within = (quantiles([pair[k] for pair in pairs]) for k in (0, 1))
            rows = (
                ("without", without),
                ("with", within),
                ("difference", [b - a for a, b in zip(without, within, strict=True)]),
            )
            for row, values in rows:
                shown = "  ".join(f"{q} {v:7.3f}" for q, v in zip(("p50", "p95", "p99"), values, strict=True))
                print(f"{name:8} {what:8} {row:11} {shown} ms")
        for what, wire in (("without", bare), ("with", guarded)):
            rate = wire.flood(*SENSE, calls=5 * calls, in_flight=32)
            print(f"{name:8} sustained {what:8} {rate:8.0f} calls/s, 32 on the way")
    finally:
        bare.close()
        guarded.close()


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--calls", type=int, default=400)
    options.add_argument("--map", default="heedful-robot")
    chosen = options.parse_args()
    measure("robot", [sys.executable, "-m", "heedful", "serve"], chosen.map, chosen.calls)
    measure("answers", [sys.executable, "-c", ANSWERER], chosen.map, chosen.calls)


if __name__ == "__main__":
    main()
