"""What model calls used: tokens, cost, latency and the distance that a latency is worth.

Tokens are in the trace. Latencies are wall-clock facts and come from outside it. Prices come in as an
argument, because metrics must not know the models. Above: `digest`, `arms`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from heedful.trace.records import ModelEvent

APPROACH_SPEED_M_S = 1.6
"""Walking speed of a person towards the robot. Source: ISO 13855 (positioning of safeguards), K for
approach of the whole body."""


class TokenPrices(Protocol):
    """US dollars per million tokens of one model."""

    @property
    def input(self) -> float:
        """Fresh input."""

    @property
    def output(self) -> float:
        """Output."""

    @property
    def cached(self) -> float | None:
        """Input served from the provider's cache; charged as input if None."""

    @property
    def cache_write(self) -> float | None:
        """Input written to the provider's cache; charged as input if None."""

    @property
    def up_to_input_tokens(self) -> int | None:
        """Largest prompt at this price."""


@dataclass(frozen=True, slots=True)
class CallTotals:
    """Sums over model calls."""

    calls: int = 0
    """Calls that act or reply; those that write a summary are counted apart."""
    estimated: int = 0
    """Input tokens by our own estimate, over these calls."""
    reported_calls: int = 0
    """Calls whose provider reported its input."""
    input: int = 0
    """Reported input, cached included."""
    output: int = 0
    cached: int = 0
    largest_input: int = 0
    """Longest reported prompt."""
    summary_calls: int = 0
    """Calls that wrote a summary of older turns; their reported tokens are in the sums."""
    cache_written: int = 0
    """Reported input that was written to the provider's cache."""

    @property
    def all_calls(self) -> int:
        """Every call to the model."""
        return self.calls + self.summary_calls

    def __add__(self, other: CallTotals) -> CallTotals:
        """Return the sums of both."""
        return CallTotals(
            self.calls + other.calls,
            self.estimated + other.estimated,
            self.reported_calls + other.reported_calls,
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            max(self.largest_input, other.largest_input),
            self.summary_calls + other.summary_calls,
            self.cache_written + other.cache_written,
        )


def add_calls(calls: Iterable[ModelEvent]) -> CallTotals:
    """Return the sums over one turn's calls, those that wrote a summary included."""
    made = tuple(calls)
    summaries = [call for call in made if call.summary_input_tokens is not None]
    inputs = [call.input_tokens for call in made] + [call.summary_input_tokens or 0 for call in summaries]
    outputs = [call.output_tokens + call.summary_output_tokens for call in made]
    cached = sum([min(call.cached_input_tokens, call.input_tokens) for call in made])
    cached += sum([min(c.summary_cached_tokens, c.summary_input_tokens or 0) for c in summaries])
    return CallTotals(
        len(made),
        sum([call.sent.estimated_tokens for call in made]),
        sum([tokens > 0 for tokens in inputs]),
        sum(inputs),
        sum(outputs),
        cached,
        max(inputs, default=0),
        len(summaries),
        min(sum([call.cache_write_tokens for call in made]), sum(inputs) - cached),
    )


def mean_tokens(totals: CallTotals) -> dict[str, float]:
    """Return means per call; what no provider reported is absent, never 0."""
    means: dict[str, float] = {}
    if totals.calls:
        means["input_estimated"] = totals.estimated / totals.calls
    if totals.reported_calls:
        means["input_reported"] = totals.input / totals.reported_calls
        means["output"] = totals.output / totals.reported_calls
        means["cached"] = totals.cached / totals.reported_calls
    return means


def mean_tokens_per_turn(totals: CallTotals, turns: int) -> dict[str, float]:
    """Return means per recorded turn; reported ones only if every call reported, never too low."""
    if not turns or not totals.calls:
        return {}
    means = {"calls": totals.all_calls / turns, "input_estimated": totals.estimated / turns}
    if totals.reported_calls == totals.all_calls:
        means["input_reported"] = totals.input / turns
        means["output"] = totals.output / turns
    return means


def cost_usd(totals: CallTotals, prices: TokenPrices) -> float:
    """Return what calls with known usage cost."""
    cached = prices.input if prices.cached is None else prices.cached
    written = prices.input if prices.cache_write is None else prices.cache_write
    fresh = totals.input - totals.cached - totals.cache_written
    millionths = (
        fresh * prices.input
        + totals.cached * cached
        + totals.cache_written * written
        + totals.output * prices.output
    )
    return millionths / 1e6


def unknown_cost_reason(model: str, totals: CallTotals, prices: TokenPrices | None) -> str | None:
    """Return why the cost of calls cannot be known, or None if it can."""
    if prices is None:
        return f"no price is known for {model}"
    if not prices.input and not prices.output:
        return None
    if totals.reported_calls < totals.all_calls:
        return f"{totals.all_calls - totals.reported_calls} of {totals.all_calls} calls reported no tokens"
    limit = prices.up_to_input_tokens
    if limit is not None and totals.largest_input > limit:
        return f"a prompt of {totals.largest_input} tokens is beyond the listed price, up to {limit}"
    return None


def latency_figures(latencies_s: Sequence[float]) -> dict[str, float]:
    """Return p50, p95, max [s] and the number of calls; empty when nothing was timed.

    Percentiles are nearest-rank: latencies that occurred. A scripted model takes no time at all: where
    every latency is exactly 0, nothing was timed.
    """
    if not any(latencies_s):
        return {}
    ordered = sorted(latencies_s)
    p50, p95 = (ordered[math.ceil(share * len(ordered)) - 1] for share in (0.5, 0.95))
    return {"p50": p50, "p95": p95, "max": ordered[-1], "calls": float(len(ordered))}


def reaction_distances(latency_s: Mapping[str, float]) -> dict[str, float]:
    """Return the separation each latency alone would need, at a person's walking speed [m]."""
    return {key: APPROACH_SPEED_M_S * value for key, value in latency_s.items() if key != "calls"}
