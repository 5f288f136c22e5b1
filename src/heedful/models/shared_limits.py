"""One limiter a provider for many processes: one of them keeps the books, the others ask it.

`LimitKeeper` keeps them, with the very limiters of `rate_limit`; `SharedLimiters` stands in for a
`LimiterBook` in every other process. What carries the messages is a `KeeperLink`: this module knows
neither Ray nor sockets. A process that dies while it holds a place gives it back when its session
is begun anew, or when the lease runs out.
"""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from heedful.models.rate_limit import Limiter, LimiterBook, Limiters, RateLimits

LEASE_S = 120.0
"""How long a place is held for a process that never gives it back [s]; longer than one attempt takes."""


@dataclass(frozen=True, slots=True)
class Place:
    """One place in flight, by who asks for it."""

    session: str
    attempt: str
    """Another one whenever the session is begun anew."""
    number: int


@dataclass(frozen=True, slots=True)
class Account:
    """Whose limits: a provider's address, and what the asker wants kept at least."""

    provider: str
    limits: RateLimits


class LimitKeeper:
    """Keeps the limiters that many processes share; lives on one event loop."""

    def __init__(
        self,
        limiters: Limiters | None = None,
        *,
        lease_s: float = LEASE_S,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._limiters = limiters or LimiterBook()
        self._lease_s = lease_s
        self._sleep = sleep
        self._holding: dict[Place, asyncio.Task[None]] = {}

    async def admit(self, place: Place, account: Account, tokens: int) -> float:
        """Return the time of admission once there is a place; it is held until `leave`."""
        for held in [held for held in self._holding if _is_outlived(held, place)]:
            self._holding[held].cancel()
        admitted: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        holding = asyncio.create_task(self._hold(self._limiter(account), tokens, admitted))
        self._holding[place] = holding

        def note_end(_: asyncio.Task[None]) -> None:
            if self._holding.get(place) is holding:
                del self._holding[place]
            admitted.cancel()

        holding.add_done_callback(note_end)
        return await admitted

    async def leave(self, place: Place) -> None:
        """Give a place back, or stop waiting for it; twice is harmless."""
        if place in self._holding:
            self._holding[place].cancel()

    async def slow_down(self, account: Account, admitted_at_s: float, retry_after_s: float | None) -> None:
        """Take note of a 429 to the request admitted at `admitted_at_s`."""
        self._limiter(account).slow_down(admitted_at_s, retry_after_s)

    async def speed_up(self, account: Account) -> None:
        """Take note of an answer."""
        self._limiter(account).speed_up()

    async def settle(self, account: Account, estimated_tokens: int, used_tokens: int) -> None:
        """Correct the token pace by what a request really used."""
        self._limiter(account).settle(estimated_tokens, used_tokens)

    def _limiter(self, account: Account) -> Limiter:
        return self._limiters.limiter_for(account.provider, account.limits)

    async def _hold(self, limiter: Limiter, tokens: int, admitted: asyncio.Future[float]) -> None:
        async with limiter.slot(tokens) as admitted_at_s:
            if not admitted.done():
                admitted.set_result(admitted_at_s)
                await self._sleep(self._lease_s)


class KeeperLink(Protocol):
    """Carries messages to a `LimitKeeper` elsewhere, in the order they are sent."""

    async def ask(self, method: str, *arguments: Any) -> Any:
        """Call a method of the keeper and return its result."""

    def tell(self, method: str, *arguments: Any) -> None:
        """Call a method of the keeper and wait for nothing."""


class SharedLimiters:
    """The limiters of one attempt at one session, kept elsewhere."""

    def __init__(self, link: KeeperLink, session: str) -> None:
        self._link = link
        self._session = session
        self._attempt = secrets.token_hex(8)
        self._numbers = itertools.count()

    def limiter_for(self, provider: str, limits: RateLimits) -> Limiter:
        """Return the provider's limiter; the strictest limits that anyone asked for hold."""
        return _SharedLimiter(self._link, Account(provider, limits), self._next_place)

    def _next_place(self) -> Place:
        return Place(self._session, self._attempt, next(self._numbers))


class _SharedLimiter:
    def __init__(self, link: KeeperLink, account: Account, next_place: Callable[[], Place]) -> None:
        self._link = link
        self._account = account
        self._next_place = next_place

    @asynccontextmanager
    async def slot(self, tokens: int = 0) -> AsyncIterator[float]:
        place = self._next_place()
        try:
            yield await self._link.ask("admit", place, self._account, tokens)
        finally:
            self._link.tell("leave", place)

    def slow_down(self, admitted_at_s: float, retry_after_s: float | None = None) -> None:
        self._link.tell("slow_down", self._account, admitted_at_s, retry_after_s)

    def speed_up(self) -> None:
        self._link.tell("speed_up", self._account)

    def settle(self, estimated_tokens: int, used_tokens: int) -> None:
        self._link.tell("settle", self._account, estimated_tokens, used_tokens)


def _is_outlived(held: Place, place: Place) -> bool:
    return held.session == place.session and held.attempt != place.attempt
