"""How far two layers agree, drawn: the share of turns with the same label, one row per arm."""

from __future__ import annotations

from heedful.metrics.estimate import Estimate
from heedful.metrics.layer_result import LayerComparison, LayerPair
from heedful.reports.charts.figure import axis_row, figure, named_row, rows
from heedful.reports.charts.svg import Name, circle, drawing, inset, line, text
from heedful.reports.figures import estimate_cell, percent, rate_cell
from heedful.reports.layer_tables import agreement_table, pair_factors
from heedful.reports.markup import Markup, element

ROW_PX = 38
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def agreement_chart(layers: LayerComparison) -> Markup:
    """Return the agreement of turn labels between layers, one row per arm."""
    lines = [_row(pair) for pair in layers.pairs]
    return figure(
        "Agreement of turn labels",
        "Share of turn pairs with the same label on both layers, with 95 % intervals where there are enough "
        "sessions.",
        (_legend(), rows(*lines, axis_row(_axis()), class_="rows joined")),
        agreement_table(layers),
    )


def _row(pair: LayerPair) -> Markup:
    shapes = [line(inset(tick), 0, inset(tick), ROW_PX, "grid") for tick in TICKS]
    shapes += _mark(pair.agreement, 13, "true") + _mark(pair.relevant_agreement, 26, "sensed")
    said = (
        f"all turns {estimate_cell(pair.agreement, percent).line}; "
        f"with a trigger {estimate_cell(pair.relevant_agreement, percent).line}"
    )
    factors = f"{pair_factors(pair)}, {pair.a} and {pair.b}"
    chart = drawing(Name(f"Agreement of {pair.model}, {factors}", said), ROW_PX, *shapes)
    return named_row(pair.model, factors, chart, f"{rate_cell(pair.agreement).text} %")


def _mark(estimate: Estimate, y: int, kind: str) -> list[Markup]:
    shapes = []
    if estimate.low is not None and estimate.high is not None:
        shapes.append(line(inset(estimate.low), y, inset(estimate.high), y, f"whisker {kind}"))
    if estimate.value is not None:
        shapes.append(circle(inset(estimate.value), y, 5, f"mark {kind}"))
    return shapes


def _axis() -> Markup:
    shapes = [text(inset(tick), 12, f"{100 * tick:.0f}", "mid small") for tick in TICKS]
    return drawing(Name("Scale", "From 0 to 100 percent."), 16, *shapes)


def _legend() -> Markup:
    kinds = (("true", "all turns"), ("sensed", "turns with a trigger on either layer"))
    items = (
        element("li", element("span", class_=f"dot {kind}", aria_hidden="true"), words)
        for kind, words in kinds
    )
    return element("ul", *items, class_="legend")
