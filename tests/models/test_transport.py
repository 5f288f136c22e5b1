from __future__ import annotations

import asyncio
import gzip
from typing import Any

import numpy as np
import pytest

from heedful.errors import ContextOverflowError, ProviderError
from heedful.models.backoff import RetryPolicy, backoff_s
from heedful.models.credentials import Secret
from heedful.models.rate_limit import RateLimiter, RateLimits
from heedful.models.refusals import read_failure
from heedful.models.transport import Answer, Timing, Transport

from .provider_server import ProviderServer, Step
from .samples import FakeTime

KEY = "sk-test-0123456789"
GOOD = Step(body={"ok": True})


def read(status: int, body: Any) -> Any:
    if status >= 300:
        raise read_failure("p", status, body)
    return body


def build(fake: FakeTime, **fields: Any) -> Transport:
    limiter = RateLimiter(RateLimits(), clock=fake.clock, sleep=fake.sleep)
    timing = Timing(fake.sleep, fake.clock, lambda: 1_445_412_000.0)
    return Transport(
        "p", limiter=limiter, rng=np.random.default_rng(5), timing=timing, secret=Secret(KEY), **fields
    )


def post(url: str, fake: FakeTime, **fields: Any) -> Answer[Any]:
    async def scene() -> Answer[Any]:
        transport = build(fake, **fields)
        try:
            return await transport.post(url, headers={"x-key": KEY}, content=b"{}", tokens=10, read=read)
        finally:
            await transport.aclose()

    return asyncio.run(scene())


def run(steps: list[Step], **fields: Any) -> tuple[Answer[Any], FakeTime, int]:
    fake = FakeTime()
    with ProviderServer(steps) as server:
        answer = post(server.url, fake, **fields)
        return answer, fake, len(server.requests)


@pytest.mark.parametrize(
    "failure",
    [
        Step(500, {"error": "oops"}),
        Step(529, b"overloaded"),
        Step(408),
        Step(409),
        Step(body=b'{"ok": tr'),
        Step(body=b"<html>"),
        Step(body={"long": "x" * 500}, cut_after=20),
        Step(drop=True),
    ],
    ids=["500", "529", "408", "409", "cut JSON", "HTML", "cut connection", "no answer"],
)
def test_what_may_pass_is_tried_again(failure):
    answer, fake, requests = run([failure, failure, GOOD])
    assert (answer.value, answer.attempts, requests) == ({"ok": True}, 3, 3)
    rng = np.random.default_rng(5)
    assert fake.sleeps == [backoff_s(1, RetryPolicy(), rng), backoff_s(2, RetryPolicy(), rng)]


def test_a_server_that_hangs_is_left_and_tried_again():
    answer, _, requests = run([Step(hang=True), GOOD], timeout_s=0.2)
    assert (answer.attempts, requests) == (2, 2)


def test_nothing_but_timeouts_is_a_provider_error():
    with pytest.raises(ProviderError, match=r"no answer within 0.05 s after 2 attempt"):
        run([Step(hang=True)] * 2, timeout_s=0.05, policy=RetryPolicy(max_attempts=2))


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:20:40 GMT"}, 40.0),
        ({"retry-after": "86400"}, 120.0),
    ],
    ids=["seconds", "date", "capped"],
)
def test_a_429_waits_as_long_as_the_provider_asks(headers, wait):
    answer, fake, _ = run([Step(429, {"error": "slow"}, headers), GOOD])
    assert answer.attempts == 2
    assert fake.sleeps == [wait]


def test_the_last_failure_is_told_with_its_status_and_attempts():
    with pytest.raises(ProviderError) as caught:
        run([Step(503, {"error": {"message": "overloaded"}})] * 5)
    assert str(caught.value) == "p: overloaded (HTTP 503) after 5 attempt(s)"
    assert (caught.value.status, caught.value.attempts) == (503, 5)


@pytest.mark.parametrize("status", [400, 404, 422])
def test_what_cannot_pass_is_told_at_once(status):
    with pytest.raises(ProviderError, match=f"HTTP {status}. after 1 attempt"):
        run([Step(status, {"error": "no"})])


def test_an_overflow_keeps_its_class_and_counts_its_attempts():
    with pytest.raises(ContextOverflowError, match="after 2 attempt"):
        run([Step(500), Step(400, {"error": {"message": "prompt is too long"}})])


def test_redirects_are_not_followed():
    with ProviderServer([GOOD]) as other:
        with pytest.raises(ProviderError, match="HTTP 307"):
            run([Step(307, b"", {"location": other.url})])
        assert other.requests == []


@pytest.mark.parametrize(
    "step",
    [
        Step(body=b" " * 5_000),
        Step(body=gzip.compress(b" " * 1_000_000), headers={"content-encoding": "gzip"}),
    ],
    ids=["plain", "gzip"],
)
def test_a_huge_answer_is_not_read_and_not_asked_for_again(step):
    with pytest.raises(ProviderError, match="larger than 4000 bytes"):
        run([step], max_body_bytes=4_000)


def test_a_server_that_is_not_there_is_a_provider_error():
    with ProviderServer([]) as server:
        url = server.url
    with pytest.raises(ProviderError, match=r"the connection failed \(ConnectError\) after 2"):
        post(url, FakeTime(), policy=RetryPolicy(max_attempts=2))


def test_the_key_is_cut_out_of_answers_and_errors():
    answer, _, _ = run([Step(body={"echo": f"Bearer {KEY}"})])
    assert answer.value == {"echo": "Bearer [redacted]"}
    with pytest.raises(ProviderError) as caught:
        run([Step(400, {"error": {"message": f"bad header {KEY}"}})])
    assert KEY not in str(caught.value)
    with pytest.raises(ProviderError) as caught:
        run([Step(400, f"plain {KEY}".encode())])
    assert KEY not in str(caught.value) + repr(caught.value)


def test_latency_is_that_of_the_answered_attempt():
    answer, fake, _ = run([Step(429, None, {"retry-after": "50"}), GOOD])
    assert answer.latency_s == 0.0
    assert fake.sleeps == [50.0]


def test_one_transport_serves_one_event_loop_after_another():
    fake = FakeTime()
    transport = build(fake)

    async def once(url: str) -> Any:
        answer = await transport.post(url, headers={}, content=b"{}", tokens=1, read=read)
        await transport.aclose()
        await transport.aclose()
        return answer.value

    with ProviderServer([GOOD, GOOD]) as server:
        assert [asyncio.run(once(server.url)) for _ in range(2)] == [{"ok": True}] * 2
