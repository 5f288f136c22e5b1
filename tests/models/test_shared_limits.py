"""Limits kept in one place for many processes; here the processes are sessions on one event loop."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import pytest

from heedful.models.rate_limit import Limiter, LimiterBook, RateLimits
from heedful.models.shared_limits import LimitKeeper, SharedLimiters

from .samples import FakeTime


class Wire:
    """Carries messages to a keeper on the same event loop."""

    def __init__(self, keeper: LimitKeeper) -> None:
        self.keeper = keeper
        self.told: set[asyncio.Task[Any]] = set()
        self.is_cut = False
        """Whether the process at the other end is gone: what it tells is lost."""

    async def ask(self, method: str, *arguments: Any) -> Any:
        return await getattr(self.keeper, method)(*arguments)

    def tell(self, method: str, *arguments: Any) -> None:
        if not self.is_cut:
            self.told.add(asyncio.create_task(getattr(self.keeper, method)(*arguments)))


async def never(seconds: float) -> None:
    await asyncio.Event().wait()


def keeper_of(fake: FakeTime, sleep: Any = never) -> LimitKeeper:
    return LimitKeeper(LimiterBook(clock=fake.clock, sleep=fake.sleep), sleep=sleep)


def limiter(wire: Wire, session: str, **limits: float) -> Limiter:
    return SharedLimiters(wire, session).limiter_for("openai", RateLimits(**limits))


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def admissions(limiter: Limiter, count: int, tokens: int = 0) -> list[float]:
    moments = []
    for _ in range(count):
        async with limiter.slot(tokens) as moment:
            moments.append(moment)
    return moments


def test_two_processes_share_one_pace():
    async def scene() -> list[float]:
        wire = Wire(keeper_of(FakeTime(0.0)))
        pair = [limiter(wire, session, requests_per_minute=30) for session in "ab"]
        moments = await asyncio.gather(*(admissions(one, 3) for one in pair))
        return sorted(itertools.chain(*moments))

    assert asyncio.run(scene()) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]


def test_the_strictest_limits_hold_for_all():
    async def scene() -> list[float]:
        wire = Wire(keeper_of(FakeTime(0.0)))
        await admissions(limiter(wire, "a", requests_per_minute=6), 1)
        return await admissions(limiter(wire, "b", requests_per_minute=600), 2)

    assert asyncio.run(scene()) == [10.0, 20.0]


def test_tokens_are_corrected_by_what_another_process_used():
    async def scene() -> list[float]:
        wire = Wire(keeper_of(FakeTime(0.0)))
        one, other = (limiter(wire, session, tokens_per_minute=600) for session in "ab")
        await admissions(one, 1, tokens=100)
        one.settle(100, 10)
        return await admissions(other, 1, tokens=100)

    assert asyncio.run(scene()) == [1.0]


def test_a_429_to_one_process_holds_back_the_other():
    async def scene() -> list[float]:
        wire = Wire(keeper_of(FakeTime(0.0)))
        one, other = (limiter(wire, session) for session in "ab")
        moments = await admissions(one, 1)
        one.slow_down(moments[0], 5.0)
        await settled()
        other.speed_up()
        return await admissions(other, 1)

    assert asyncio.run(scene()) == [5.0]


def test_no_more_than_the_limit_are_in_flight_over_all_processes():
    running, most = 0, 0

    async def work(one: Limiter) -> None:
        nonlocal running, most
        async with one.slot():
            running += 1
            most = max(most, running)
            await settled()
            running -= 1

    async def scene() -> None:
        wire = Wire(keeper_of(FakeTime()))
        await asyncio.gather(*(work(limiter(wire, f"s{k}", max_in_flight=2)) for k in range(7)))

    asyncio.run(scene())
    assert most == 2


def test_a_waiter_that_gives_up_leaves_no_hole():
    async def scene() -> int:
        wire = Wire(keeper_of(FakeTime()))
        one, other = (limiter(wire, session, max_in_flight=1) for session in "ab")
        async with one.slot():
            waiting = asyncio.create_task(admissions(other, 1))
            await settled()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        return len(await admissions(one, 3))

    assert asyncio.run(scene()) == 3


def test_a_killed_process_gives_its_place_back_when_its_session_is_begun_anew():
    async def scene() -> int:
        wire = Wire(keeper_of(FakeTime()))
        async with limiter(wire, "a", max_in_flight=1).slot():
            wire.is_cut = True
        await settled()
        wire.is_cut = False
        waiting = asyncio.create_task(admissions(limiter(wire, "b", max_in_flight=1), 1))
        await settled()
        assert not waiting.done()
        begun_anew = await admissions(limiter(wire, "a", max_in_flight=1), 1)
        return len(begun_anew + await waiting)

    assert asyncio.run(scene()) == 2


def test_a_place_that_nobody_gives_back_is_free_after_its_lease():
    async def scene() -> list[float]:
        lease_is_over = asyncio.Event()

        async def lease(seconds: float) -> None:
            await lease_is_over.wait()

        wire = Wire(keeper_of(FakeTime(0.0), lease))
        async with limiter(wire, "a", max_in_flight=1).slot():
            wire.is_cut = True
        wire.is_cut = False
        waiting = asyncio.create_task(admissions(limiter(wire, "b", max_in_flight=1), 1))
        await settled()
        assert not waiting.done()
        lease_is_over.set()
        return await waiting

    assert asyncio.run(scene()) == [0.0]
