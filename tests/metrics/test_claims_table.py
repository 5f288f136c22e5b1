"""The phrase table's quality, as the report states it."""

from __future__ import annotations

import re

from heedful.language.claims import KINDS
from heedful.metrics.claims_table import describe_claims_table


def test_every_kind_has_precision_and_recall_with_intervals():
    table = describe_claims_table()
    figure = r"\d\.\d+ \[\d\.\d+, \d\.\d+\] n=\d+"
    assert set(table) == {"table", *KINDS}
    for kind in KINDS:
        assert re.fullmatch(f"precision {figure}; recall {figure}", table[kind])


def test_only_held_out_replies_count():
    assert "held-out" in describe_claims_table()["table"]
