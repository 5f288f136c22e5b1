"""Which client waits for which answer of the robot's server.

With one client, ids pass as they are. With several, every request gets an id and a progress token of
its own on the way to the server, and its old ones on the way back.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol

from mcp.shared.subscriptions import SUBSCRIPTION_ID_META_KEY

from heedful.guards.proxy.call import Ask
from heedful.guards.proxy.message import INITIALIZE, PROGRESS, Message, MessageError, editable, key_of, write


class Port(Protocol):
    """One client's end."""

    @property
    def key(self) -> Hashable:
        """Names the client."""
        ...

    def send(self, message: Message, related: Any = None) -> None:
        """Hand a message to the client; `related` is the id of its request that it belongs to."""
        ...


@dataclass(frozen=True)
class Route:
    """A client's request on its way."""

    port: Port
    id: Any
    """As the client wrote it."""
    upstream_id: Any
    """As the robot's server knows it."""
    method: str
    token: Any = None
    """The client's progress token."""


@dataclass(frozen=True)
class Held:
    """A tool call that waits for its turn."""

    route: Route
    message: Message
    ask: Ask


class Routes:
    """The requests that the robot's server has not answered."""

    def __init__(self, *, is_shared: bool) -> None:
        self._is_shared = is_shared
        self._ids = count(1)
        self._open: dict[Any, Route] = {}
        self._asked: dict[Any, Port] = {}
        self._capabilities: dict[Hashable, dict[str, Any]] = {}

    def name(self, port: Port, message: Message) -> Route:
        """Return the route that a client's request takes, before it is sent.

        Raises:
            MessageError: If the client waits already for an answer under the same id.
        """
        if self.find(port, message.id) is not None:
            raise MessageError("a request with this id has not been answered yet", message.id)
        upstream = next(self._ids) if self._is_shared else message.id
        return Route(port, message.id, upstream, message.method or "", message.meta.get("progressToken"))

    def open(self, route: Route, message: Message) -> Message:
        """Wait for the answer to a request; return the request as it is sent."""
        self._open[key_of(route.upstream_id)] = route
        if route.method == INITIALIZE:
            found = message.params.get("capabilities")
            self._capabilities[route.port.key] = found if isinstance(found, dict) else {}
        if not self._is_shared:
            return message
        body = {**message.body, "id": route.upstream_id}
        if route.token is not None:
            meta = {**message.meta, "progressToken": route.upstream_id}
            body["params"] = {**message.params, "_meta": meta}
        return write(body)

    def close(self, answer: Message) -> Route | None:
        """Return, once, the route that an answer takes back."""
        return self._open.pop(key_of(answer.id), None)

    def find(self, port: Port, request_id: Any) -> Route | None:
        """Return the route of a client's request that is still open."""
        wanted = key_of(request_id)
        routes = self._open.values()
        if not self._is_shared:
            return self._open.get(wanted)
        return next((r for r in routes if r.port is port and key_of(r.id) == wanted), None)

    def of(self, port: Port) -> list[Route]:
        """Return every open route of a client."""
        return [route for route in self._open.values() if route.port is port]

    def drop(self, route: Route) -> None:
        """Stop waiting; an answer that comes nevertheless finds nobody."""
        self._open.pop(key_of(route.upstream_id), None)

    def all(self) -> list[Route]:
        """Return every open route."""
        return list(self._open.values())

    def back(self, route: Route, answer: Message) -> Message:
        """Return an answer as the client that asked knows it."""
        if not self._is_shared:
            return answer
        return write({**editable(answer), "id": route.id})

    def of_notification(self, message: Message) -> tuple[Route, Message] | None:
        """Return whose request a notification belongs to, and the notification as that client knows it."""
        if not self._is_shared:
            return None
        if message.method == PROGRESS:
            route = self._open.get(key_of(message.params.get("progressToken")))
            return None if route is None else (route, _with_params(message, progressToken=route.token))
        if SUBSCRIPTION_ID_META_KEY in message.meta:
            route = self._open.get(key_of(message.meta[SUBSCRIPTION_ID_META_KEY]))
            if route is not None:
                meta = {**message.meta, SUBSCRIPTION_ID_META_KEY: route.id}
                return route, _with_params(message, _meta=meta)
        return None

    def ask(self, ports: list[Port], message: Message) -> Port | None:
        """Return the client that a server's request goes to: one that offers it, a waiting one first."""
        needed = (message.method or "").partition("/")[0]
        able = [p for p in ports if needed == "ping" or needed in self._capabilities.get(p.key, {})]
        if not self._is_shared:
            able = ports
        waiting = [p for p in able if self.of(p)]
        port = next(iter(waiting or able), None)
        if port is not None:
            self._asked[key_of(message.id)] = port
        return port

    def is_asked(self, port: Port, answer: Message) -> bool:
        """Return, once, whether the server waits for this answer of this client."""
        return self._asked.pop(key_of(answer.id), None) is port

    def forget(self, port: Port) -> list[Any]:
        """Forget a client; return the ids of the server's requests that it leaves open."""
        self._capabilities.pop(port.key, None)
        left = [key for key, asked in self._asked.items() if asked is port]
        for key in left:
            del self._asked[key]
        return [key[1] for key in left]


def _with_params(message: Message, **changed: Any) -> Message:
    return write({**message.body, "params": {**message.params, **changed}})
