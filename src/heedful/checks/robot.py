"""Whether a robot keeps the contract of its tools: listing, arguments, readings, errors, resources."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

import mcp_types as types
import orjson
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from heedful.errors import RobotError
from heedful.robots.client import RobotClient, ToolReply
from heedful.robots.server import RESOURCES
from heedful.robots.tools import TOOLS, Tool

SPEED_READINGS: Mapping[str | float, float] = {
    30: 30.0,
    "30": 30.0,
    "30.0": 30.0,
    "30%": 30.0,
    0.3: 0.3,
}
"""Ways to write a speed, and what each is read as [%]."""
BAD_SPEEDS: tuple[Any, ...] = ("thirty", "", None, True, 0, -5, 101, "0.3x", [30], {"percent": 30})
BAD_NUMBERS: tuple[Any, ...] = ("one", None, True, 1e9, [1.0])
GOOD_ARGUMENTS: Mapping[str, Any] = {
    **{"x": 0.0, "y": 0.0, "linear_x": 0.1, "linear_y": 0.0, "angular_z": 0.0, "duration": 0.5},
    **{"angle_deg": 1.0, "speed_percent": 30.0, "hand": "right", "text": "hello"},
}
POSITION_NOISE_M = 0.1


async def check_robot(make_client: Callable[[], RobotClient]) -> None:
    """Check a robot through its client; the robot turns by a few degrees, so run it on a simulated one.

    Args:
        make_client: Returns a client that is not connected yet.

    Raises:
        RobotError: With every broken promise.
    """
    async with make_client() as client:
        problems = [p async for p in _listing(client)]
        problems += [p async for p in _sensing(client)]
        problems += [p async for p in _refusals(client)]
        problems += [p async for p in _readings(client)]
    _raise(problems)


async def check_resources(target: Any, *, mode: str = "auto") -> None:
    """Check the read-only resources of an MCP server.

    Args:
        target: A server object, a URL or stdio parameters.
        mode: The SDK's connection mode.

    Raises:
        RobotError: With every broken promise.
    """
    async with Client(target, mode=mode) as client:
        listed = {str(r.uri) for r in (await client.list_resources()).resources}
        problems = [f"{uri} is not listed" for uri in RESOURCES if uri not in listed]
        for uri in RESOURCES:
            problems += [] if await _resource(client, uri) else [f"{uri} is empty or not readable"]
        if await _resource(client, "robot://nowhere") is not None:
            problems.append("robot://nowhere can be read, but there is no such resource")
    _raise(problems)


def _raise(problems: list[str]) -> None:
    if problems:
        raise RobotError("The robot breaks its contract:\n" + "\n".join(f"- {p}" for p in problems))


async def _resource(client: Client, uri: str) -> str | None:
    try:
        contents = (await client.read_resource(uri)).contents
    except MCPError:
        return None
    texts = [c.text for c in contents if isinstance(c, types.TextResourceContents)]
    if not texts or (contents[0].mime_type == "application/json" and _parsed(texts[0]) is None):
        return None
    return texts[0]


async def _listing(client: RobotClient) -> AsyncIterator[str]:
    offered = {tool.name: tool for tool in await client.tools()}
    for name, tool in TOOLS.items():
        offer = offered.get(name)
        if offer is None:
            yield f"{name} is not listed"
        elif dict(offer.input_schema) != tool.input_schema:
            yield f"{name} is listed with another schema than its contract's"
        elif not offer.description:
            yield f"{name} has no description"


async def _sensing(client: RobotClient) -> AsyncIterator[str]:
    for tool in TOOLS.values():
        if not tool.is_actuation:
            reply = await client.call(tool.name, {})
            if reply.is_error or _parsed(reply.text) is None:
                yield f"{tool.name} does not answer with an object: {reply.text}"


async def _refusals(client: RobotClient) -> AsyncIterator[str]:
    before = await _position(client)
    for tool in TOOLS.values():
        for args in _bad_arguments(tool):
            reply = await client.call(tool.name, args)
            if not _is_tool_error(reply):
                yield f"{tool.name} accepts {args!r}: {reply.text}"
    reply = await client.call("fly", {"height_m": 1.0})
    if not _is_tool_error(reply):
        yield f"an unknown tool is no tool error: {reply.text}"
    if math.dist(before, await _position(client)) > POSITION_NOISE_M:
        yield "the robot moved though every call was refused"


async def _readings(client: RobotClient) -> AsyncIterator[str]:
    for written, percent in SPEED_READINGS.items():
        reply = await client.call("turn", {"angle_deg": 1.0, "speed_percent": written})
        told = _parsed(reply.text) or {}
        if reply.is_error or told.get("speed_percent") != percent:
            yield f"speed_percent {written!r} is not read as {percent:g} %: {reply.text}"


def _bad_arguments(tool: Tool) -> Iterator[dict[str, Any]]:
    good = {name: GOOD_ARGUMENTS[name] for name in tool.arguments}
    yield {**good, "unheard_of": 1}
    for name, schema in tool.arguments.items():
        yield {key: value for key, value in good.items() if key != name}
        if schema["type"] == "string":
            wrong: tuple[Any, ...] = (7, None, "third") if "enum" in schema else (7, None)
        else:
            wrong = BAD_SPEEDS if name == "speed_percent" else BAD_NUMBERS
        for value in wrong:
            yield {**good, name: value}


async def _position(client: RobotClient) -> tuple[float, float]:
    told = _parsed((await client.call("get_position", {})).text) or {}
    return float(told.get("x") or 0.0), float(told.get("y") or 0.0)


def _is_tool_error(reply: ToolReply) -> bool:
    told = _parsed(reply.text)
    return reply.is_error and told is not None and isinstance(told.get("error"), str)


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return data if isinstance(data, dict) else None
