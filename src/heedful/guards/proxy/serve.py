"""Running the proxy: clients on standard streams or HTTP, the page beside it, and an orderly end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import uvicorn
from starlette.types import ASGIApp

from heedful.errors import InputError
from heedful.guards.proxy.access import Access, is_loopback, new_token
from heedful.guards.proxy.assembly import Assembled
from heedful.guards.proxy.http_front import HttpFront
from heedful.guards.proxy.link import Link
from heedful.guards.proxy.message import Message, MessageError, read_strict
from heedful.guards.proxy.panel import Panel
from heedful.guards.proxy.proxy import Proxy
from heedful.guards.proxy.reload import Reloader
from heedful.guards.proxy.stdio import StandardStreams, check_output

LINGER_S = 2.0
"""How long HTTP clients can still read why everything is refused, once the robot's server is gone [s]."""
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Front:
    """Where clients come in."""

    http: int | None = None
    """Port for streamable HTTP; None for standard streams."""
    host: str = LOOPBACK
    token: str | None = None
    """Bearer token for HTTP; made when an address other than loopback is bound and none is given."""
    ui: int | None = None
    """Port of the page, 0 for any free one; None for no page."""


class StandardPort:
    """The one client on this process's standard streams."""

    key = "stdio"

    def __init__(self, streams: StandardStreams) -> None:
        self._streams = streams

    def send(self, message: Message, related: Any = None) -> None:
        """Write a message to the client."""
        del related
        self._streams.send(message.raw)


class Listener(uvicorn.Server):
    """An HTTP server that leaves the process's signals alone."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none: the guard stops the robot first."""
        yield


async def serve(front: Front, link: Link, assembled: Assembled, clock: Callable[[], float]) -> str:
    """Guard until the client, a signal or the robot's server ends it; return why the server ended, if so.

    Args:
        front: Where clients come in.
        link: The way to the robot's server.
        assembled: What becomes of their calls.
        clock: The guard's clock [s].

    Raises:
        InputError: If the robot's server cannot be started or reached, a port cannot be bound, or standard
            output is a file.
    """
    if front.http is None:
        check_output()
    gate = assembled.gate
    proxy = Proxy(link, gate, clock, is_shared=front.http is not None)
    reloader = Reloader(proxy, assembled.read_rules, clock)
    sockets = [_bind(host, port) for host, port in _addresses(front)]
    await link.open()
    passing = asyncio.create_task(proxy.run())
    passing.add_done_callback(_say_end)
    listeners = [
        asyncio.create_task(_listen(app, at))
        for app, at in zip(_apps(front, proxy, reloader, sockets, clock), sockets, strict=True)
    ]
    clients = asyncio.create_task(_serve_pipes(proxy) if front.http is None else _linger(passing))
    with _minding_signals(clients, reloader), contextlib.suppress(asyncio.CancelledError):
        await clients
    lost = gate.lost
    await proxy.settle()
    for task in (*listeners, passing):
        task.cancel()
    await asyncio.gather(*listeners, passing, return_exceptions=True)
    return lost


async def _serve_pipes(proxy: Proxy) -> None:
    """Serve the client on the standard streams until it closes them."""
    streams = StandardStreams()
    await streams.open()
    port = StandardPort(streams)
    proxy.attach(port)
    async for line in streams.lines():
        try:
            proxy.from_client(port, read_strict(line))
        except MessageError as error:
            proxy.refuse(port, error)
        await proxy.drained()
        await streams.drained()
    proxy.detach(port)
    await streams.close()


async def _linger(passing: asyncio.Task[str]) -> None:
    await asyncio.wait({passing})
    await asyncio.sleep(LINGER_S)


def _addresses(front: Front) -> list[tuple[str, int]]:
    page = [] if front.ui is None else [(LOOPBACK, front.ui)]
    return page if front.http is None else [(front.host, front.http), *page]


def _apps(
    front: Front,
    proxy: Proxy,
    reloader: Reloader,
    sockets: list[socket.socket],
    clock: Callable[[], float],
) -> list[ASGIApp]:
    apps: list[ASGIApp] = []
    if front.http is not None:
        token = front.token or (None if is_loopback(front.host) else new_token())
        access = Access(front.host, token=token, clock=clock)
        apps.append(HttpFront(proxy, access, clock))
        port = sockets[0].getsockname()[1]
        _say(
            f"MCP at http://{front.host}:{port}/mcp"
            + (f", bearer token {token}" if token != front.token else "")
        )
    if front.ui is not None:
        secret = new_token()
        apps.append(Panel(proxy, reloader, Access(LOOPBACK, token=None, clock=clock), secret, clock))
        _say(f"live page at http://{LOOPBACK}:{sockets[-1].getsockname()[1]}/#{secret}")
    return apps


async def _listen(app: ASGIApp, at: socket.socket) -> None:
    config = uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
        proxy_headers=False,  # else a header says whose requests are counted
    )
    listener = Listener(config)
    try:
        await listener.serve(sockets=[at])
    except asyncio.CancelledError:
        listener.should_exit = True
        await listener.shutdown(sockets=[at])
        raise


def _bind(host: str, port: int) -> socket.socket:
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio asks for the protocol
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen()  # so that whoever reads the address, printed before anything runs, finds it
    except OSError as error:
        raise InputError(f"{host}:{port} cannot be listened at: {error.strerror}.") from error
    return bound


def _say_end(task: asyncio.Task[str]) -> None:
    if not task.cancelled() and task.exception() is None:
        _say(f"{task.result()}; everything is refused from now on")


def _say(text: str) -> None:
    print(f"heedful guard: {text}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _minding_signals(clients: asyncio.Task[None], reloader: Reloader) -> Iterator[None]:
    """End on SIGTERM and SIGINT, read the rules again on SIGHUP, where the system has them."""
    loop = asyncio.get_running_loop()
    reloads: set[asyncio.Task[None]] = set()

    def reload() -> None:
        task = loop.create_task(_reload(reloader))
        reloads.add(task)
        task.add_done_callback(reloads.discard)

    acts: dict[str, Callable[[], object]] = {
        "SIGTERM": clients.cancel,
        "SIGINT": clients.cancel,
        "SIGHUP": reload,
    }
    signs = {getattr(signal, name): act for name, act in acts.items() if hasattr(signal, name)}
    with contextlib.suppress(NotImplementedError):
        for sign, act in signs.items():
            loop.add_signal_handler(sign, act)
    try:
        yield
    finally:
        with contextlib.suppress(NotImplementedError):
            for sign in signs:
                loop.remove_signal_handler(sign)


async def _reload(reloader: Reloader) -> None:
    why = await reloader.reload("SIGHUP")
    _say(f"the spec cannot be read again, motion is refused: {why}" if why else "the spec was read again")
