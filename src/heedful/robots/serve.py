"""Serving the robot to any MCP client: what the server says of itself, and its transports."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from heedful.robots.robot import Robot
from heedful.robots.server import build_server
from heedful.spec.prompt import render_rules
from heedful.spec.safety_spec import SafetySpec

LOOPBACK = "127.0.0.1"


def describe_server(robot: Robot, spec: SafetySpec) -> Server[Any]:
    """Return the MCP server of `robot` with the spec's rules and workspace as resources."""
    workspace = spec.document.workspace
    region = {"frame": workspace.frame, "unit": workspace.unit, "polygon": workspace.polygon}
    return build_server(robot, rules_text=render_rules(spec), workspace=region)


async def serve_stdio(server: Server[Any]) -> None:
    """Serve on this process's standard input and output until the client closes them."""
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


async def serve_http(server: Server[Any], port: int, host: str = LOOPBACK) -> None:
    """Serve streamable HTTP at `/mcp`, on loopback unless told otherwise, until cancelled or interrupted."""
    config = uvicorn.Config(server.streamable_http_app(), host=host, port=port, log_level="warning")
    running = uvicorn.Server(config)
    try:
        await running.serve()
    except asyncio.CancelledError:
        await running.shutdown()
        raise
