"""How a number is written: rates in percent, counts and lengths as they are, always with the doubt.

Only formatting; the numbers and their intervals come from `metrics`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from heedful.metrics.estimate import Estimate
from heedful.reports.table import Cell

NONE = "\u2013"
MINUS = "\u2212"
Format = Callable[[float], str]


def number(value: float) -> str:
    """Return a length, time or count per session with two decimals, more where it would read as zero."""
    return _decimal(value, 2)


def trimmed(value: float) -> str:
    """Return a number as `number` does, without decimals where it is whole."""
    return f"{value:.0f}" if value == int(value) else number(value)


def turns(value: float) -> str:
    """Return a number of turns as short as it is."""
    return f"{value:g}"


def percent(value: float) -> str:
    """Return a rate as percent with one decimal, more where it would read as zero."""
    return _decimal(100 * value, 1)


def points(value: float) -> str:
    """Return a change of a rate in percentage points, signed."""
    return signed(100 * value)


def signed(value: float) -> str:
    """Return a change with its sign and one decimal."""
    text = _decimal(abs(value), 1)
    return text if value == 0 else f"{'+' if value > 0 else MINUS}{text}"


def whole(value: float) -> str:
    """Return a whole number with thin spaces between thousands."""
    return f"{value:,.0f}".replace(",", "\u2009").replace("-", MINUS)


def rate_cell(estimate: Estimate) -> Cell:
    """Return a rate as a cell in percent."""
    return estimate_cell(estimate, percent)


def count_cell(estimate: Estimate) -> Cell:
    """Return a count per session as a cell."""
    return estimate_cell(estimate, number)


def estimate_cell(estimate: Estimate, form: Format) -> Cell:
    """Return an estimate as a cell: value, interval or the reason for none, and how it was made."""
    return Cell(
        _value(estimate, form),
        _doubt(estimate, form),
        _hint(estimate),
        is_number=True,
        reason="" if estimate.has_interval else estimate.reason or "",
    )


def missing_cell(reason: str = "") -> Cell:
    """Return the cell of something that was not measured."""
    return Cell(NONE, reason=reason, is_number=True)


def find_estimate(estimates: Mapping[str, Estimate], name: str, form: Format = number) -> Cell:
    """Return the named estimate as a cell, or the cell for none."""
    estimate = estimates.get(name)
    return missing_cell() if estimate is None else estimate_cell(estimate, form)


def p_cell(value: float | None) -> Cell:
    """Return a p value."""
    if value is None:
        return missing_cell()
    return Cell("< 0.001" if value < 0.001 else f"{value:.3f}", is_number=True)


def _value(estimate: Estimate, form: Format) -> str:
    if estimate.value is not None:
        return form(estimate.value)
    if estimate.low is not None and estimate.high is None:
        return f"> {form(estimate.low)}"
    return NONE


def _doubt(estimate: Estimate, form: Format) -> str:
    low, high = estimate.low, estimate.high
    parts = []
    if low is not None and high is not None:
        parts.append(f"[{form(low)}, {form(high)}]")
    if estimate.n_excluded and estimate.worst is not None and estimate.best is not None:
        parts.append(f"worst {form(estimate.worst)}, best {form(estimate.best)}")
    return "; ".join(parts)


def _hint(estimate: Estimate) -> str:
    parts = [f"{estimate.name}: n = {estimate.n}"]
    if estimate.n_excluded:
        parts.append(f"{estimate.n_excluded} excluded")
    if estimate.has_interval:
        parts.append(f"{100 * estimate.confidence:g} % interval")
    parts += [estimate.method, estimate.note or ""]
    return "; ".join(part for part in parts if part)


def _decimal(value: float, decimals: int) -> str:
    if value != 0 and abs(value) < 0.5 * 10**-decimals:
        decimals = min(6, 1 - math.floor(math.log10(abs(value))))
    return f"{value:.{decimals}f}".replace("-", MINUS)
