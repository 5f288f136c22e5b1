"""The live page's server: what the guard knows as JSON, a stop and the operator's reset; loopback only."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from importlib import resources
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from heedful.guards.audit.records import Decided, Intervened, Noted, OperatorAct
from heedful.guards.proxy.access import Access, AccessError
from heedful.guards.proxy.proxy import Proxy
from heedful.guards.proxy.reload import Reloader

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FILES = {
    "/": ("page.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}
SHOWN = 20
"""How many of the last decisions the page shows."""


class Panel:
    """The ASGI application of the page; every answer that tells or does anything needs the secret."""

    def __init__(
        self, proxy: Proxy, reloader: Reloader, access: Access, token: str, clock: Callable[[], float]
    ) -> None:
        """Take the proxy to show.

        Args:
            proxy: What is shown and stopped.
            reloader: Reads the rules again.
            access: Checks host, origin and rate.
            token: The page's secret, which stands in its address behind the `#`.
            clock: The guard's clock [s].
        """
        self._proxy, self._reloader = proxy, reloader
        self._access, self._token, self._clock = access, token, clock
        folder = resources.files("heedful.guards.proxy") / "page"
        self._files = {at: ((folder / name).read_bytes(), kind) for at, (name, kind) in FILES.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            self._access.check(request.headers, request.client.host if request.client else "")
            response = await self._answer(request)
        except AccessError as refused:
            response = Response(refused.reason, refused.status)
        response.headers.update(
            {
                "content-security-policy": PAGE_POLICY,
                "cache-control": "no-store",
                "x-content-type-options": "nosniff",
                "referrer-policy": "no-referrer",
            }
        )
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        path = request.url.path
        if request.method == "GET" and path in self._files:
            content, kind = self._files[path]
            return Response(content, media_type=kind)
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode()):
            raise AccessError(401, "open the page by the address that the guard printed")
        if request.method == "GET" and path == "/state":
            return _json(self.describe())
        if request.method == "POST" and path == "/stop":
            self._proxy.gate.halt("the stop button of the page", self._clock())
            self._proxy.monitor.look()
            return _json({"done": True})
        if request.method == "POST" and path == "/reset":
            released = self._proxy.gate.reset("the reset button of the page", self._clock())
            return _json({"done": True, "released": list(released)})
        if request.method == "POST" and path == "/reload":
            why = await self._reloader.reload("the reload button of the page")
            return _json({"done": not why, "why": why})
        raise AccessError(404, "there is nothing here")

    def describe(self) -> dict[str, Any]:
        """Return what the page shows."""
        gate, now_s = self._proxy.gate, self._clock()
        state = gate.state(now_s)
        titles = {doc.id: doc.title for doc in gate.guard.spec.document.invariants}
        units = {name: signal.unit or "" for name, signal in gate.guard.spec.document.signals.items()}
        running = state.running
        return {
            "spec": f"{gate.guard.spec.name} {gate.guard.spec.version}",
            "map": f"{gate.map.name} {gate.map.version}",
            "lost": gate.lost,
            "halted": gate.halted,
            "distrusted": gate.distrusted,
            "log_broken": gate.journal.broken,
            "is_ready": gate.is_ready,
            "signals": [{"name": n, "value": v, "unit": units.get(n, "")} for n, v in state.values.items()],
            "rules": [
                {"id": i, "title": t, "is_active": i in state.active, "is_enforced": i in state.enforced}
                for i, t in titles.items()
            ],
            "obligations": [
                {
                    "id": due.invariant,
                    "action": due.action,
                    "left_s": round(due.deadline_s - now_s, 1),
                    "is_met": due.is_met,
                }
                for due in state.obligations
            ],
            "running": None
            if running is None
            else {
                "tool": running.command.tool,
                "args": dict(running.command.args),
                "for_s": round(now_s - running.began_s, 1),
            },
            "decisions": [_row(record, now_s) for record in reversed(gate.journal.recent[-SHOWN:])],
        }


def _row(record: Decided | Intervened | Noted | OperatorAct, now_s: float) -> dict[str, Any]:
    ago_s = round(now_s - record.at_s, 1)
    if isinstance(record, Decided):
        decision = record.decision
        return {
            "ago_s": ago_s,
            "kind": decision.kind,
            "what": record.raw_tool[:60],
            "why": decision.reason[:300],
        }
    if isinstance(record, Intervened):
        return {
            "ago_s": ago_s,
            "kind": "guard",
            "what": record.action,
            "why": record.intervention.reason[:300],
        }
    if isinstance(record, OperatorAct):
        return {"ago_s": ago_s, "kind": "operator", "what": record.deed, "why": record.text[:300]}
    return {"ago_s": ago_s, "kind": "note", "what": record.what, "why": record.text[:300]}


def _json(told: dict[str, Any]) -> Response:
    return Response(orjson.dumps(told, default=str), media_type="application/json")
