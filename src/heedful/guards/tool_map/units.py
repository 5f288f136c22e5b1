"""Units and what they measure, so that a degree is never taken for a metre or for a rate."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from heedful.errors import InputError, UnknownNameError


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as people write it."""

    symbol: str
    dimension: str
    scale: float
    """How many of its dimension's base unit it is."""


_TABLE: dict[str, dict[str, float]] = {
    "length": {"m": 1.0, "cm": 0.01, "mm": 0.001, "km": 1000.0, "ft": 0.3048, "in": 0.0254},
    "speed": {"m/s": 1.0, "cm/s": 0.01, "mm/s": 0.001, "km/h": 1 / 3.6, "ft/s": 0.3048, "mph": 0.44704},
    "angle": {"rad": 1.0, "deg": math.pi / 180},
    "rate": {"rad/s": 1.0, "deg/s": math.pi / 180, "rpm": math.tau / 60},
    "time": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0},
    "share": {"%": 1.0, "fraction": 100.0},
    "temperature": {"K": 1.0},
    "voltage": {"V": 1.0, "mV": 1e-3},
    "current": {"A": 1.0, "mA": 1e-3},
    "force": {"N": 1.0},
    "torque": {"N*m": 1.0},
}
"""The base unit of each dimension comes first: SI, and percent for shares."""

UNITS: dict[str, Unit] = {
    symbol: Unit(symbol, dimension, scale)
    for dimension, scales in _TABLE.items()
    for symbol, scale in scales.items()
}
BASE: dict[str, str] = {dimension: next(iter(scales)) for dimension, scales in _TABLE.items()}


def find_unit(symbol: str) -> Unit:
    """Return the unit of that symbol.

    Raises:
        UnknownNameError: If no such unit is known.
    """
    unit = UNITS.get(symbol)
    if unit is None:
        raise UnknownNameError("Unit", symbol, UNITS)
    return unit


def base_unit(symbol: str) -> str:
    """Return the base unit of what `symbol` measures, e.g. `m` for `ft`.

    Raises:
        UnknownNameError: If no such unit is known.
    """
    return BASE[find_unit(symbol).dimension]


def conversion(symbol: str, to: str) -> float:
    """Return the factor that takes a value in `symbol` to one in `to`; exactly 1 for the same unit.

    Raises:
        UnknownNameError: If a unit is not known.
        InputError: If the two measure different things.
    """
    source, target = find_unit(symbol), find_unit(to)
    if source.dimension != target.dimension:
        raise InputError(f"{symbol!r} measures {source.dimension}, {to!r} measures {target.dimension}.")
    return source.scale / target.scale


def check_dimension(symbol: str, what: str, dimensions: Collection[str]) -> None:
    """Refuse a unit that does not measure what is needed.

    Args:
        symbol: The unit.
        what: What it is written for, as the message names it.
        dimensions: The dimensions that will do.

    Raises:
        UnknownNameError: If the unit is not known.
        InputError: If it measures something else; the message names the units that fit.
    """
    unit = find_unit(symbol)
    if unit.dimension in dimensions:
        return
    allowed = [u.symbol for u in UNITS.values() if u.dimension in dimensions]
    per_second = f"{symbol}/s"
    hint = f" Did you mean {per_second!r}?" if per_second in allowed else ""
    raise InputError(
        f"{what} cannot be in {symbol!r}, which measures {unit.dimension}.{hint} "
        f"Allowed: {', '.join(allowed)}."
    )
