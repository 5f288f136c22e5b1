from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heedful.models.backoff import RetryPolicy, backoff_s, retry_after_s

NOW = 1_445_412_000.0  # Wed, 21 Oct 2015 07:20:00 GMT


@given(attempt=st.integers(1, 60), seed=st.integers(0, 9))
def test_waits_stay_within_their_doubling_bound(attempt, seed):
    policy = RetryPolicy(base_s=0.5, cap_s=30.0)
    wait = backoff_s(attempt, policy, np.random.default_rng(seed))
    assert 0.0 <= wait <= min(30.0, 0.5 * 2 ** (attempt - 1))
    assert wait == backoff_s(attempt, policy, np.random.default_rng(seed))


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
    [
        ({"retry-after": "7"}, None, 7.0),
        ({"retry-after": " 1.5 "}, None, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, None, 0.25),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None, 480.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:00:00 GMT"}, None, 0.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 -0000"}, None, 480.0),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "-5"}, None, None),
        ({"retry-after": "Wed, 99 Oct 2015"}, None, None),
        ({"retry-after": "9" * 400}, None, None),
        ({}, {"error": {"details": [{"@type": "x"}, {"retryDelay": "34s"}]}}, 34.0),
        ({}, [{"error": {"details": [{"retryDelay": "0.5s"}]}}], 0.5),
        ({}, {"error": {"details": [None, {"retryDelay": 3}, {"retryDelay": "xs"}]}}, None),
        ({}, "text", None),
    ],
)
def test_the_wait_a_provider_asks_for_is_read(headers, body, wait):
    assert retry_after_s(headers, body, NOW) == wait
