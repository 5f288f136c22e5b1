"""`heedful serve`."""

from __future__ import annotations

import asyncio
from typing import Literal

from heedful.build import build_world
from heedful.cli import DONE
from heedful.cli.ports import check_port
from heedful.cli.stand_in import tell_stand_in
from heedful.errors import InputError
from heedful.robots.robot import Robot
from heedful.robots.serve import LOOPBACK, describe_server, serve_http, serve_stdio
from heedful.scenarios.load import load_scenario
from heedful.spec.load import load_spec

LAYERS = {"synthetic": "text", "sim": "sim"}


def serve(
    *,
    world: Literal["synthetic", "sim"] = "synthetic",
    http: int | None = None,
    host: str = LOOPBACK,
    spec: str = "iso10218-humanoid",
    scenario: str = "humanoid-100-v1",
    turn: int = 1,
    seed: int = 0,
) -> int:
    """Serve the robot to any MCP client, on stdio or streamable HTTP at /mcp.

    Parameters
    ----------
    world
        The world behind the robot: synthetic moves exactly as told, sim is a G1 in MuJoCo.
    http
        Port for streamable HTTP; stdio when not given.
    host
        Address to bind; loopback unless told otherwise. The server has no authentication.
    spec
        The spec whose rules and workspace the server offers as resources.
    scenario
        The scenario that scripts what the sensors see.
    turn
        The turn of the scenario to serve, from 1.
    seed
        Seed of the sensors' noise.
    """
    if http is not None:
        check_port("--http", http)
    script = load_scenario(scenario)
    if not 1 <= turn <= len(script.turns):
        raise InputError(f"--turn must be between 1 and {len(script.turns)}, not {turn}.")
    loaded = load_spec(spec)
    behind = build_world(LAYERS[world], seed, script, loaded)
    if world == "sim":
        tell_stand_in()
    behind.begin_turn(turn - 1, script.turns[turn - 1].script)
    server = describe_server(Robot(behind), loaded)
    asyncio.run(serve_stdio(server) if http is None else serve_http(server, http, host))
    return DONE
