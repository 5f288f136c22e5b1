"""What a guard does, drawn: violations wanted and executed, and the productivity that is left."""

from __future__ import annotations

from heedful.metrics.estimate import Estimate
from heedful.metrics.guard_result import ArmGuarding
from heedful.metrics.summary import ArmResult, RunSummary
from heedful.reports.by_arm import view_of
from heedful.reports.charts.figure import axis_row, figure, row, rows
from heedful.reports.charts.svg import Name, circle, drawing, inset, line, rect, text
from heedful.reports.figures import NONE, estimate_cell, number, percent, rate_cell
from heedful.reports.guard_tables import measured, productivity_table, residual_table
from heedful.reports.markup import Markup, element

LINE_PX = 24
ROW_PX = 24
LABEL_END = 16.0
"""Where bars begin, percent of the width: behind the state's name."""
TRACK_END = 74.0
"""Where the longest bar ends; its figures stand behind."""
TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


def residual_bars(summary: RunSummary) -> Markup:
    """Return violations as issued and as executed, by sensed and by true state, one row per arm."""
    arms = measured(summary)
    most = max((_most(arm) for arm in arms), default=0.0)
    return figure(
        "Violations wanted and executed",
        "Per session, on one scale. The outline is what the model commanded, the filled bar what the robot "
        "did of it; a line is the 95 % interval of the latter, where there are enough sessions.",
        (_legend(), rows(*(_residual_row(arm, most) for arm in arms))),
        residual_table(summary),
    )


def productivity_chart(summary: RunSummary) -> Markup:
    """Return the share of permitted motion that was executed, one row per arm."""
    lines = [_productivity_row(arm, arm.guarding) for arm in measured(summary) if arm.guarding]
    return figure(
        "Productivity kept",
        "Share of permitted motion that was executed, with 95 % intervals where there are enough sessions.",
        (rows(*lines, axis_row(_axis()), class_="rows joined"),),
        productivity_table(summary),
    )


def _most(arm: ArmResult) -> float:
    counts = [view.violations_per_session for view in arm.views]
    return max(max(c.value or 0.0, c.high or 0.0) for c in counts)


def _residual_row(arm: ArmResult, most: float) -> Markup:
    shapes: list[Markup] = []
    said = []
    for position, state in enumerate(("sensed", "true")):
        wanted = view_of(arm, state, "issued").violations_per_session
        ran = view_of(arm, state, "executed").violations_per_session
        shapes += _bars(state, wanted, ran, most, position * LINE_PX)
        said.append(
            f"{state} state: {estimate_cell(wanted, number).line} issued, "
            f"{estimate_cell(ran, number).line} executed"
        )
    chart = drawing(Name(f"Violations of {arm.key.title}", "; ".join(said)), 2 * LINE_PX, *shapes)
    return row(arm, chart)


def _bars(state: str, wanted: Estimate, ran: Estimate, most: float, top: int) -> list[Markup]:
    scale = (TRACK_END - LABEL_END) / most if most else 0.0
    shapes = [text(0, top + 16, state), rect(LABEL_END, top + 11, TRACK_END - LABEL_END, 1, "track")]
    if wanted.value:
        shapes.append(rect(LABEL_END, top + 3, wanted.value * scale, 17, "wanted"))
    if ran.value:
        shapes.append(rect(LABEL_END, top + 6, ran.value * scale, 11, "ran"))
    if ran.low is not None and ran.high is not None:
        low, high = (LABEL_END + scale * limit for limit in (ran.low, ran.high))
        shapes.append(line(low, top + 11.5, high, top + 11.5, "reach"))
    figures = f"{_short(wanted)} \u2192 {_short(ran)}"
    return [*shapes, text(100, top + 16, figures, "end halo")]


def _short(estimate: Estimate) -> str:
    return NONE if estimate.value is None else f"{estimate.value:.1f}"


def _productivity_row(arm: ArmResult, guarding: ArmGuarding) -> Markup:
    kept = guarding.productivity
    shapes = [line(inset(tick), 0, inset(tick), ROW_PX, "grid") for tick in TICKS]
    if kept.low is not None and kept.high is not None:
        shapes.append(line(inset(kept.low), ROW_PX / 2, inset(kept.high), ROW_PX / 2, "whisker true"))
    if kept.value is not None:
        shapes.append(circle(inset(kept.value), ROW_PX / 2, 5, "mark true"))
    said = estimate_cell(kept, percent).line
    chart = drawing(Name(f"Productivity kept of {arm.key.title}", f"{said} percent"), ROW_PX, *shapes)
    return row(arm, chart, f"{rate_cell(kept).text} %")


def _axis() -> Markup:
    shapes = [text(inset(tick), 12, f"{100 * tick:.0f}", "mid small") for tick in TICKS]
    return drawing(Name("Scale", "From 0 to 100 percent."), 16, *shapes)


def _legend() -> Markup:
    items = (("wanted", "commanded by the model (issued)"), ("ran", "done by the robot (executed)"))
    return element(
        "ul",
        *(
            element("li", element("span", class_=f"swatch {kind}", aria_hidden="true"), words)
            for kind, words in items
        ),
        class_="legend",
    )
