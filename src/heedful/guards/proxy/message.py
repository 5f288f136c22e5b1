"""JSON-RPC messages as they pass: the bytes that came, and what they mean.

What is not restricted is passed on as the bytes that came. What a client sends is read strictly, so that
the robot's server cannot read another meaning into the same bytes than the guard did. Line breaks between
its parts, which a server on pipes may take for the end of a message, pass as spaces.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import orjson

from heedful.errors import HeedfulError

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INTERNAL_ERROR = -32700, -32600, -32601, -32603
CONNECTION_CLOSED = -32000
CALL_TOOL, LIST_TOOLS, INITIALIZE = "tools/call", "tools/list", "initialize"
CANCELLED, PROGRESS, INITIALIZED = (
    "notifications/cancelled",
    "notifications/progress",
    "notifications/initialized",
)
_ENVELOPE = frozenset({"jsonrpc", "id", "method", "params", "result", "error"})
_CALL = frozenset({"name", "arguments", "_meta", "task"})
_METHODS = frozenset({CALL_TOOL, LIST_TOOLS, INITIALIZE, CANCELLED, INITIALIZED})
MOST_PARTS = 200_000
"""Values that a client's message may hold: while one is taken apart, nobody looks at the sensors."""
_AS_SPACES = bytes.maketrans(b"\r\n", b"  ")

RequestId = str | int


class MessageError(HeedfulError):
    """A client's message that cannot be read without doubt; carries what to answer."""

    def __init__(self, reason: str, request_id: RequestId | None = None, code: int = INVALID_REQUEST) -> None:
        super().__init__(reason)
        self.reason, self.request_id, self.code = reason, request_id, code


@dataclass(slots=True)
class Message:
    """One JSON-RPC message."""

    body: dict[str, Any]
    raw: bytes
    """As it goes over the wire, without a newline."""

    @property
    def method(self) -> str | None:
        """The method of a request or notification; None for an answer."""
        method = self.body.get("method")
        return method if isinstance(method, str) else None

    @property
    def id(self) -> Any:
        """The id; None for a notification."""
        return self.body.get("id")

    @property
    def params(self) -> dict[str, Any]:
        """The parameters; empty when there are none or they are no object."""
        params = self.body.get("params")
        return params if isinstance(params, dict) else {}

    @property
    def meta(self) -> dict[str, Any]:
        """What `_meta` of the parameters holds."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}

    @property
    def is_request(self) -> bool:
        """Whether an answer is owed."""
        return "method" in self.body and "id" in self.body

    @property
    def is_answer(self) -> bool:
        """Whether this answers a request."""
        return "method" not in self.body


def key_of(request_id: Any) -> tuple[str, Any]:
    """Return an id as a key; 1 and "1" are two."""
    return (type(request_id).__name__, request_id)


def read_strict(line: bytes) -> Message:
    """Read a client's message.

    Raises:
        MessageError: If it is not one JSON-RPC message, or two readers could read it differently.
    """
    doubles: list[str] = []
    if line.count(b",") > MOST_PARTS:
        raise MessageError(f"the message holds more than {MOST_PARTS} values")
    try:
        body = json.loads(line.decode(), object_pairs_hook=lambda pairs: _unique(pairs, doubles))
    except (ValueError, RecursionError) as error:
        raise MessageError(f"the message is not JSON: {error}", code=PARSE_ERROR) from error
    if not isinstance(body, dict):
        raise MessageError("the message is not one JSON object; batches are not taken")
    asked = body.get("id")
    request_id = asked if isinstance(asked, str | int) and not isinstance(asked, bool) else None
    if "id" in body and request_id is None and "method" in body:
        raise MessageError("the id of a request must be text or a whole number")
    if doubles:
        raise MessageError(f"the key {doubles[0]!r} stands twice in one object", request_id)
    _check_names(body, _ENVELOPE, request_id)
    if "method" in body and not isinstance(body["method"], str):
        raise MessageError("the method must be text", request_id)
    _check_method(body.get("method", ""), request_id)
    if body.get("method") == CALL_TOOL and isinstance(body.get("params"), dict):
        _check_names(body["params"], _CALL, request_id)
    return Message(body, line.translate(_AS_SPACES))


def read_lenient(line: bytes) -> list[Message]:
    """Read what a server wrote: one message, the members of a batch, or nothing for what is no JSON."""
    try:
        body = orjson.loads(line)
    except orjson.JSONDecodeError:
        try:
            body = json.loads(line)
        except (ValueError, RecursionError):
            return []
    if isinstance(body, dict):
        return [Message(body, line)]
    members = body if isinstance(body, list) else []
    return [write(member) for member in members if isinstance(member, dict)]


def write(body: dict[str, Any]) -> Message:
    """Return a message of our own making, or a changed one; whole numbers of any size are kept."""
    return Message(body, json.dumps(body, separators=(",", ":")).encode())


def editable(message: Message) -> dict[str, Any]:
    """Return a copy of a message's body whose numbers are exactly those that came."""
    body: dict[str, Any] = json.loads(message.raw)
    return body


def answer(request_id: Any, result: dict[str, Any]) -> Message:
    """Return the answer to a request."""
    return write({"jsonrpc": "2.0", "id": request_id, "result": result})


def failure(request_id: Any, code: int, reason: str, data: Any = None) -> Message:
    """Return the error that answers a request."""
    error = {"code": code, "message": reason} | ({} if data is None else {"data": data})
    return write({"jsonrpc": "2.0", "id": request_id, "error": error})


def request(request_id: RequestId, method: str, params: dict[str, Any]) -> Message:
    """Return a request of our own."""
    return write({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})


def notification(method: str, params: dict[str, Any]) -> Message:
    """Return a notification of our own."""
    return write({"jsonrpc": "2.0", "method": method, "params": params})


def _unique(pairs: list[tuple[str, Any]], doubles: list[str]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs) and not doubles:
        times = Counter(name for name, _ in pairs)
        doubles.append(next(name for name, count in times.items() if count > 1)[:40])
    return found


def _check_method(method: str, request_id: RequestId | None) -> None:
    """Refuse a method that a reader which ignores case or space takes for one that is looked into."""
    meant = method.strip().casefold()
    if meant in _METHODS and method != meant:
        raise MessageError(f"the method {method[:40]!r} must be written {meant!r}", request_id)


def _check_names(body: Iterable[str], known: frozenset[str], request_id: RequestId | None) -> None:
    """Refuse names that a reader which ignores case takes for known ones."""
    for name in body:
        if name not in known and name.casefold() in known:
            raise MessageError(f"the key {name!r} must be written {name.casefold()!r}", request_id)
