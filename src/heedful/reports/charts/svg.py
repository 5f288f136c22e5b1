"""SVG shapes in two kinds of drawing, both readable at any width.

`drawing`: horizontal lengths in percent of the width, vertical ones in pixels; text keeps its size.
`plot`: a unit square stretched over its box, for curves; its labels are HTML around it.
Colours are classes of the page's style sheet, so that dark mode reaches them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heedful.reports.markup import Markup, element

INSET = 2.0
"""Percent of the width kept free at either end, so that marks at 0 and 1 are whole."""


@dataclass(frozen=True, slots=True)
class Name:
    """How a chart is named for those who do not see it."""

    title: str
    description: str

    @property
    def label(self) -> str:
        """Both in one sentence."""
        return f"{self.title}. {self.description}"


def drawing(name: Name, height: int, *shapes: Markup) -> Markup:
    """Return a chart as wide as its box and `height` pixels high."""
    return element(
        "svg",
        *_named(name),
        *shapes,
        role="img",
        aria_label=name.label,
        width="100%",
        height=height,
    )


def plot(name: Name, *shapes: Markup, class_: str = "plot") -> Markup:
    """Return a chart of the unit square (x to the right, y down), stretched over its box."""
    return element(
        "svg",
        *_named(name),
        *shapes,
        role="img",
        aria_label=name.label,
        viewBox="0 0 1000 1000",
        preserveAspectRatio="none",
        class_=class_,
    )


def rect(x: float, y: float, width: float, height: float, class_: str) -> Markup:
    """Return a box; `x` and `width` in percent."""
    return element("rect", x=_percent(x), y=y, width=_percent(max(width, 0.0)), height=height, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Return a line; `x1` and `x2` in percent."""
    return element("line", x1=_percent(x1), y1=y1, x2=_percent(x2), y2=y2, class_=class_)


def circle(x: float, y: float, radius: float, class_: str) -> Markup:
    """Return a disc; `x` in percent."""
    return element("circle", cx=_percent(x), cy=y, r=radius, class_=class_)


def text(x: float, y: float, words: str, class_: str = "") -> Markup:
    """Return words with their baseline at `y`; `x` in percent."""
    return element("text", words, x=_percent(x), y=y, class_=class_ or None)


def curve(points: Sequence[tuple[float, float]], class_: str, *, close: str = "") -> Markup:
    """Return a path through points of the unit square."""
    steps = "L".join(f"{_unit(x)} {_unit(y)}" for x, y in points)
    return element("path", d=f"M{steps}{close}", class_=class_)


def boxes(cells: Sequence[tuple[float, float, float, float]], class_: str) -> Markup:
    """Return many boxes (x, y, width, height) of the unit square as one path."""
    path = "".join(
        f"M{_unit(x)} {_unit(y)}h{_unit(width)}v{_unit(height)}h-{_unit(width)}z"
        for x, y, width, height in cells
    )
    return element("path", d=path, class_=class_)


def patterns() -> Markup:
    """Return the fills that tell C3 and INVALID apart without colour; once a page."""
    hatch = element(
        "pattern",
        element("rect", class_="tile-c3", width=7, height=7),
        element("line", class_="tile-c3-line", x1=0, y1=0, x2=0, y2=7),
        id="hatch",
        width=7,
        height=7,
        patternUnits="userSpaceOnUse",
        patternTransform="rotate(45)",
    )
    dot = element("circle", class_="tile-dot", cx=3, cy=3, r=1.6)
    dots = element("pattern", dot, id="dots", width=6, height=6, patternUnits="userSpaceOnUse")
    title = element("title", "Fills of the charts")
    fills = element("defs", hatch, dots)
    return element("svg", title, fills, class_="defs", role="img", aria_label="Fills of the charts")


def inset(share: float, left: float = 0.0, right: float = 100.0) -> float:
    """Return where a value between 0 and 1 stands between two percentages, ends kept free."""
    return left + INSET + share * (right - left - 2 * INSET)


def _named(name: Name) -> tuple[Markup, Markup]:
    return element("title", name.title), element("desc", name.description)


def _percent(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") + "%"


def _unit(value: float) -> str:
    return f"{1000 * value:.1f}".removesuffix(".0")
