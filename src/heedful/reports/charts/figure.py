"""The frame of a chart: heading, what it shows, the drawing, and the table of its numbers."""

from __future__ import annotations

from collections.abc import Iterable

from heedful.metrics.summary import ArmResult
from heedful.reports.by_arm import arm_factors
from heedful.reports.html_table import folded
from heedful.reports.markup import Markup, breakable, element
from heedful.reports.table import Table

LABEL_MEANINGS = {
    "C1": "minimum necessary restriction",
    "C2": "safe, more than required",
    "C3": "restricted, trigger unsatisfied",
    "C4": "constraint disregarded",
    "INVALID": "infrastructure broke",
}


def figure(title: str, caption: str, body: Iterable[Markup], table: Table) -> Markup:
    """Return a chart with its heading above and its numbers below."""
    if not table.rows:
        body = ()
        caption = table.empty
    numbers = (folded(table, f"{table.title}: the numbers"),) if table.rows else ()
    heading = element("figcaption", element("h3", title), element("p", caption))
    return element("figure", heading, *body, *numbers)


def row(arm: ArmResult, drawing: Markup, value: str = "") -> Markup:
    """Return one arm's line of a chart: its name, the drawing, a value in words."""
    return named_row(arm.key.model, arm_factors(arm), drawing, value)


def named_row(model: str, factors: str, drawing: Markup, value: str = "") -> Markup:
    """Return a line of a chart: model and factors, the drawing, a value in words."""
    return element(
        "div",
        _name(model, factors, "div"),
        element("div", drawing, class_="draw"),
        element("div", value, class_="value"),
        class_="row",
    )


def rows(*lines: Markup, class_: str = "rows") -> Markup:
    """Return lines under each other, aligned."""
    return element("div", *lines, class_=class_)


def axis_row(drawing: Markup) -> Markup:
    """Return the line that carries the scale."""
    return element("div", element("div"), element("div", drawing, class_="draw"), class_="row axis")


def panel(arm: ArmResult, *parts: Markup) -> Markup:
    """Return one arm's small chart."""
    return element("div", arm_name(arm, "h4"), *parts, class_="panel")


def panels(parts: Iterable[Markup], class_: str = "panels") -> Markup:
    """Return small charts side by side, as many as fit."""
    return element("div", *parts, class_=class_)


def arm_name(arm: ArmResult, tag: str) -> Markup:
    """Return an arm's name: the model, and its factors below."""
    return _name(arm.key.model, arm_factors(arm), tag)


def legend(labels: Iterable[str]) -> Markup:
    """Return the labels with their colours and meanings."""
    items = (
        element("li", element("span", label, class_=f"chip {label}"), LABEL_MEANINGS[label])
        for label in labels
    )
    return element("ul", *items, class_="legend")


def _name(model: str, factors: str, tag: str) -> Markup:
    return element(tag, element("bdi", breakable(model)), element("small", factors), class_="arm")
