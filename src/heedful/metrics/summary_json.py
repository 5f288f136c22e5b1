"""A run's summary as JSON-ready data, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from heedful.errors import InputError
from heedful.metrics.run_comparison import RunComparison
from heedful.metrics.summary import SUMMARY_VERSION, RunSummary

DIGITS = 9
"""Significant digits kept; beyond, processors disagree."""


def summary_to_dict(summary: RunSummary) -> dict[str, Any]:
    """Return plain data: keys sorted, floats finite and cut to nine digits.

    Raises:
        ValueError: If a number is not finite.
    """
    plain: dict[str, Any] = _plain(summary, "summary")
    return plain


def comparison_to_dict(comparison: RunComparison) -> dict[str, Any]:
    """Return a comparison of two runs as plain data, like `summary_to_dict`.

    Raises:
        ValueError: If a number is not finite.
    """
    plain: dict[str, Any] = _plain(comparison, "comparison")
    return plain


def summary_from_dict(data: Mapping[str, Any]) -> RunSummary:
    """Return the summary that `summary_to_dict` gave; mappings come back with their keys sorted.

    Raises:
        InputError: If the data are of another version or damaged.
    """
    version = data.get("version")
    if version != SUMMARY_VERSION:
        raise InputError(f"The summary is of version {version!r}; this version reads {SUMMARY_VERSION!r}.")
    try:
        summary: RunSummary = _adapter().validate_python(dict(data))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise InputError(f"The summary is damaged: {place}: {first['msg']}.") from error
    return summary


@cache
def _adapter() -> TypeAdapter[RunSummary]:
    return TypeAdapter(RunSummary)


def _plain(value: Any, where: str) -> Any:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float):
        return _rounded(value, where)
    if isinstance(value, Mapping):
        return {str(key): _plain(value[key], f"{where}.{key}") for key in sorted(value)}
    if is_dataclass(value):
        names = sorted(f.name for f in fields(value))
        return {name: _plain(getattr(value, name), f"{where}.{name}") for name in names}
    return [_plain(item, f"{where}[{k}]") for k, item in enumerate(value)]


def _rounded(value: float, where: str) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{where} is {value}; a summary holds finite numbers only.")
    return float(f"{value:.{DIGITS}g}")
