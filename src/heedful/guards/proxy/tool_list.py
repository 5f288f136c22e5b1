"""The tools of the robot's server: what is kept of its lists, and what the tool map says besides."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import Any

import orjson
from mcp_types import SERVER_INFO_META_KEY

from heedful.errors import RobotError
from heedful.guards.proxy.asker import Asker
from heedful.guards.proxy.message import LIST_TOOLS, Message, editable, write
from heedful.trace.codec import content_hash

MOST_PAGES = 50
ASK_S = 10.0
"""Longest wait for a page of the list [s]."""
MOST_TOOLS = 2000
SHOWN = 20


class ToolList:
    """Learns the server's tools; takes off its lists what the map does not declare.

    Such a tool would be refused anyway: a model that does not see it wastes no call on it. Annotations pass
    to the client and mean nothing here.
    """

    def __init__(self, declared: Collection[str]) -> None:
        self.declared = declared
        """Names of the tools that the map declares."""
        self.hash = ""
        """Hash of the list of all tools, once it is known."""
        self.server: Any = None
        """What the server says of itself with its list, if it does."""
        self._told: set[str] = set()
        self.schemas: dict[str, Any] = {}
        """Input schema of each tool seen so far."""

    def keep_declared(self, answer: Message) -> Message:
        """Return a list of tools without the undeclared ones; as it came when there are none."""
        result = answer.body.get("result")
        if not isinstance(result, dict) or not isinstance(result.get("tools"), list):
            return answer
        self._see(result)
        dropped = [_name(tool) for tool in result["tools"] if _name(tool) not in self.declared]
        if not dropped:
            return answer
        self._warn(dropped)
        body = editable(answer)
        body["result"]["tools"] = [t for t in body["result"]["tools"] if _name(t) in self.declared]
        return write(body)

    async def learn(self, asker: Asker) -> None:
        """Ask for all tools; say on standard error which declared ones the server lacks."""
        params: dict[str, Any] = {}
        tools: list[Any] = []
        try:
            for _ in range(MOST_PAGES):
                result = await asker.ask(LIST_TOOLS, params, ASK_S)
                self._see(result)
                self.server = _part(result, "_meta", SERVER_INFO_META_KEY)
                tools += result["tools"] if isinstance(result.get("tools"), list) else ()
                if not isinstance(result.get("nextCursor"), str):
                    break
                params = {"cursor": result["nextCursor"]}
        except RobotError as error:
            _say(f"the server's tools are not known: {error}")
            return
        self.hash = content_hash(orjson.dumps(sorted(tools, key=_name), option=orjson.OPT_SORT_KEYS))
        lacking = [name for name in self.declared if name not in self.schemas]
        if lacking:
            _say(f"declared, but not offered by the server: {', '.join(lacking)}")

    def _see(self, result: dict[str, Any]) -> None:
        tools = result.get("tools")
        for tool in tools if isinstance(tools, list) else ():
            if isinstance(tool, dict) and len(self.schemas) < MOST_TOOLS:
                self.schemas[_name(tool)] = tool.get("inputSchema")

    def _warn(self, dropped: list[str]) -> None:
        new = [name for name in dropped if name not in self._told][:SHOWN]
        if new and len(self._told) < MOST_TOOLS:
            self._told.update(new)
            _say(f"not in the tool map, so left out: {', '.join(repr(name[:60]) for name in new)}")


def _part(data: dict[str, Any], *keys: str) -> Any:
    found: Any = data
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _name(tool: Any) -> str:
    name = tool.get("name") if isinstance(tool, dict) else None
    return name if isinstance(name, str) else ""


def _say(text: str) -> None:
    print(f"heedful guard: {text}", file=sys.stderr, flush=True)
