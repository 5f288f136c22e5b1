"""Clients over streamable HTTP at `/mcp`: every revision, several clients, one guard and one robot."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from secrets import token_hex
from typing import Any

from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    validate_mcp_param_headers,
)
from mcp_types import HEADER_MISMATCH, PROTOCOL_VERSION_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from heedful.guards.proxy import message as m
from heedful.guards.proxy.access import MOST_BYTES, Access, AccessError
from heedful.guards.proxy.message import Message, MessageError, key_of, read_strict
from heedful.guards.proxy.proxy import Proxy
from heedful.guards.proxy.stream import answer_request, stream_events

SESSION_HEADER = "mcp-session-id"
MOST_SESSIONS = 64
IDLE_S = 600.0
"""How long a session may be silent before it makes room for others [s]."""
MOST_WAITING = 256
"""Messages kept for a client that does not listen."""

Mailbox = asyncio.Queue[Message | None]


class Session:
    """One client of a revision with a handshake."""

    def __init__(self) -> None:
        self.key: Hashable = token_hex(16)
        self.posts: dict[Any, Mailbox] = {}
        """Mailboxes of the requests under way."""
        self.listener: Mailbox | None = None
        self.used_s = 0.0
        self._waiting: deque[Message] = deque(maxlen=MOST_WAITING)

    def send(self, message: Message, related: Any = None) -> None:
        """Hand a message to the request it belongs to, or to whoever listens."""
        box = self.posts.get(key_of(related)) if related is not None else None
        box = box or self.listener or (next(iter(self.posts.values()), None) if related is None else None)
        if box is not None:
            box.put_nowait(message)
        elif related is None:
            self._waiting.append(message)

    def listen(self) -> Mailbox:
        """Open the stream for what belongs to no request."""
        self.listener = asyncio.Queue()
        while self._waiting:
            self.listener.put_nowait(self._waiting.popleft())
        return self.listener


class OneRequest:
    """A client of a revision without sessions, for the time of one request."""

    key: Hashable = "http"

    def __init__(self) -> None:
        self.box: Mailbox = asyncio.Queue()

    def send(self, message: Message, related: Any = None) -> None:
        """Hand a message to the request."""
        del related
        self.box.put_nowait(message)


class HttpFront:
    """The ASGI application at `/mcp`."""

    def __init__(self, proxy: Proxy, access: Access, clock: Callable[[], float]) -> None:
        self._proxy, self._access, self._clock = proxy, access, clock
        self._sessions: dict[str, Session] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            self._access.check(request.headers, request.client.host if request.client else "")
            await self._serve(request, scope, receive, send)
        except AccessError as refused:
            headers = {"www-authenticate": "Bearer"} if refused.status == 401 else None
            await Response(refused.reason, refused.status, headers)(scope, receive, send)
        except ClientDisconnect:
            pass

    async def _serve(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        if request.url.path.rstrip("/") != "/mcp":
            raise AccessError(404, "MCP is served at /mcp")
        if request.method == "POST":
            await self._post(request, scope, receive, send)
        elif request.method == "GET":
            session = self._session(request)
            if session.listener is not None:
                raise AccessError(409, "this session listens already")
            try:
                await stream_events(session.listen(), receive, send)
            finally:
                session.listener = None
        elif request.method == "DELETE":
            self._end(self._session(request))
            await Response(status_code=204)(scope, receive, send)
        else:
            raise AccessError(405, "this method is not served")

    async def _post(self, request: Request, scope: Scope, receive: Receive, send: Send) -> None:
        message = await self._read(request, scope, receive, send)
        if message is None:
            return
        version = request.headers.get(MCP_PROTOCOL_VERSION_HEADER)
        if PROTOCOL_VERSION_META_KEY in message.meta or version in MODERN_PROTOCOL_VERSIONS:
            await self._post_modern(message, request, scope, receive, send)
        elif message.method == m.INITIALIZE and SESSION_HEADER not in request.headers:
            await self._open(message, scope, receive, send)
        else:
            await self._post_legacy(message, self._session(request), scope, receive, send)

    async def _read(self, request: Request, scope: Scope, receive: Receive, send: Send) -> Message | None:
        self._access.check_size(request.headers)
        if not request.headers.get("content-type", "").lower().startswith("application/json"):
            raise AccessError(415, "the body must be application/json")
        body = bytearray()
        async for chunk in request.stream():
            body += chunk
            if len(body) > MOST_BYTES:
                raise AccessError(413, "the request is too large")
        try:
            return read_strict(bytes(body))
        except MessageError as error:
            refusal = m.failure(error.request_id, error.code, f"[guard] {error.reason}")
            await _json(refusal, 400)(scope, receive, send)
            return None

    async def _post_modern(
        self, message: Message, request: Request, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if not message.is_request:
            await Response(status_code=202)(scope, receive, send)
            return
        if (rejected := self._reject(message, request)) is not None:
            refusal = m.failure(message.id, rejected.code, rejected.message, rejected.data)
            await _json(refusal, ERROR_CODE_HTTP_STATUS.get(rejected.code, 400))(scope, receive, send)
            return
        port = OneRequest()
        self._proxy.from_client(port, message)
        try:
            await self._proxy.drained()
            await answer_request(port.box, receive, send, _status_of)
        finally:
            self._proxy.cancel(port, message.id, "its client closed the connection")

    def _reject(self, message: Message, request: Request) -> InboundLadderRejection | None:
        """Return why headers and body do not fit, where one relies on the other."""
        if (name := find_duplicated_routing_header(request.headers.items())) is not None:
            return InboundLadderRejection(HEADER_MISMATCH, f"the header {name} stands twice")
        route = classify_inbound_request(message.body, headers=request.headers)
        if isinstance(route, InboundLadderRejection):
            return route
        arguments = message.params.get("arguments")
        schema = self._proxy.tools.schemas.get(str(message.params.get("name")))
        if message.method != m.CALL_TOOL or schema is None:
            return None
        given = arguments if isinstance(arguments, dict) else {}
        return validate_mcp_param_headers(schema, given, request.headers)

    async def _open(self, message: Message, scope: Scope, receive: Receive, send: Send) -> None:
        self._make_room()
        session = Session()
        session.used_s = self._clock()
        self._sessions[str(session.key)] = session
        self._proxy.attach(session)
        await self._post_legacy(message, session, scope, receive, send)

    async def _post_legacy(
        self, message: Message, session: Session, scope: Scope, receive: Receive, send: Send
    ) -> None:
        if not message.is_request:
            self._proxy.from_client(session, message)
            await self._proxy.drained()
            await Response(status_code=202)(scope, receive, send)
            return
        key, box = key_of(message.id), Mailbox()
        if key in session.posts:
            raise AccessError(400, "a request with this id has not been answered yet")
        session.posts[key] = box
        try:
            self._proxy.from_client(session, message)
            await self._proxy.drained()
            headers = {SESSION_HEADER: str(session.key)}
            await answer_request(box, receive, send, lambda _: 200, headers)
        finally:
            del session.posts[key]
            self._proxy.cancel(session, message.id, "its client closed the connection")

    def _session(self, request: Request) -> Session:
        name = request.headers.get(SESSION_HEADER)
        if name is None:
            raise AccessError(400, "the session's id is missing")
        session = self._sessions.get(name)
        if session is None:
            raise AccessError(404, "this session is not known")
        session.used_s = self._clock()
        return session

    def _make_room(self) -> None:
        """End sessions that nobody has used for long when there are too many."""
        idle = [s for s in self._sessions.values() if not s.posts and s.listener is None]
        idle_long = [s for s in idle if self._clock() - s.used_s > IDLE_S]
        if len(self._sessions) >= MOST_SESSIONS:
            for session in idle_long:
                self._end(session)
        if len(self._sessions) >= MOST_SESSIONS:
            raise AccessError(503, "too many open sessions")

    def _end(self, session: Session) -> None:
        del self._sessions[str(session.key)]
        if session.listener is not None:
            session.listener.put_nowait(None)
        self._proxy.detach(session)


def _json(message: Message, status: int) -> Response:
    return Response(message.raw, status, media_type="application/json")


def _status_of(answer: Message) -> int:
    error = answer.body.get("error")
    code = error.get("code") if isinstance(error, dict) else None
    return ERROR_CODE_HTTP_STATUS.get(code, 200) if isinstance(code, int) else 200
