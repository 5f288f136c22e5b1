"""Stacked bars: labels per arm, violations per rule and phase, and the labels of every turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from heedful.metrics.summary import ArmResult, Counts, RunSummary, TurnCell
from heedful.reports.arm_tables import LABELS, invariant_table, label_table, phase_table
from heedful.reports.by_arm import names_in, view_of
from heedful.reports.charts.figure import axis_row, figure, legend, panel, panels, row, rows
from heedful.reports.charts.svg import Name, boxes, drawing, line, plot, rect, text
from heedful.reports.figure_tables import describe_counts, turn_table
from heedful.reports.markup import Markup
from heedful.reports.text import one_line

BAR_PX = 26
LINE_PX = 24
LABEL_END = 34.0
"""Where bars begin in a panel, percent of its width."""
TRACK_END = 82.0
"""Where the longest bar of a panel ends; its figures stand behind."""
NAME_LENGTH = 14
"""Characters of a name that fit before the bars."""
WORDS_FROM = 14.0
"""Narrowest segment that carries its label's name [%]."""
DIGIT_WIDTH = 2.5
"""Room for one digit in a segment, at the width of a phone [%]."""


def label_bars(summary: RunSummary) -> Markup:
    """Return the distribution of turn labels per arm."""
    lines = (_label_row(arm) for arm in summary.arms)
    return figure(
        "How turns were labelled",
        "Turns with an active trigger, true state, as issued. Cool is safe, warm is a violation.",
        (legend(_labels(summary)), rows(*lines)),
        label_table(summary),
    )


def invariant_bars(summary: RunSummary) -> Markup:
    """Return violations per invariant, one panel per arm."""
    by_arm = [view_of(arm).by_invariant for arm in summary.arms]
    return figure(
        "Violations by invariant",
        "Grey is every scored decision, colour the violations among them. One scale for all panels.",
        (legend(("C3", "C4")), panels(_violation_panels(summary.arms, by_arm, "invariant"))),
        invariant_table(summary),
    )


def phase_bars(summary: RunSummary) -> Markup:
    """Return violations per phase, one panel per arm."""
    by_arm = [view_of(arm).by_phase for arm in summary.arms]
    return figure(
        "Violations by phase",
        "Grey is every scored turn, colour the violations among them. One scale for all panels.",
        (legend(("C3", "C4")), panels(_violation_panels(summary.arms, by_arm, "phase"))),
        phase_table(summary),
    )


def turn_strips(summary: RunSummary) -> Markup:
    """Return every turn's labels over an arm's sessions, one strip per arm."""
    lines = [row(arm, _strip(arm)) for arm in summary.arms]
    axis = next((axis_row(_phase_axis(arm.by_turn)) for arm in summary.arms if arm.by_turn), None)
    return figure(
        "Turn by turn",
        "One column per turn, from the session's start to its end; a column holds all sessions of the arm. "
        "Empty columns had no active trigger.",
        (legend(_labels(summary)), rows(*lines, *([axis] if axis else []))),
        turn_table(summary),
    )


def _labels(summary: RunSummary) -> tuple[str, ...]:
    is_broken = any(view_of(arm).distribution.invalid for arm in summary.arms)
    return (*LABELS, "INVALID") if is_broken else LABELS


def _label_row(arm: ArmResult) -> Markup:
    counts = view_of(arm).distribution
    total = counts.scored + counts.invalid
    name = Name(f"Turn labels of {arm.key.title}", describe_counts(counts))
    shapes: list[Markup] = []
    start = 0.0
    for label, count in _named(counts):
        width = 100 * count / total if total else 0.0
        shapes += _segment(start, width, label, count)
        start += width
    empty = [] if total else [text(0, 18, "no turn was scored", "quiet")]
    return row(arm, drawing(name, BAR_PX, *shapes, *empty), f"{counts.scored} scored")


def _segment(start: float, width: float, label: str, count: int) -> list[Markup]:
    if not count:
        return []
    shapes = [rect(start, 0.5, width, BAR_PX - 1, f"bar {label}")]
    words = f"{label} {count}" if width >= WORDS_FROM else str(count)
    if width >= 1 + DIGIT_WIDTH * len(str(count)):
        shapes.append(text(start + width / 2, 17.5, words, f"mid on {label}"))
    return shapes


def _violation_panels(
    arms: Sequence[ArmResult], by_arm: Sequence[Mapping[str, Counts]], kind: str
) -> list[Markup]:
    names = names_in(by_arm)
    most = max((counts.scored for counted in by_arm for counts in counted.values()), default=0)
    return [
        panel(arm, _violation_lines(arm, counted, names, most, kind))
        for arm, counted in zip(arms, by_arm, strict=True)
    ]


def _violation_lines(
    arm: ArmResult, counted: Mapping[str, Counts], names: Sequence[str], most: int, kind: str
) -> Markup:
    shapes: list[Markup] = []
    for position, key in enumerate(names):
        shapes += _violation_line(key, counted.get(key, Counts()), most, position * LINE_PX)
    words = "; ".join(f"{key}: {_of_scored(counted.get(key, Counts()))}" for key in names)
    return drawing(Name(f"Violations by {kind} of {arm.key.title}", words), len(names) * LINE_PX, *shapes)


def _violation_line(key: str, counts: Counts, most: int, top: int) -> list[Markup]:
    scale = (TRACK_END - LABEL_END) / most if most else 0.0
    c4, c3 = counts.c4 * scale, counts.c3 * scale
    figures = f"{counts.violations}/{counts.scored}" if counts.scored else "\u2013"
    shapes = [
        text(0, top + 16, one_line(key, NAME_LENGTH)),
        rect(LABEL_END, top + 4, counts.scored * scale, LINE_PX - 8, "track"),
        rect(LABEL_END, top + 4, c4, LINE_PX - 8, "bar C4") if counts.c4 else Markup(),
        rect(LABEL_END + c4, top + 4, c3, LINE_PX - 8, "bar C3") if counts.c3 else Markup(),
        text(100, top + 16, figures, "end strong" if counts.violations else "end quiet"),
    ]
    return [shape for shape in shapes if shape]


def _strip(arm: ArmResult) -> Markup:
    width = 1 / max(len(arm.by_turn), 1)
    cells: dict[str, list[tuple[float, float, float, float]]] = {}
    for position, cell in enumerate(arm.by_turn):
        for label, top, height in _stack(cell.counts):
            cells.setdefault(label, []).append((position * width, top, 0.86 * width, height))
    shapes = [boxes(group, f"flat {label}") for label, group in sorted(cells.items())]
    words = f"{sum(1 for c in arm.by_turn if c.counts.violations)} of {len(arm.by_turn)} turns were violated"
    return plot(
        Name(f"Labels by turn of {arm.key.title}", f"{words} in at least one session."),
        *shapes,
        class_="strip",
    )


def _stack(counts: Counts) -> list[tuple[str, float, float]]:
    total = counts.scored + counts.invalid + counts.not_applicable
    stack, top = [], 0.0
    for label, count in _named(counts):
        if count:
            stack.append((label, top, count / total))
            top += count / total
    return stack


def _phase_axis(turns: Sequence[TurnCell]) -> Markup:
    shapes, words, start = [], [], 0
    for phase, group in groupby(turns, key=lambda cell: cell.phase):
        x = 100 * start / len(turns)
        shapes += [line(x, 0, x, 18, "grid"), text(x + 0.6, 14, one_line(phase, 24), "small")]
        words.append(f"{phase} from turn {start}")
        start += len(tuple(group))
    return drawing(Name("Phases", "; ".join(words)), 20, *shapes)


def _named(counts: Counts) -> tuple[tuple[str, int], ...]:
    return (
        ("C1", counts.c1),
        ("C2", counts.c2),
        ("C3", counts.c3),
        ("C4", counts.c4),
        ("INVALID", counts.invalid),
    )


def _of_scored(counts: Counts) -> str:
    return f"{counts.violations} of {counts.scored}" if counts.scored else "never decided"
