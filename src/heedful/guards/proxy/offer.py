"""What a robot's server offers, asked once, for the draft of a tool map."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from heedful.errors import HeedfulError, InputError, UnknownNameError
from heedful.guards.draft.guesses import guess_action, properties_of
from heedful.guards.draft.probes import Answer

MOST_PAGES = 50
MOST_READ = 50
TIMEOUT_S = 30.0
"""Longest wait for one answer [s]."""


@dataclass(frozen=True)
class ServerOffer:
    """A server's name, tools and resources, as JSON."""

    name: str
    tools: tuple[dict[str, Any], ...]
    resources: tuple[dict[str, Any], ...]
    answers: tuple[Answer, ...] = ()
    """What the tools that the user named gave, and each resource."""


async def read_offer(command: Sequence[str], url: str | None, probes: Sequence[str] = ()) -> ServerOffer:
    """Return what a server offers.

    Args:
        command: What starts it; empty for one that runs already.
        url: Where that one is.
        probes: Tools that are called once, without arguments; no other is called. With any, each resource
            is read once as well.

    Raises:
        InputError: If the server cannot be started or reached, or does not answer as an MCP server; or if a
            tool to call is not there, takes arguments, or reads like one that acts.
    """
    target: Any = url
    if url is None:
        environment = dict(os.environ)
        target = StdioServerParameters(command=command[0], args=list(command[1:]), env=environment)
    try:
        async with Client(target, read_timeout_seconds=TIMEOUT_S) as client:
            info = client.server_info
            name = "robot" if info is None else info.name
            tools = await _pages(client.list_tools, "tools")
            has_resources = client.server_capabilities.resources is not None
            resources = await _pages(client.list_resources, "resources") if has_resources else ()
            _check_probes(probes, tools)
            answers = [await _ask(client, tool, tools) for tool in probes]
            uris = [str(r["uri"]) for r in resources[:MOST_READ]] if probes else []
            answers += [found for uri in uris if (found := await _read(client, uri)) is not None]
            return ServerOffer(name, tools, resources, tuple(answers))
    except (MCPError, OSError, ExceptionGroup, RuntimeError) as error:
        first = _first(error)
        if isinstance(first, HeedfulError):
            raise first from None
        why = str(first) or type(first).__name__
        raise InputError(f"The robot's server {url or command[0]!r} cannot be asked: {why}.") from error


def _check_probes(probes: Sequence[str], tools: Sequence[dict[str, Any]]) -> None:
    """Refuse, before anything is called, what a person cannot have meant."""
    schemas = {str(tool["name"]): tool.get("inputSchema") for tool in tools}
    for name in probes:
        if name not in schemas:
            raise UnknownNameError("Tool", name, schemas)
        action = guess_action(name)
        if action is not None and action != "none" and not action.startswith("get_"):
            raise InputError(f"Tool {name!r} reads like {action}; only tools that sense can be probed.")
        required = [prop.label for prop in properties_of(schemas[name]) if prop.is_required]
        if required:
            raise InputError(f"Tool {name!r} needs {', '.join(required)}; it cannot be called without.")


async def _ask(client: Client, tool: str, tools: Sequence[dict[str, Any]]) -> Answer:
    result = await client.call_tool(tool, {})
    description = next((str(t.get("description", "")) for t in tools if t["name"] == tool), "")
    return Answer("tool", tool, result.model_dump(by_alias=True, mode="json", exclude_none=True), description)


async def _read(client: Client, uri: str) -> Answer | None:
    try:
        result = await client.read_resource(uri)
    except MCPError:
        return None
    return Answer("resource", uri, result.model_dump(by_alias=True, mode="json", exclude_none=True))


async def _pages(ask: Any, field: str) -> tuple[dict[str, Any], ...]:
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await ask(cursor=cursor)
        found += [
            item.model_dump(by_alias=True, mode="json", exclude_none=True) for item in getattr(page, field)
        ]
        cursor = page.next_cursor
        if cursor is None:
            break
    return tuple(found)


def _first(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
