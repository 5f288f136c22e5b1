"""`Estimate`: a value with its interval, its n and what was left out; and the plain rate.

Every number that a report prints is one of these. Below: `intervals`. Above: the other metrics and
the reports. Must not know traces or labels.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from heedful.metrics.intervals import RateMethod, rate_interval

_STORED_DIGITS = 9  # beyond this, processors disagree


class Polarity(StrEnum):
    """Which way a rate is safe."""

    HIGHER_IS_SAFER = "higher_is_safer"
    """For example the safety-productivity score (SPS)."""
    LOWER_IS_SAFER = "lower_is_safer"
    """For example a violation rate."""


@dataclass(frozen=True)
class InvalidBounds:
    """A rate at both extremes of what was left undecided."""

    worst: float
    """The rate with every INVALID counted as bad."""
    best: float
    """The rate with every INVALID counted as good."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """One number a report may print, or the reason why there is none.

    A missing value, or a missing limit, needs a reason; an interval of zero width is refused. A
    limit may stand without a value (a median survival known only from below).

    Raises:
        ValueError: If a number is not finite, out of order, or missing without a reason.
    """

    name: str
    """What is estimated."""
    value: float | None
    """The point estimate."""
    low: float | None
    """Lower limit."""
    high: float | None
    """Upper limit."""
    confidence: float = 0.95
    """Nominal coverage of [low, high]."""
    n: int
    """How many independent units were used: sessions where sessions are the clusters."""
    n_excluded: int = 0
    """How many were left out: INVALID, or without the thing measured."""
    method: str
    """How the interval was made."""
    reason: str | None = None
    """Why a value or a limit is missing."""
    unit: str = ""
    """Unit of the value; empty for a rate."""
    worst: float | None = None
    """The value with every INVALID counted as bad."""
    best: float | None = None
    """The value with every INVALID counted as good."""
    note: str | None = None
    """What a reader must know beside the numbers."""

    def __post_init__(self) -> None:
        """Refuse what would mislead."""
        for field in ("value", "low", "high", "worst", "best"):
            object.__setattr__(self, field, self._finite(field))
        self._check_counts()
        self._check_reason()
        self._check_order()

    @classmethod
    def missing(cls, name: str, reason: str, *, method: str, n: int = 0, n_excluded: int = 0) -> Estimate:
        """Return an estimate that has no value, with the reason."""
        return cls(
            name=name,
            value=None,
            low=None,
            high=None,
            n=n,
            n_excluded=n_excluded,
            method=method,
            reason=reason,
        )

    @property
    def has_interval(self) -> bool:
        """Whether both limits are known."""
        return self.low is not None and self.high is not None

    def as_dict(self) -> dict[str, Any]:
        """Return a JSON-ready mapping; floats keep nine significant digits."""
        return {key: _rounded(value) for key, value in asdict(self).items()}

    def format(self) -> str:
        """Return one line of text, such as `0.93 [0.81, 0.98] n=17`."""
        parts = [self._format_numbers(), self.unit, f"n={self.n}"]
        if self.n_excluded:
            parts.append(f"({self.n_excluded} excluded)")
        line = " ".join(part for part in parts if part)
        return f"{line}; {self.reason}" if self.reason else line

    def _format_numbers(self) -> str:
        decimals = self._decimals()
        value, low, high = (_format(number, decimals) for number in (self.value, self.low, self.high))
        if self.low is None and self.high is None:
            return value
        return f"{value} [{low}, {high}]"

    def _decimals(self) -> int | None:
        if self.low is None or self.high is None:
            return None
        return max(0, 1 - math.floor(math.log10(self.high - self.low)))

    def _finite(self, field: str) -> float | None:
        number = getattr(self, field)
        if number is None:
            return None
        if not math.isfinite(number):
            raise ValueError(f"Estimate {self.name!r}: {field} must be finite or None; got {number}.")
        return float(number)

    def _check_counts(self) -> None:
        if self.n < 0 or self.n_excluded < 0:
            raise ValueError(f"Estimate {self.name!r}: n={self.n}, n_excluded={self.n_excluded}; need >= 0.")
        if not 0 < self.confidence < 1:
            raise ValueError(f"Estimate {self.name!r}: confidence {self.confidence} is not inside (0, 1).")
        if (self.worst is None) != (self.best is None):
            raise ValueError(f"Estimate {self.name!r}: give both worst and best, or neither.")

    def _check_reason(self) -> None:
        incomplete = self.value is None or not self.has_interval
        if incomplete and not self.reason:
            raise ValueError(f"Estimate {self.name!r}: a missing value or limit needs a reason.")

    def _check_order(self) -> None:
        known = [number for number in (self.low, self.value, self.high) if number is not None]
        if known != sorted(known):
            raise ValueError(f"Estimate {self.name!r}: need low <= value <= high; got {known}.")
        if self.has_interval and self.low == self.high:
            raise ValueError(f"Estimate {self.name!r}: an interval of zero width claims certainty.")


def bound_invalid(k: float, n: float, n_invalid: float, polarity: Polarity) -> InvalidBounds | None:
    """Return the rate k/n with all INVALID counted as bad and as good; None if nothing was counted."""
    if n + n_invalid == 0:
        return None
    without, with_all = k / (n + n_invalid), (k + n_invalid) / (n + n_invalid)
    if polarity is Polarity.HIGHER_IS_SAFER:
        return InvalidBounds(worst=without, best=with_all)
    return InvalidBounds(worst=with_all, best=without)


def estimate_rate(
    name: str,
    k: int,
    n: int,
    *,
    polarity: Polarity,
    n_invalid: int = 0,
    method: RateMethod = RateMethod.WILSON,
    confidence: float = 0.95,
    note: str | None = None,
) -> Estimate:
    """Return the rate of k in n independent units.

    Args:
        name: What is estimated.
        k: How many showed what the rate counts.
        n: How many were decided.
        polarity: Which way the rate is safe; decides what `worst` means.
        n_invalid: How many were undecided; they enter `worst` and `best` only.
        method: Wilson for tables, Clopper-Pearson for a guarantee.
        confidence: Nominal coverage.
        note: What a reader must know beside the numbers.
    """
    bounds = bound_invalid(k, n, n_invalid, polarity)
    interval = rate_interval(k, n, method, confidence) if n else None
    return Estimate(
        name=name,
        value=k / n if n else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        confidence=confidence,
        n=n,
        n_excluded=n_invalid,
        method=method,
        reason=None if n else "nothing to count: n = 0",
        worst=bounds.worst if bounds else None,
        best=bounds.best if bounds else None,
        note=note,
    )


def _rounded(value: Any) -> Any:
    return float(f"{value:.{_STORED_DIGITS}g}") if isinstance(value, float) else value


def _format(number: float | None, decimals: int | None) -> str:
    if number is None:
        return "none"
    return f"{number:.3g}" if decimals is None else f"{number:.{decimals}f}"
