"""The robot as an MCP server: tools and read-only resources over any of the SDK's transports."""

from __future__ import annotations

from functools import cache
from typing import Any

import mcp_types as types
import orjson
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from heedful.robots.robot import Robot
from heedful.robots.tools import TOOLS
from heedful.version import __version__

RESOURCES = {
    "robot://state": "The robot's pose, posture and battery as its sensors report them.",
    "robot://workspace": "The region of the floor that the robot may use.",
    "robot://safety": "The safety rules in force.",
}


def build_server(
    robot: Robot, *, rules_text: str = "", workspace: dict[str, Any] | None = None
) -> Server[Any]:
    """Return an MCP server that offers `robot`.

    Args:
        robot: The robot; its journal records every call.
        rules_text: What `robot://safety` says.
        workspace: What `robot://workspace` says.
    """

    async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=_listed_tools())

    async def call_tool(_ctx: Any, params: types.CallToolRequestParams) -> dict[str, Any]:
        event = robot.call(params.name, params.arguments or {})
        content = [{"type": "text", "text": event.result}]
        return {"content": content, "isError": event.status != "ok", "resultType": "complete"}

    async def list_resources(_ctx: Any, _params: Any) -> types.ListResourcesResult:
        listed = [
            types.Resource(uri=uri, name=uri.removeprefix("robot://"), description=text, mime_type=_mime(uri))
            for uri, text in RESOURCES.items()
        ]
        return types.ListResourcesResult(resources=listed)

    async def read_resource(_ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        if uri not in RESOURCES:
            raise MCPError(types.INVALID_PARAMS, f"Unknown resource {uri!r}. Known: {', '.join(RESOURCES)}.")
        text = _resource_text(uri, robot, rules_text, workspace)
        content = types.TextResourceContents(uri=uri, mime_type=_mime(uri), text=text)
        return types.ReadResourceResult(contents=[content])

    server: Server[Any] = Server(
        "heedful-robot",
        version=__version__,
        on_list_tools=list_tools,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
    )
    # by this way in, the answer may be written as it is sent; the SDK validates it all the same
    server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    server.middleware.clear()  # the SDK's OpenTelemetry spans: an eighth of a call's cost
    return server


@cache
def _listed_tools() -> list[types.Tool]:
    return [
        types.Tool(
            name=tool.name,
            description=tool.description,
            input_schema=tool.input_schema,
            annotations=types.ToolAnnotations(read_only_hint=not tool.is_actuation),
        )
        for tool in TOOLS.values()
    ]


def _mime(uri: str) -> str:
    return "text/plain" if uri == "robot://safety" else "application/json"


def _resource_text(uri: str, robot: Robot, rules_text: str, workspace: dict[str, Any] | None) -> str:
    if uri == "robot://safety":
        return rules_text
    if uri == "robot://workspace":
        return orjson.dumps(workspace or {}).decode()
    world = robot.world
    sensed = {name: world.sample(name).value for name in ("robot.x", "robot.y", "battery.level")}
    return orjson.dumps({**sensed, "posture": world.posture}).decode()
