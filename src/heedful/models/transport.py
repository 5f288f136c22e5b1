"""HTTP as every wire needs it: one POST that is tried again until it is answered or hopeless.

The only module that knows httpx. It knows no provider's format: `read`, given by the caller, turns a
status and a parsed body into a value, or raises what the answer stands for. Redirects are not
followed, answers are bounded, and the key is cut out of an answer before anything reads it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import httpx

from heedful.errors import ProviderError
from heedful.models.backoff import RetryPolicy, backoff_s, retry_after_s
from heedful.models.credentials import Secret, redact
from heedful.models.json_text import parse_json
from heedful.models.rate_limit import Limiter
from heedful.models.refusals import is_worth_retrying

if TYPE_CHECKING:
    import numpy as np

T = TypeVar("T")
Read = Callable[[int, Any], T]

MAX_BODY_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What `read` made of the answered attempt."""

    value: T
    latency_s: float
    """Time of that attempt alone [s]."""
    attempts: int


@dataclass(frozen=True, slots=True)
class _Raw:
    status: int
    headers: Mapping[str, str]
    body: Any
    """The parsed JSON, or the beginning of the text where it is none."""
    latency_s: float
    admitted_at_s: float


class _Received(NamedTuple):
    status: int
    headers: Mapping[str, str]
    data: bytes


@dataclass(frozen=True, slots=True)
class Timing:
    """The clocks of a transport; tests give their own and never wait."""

    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = time.monotonic
    unix_clock: Callable[[], float] = time.time


class Transport:
    """Posts JSON to one provider."""

    def __init__(
        self,
        provider: str,
        *,
        limiter: Limiter,
        rng: np.random.Generator,
        policy: RetryPolicy | None = None,
        timeout_s: float = 60.0,
        max_body_bytes: int = MAX_BODY_BYTES,
        secret: Secret | None = None,
        trust_env: bool = True,
        timing: Timing | None = None,
    ) -> None:
        self.provider = provider
        self._limiter = limiter
        self._rng = rng
        self._policy = policy or RetryPolicy()
        self._timeout_s = timeout_s
        self._max_body_bytes = max_body_bytes
        self._secret = secret
        self._trust_env = trust_env
        self._timing = timing or Timing()
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def post(
        self, url: str, *, headers: Mapping[str, str], content: bytes, tokens: int, read: Read[T]
    ) -> Answer[T]:
        """Return what `read` makes of the answer to `content`.

        Args:
            url: Where to post.
            headers: Request headers, the key among them.
            content: The JSON to send.
            tokens: How many tokens the request may use, for the limiter.
            read: Gets status and parsed body; a `ProviderError` it raises is retried where that can help.

        Raises:
            ProviderError: After the last attempt, or at once where another cannot help.
        """
        for attempt in range(1, self._policy.max_attempts + 1):
            wait_s: float | None = None
            try:
                raw = await self._attempt(url, headers, content, tokens)
                wait_s = self._note_pace(raw)
                return Answer(read(raw.status, raw.body), raw.latency_s, attempt)
            except ProviderError as error:
                failure = error
                if attempt == self._policy.max_attempts or not is_worth_retrying(error):
                    break
            await self._timing.sleep(
                backoff_s(attempt, self._policy, self._rng) if wait_s is None else wait_s
            )
        raise _counted(failure, attempt) from failure.__cause__

    def settle(self, expected_tokens: int, used_tokens: int) -> None:
        """Tell the limiter what a request really used; 0 means the provider did not say."""
        if used_tokens > 0:
            self._limiter.settle(expected_tokens, used_tokens)

    async def aclose(self) -> None:
        """Close the connections; calling it twice is harmless."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _attempt(self, url: str, headers: Mapping[str, str], content: bytes, tokens: int) -> _Raw:
        async with self._limiter.slot(tokens) as admitted_at_s:
            started = self._timing.clock()
            try:
                async with asyncio.timeout(self._timeout_s):
                    got = await self._exchange(url, headers, content)
            except (TimeoutError, httpx.TimeoutException) as error:
                raise ProviderError(self.provider, f"no answer within {self._timeout_s:g} s") from error
            except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError) as error:
                raise ProviderError(
                    self.provider, f"the connection failed ({type(error).__name__})"
                ) from error
            latency_s = self._timing.clock() - started
        return _Raw(got.status, got.headers, self._parse(got.status, got.data), latency_s, admitted_at_s)

    async def _exchange(self, url: str, headers: Mapping[str, str], content: bytes) -> _Received:
        async with self._open_client().stream(
            "POST", url, headers=dict(headers), content=content
        ) as response:
            parts: list[bytes] = []
            size = 0
            async for part in response.aiter_bytes():
                size += len(part)
                if size > self._max_body_bytes:
                    reason = f"the answer is larger than {self._max_body_bytes} bytes"
                    raise ProviderError(self.provider, reason, status=response.status_code)
                parts.append(part)
            return _Received(response.status_code, response.headers, b"".join(parts))

    def _open_client(self) -> httpx.AsyncClient:
        """Return a client of the running loop; connections of a loop that ended are of no use."""
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:
            self._loop = loop
            self._client = httpx.AsyncClient(
                follow_redirects=False,
                trust_env=self._trust_env,
                timeout=httpx.Timeout(self._timeout_s, pool=None),
                limits=httpx.Limits(max_connections=None, max_keepalive_connections=32),
            )
        return self._client

    def _parse(self, status: int, data: bytes) -> Any:
        clean = redact(data, self._secret)
        try:
            return parse_json(clean)
        except ValueError as error:
            if 200 <= status < 300:
                raise ProviderError(self.provider, "the answer is not JSON") from error
            return clean[:2_000].decode("utf-8", "replace")

    def _note_pace(self, raw: _Raw) -> float | None:
        """Tell the limiter how it went; return the wait that the provider asks for, capped."""
        asked = retry_after_s(raw.headers, raw.body, self._timing.unix_clock())
        wait_s = None if asked is None else min(asked, self._policy.retry_after_cap_s)
        if raw.status == 429:
            self._limiter.slow_down(raw.admitted_at_s, wait_s)
        elif raw.status < 300:
            self._limiter.speed_up()
        return wait_s


def _counted(error: ProviderError, attempts: int) -> ProviderError:
    return type(error)(error.provider, error.reason, status=error.status, attempts=attempts)
