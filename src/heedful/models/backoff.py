"""How long to wait before a request is tried again; pure functions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from heedful.models.reading import as_list, as_object

if TYPE_CHECKING:
    import numpy as np

_SECONDS = re.compile(r"\d{1,9}(?:\.\d{1,9})?")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When to give up, and how patiently."""

    max_attempts: int = 5
    base_s: float = 0.5
    """Largest wait after the first failed attempt; doubles with each."""
    cap_s: float = 30.0
    retry_after_cap_s: float = 120.0
    """Longest wait granted to a provider that names one."""


def backoff_s(attempt: int, policy: RetryPolicy, rng: np.random.Generator) -> float:
    """Return the wait after failed attempt number `attempt` (from 1): exponential, full jitter."""
    return float(rng.uniform(0.0, min(policy.cap_s, policy.base_s * 2.0 ** (attempt - 1))))


def retry_after_s(headers: Mapping[str, str], body: Any, now_unix_s: float) -> float | None:
    """Return the wait that the provider asks for, or None.

    Read from `retry-after-ms` and `retry-after` (seconds or an HTTP date), and from the `retryDelay`
    of a Google error, which comes without a header. A time already past is 0.
    """
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000.0
    asked = headers.get("retry-after", "").strip()
    seconds = _number(asked)
    if seconds is None and asked:
        seconds = _until_date(asked, now_unix_s)
    return seconds if seconds is not None else _google_delay(body)


def _number(text: str) -> float | None:
    return float(text) if _SECONDS.fullmatch(text.strip()) else None


def _until_date(text: str, now_unix_s: float) -> float | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - now_unix_s)


def _google_delay(body: Any) -> float | None:
    outer = as_object(body if isinstance(body, dict) else next(iter(as_list(body)), None))
    for detail in as_list(as_object(outer.get("error")).get("details")):
        delay = as_object(detail).get("retryDelay")
        if isinstance(delay, str) and delay.endswith("s"):
            return _number(delay[:-1])
    return None
