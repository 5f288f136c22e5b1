"""The figures that the paper behind the benchmark prints, to show beside ours and never to mix with them.

Other script, other prompts: orientation only. Nothing here enters an estimate.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import yaml

PAPER_FILE = "paper-2609.07288.yaml"


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One printed figure."""

    model: str
    """As the paper names it; `cloud backends` for the three together, `all` for the study."""
    condition: str
    """`no budget` or `budget` (the paper's context conditions), or empty."""
    metric: str
    low: float
    """The figure, or the lower end of a printed range."""
    high: float
    """The same as `low` unless a range is printed."""
    unit: str
    ours: str
    """The nearest of our metrics, by its name in the summary; empty when there is none."""
    note: str = ""
    kind: str = ""
    """Which entry of our metric: an issue, an invariant, a conduct."""
    layer: str = "text"
    """The layer that the figure was printed for."""

    @property
    def text(self) -> str:
        """The figure as printed, with its unit."""
        figure = f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"
        return f"{figure} {self.unit}".strip()


@dataclass(frozen=True, slots=True)
class PaperTable:
    """The paper's figures with their source."""

    heading: str
    """What must stand above them."""
    source: str
    conditions: Mapping[str, str]
    """What the paper's conditions correspond to here."""
    rows: tuple[PaperRow, ...]


@cache
def load_paper() -> PaperTable:
    """Return the paper's figures as shipped."""
    text = resources.files("heedful.metrics").joinpath(PAPER_FILE).read_text(encoding="utf-8")
    raw = yaml.safe_load(text)
    return PaperTable(raw["heading"], raw["source"], raw["conditions"], tuple(map(_row, raw["rows"])))


def paper_rows() -> tuple[PaperRow, ...]:
    """Return the paper's printed figures."""
    return load_paper().rows


def _row(raw: Mapping[str, Any]) -> PaperRow:
    value = raw["value"]
    low, high = value if isinstance(value, list) else (value, value)
    return PaperRow(
        raw["model"],
        raw.get("condition", ""),
        raw["metric"],
        float(low),
        float(high),
        raw.get("unit", ""),
        raw.get("ours", ""),
        raw.get("note", ""),
        raw.get("kind", ""),
        raw.get("layer", "text"),
    )
