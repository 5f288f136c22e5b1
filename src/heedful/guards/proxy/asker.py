"""The guard's own requests to the robot's server: their ids, their answers, the revision they speak."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from itertools import count
from typing import Any

from mcp_types import CLIENT_CAPABILITIES_META_KEY, CLIENT_INFO_META_KEY, PROTOCOL_VERSION_META_KEY
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from heedful.errors import RobotError
from heedful.guards.proxy.message import CALL_TOOL, CANCELLED, Message, notification, request
from heedful.version import __version__

INFO = {"name": "heedful-guard", "version": __version__}


class Asker:
    """Asks the robot's server; no client ever sees the answers."""

    def __init__(self, send: Callable[[Message], None]) -> None:
        self._send = send
        self._prefix = f"heedful-guard-{secrets.token_hex(8)}-"
        self._ids = count(1)
        self._waiting: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._envelope: dict[str, Any] | None = None
        self.can_ask = asyncio.Event()
        """Set once the server takes requests: after the handshake, or with the first request without one."""

    def speak_modern(self, meta: dict[str, Any]) -> None:
        """Speak the revision that a client's request without a handshake speaks, unless a session is open.

        A revision that is not known is not spoken: the server would refuse the guard's own stop in it.
        """
        is_session = self.can_ask.is_set() and self._envelope is None
        if is_session or meta[PROTOCOL_VERSION_META_KEY] not in MODERN_PROTOCOL_VERSIONS:
            return
        self._envelope = {
            PROTOCOL_VERSION_META_KEY: meta[PROTOCOL_VERSION_META_KEY],
            CLIENT_INFO_META_KEY: INFO,
            CLIENT_CAPABILITIES_META_KEY: {},
        }
        self.can_ask.set()

    def speak_legacy(self) -> None:
        """Speak as part of the session that a client has opened."""
        self._envelope = None
        self.can_ask.set()

    async def ask(self, method: str, params: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        """Return the server's result.

        Raises:
            RobotError: If it answers with an error, or not in time.
        """
        question = self.question(method, params)
        request_id: str = question.id
        future: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = future
        self._send(question)
        try:
            return await asyncio.wait_for(future, timeout_s)
        except TimeoutError:
            if method != CALL_TOOL:
                self._send(notification(CANCELLED, {"requestId": request_id, "reason": "timeout"}))
            raise RobotError(f"the robot's server did not answer {method} within {timeout_s:g} s") from None
        finally:
            self._waiting.pop(request_id, None)

    def question(self, method: str, params: dict[str, Any]) -> Message:
        """Return a request of the guard's own, not sent."""
        meta = {} if self._envelope is None else {"_meta": self._envelope}
        return request(f"{self._prefix}{next(self._ids)}", method, {**params, **meta})

    def is_own(self, request_id: Any) -> bool:
        """Return whether an id is, or looks like, one of the guard's own."""
        return isinstance(request_id, str) and request_id.startswith(self._prefix)

    def take(self, answer: Message) -> bool:
        """Take an answer; return whether it was to the guard."""
        if not self.is_own(answer.id):
            return False
        future = self._waiting.get(answer.id)
        if future is not None and not future.done():
            result = answer.body.get("result")
            if isinstance(result, dict):
                future.set_result(result)
            else:
                future.set_exception(RobotError(f"the robot's server answered: {answer.body.get('error')}"))
        return True

    def lose(self, why: str) -> None:
        """Answer every open question with an error."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(RobotError(why))
        self._waiting.clear()
