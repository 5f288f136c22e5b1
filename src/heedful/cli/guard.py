"""`heedful guard`."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import orjson
from cyclopts import App, Parameter

from heedful.cli import DONE, GATE_FAILED, INCOMPLETE
from heedful.cli.ports import check_port
from heedful.errors import InputError, StorageError, UnknownNameError
from heedful.guards.audit.check import check_as_json, render_check, verify_log
from heedful.guards.draft.draft import draft_tool_map
from heedful.guards.margin.law import Noise
from heedful.guards.margin.study import render_study, study_margin
from heedful.guards.proxy.access import TOKEN_VARIABLE
from heedful.guards.proxy.assembly import GuardOptions, assemble
from heedful.guards.proxy.http_link import HttpLink
from heedful.guards.proxy.link import Link, PipeLink
from heedful.guards.proxy.offer import read_offer
from heedful.guards.proxy.serve import LOOPBACK, Front, serve
from heedful.guards.proxy.stdio import ChildServer
from heedful.guards.registry import parse_margins
from heedful.guards.replay.replay import LoggedSession, sessions_from_log
from heedful.guards.tool_map.load import load_tool_map, shipped_tool_maps
from heedful.metrics.intervals import clopper_pearson
from heedful.run_folder import RunFolder
from heedful.spec.load import load_spec
from heedful.trace.reader import Trace

guard_app = App(name="guard", help="Guard any robot's MCP server by a safety spec.", help_format="plaintext")

ROBOT_TOKEN_VARIABLE = "HEEDFUL_ROBOT_TOKEN"  # noqa: S105 - the name, not a token
OPTIONS = (
    "--spec",
    "--map",
    "--log",
    "--margin",
    "--max-calls",
    "--url",
    "--http",
    "--host",
    "--ui",
    "--out",
    "--probe",
)
"""What may stand before `--`, here and in `init`."""
Command = Annotated[str, Parameter(allow_leading_hyphen=True)]


@guard_app.default
def guard(
    *command: Command,
    spec: str = "iso10218-humanoid",
    tool_map: Annotated[str, Parameter(name="--map")] = "heedful-robot",
    log: Path | None = None,
    margins: Annotated[list[str] | None, Parameter(name="--margin", negative="")] = None,
    max_calls: int = 20,
    url: str | None = None,
    http: int | None = None,
    host: str = LOOPBACK,
    ui: int | bool = False,
) -> int:
    """Stand between an MCP client and a robot's MCP server, and hold every command to a safety spec.

    Parameters
    ----------
    command
        The command that starts the robot's server, after `--`.
    spec
        The safety spec: a shipped name or a file.
    tool_map
        What the server's tools mean: a shipped map or a file; `heedful guard init` drafts one.
    log
        File for the audit log.
    margins
        How far a signal may be from what its sensor says, as SIGNAL=BASE or SIGNAL=BASE+RATE/s.
    max_calls
        Tool calls a turn before the watchdog refuses; 0 for no watchdog.
    url
        Address of a robot's server that runs already, instead of a command.
    http
        Port for MCP clients over streamable HTTP at /mcp; standard input and output when not given.
    host
        Address to bind for --http; another than loopback needs a bearer token, from HEEDFUL_GUARD_TOKEN
        or made and printed.
    ui
        Serve a live page with a stop button on loopback, at this port or any free one.
    """
    options = GuardOptions(spec, tool_map, log, parse_margins(margins or ()), max_calls)
    link = _link(command, url)
    http_port = None if http is None else check_port("--http", http)
    front = Front(http_port, host, os.environ.get(TOKEN_VARIABLE) or None, _ui_port(ui))
    clock = time.monotonic
    try:
        assembled = assemble(options, clock)
    except StorageError as error:
        raise InputError(str(error)) from error
    lost = ""
    try:
        lost = asyncio.run(serve(front, link, assembled, clock))
    finally:
        assembled.close(lost or "the client closed", clock())
    return INCOMPLETE if lost else DONE


@guard_app.command
def init(
    *command: Command,
    url: str | None = None,
    out: Path | None = None,
    probe: Annotated[list[str] | None, Parameter(negative="")] = None,
) -> int:
    """Draft a tool map from a robot server's own tool schemas; each open point in it must be settled.

    Parameters
    ----------
    command
        The command that starts the robot's server, after `--`.
    url
        Address of a robot's server that runs already, instead of a command.
    out
        File to write; standard output when not given. A file that exists is not overwritten.
    probe
        Sensing tools that may be called once, without arguments, to see where their values are; no other
        tool is called. With any, each resource is read once as well.
    """
    _check_robot(command, url)
    probes = [name for part in probe or () for name in part.split(",") if name]
    offer = asyncio.run(read_offer(command, url, probes))
    text = draft_tool_map(offer.name, offer.tools, offer.resources, offer.answers)
    if out is None:
        print(text, end="")
        return DONE
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}.") from error
    print(
        f"{out}: a draft of {len(offer.tools)} tools. Settle what stands under 'review', then guard with it."
    )
    return DONE


@guard_app.command
def verify(log: Path, *, anchor: str | None = None, json: bool = False) -> int:
    """Tell what an audit log holds and whether anything in it was changed; 1 if it was.

    Parameters
    ----------
    log
        The log's file.
    anchor
        A hash of one of its lines that was kept elsewhere.
    json
        Print JSON.
    """
    check = verify_log(log, anchor)
    if json:
        print(orjson.dumps(check_as_json(check), option=orjson.OPT_INDENT_2).decode())
    else:
        print("\n".join(render_check(check, str(log))))
    return DONE if check.is_intact and check.has_anchor is not False else GATE_FAILED


@guard_app.command
def trace(
    log: Path, *, out: Path, part: Annotated[list[int] | None, Parameter(negative="")] = None, model: str = ""
) -> int:
    """Write an audit log as a run folder, which `heedful report` and `heedful relabel` read.

    Parameters
    ----------
    log
        The log's file.
    out
        Folder for the run; it must not hold one yet.
    part
        Only this part of the log, by its number from 1; may be given several times. A part begins
        when the guard is started and when it reads its spec again.
    model
        Who made the calls, for the report.
    """
    sessions = _one_spec(log, _parts(log, sessions_from_log(log), part))
    traces = [s.trace if not model else _by_model(s.trace, model) for s in sessions]
    RunFolder(out).record(sessions[0].spec, traces)
    turns = sum(len(trace.turns) for trace in traces)
    print(f"{out}: {len(traces)} session(s), {turns} turn(s). See them: heedful report {out}")
    return DONE


@guard_app.command
def margin(
    *,
    spec: str = "iso10218-humanoid",
    signal: str = "human.distance",
    noise: Literal["uniform", "gaussian"] = "uniform",
    scale: float = 0.1,
    age: float = 0.1,
    speed: float = 1.6,
    rate: float = 1e-3,
    decisions: int = 300_000,
    seed: int = 0,
) -> int:
    """Find the margin of a signal for a wanted rate of true violations, and try it on the guard.

    Parameters
    ----------
    spec
        The safety spec: a shipped name or a file.
    signal
        The signal that gets the margin.
    noise
        How the sensor strays.
    scale
        Half width of uniform noise, standard deviation of gaussian noise, in the signal's unit.
    age
        Age of the newest sample when a command is issued, in seconds.
    speed
        How fast the true value may go towards a rule, in the signal's unit per second; 1.6 m/s is a person.
    rate
        At most this share of the commands let through may be true violations.
    decisions
        How many decisions near each threshold are drawn.
    seed
        Of the draws.
    """
    law = Noise(noise, scale)
    study = study_margin(load_spec(spec), signal, law, age, speed, rate, decisions, seed)
    print("\n".join(render_study(study, lambda k, n: clopper_pearson(k, n, 0.90).high)))
    print(f"use it: --margin {signal}={study.base:.4g}+{study.per_s:.4g}/s")
    return DONE


@guard_app.command(name="maps")
def list_maps() -> int:
    """List the tool maps that come with heedful."""
    for name in shipped_tool_maps():
        found = load_tool_map(name).document
        print(f"{name:28} {found.version:6} {len(found.tools) + len(found.choices):3} tools  {found.title}")
    return DONE


def _link(command: Sequence[str], url: str | None) -> Link:
    _check_robot(command, url)
    if url is not None:
        return HttpLink(url, os.environ.get(ROBOT_TOKEN_VARIABLE) or None)
    return PipeLink(ChildServer(command))


def _check_robot(command: Sequence[str], url: str | None) -> None:
    if command and command[0].startswith("-"):
        raise UnknownNameError("Option", command[0], OPTIONS)
    if bool(command) == (url is not None):
        raise InputError("Say which robot's server: `-- COMMAND...` or `--url URL`, one of them.")


def _ui_port(ui: int | bool) -> int | None:
    if ui is False:
        return None
    return 0 if ui is True else check_port("--ui", ui)


def _parts(
    log: Path, sessions: Sequence[LoggedSession], wanted: Sequence[int] | None
) -> dict[int, LoggedSession]:
    """Return the sessions that are wanted and hold a call, by number; all of them for None."""
    numbered = dict(enumerate(sessions, start=1))
    unknown = [number for number in wanted or () if number not in numbered]
    if unknown:
        raise InputError(f"{log} has parts 1 to {len(numbered)}, no part {unknown[0]}.")
    found = {k: s for k, s in numbered.items() if s.trace.turns and (wanted is None or k in wanted)}
    if not found:
        raise InputError(f"{log} holds no call there; there is nothing to label.")
    return found


def _one_spec(log: Path, sessions: Mapping[int, LoggedSession]) -> list[LoggedSession]:
    """Return the sessions, all of which were held to the same spec and robot."""
    held = {k: (s.trace.info.spec_hash, s.spec.document, s.spec.limits) for k, s in sessions.items()}
    first = next(iter(held.values()))
    if any(other != first for other in held.values()):
        listed = "".join(f"\n  - part {k}: {_spec_of(s)}" for k, s in sessions.items())
        raise InputError(f"{log} was held to several specs; choose parts of one with --part N:{listed}")
    return list(sessions.values())


def _spec_of(session: LoggedSession) -> str:
    info = session.trace.info
    return f"{info.spec}@{info.spec_version} ({info.spec_hash}), {len(session.trace.turns)} turn(s)"


def _by_model(trace: Trace, model: str) -> Trace:
    return replace(trace, info=replace(trace.info, model=model))
