"""What the models used and what that cost, model by model.

Prices come from `prices.yaml` alone. A cost that cannot be known is None and prints as "unknown": an
unlisted model, a call whose provider reported no tokens, a prompt beyond the listed tier. Only a model
declared local costs 0. Attempts that failed are counted, but no provider says what they cost.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

import yaml

from heedful.errors import InputError
from heedful.models.message import ModelReply, Usage

_SNAPSHOT = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)\Z")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens of one model."""

    input: float
    output: float
    cached: float | None = None
    """Input served from the provider's cache; charged as input if None."""
    cache_write: float | None = None
    """Input written to the cache; charged as input if None."""
    up_to_input_tokens: int | None = None
    """Largest prompt at this price."""

    def cost_usd(self, usage: Usage) -> float | None:
        """Return what one call cost, or None if the usage does not tell."""
        if usage.input_tokens == 0 or (self.up_to_input_tokens or usage.input_tokens) < usage.input_tokens:
            return None
        cached = self.input if self.cached is None else self.cached
        written = self.input if self.cache_write is None else self.cache_write
        fresh = max(0, usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens)
        millionths = (
            fresh * self.input
            + usage.cached_input_tokens * cached
            + usage.cache_write_tokens * written
            + usage.output_tokens * self.output
        )
        return millionths / 1_000_000


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices known, with their date and sources."""

    checked: str
    sources: Mapping[str, str]
    prices: Mapping[str, Price]

    def price_of(self, model: str) -> Price | None:
        """Return the price of `provider/model`, a dated snapshot counting as its model, or None."""
        return self.prices.get(model) or self.prices.get(_SNAPSHOT.sub("", model))


@cache
def load_prices() -> PriceTable:
    """Return the table that the package ships."""
    text = resources.files("heedful.models").joinpath("prices.yaml").read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    prices = {name: Price(**fields) for name, fields in raw["models"].items()}
    return PriceTable(str(raw["checked"]), raw["sources"], prices)


@dataclass(frozen=True, slots=True)
class Totals:
    """The sums of one model; whole calls only."""

    calls: int = 0
    failed_calls: int = 0
    attempts: int = 0
    """Requests sent, failed ones included."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: float | None = 0.0
    """None as soon as the cost of one call is unknown."""

    @property
    def cost_text(self) -> str:
        """The cost for people, `unknown` where it is."""
        return "unknown" if self.cost_usd is None else f"${self.cost_usd:.4f}"

    def with_call(self, reply: ModelReply, cost_usd: float | None) -> Totals:
        """Return the sums with one answered call more."""
        known = self.cost_usd is not None and cost_usd is not None
        return Totals(
            calls=self.calls + 1,
            failed_calls=self.failed_calls,
            attempts=self.attempts + reply.attempts,
            input_tokens=self.input_tokens + reply.usage.input_tokens,
            output_tokens=self.output_tokens + reply.usage.output_tokens,
            cached_input_tokens=self.cached_input_tokens + reply.usage.cached_input_tokens,
            cache_write_tokens=self.cache_write_tokens + reply.usage.cache_write_tokens,
            cost_usd=(self.cost_usd or 0.0) + (cost_usd or 0.0) if known else None,
        )


class Ledger:
    """Counts calls, tokens and cost; one for a run."""

    def __init__(self, prices: PriceTable | None = None) -> None:
        self._prices = prices if prices is not None else load_prices()
        self._totals: dict[str, Totals] = {}
        self._local: set[str] = set()

    def declare_local(self, model: str) -> None:
        """State that `model` runs on the user's own machine and costs nothing a token.

        Raises:
            InputError: If the price table lists the model.
        """
        if self._prices.price_of(model) is not None:
            raise InputError(f"Model {model!r} has a listed price and cannot be declared local.")
        self._local.add(model)

    def record_reply(self, model: str, reply: ModelReply) -> None:
        """Add one answered call."""
        self._totals[model] = self.totals(model).with_call(reply, self._cost_usd(model, reply.usage))

    def record_failure(self, model: str, attempts: int) -> None:
        """Add one call that was never answered."""
        before = self.totals(model)
        self._totals[model] = replace(
            before, failed_calls=before.failed_calls + 1, attempts=before.attempts + attempts
        )

    def totals(self, model: str) -> Totals:
        """Return the sums of one model; all zero if it was never called."""
        return self._totals.get(model, Totals())

    def by_model(self) -> Mapping[str, Totals]:
        """Return the sums of every model called, in the order of first use."""
        return dict(self._totals)

    def _cost_usd(self, model: str, usage: Usage) -> float | None:
        if model in self._local:
            return 0.0
        price = self._prices.price_of(model)
        return None if price is None else price.cost_usd(usage)
