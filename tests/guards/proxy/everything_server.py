"""An MCP server by the SDK that does all a server can, to compare answers with and without the guard."""

from __future__ import annotations

import base64
import sys
from typing import Any

from mcp.server.mcpserver import Context, Image, MCPServer
from pydantic import BaseModel

server = MCPServer("everything", instructions="Use it all.")


class Weather(BaseModel):
    """Structured output."""

    city: str
    degrees: float
    tags: list[str]


@server.tool()
def echo(text: str) -> str:
    """Return the text."""
    return text


@server.tool()
def weather(city: str) -> Weather:
    """Return structured output."""
    return Weather(city=city, degrees=21.5, tags=["dry", "wärm", "\u2028"])


@server.tool()
def picture(kilobytes: int) -> Image:
    """Return a picture of a size."""
    return Image(data=b"\x89PNG" + bytes(1000 * kilobytes), format="png")


@server.tool()
def fail(text: str) -> str:
    """Fail."""
    raise ValueError(text)


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Report progress."""
    for k in range(to):
        await ctx.report_progress(k + 1, to, f"step {k + 1}")
    return "counted"


@server.resource("memo://fixed")
def fixed() -> str:
    """A fixed text."""
    return "fixed text"


@server.resource("memo://blob", mime_type="application/octet-stream")
def blob() -> bytes:
    """Bytes."""
    return base64.b64decode("AAECAwQ=")


@server.resource("memo://named/{name}")
def named(name: str) -> str:
    """A template."""
    return f"memo of {name}"


@server.prompt()
def greet(name: str) -> str:
    """A prompt."""
    return f"Greet {name}."


def main(arguments: list[str]) -> None:
    options: dict[str, Any] = {"port": int(arguments[0])} if arguments else {}
    server.run("streamable-http" if arguments else "stdio", **options)


if __name__ == "__main__":
    main(sys.argv[1:])
