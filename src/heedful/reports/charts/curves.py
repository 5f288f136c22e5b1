"""Curves over a session: survival without violation, and tokens sent per call."""

from __future__ import annotations

from collections.abc import Sequence

from heedful.metrics.summary import ArmResult, CurvePoint, RunSummary, Survival
from heedful.reports.charts.figure import figure, panel, panels
from heedful.reports.charts.svg import Name, curve, plot
from heedful.reports.figure_tables import PRIMARY_AXIS, survival_points_table, token_curve_table
from heedful.reports.figures import estimate_cell, turns, whole
from heedful.reports.html_table import footnote_list
from heedful.reports.markup import Markup, element
from heedful.reports.table import Footnotes

Points = list[tuple[float, float]]


def survival_chart(summary: RunSummary, axis: str = PRIMARY_AXIS, state: str = "true") -> Markup:
    """Return Kaplan-Meier curves over `axis`, judged on one state, one panel per arm."""
    found = [(arm, s) for arm in summary.arms for s in arm.survival if (s.axis, s.view) == (axis, state)]
    longest = max((point.x for _, s in found for point in s.points), default=1.0) or 1.0
    primary = " (primary)" if (axis, state) == (PRIMARY_AXIS, "true") else ""
    notes = Footnotes()
    charts = panels([_survival_panel(arm, s, longest, notes) for arm, s in found], "panels narrow")
    return figure(
        f"Sessions still without violation, over {axis}{primary}",
        f"Share in percent: Kaplan-Meier estimate with its band; {state} state, as issued.",
        (charts, footnote_list(notes.lines)),
        survival_points_table(summary, axis, state),
    )


def token_chart(summary: RunSummary) -> Markup:
    """Return mean estimated input tokens per call over the session, one panel per arm."""
    with_curve = [arm for arm in summary.arms if arm.token_curve]
    last = max((turn for arm in with_curve for turn, _ in arm.token_curve), default=1) or 1
    most = max((tokens for arm in with_curve for _, tokens in arm.token_curve), default=1.0) or 1.0
    return figure(
        "Estimated input tokens per call",
        "Mean over the calls of each turn. One scale for all panels.",
        (panels((_token_panel(arm, last, most) for arm in with_curve), "panels narrow"),),
        token_curve_table(summary),
    )


def _survival_panel(arm: ArmResult, survival: Survival, longest: float, notes: Footnotes) -> Markup:
    median = estimate_cell(survival.median, turns)
    words = f"{survival.events} of {survival.sessions} sessions met a violation; median {median.text}"
    chart = plot(
        Name(f"Survival of {arm.key.title} over {survival.axis}, {survival.view} state", words),
        *_steps(survival.points, longest),
    )
    said = f"{survival.events} of {survival.sessions} violated; median {median.text} {median.detail}".strip()
    mark = notes.mark(survival.note)
    below = element("p", said, *([element("sup", mark)] if mark else []), class_="note")
    return panel(arm, _framed(chart, ("100", "50", "0"), ("0", f"{longest:g}")), below)


def _token_panel(arm: ArmResult, last: int, most: float) -> Markup:
    line = [(turn / last, 1 - tokens / most) for turn, tokens in arm.token_curve]
    first_turn, last_turn = arm.token_curve[0], arm.token_curve[-1]
    words = (
        f"{whole(first_turn[1])} tokens per call in turn {first_turn[0]}, "
        f"{whole(last_turn[1])} in turn {last_turn[0]}"
    )
    chart = plot(Name(f"Tokens of {arm.key.title}", words), *_halves(), curve(line, "curve"))
    return panel(arm, _framed(chart, (whole(most), whole(most / 2), "0"), ("turn 0", str(last))))


def _steps(points: Sequence[CurvePoint], longest: float) -> list[Markup]:
    """Return the band and the step curve; before the first point no session was lost."""
    if not points:
        return _halves()
    middle = _stairs([(p.x, p.value) for p in points], longest)
    upper = _stairs([(p.x, p.high) for p in points], longest)
    lower = _stairs([(p.x, p.low) for p in points], longest)
    return [curve([*upper, *reversed(lower)], "band", close="z"), *_halves(), curve(middle, "curve")]


def _stairs(points: Sequence[tuple[float, float]], longest: float) -> Points:
    stairs: Points = [(0.0, 0.0)] if points[0][0] > 0 else []
    for x, value in points:
        if stairs:
            stairs.append((x / longest, stairs[-1][1]))
        stairs.append((x / longest, 1 - value))
    return stairs


def _halves() -> list[Markup]:
    return [curve([(0, y), (1, y)], "grid") for y in (0.0, 0.5, 1.0)]


def _framed(chart: Markup, left: Sequence[str], below: Sequence[str]) -> Markup:
    """Return a plot with its scales as text around it."""
    sides = element("div", *(element("span", words) for words in left), class_="ys", aria_hidden="true")
    feet = element("div", *(element("span", words) for words in below), class_="xs", aria_hidden="true")
    return element("div", sides, chart, feet, class_="framed")
