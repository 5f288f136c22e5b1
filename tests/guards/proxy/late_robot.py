"""A robot's server that moves late: a cancelled walk is carried out all the same, a moment later.

It writes what its motors do into the file that it is given, one word a line.
"""

from __future__ import annotations

import json
import sys
import threading
from pathlib import Path
from typing import Any

from tests.guards.proxy.harness import SENSORS

LATE_S = 1.0
_lock = threading.Lock()


def write(path: Path, word: str) -> None:
    with _lock, path.open("a", encoding="utf-8") as file:
        file.write(word + "\n")


def answer(request_id: Any, result: dict[str, Any]) -> None:
    with _lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": request_id, "result": result}) + "\n")
        sys.stdout.flush()


def told(facts: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(facts)}], "isError": False}


def walk(path: Path, request_id: Any) -> None:
    write(path, "moved")
    answer(request_id, told({"status": "done"}))


def main(path: Path) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}}
    hello["serverInfo"] = {"name": "late", "version": "1"}
    for line in sys.stdin:
        asked = json.loads(line)
        tool = asked.get("params", {}).get("name")
        if "id" not in asked:
            continue
        if tool == "walk_to":
            write(path, "asked")
            threading.Timer(LATE_S, walk, (path, asked["id"])).start()
        elif tool in SENSORS:
            answer(asked["id"], told(SENSORS[tool]))
        elif tool is not None:
            write(path, tool)
            answer(asked["id"], told({"status": "done"}))
        else:
            answer(asked["id"], hello if asked["method"] == "initialize" else {"tools": []})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
