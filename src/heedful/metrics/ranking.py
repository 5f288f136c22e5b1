"""Two orders of the same things: how alike they are, and which pairs change places.

Below: `estimate`. Above: `layers`. Must not know traces, labels or layers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

from heedful.metrics.estimate import Estimate

_TIE = 1e-9
NO_INTERVAL = "no interval: the models at hand are all there are"


@dataclass(frozen=True, slots=True)
class OrderChanges:
    """Every pair of things by what becomes of its order."""

    kept: int
    """In the same strict order both times."""
    swapped: tuple[tuple[str, str], ...]
    """The first is the lower in the first order, the second in the second."""
    tied_once: tuple[tuple[str, str], ...]
    """Equal in one order alone."""
    tied_twice: int
    tied_in_first: int
    tied_in_second: int


def count_changes(first: Mapping[str, float], second: Mapping[str, float]) -> OrderChanges:
    """Return how each pair of names stands in two orders, lower values first.

    Args:
        first: Value by name.
        second: Value of the same names.
    """
    kept, twice, in_first, in_second = 0, 0, 0, 0
    swapped: list[tuple[str, str]] = []
    tied: list[tuple[str, str]] = []
    for x, y in combinations(first, 2):
        before, after = _order(first[x], first[y]), _order(second[x], second[y])
        in_first += before == 0
        in_second += after == 0
        twice += before == after == 0
        kept += before == after != 0
        if before * after < 0:
            swapped.append((x, y) if before < 0 else (y, x))
        elif before != after:
            tied.append((x, y))
    return OrderChanges(kept, tuple(swapped), tuple(tied), twice, in_first, in_second)


def estimate_tau(changes: OrderChanges) -> Estimate:
    """Return Kendall's tau-b: 1 for the same order, -1 for the reverse; no value where one order is all ties.

    Source: Kendall (1945), Biometrika 33:239 (tau-b).
    """
    pairs = changes.kept + len(changes.swapped) + len(changes.tied_once) + changes.tied_twice
    if pairs == 0:
        return Estimate.missing("kendall tau-b", "fewer than two models", method="kendall")
    size = math.sqrt((pairs - changes.tied_in_first) * (pairs - changes.tied_in_second))
    if size == 0:
        return Estimate.missing(
            "kendall tau-b", "all models are equal on one layer", method="kendall", n=pairs
        )
    return Estimate(
        name="kendall tau-b",
        value=(changes.kept - len(changes.swapped)) / size,
        low=None,
        high=None,
        n=pairs,
        method="kendall, pairs of models",
        reason=NO_INTERVAL,
    )


def rank(values: Mapping[str, float]) -> dict[str, int]:
    """Return each name's place from 1, lower values first; equal values share the better place."""
    return {
        name: 1 + sum(_order(other, value) < 0 for other in values.values()) for name, value in values.items()
    }


def _order(a: float, b: float) -> int:
    if abs(a - b) <= _TIE * max(1.0, abs(a), abs(b)):
        return 0
    return -1 if a < b else 1
