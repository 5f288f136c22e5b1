from __future__ import annotations

from dataclasses import replace

import pytest

from heedful.errors import InputError
from heedful.models.ledger import Ledger, Price, PriceTable, Totals, load_prices
from heedful.models.message import ModelReply, Usage

TABLE = PriceTable(
    "2026-01-01",
    {},
    {
        "p/m": Price(1.0, 10.0, cached=0.1, cache_write=1.25),
        "p/tiered": Price(1.0, 2.0, up_to_input_tokens=100),
    },
)


def reply(attempts: int = 1, **usage: int) -> ModelReply:
    return ModelReply("", usage=Usage(**usage), attempts=attempts)


def test_each_kind_of_token_has_its_price():
    ledger = Ledger(TABLE)
    usage = {
        "input_tokens": 1_000_000,
        "output_tokens": 100_000,
        "cached_input_tokens": 600_000,
        "cache_write_tokens": 200_000,
    }
    ledger.record_reply("p/m", reply(2, **usage))
    assert ledger.totals("p/m") == Totals(
        calls=1, attempts=2, cost_usd=pytest.approx(0.2 * 1.0 + 0.6 * 0.1 + 0.2 * 1.25 + 0.1 * 10.0), **usage
    )


def test_calls_add_up_by_model():
    ledger = Ledger(TABLE)
    for _ in range(3):
        ledger.record_reply("p/m-2025-01-31", reply(input_tokens=1_000_000))
    ledger.record_reply("p/tiered", reply(input_tokens=100))
    assert ledger.totals("p/m-2025-01-31").cost_text == "$3.0000"
    assert list(ledger.by_model()) == ["p/m-2025-01-31", "p/tiered"]


@pytest.mark.parametrize(
    ("model", "usage"),
    [
        ("p/unlisted", {"input_tokens": 5}),
        ("p/m", {}),
        ("p/m", {"output_tokens": 5}),
        ("p/tiered", {"input_tokens": 101}),
    ],
)
def test_a_cost_that_is_not_known_is_unknown_and_never_zero(model, usage):
    ledger = Ledger(TABLE)
    ledger.record_reply(model, reply(input_tokens=10) if model == "p/m" else reply(**usage))
    ledger.record_reply(model, reply(**usage))
    assert ledger.totals(model).cost_usd is None
    assert ledger.totals(model).cost_text == "unknown"


def test_an_unknown_cost_stays_unknown():
    ledger = Ledger(TABLE)
    ledger.record_reply("p/m", reply())
    ledger.record_reply("p/m", reply(input_tokens=10))
    assert ledger.totals("p/m").cost_usd is None


def test_only_a_declared_local_model_is_free():
    ledger = Ledger(TABLE)
    ledger.declare_local("ollama/m")
    ledger.record_reply("ollama/m", reply(input_tokens=10))
    assert ledger.totals("ollama/m").cost_text == "$0.0000"
    with pytest.raises(InputError, match="listed price"):
        ledger.declare_local("p/m")


def test_calls_that_failed_are_counted_apart():
    ledger = Ledger(TABLE)
    ledger.record_failure("p/m", 5)
    assert ledger.totals("p/m") == replace(Totals(), failed_calls=1, attempts=5)


def test_the_shipped_table_is_sound():
    table = load_prices()
    assert table.checked
    for name, price in table.prices.items():
        assert name.partition("/")[0] in table.sources
        assert 0 < price.input <= price.output
        assert price.cached is None or price.cached <= price.input
    assert table.price_of("anthropic/claude-haiku-4-5-20251001") == table.prices["anthropic/claude-haiku-4-5"]
    assert table.price_of("openai/gpt-4o-mini-2024-07-18") == table.prices["openai/gpt-4o-mini"]
    assert table.price_of("openai/gpt-4o-mini-turbo") is None
