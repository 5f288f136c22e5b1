from __future__ import annotations

import asyncio

import pytest

from heedful.models.rate_limit import DEFAULT_PAUSE_S, LimiterBook, RateLimiter, RateLimits

from .samples import FakeTime


def build(fake: FakeTime, **limits: float) -> RateLimiter:
    return RateLimiter(RateLimits(**limits), clock=fake.clock, sleep=fake.sleep)


async def admissions(limiter: RateLimiter, count: int, tokens: int = 0) -> list[float]:
    moments = []
    for _ in range(count):
        async with limiter.slot(tokens) as moment:
            moments.append(moment)
    return moments


def test_requests_are_spaced_evenly():
    limiter = build(FakeTime(0.0), requests_per_minute=30)
    assert asyncio.run(admissions(limiter, 4)) == [0.0, 2.0, 4.0, 6.0]


def test_tokens_are_paced_and_corrected_by_what_was_used():
    limiter = build(FakeTime(0.0), tokens_per_minute=600)
    assert asyncio.run(admissions(limiter, 2, tokens=100)) == [0.0, 10.0]
    limiter.settle(100, 10)
    assert asyncio.run(admissions(limiter, 1)) == [11.0]


def test_no_more_than_the_limit_are_in_flight_and_waiters_keep_their_order():
    limiter = build(FakeTime(), max_in_flight=2)
    running, most, order = 0, 0, []

    async def work(number: int) -> None:
        nonlocal running, most
        async with limiter.slot():
            running += 1
            most = max(most, running)
            order.append(number)
            await asyncio.sleep(0)
            running -= 1

    async def all_of_them() -> None:
        await asyncio.gather(*(work(number) for number in range(9)))

    asyncio.run(all_of_them())
    assert most == 2
    assert order == list(range(9))


def test_a_burst_of_429_halves_the_number_in_flight_once():
    fake = FakeTime(0.0)
    limiter = build(fake, max_in_flight=8)
    fake.now = 1.0
    for _ in range(8):
        limiter.slow_down(0.5, 3.0)
    assert limiter.capacity == 4
    fake.now = 2.0
    limiter.slow_down(1.5)
    assert limiter.capacity == 2


def test_answers_bring_the_number_in_flight_back():
    fake = FakeTime(0.0)
    limiter = build(fake, max_in_flight=4)
    limiter.slow_down(0.0)
    for _ in range(20):
        limiter.speed_up()
    assert limiter.capacity == 4


def test_after_a_429_everyone_holds_back():
    fake = FakeTime(0.0)
    limiter = build(fake)
    limiter.slow_down(0.0, 5.0)
    assert asyncio.run(admissions(limiter, 1)) == [5.0]
    limiter.slow_down(6.0)
    assert asyncio.run(admissions(limiter, 1)) == [5.0 + DEFAULT_PAUSE_S]


def test_a_429_while_waiting_lengthens_the_wait():
    fake = FakeTime(0.0)
    limiter = build(fake, requests_per_minute=60)

    async def scene() -> float:
        async with limiter.slot():
            pass
        late = asyncio.create_task(admissions(limiter, 1))
        await asyncio.sleep(0)
        limiter.slow_down(0.0, 9.0)
        return (await late)[0]

    assert asyncio.run(scene()) == 10.0


def test_a_cancelled_waiter_leaves_no_hole():
    limiter = build(FakeTime(), max_in_flight=1)

    async def scene() -> list[float]:
        async with limiter.slot():
            waiting = [asyncio.create_task(admissions(limiter, 1)) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[0].cancel()
            await asyncio.sleep(0)
        waiting[1].cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting[0]
        with pytest.raises(asyncio.CancelledError):
            await waiting[1]
        return await waiting[2]

    assert len(asyncio.run(scene())) == 1
    assert len(asyncio.run(admissions(limiter, 3))) == 3


def test_a_limiter_serves_one_event_loop_after_another():
    limiter = build(FakeTime(), max_in_flight=1)

    async def crowd() -> int:
        return sum(len(times) for times in await asyncio.gather(*(admissions(limiter, 2) for _ in range(5))))

    assert [asyncio.run(crowd()), asyncio.run(crowd())] == [10, 10]


def test_a_provider_has_one_limiter_and_the_strictest_limits():
    book = LimiterBook()
    first = book.limiter_for("openai", RateLimits(requests_per_minute=60, max_in_flight=8))
    assert book.limiter_for("openai", RateLimits(tokens_per_minute=9, max_in_flight=4)) is first
    assert first.limits == RateLimits(60, 9, 4)
    assert first.capacity == 4
    assert book.limiter_for("anthropic", RateLimits()) is not first
