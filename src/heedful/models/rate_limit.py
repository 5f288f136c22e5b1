"""One limiter a provider a process: pace, requests in flight, and slowing down after a 429.

Every model of a provider shares its limiter, so twenty sessions together keep the provider's limits.
Waiters are served in the order they came. A limiter outlives event loops: its state is plain data
under a lock, and a waiter whose loop is gone is passed over.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol

DEFAULT_PAUSE_S = 1.0
"""How long everyone holds back after a 429 that names no time."""


@dataclass(frozen=True, slots=True)
class RateLimits:
    """What a provider allows; None is unlimited."""

    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_in_flight: int = 8

    def tightest(self, other: RateLimits) -> RateLimits:
        """Return the stricter of both, limit by limit."""
        return RateLimits(
            _smaller(self.requests_per_minute, other.requests_per_minute),
            _smaller(self.tokens_per_minute, other.tokens_per_minute),
            min(self.max_in_flight, other.max_in_flight),
        )


class Limiter(Protocol):
    """What a transport asks of its provider's limiter, in this process or in another."""

    def slot(self, tokens: int = 0) -> AbstractAsyncContextManager[float]:
        """Hold one place in flight; yields the time of admission, which `slow_down` wants back."""

    def slow_down(self, admitted_at_s: float, retry_after_s: float | None = None) -> None:
        """Take note of a 429 to the request admitted at `admitted_at_s`."""

    def speed_up(self) -> None:
        """Take note of an answer."""

    def settle(self, estimated_tokens: int, used_tokens: int) -> None:
        """Correct the token pace by what a request really used."""


class Limiters(Protocol):
    """Where models find the limiter of their provider."""

    def limiter_for(self, provider: str, limits: RateLimits) -> Limiter:
        """Return the provider's limiter; the strictest limits asked for hold."""


@dataclass(slots=True, eq=False)
class _Waiter:
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[None]
    granted: bool = False


class RateLimiter:
    """Admits requests of one provider.

    Requests are spaced evenly, without bursts. After a 429 the number in flight is halved and grows
    back by one for each round of answers; a burst of 429s to requests sent before the cut counts once.
    """

    def __init__(
        self,
        limits: RateLimits,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limits = limits
        self._clock = clock
        self._sleep = sleep
        self._lock = threading.Lock()
        self._waiting: deque[_Waiter] = deque()
        self._in_flight = 0
        self._capacity = float(max(1, limits.max_in_flight))
        self._next_request_s = self._next_tokens_s = self._paused_until_s = 0.0
        self._cut_at_s = float("-inf")

    @property
    def capacity(self) -> int:
        """Requests that may be in flight now."""
        return int(self._capacity)

    @asynccontextmanager
    async def slot(self, tokens: int = 0) -> AsyncIterator[float]:
        """Hold one place in flight; yields the time of admission, which `slow_down` wants back."""
        await self._enter()
        try:
            await self._keep_pace(tokens)
            yield self._clock()
        finally:
            self._leave()

    def slow_down(self, admitted_at_s: float, retry_after_s: float | None = None) -> None:
        """Take note of a 429 to the request admitted at `admitted_at_s`."""
        with self._lock:
            now = self._clock()
            pause = DEFAULT_PAUSE_S if retry_after_s is None else retry_after_s
            self._paused_until_s = max(self._paused_until_s, now + pause)
            if admitted_at_s >= self._cut_at_s:
                self._capacity = max(1.0, self._capacity / 2.0)
                self._cut_at_s = now

    def speed_up(self) -> None:
        """Take note of an answer."""
        with self._lock:
            ceiling = float(max(1, self.limits.max_in_flight))
            self._capacity = min(ceiling, self._capacity + 1.0 / self._capacity)
            self._admit_waiting()

    def settle(self, estimated_tokens: int, used_tokens: int) -> None:
        """Correct the token pace by what a request really used."""
        if self.limits.tokens_per_minute is not None:
            with self._lock:
                self._next_tokens_s += 60.0 * (used_tokens - estimated_tokens) / self.limits.tokens_per_minute

    def tighten(self, limits: RateLimits) -> None:
        """Keep the stricter of the present limits and `limits` from now on."""
        with self._lock:
            self.limits = self.limits.tightest(limits)
            self._capacity = min(self._capacity, float(max(1, self.limits.max_in_flight)))

    async def _enter(self) -> None:
        with self._lock:
            if not self._waiting and self._in_flight < self.capacity:
                self._in_flight += 1
                return
            loop = asyncio.get_running_loop()
            waiter = _Waiter(loop, loop.create_future())
            self._waiting.append(waiter)
        try:
            await waiter.future
        except asyncio.CancelledError:
            self._withdraw(waiter)
            raise

    def _withdraw(self, waiter: _Waiter) -> None:
        with self._lock:
            if waiter.granted:
                self._in_flight -= 1
            elif waiter in self._waiting:
                self._waiting.remove(waiter)
            self._admit_waiting()

    def _leave(self) -> None:
        with self._lock:
            self._in_flight -= 1
            self._admit_waiting()

    def _admit_waiting(self) -> None:
        while self._waiting and self._in_flight < self.capacity:
            waiter = self._waiting.popleft()
            try:
                waiter.loop.call_soon_threadsafe(_wake, waiter.future)
            except RuntimeError:
                continue
            waiter.granted = True
            self._in_flight += 1

    async def _keep_pace(self, tokens: int) -> None:
        wait = self._reserve(tokens) - self._clock()
        while wait > 0:
            await self._sleep(wait)
            with self._lock:
                wait = self._paused_until_s - self._clock()

    def _reserve(self, tokens: int) -> float:
        """Book the next free moment and return it."""
        with self._lock:
            limits = self.limits
            start = max(self._clock(), self._next_request_s, self._next_tokens_s, self._paused_until_s)
            if limits.requests_per_minute is not None:
                self._next_request_s = start + 60.0 / limits.requests_per_minute
            if limits.tokens_per_minute is not None:
                self._next_tokens_s = start + 60.0 * tokens / limits.tokens_per_minute
            return start


class LimiterBook:
    """The limiters of a process, one a provider address."""

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._limiters: dict[str, RateLimiter] = {}
        self._lock = threading.Lock()

    def limiter_for(self, provider: str, limits: RateLimits) -> RateLimiter:
        """Return the provider's limiter, made on first use; the strictest limits asked for hold."""
        with self._lock:
            limiter = self._limiters.get(provider)
            if limiter is None:
                limiter = RateLimiter(limits, clock=self._clock, sleep=self._sleep)
                self._limiters[provider] = limiter
            else:
                limiter.tighten(limits)
            return limiter


PROCESS_LIMITERS = LimiterBook()
"""The limiters that models share unless they are given others."""


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


def _smaller(one: float | None, other: float | None) -> float | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)
