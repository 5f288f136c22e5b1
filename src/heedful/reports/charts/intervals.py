"""Estimates as marks with their intervals: SPS per arm, change per probe family."""

from __future__ import annotations

from heedful.metrics.estimate import Estimate
from heedful.metrics.summary import ArmResult, Drift, RunSummary
from heedful.reports.arm_tables import sps_table
from heedful.reports.by_arm import view_of
from heedful.reports.charts.figure import axis_row, figure, panel, panels, row, rows
from heedful.reports.charts.svg import Name, circle, drawing, inset, line, rect, text
from heedful.reports.figure_tables import drift_table
from heedful.reports.figures import Format, estimate_cell, percent, points, rate_cell, signed
from heedful.reports.markup import Markup, element
from heedful.reports.text import one_line

ROW_PX = 38
LINE_PX = 24
HEAD_PX = 20
LABEL_END = 34.0
NAME_LENGTH = 14
"""Characters of a name that fit before the marks."""
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)
SPEED_SPAN = 100.0
"""Largest change of speed that a scale of drift shows, in points."""


def sps_chart(summary: RunSummary) -> Markup:
    """Return SPS per arm by the true and by the sensed state."""
    lines = [_sps_row(arm) for arm in summary.arms]
    return figure(
        "Safety-productivity score (SPS)",
        "C1 share of scored turns, as issued, with 95 % intervals where there are enough sessions.",
        (_sps_legend(), rows(*lines, axis_row(_axis()), class_="rows joined")),
        sps_table(summary),
    )


def drift_chart(summary: RunSummary) -> Markup:
    """Return the change of P(C1) and of speed within each probe family, one panel per arm."""
    with_drift = [arm for arm in summary.arms if arm.drift]
    parts = [panel(arm, _drift_lines(arm)) for arm in with_drift]
    return figure(
        "Drift within probe families",
        "Same state and request, reworded: last quarter of the session minus the first, in points, on a "
        "scale from \u2212100 to +100. Left: share of C1; a mark left of the line got less safe. "
        "Right: commanded speed; a mark right of the line got faster.",
        (panels(parts),),
        drift_table(summary),
    )


def _sps_row(arm: ArmResult) -> Markup:
    true, sensed = view_of(arm).sps, view_of(arm, "sensed").sps
    shapes = [line(inset(tick), 0, inset(tick), ROW_PX, "grid") for tick in TICKS]
    shapes += _floor(view_of(arm).sps_floor)
    shapes += _mark(true, 13, "true") + _mark(sensed, 26, "sensed")
    said = f"true {_said(true, percent)}; sensed {_said(sensed, percent)}"
    chart = drawing(Name(f"SPS of {arm.key.title}", said), ROW_PX, *shapes)
    return row(arm, chart, rate_cell(true).text + " %")


def _floor(floor: Estimate | None) -> list[Markup]:
    if floor is None or floor.value is None:
        return []
    return [line(inset(floor.value), 5, inset(floor.value), ROW_PX - 4, "floor")]


def _mark(estimate: Estimate, y: int, kind: str) -> list[Markup]:
    low, value, high = estimate.low, estimate.value, estimate.high
    shapes = []
    if low is not None and high is not None:
        shapes.append(line(inset(low), y, inset(high), y, f"whisker {kind}"))
    if value is not None:
        shapes.append(circle(inset(value), y, 5, f"mark {kind}"))
    return shapes


def _axis() -> Markup:
    shapes = [text(inset(tick), 12, f"{100 * tick:.0f}", "mid small") for tick in TICKS]
    return drawing(Name("Scale", "From 0 to 100 percent."), 16, *shapes)


def _sps_legend() -> Markup:
    items = (
        ("true", "true state"),
        ("sensed", "sensed state"),
        ("floor", "what doing nothing would score"),
    )
    return element(
        "ul",
        *(
            element("li", element("span", class_=f"dot {kind}", aria_hidden="true"), words)
            for kind, words in items
        ),
        class_="legend",
    )


def _drift_lines(arm: ArmResult) -> Markup:
    height = HEAD_PX + len(arm.drift) * LINE_PX
    middle = (LABEL_END + 100) / 2
    shapes = [line(_centre(*span), HEAD_PX, _centre(*span), height, "zero") for span in _spans(middle)]
    heads = zip(_spans(middle), ("C1 share", "speed"), strict=True)
    shapes += [text(_centre(*span), HEAD_PX - 6, words, "mid small") for span, words in heads]
    for position, drift in enumerate(arm.drift):
        shapes += _drift_line(drift, HEAD_PX + position * LINE_PX, middle)
    words = "; ".join(
        f"{d.family}: C1 {_said(d.p_c1_change, points)}, speed {_said(d.speed_change_points, signed)}"
        for d in arm.drift
    )
    return drawing(Name(f"Drift of {arm.key.title}", words), height, *shapes)


def _drift_line(drift: Drift, top: int, middle: float) -> list[Markup]:
    left, right = _spans(middle)
    y = top + LINE_PX // 2
    return [
        text(0, top + 16, one_line(drift.family.removeprefix("probe-"), NAME_LENGTH)),
        *_change(drift.p_c1_change, 1.0, left, y),
        *_change(drift.speed_change_points, SPEED_SPAN, right, y),
    ]


def _spans(middle: float) -> tuple[tuple[float, float], tuple[float, float]]:
    return (LABEL_END, middle - 2), (middle + 2, 100.0)


def _centre(left: float, right: float) -> float:
    return (left + right) / 2


def _change(estimate: Estimate, span: float, box: tuple[float, float], y: int) -> list[Markup]:
    """Return a change on a scale from -span to +span; nothing measured is a dash in the middle."""
    shapes = [rect(box[0], y + 9, box[1] - box[0], 0.5, "track")]
    if estimate.value is None:
        return [*shapes, text(_centre(*box), y + 4, "n/a", "mid small halo")]
    if estimate.low is not None and estimate.high is not None:
        low, high = _place(estimate.low, span, box), _place(estimate.high, span, box)
        shapes.append(line(low, y, high, y, "whisker true"))
    return [*shapes, circle(_place(estimate.value, span, box), y, 4.5, "mark true")]


def _place(value: float, span: float, box: tuple[float, float]) -> float:
    return inset(min(max((value / span + 1) / 2, 0.0), 1.0), *box)


def _said(estimate: Estimate, form: Format) -> str:
    return estimate_cell(estimate, form).line
