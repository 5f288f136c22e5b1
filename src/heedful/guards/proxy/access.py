"""Who may speak to the guard over HTTP, how much and how often."""

from __future__ import annotations

import hmac
import ipaddress
import secrets
from collections.abc import Callable, Iterable
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")
MOST_BYTES = 16 * 1024 * 1024
"""The largest request body [bytes]."""
MOST_PEERS = 1024
TOKEN_VARIABLE = "HEEDFUL_GUARD_TOKEN"  # noqa: S105 - the variable's name, not a token


class AccessError(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class Access:
    """Checks each request before anything of it is read."""

    def __init__(
        self,
        host: str,
        *,
        token: str | None,
        clock: Callable[[], float],
        origins: Iterable[str] = (),
        per_s: float = 1000.0,
    ) -> None:
        """Take what is allowed.

        Args:
            host: The address that is bound; another than loopback needs a token.
            token: The bearer token; None where none is needed.
            clock: Any clock that does not run backwards [s].
            origins: Origins of web pages that may speak to the guard, besides pages of its own host.
            per_s: Requests a second from one address, and how many may come at once.
        """
        self._hosts = {*LOOPBACK_NAMES} if is_loopback(host) else set()
        self._token, self._clock, self._origins, self._per_s = token, clock, frozenset(origins), per_s
        self._left: dict[str, tuple[float, float]] = {}

    def check(self, headers: Headers, peer: str) -> None:
        """Let a request in.

        Raises:
            AccessError: If it is refused, with the HTTP status.
        """
        self._check_rate(peer)
        host = _split(f"//{headers.get('host', '')}").hostname or ""
        if self._hosts and host not in self._hosts:
            raise AccessError(421, "this host name is not served")
        origin = headers.get("origin")
        if origin is not None and origin not in self._origins and not self._is_own(origin, headers["host"]):
            raise AccessError(403, "this origin may not speak to the guard")
        if self._token is not None:
            given = headers.get("authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode()):
                raise AccessError(401, "a bearer token is needed")

    def check_size(self, headers: Headers) -> None:
        """Let a body of the declared size in.

        Raises:
            AccessError: If it is too large or its size is no number.
        """
        declared = headers.get("content-length")
        if declared is not None and (not declared.isdigit() or len(declared) > 12):
            raise AccessError(400, "the content length is no number")
        if declared is not None and int(declared) > MOST_BYTES:
            raise AccessError(413, "the request is too large")

    def _is_own(self, origin: str, host: str) -> bool:
        parts = _split(origin)
        return parts.netloc == host and (not self._hosts or parts.hostname in self._hosts)

    def _check_rate(self, peer: str) -> None:
        now_s = self._clock()
        left, at_s = self._left.get(peer, (self._per_s, now_s))
        left = min(self._per_s, left + (now_s - at_s) * self._per_s)
        if left < 1:
            raise AccessError(429, "too many requests")
        if len(self._left) >= MOST_PEERS and peer not in self._left:
            self._left.clear()
        self._left[peer] = (left - 1, now_s)


def _split(address: str) -> SplitResult:
    try:
        return urlsplit(address)
    except ValueError as error:
        raise AccessError(400, "this is no host or origin") from error


def is_loopback(host: str) -> bool:
    """Return whether an address is this machine's own."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def new_token() -> str:
    """Return a fresh secret."""
    return secrets.token_urlsafe(32)
