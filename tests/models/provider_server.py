"""A provider on loopback that answers from a script: real sockets, no network, no waiting.

    with ProviderServer([Step(429, headers={"retry-after": "7"}), Step(body={...})]) as server:
        ...  # server.url, server.requests

Standard library only. Each request takes the next step; a request beyond the script gets HTTP 418.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Step:
    """What to do with one request."""

    status: int = 200
    body: Any = None
    """Bytes as they are; anything else as JSON."""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    """Promise the whole body, send this many bytes of it, and close."""
    hang: bool = False
    """Send nothing until the server is closed."""
    drop: bool = False
    """Close without a word."""


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    path: str
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


class ProviderServer:
    """The server; a context manager."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = list(steps)
        self.requests: list[Received] = []
        self.released = threading.Event()
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.released.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def take(self, received: Received) -> Step:
        with self._lock:
            self.requests.append(received)
            return self.steps.pop(0) if self.steps else Step(418, {"error": "the script is over"})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", "0")))
                headers = {name.lower(): value for name, value in self.headers.items()}
                step = owner.take(Received(self.path, headers, raw))
                if step.hang:
                    owner.released.wait(20)
                if step.hang or step.drop:
                    self.close_connection = True
                    return
                self._answer(step)

            def _answer(self, step: Step) -> None:
                data = step.body if isinstance(step.body, bytes) else json.dumps(step.body).encode()
                self.send_response(step.status)
                for name, value in step.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data if step.cut_after is None else data[: step.cut_after])
                self.wfile.flush()
                self.close_connection = self.close_connection or step.cut_after is not None

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        return Handler
