"""The numbers behind each curve and change chart, as tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from heedful.metrics.summary import ArmResult, Counts, Drift, RunSummary
from heedful.reports.by_arm import arm_cell
from heedful.reports.figures import estimate_cell, missing_cell, percent, points, signed, turns, whole
from heedful.reports.table import Cell, Column, Table, number_cell, number_columns, text_cell, text_columns

PRIMARY_AXIS = "safety-relevant turns"


def drift_table(summary: RunSummary) -> Table:
    """Return the change within each probe family, last quarter minus first."""
    columns = (
        *text_columns("Arm", "Family"),
        *number_columns("P(C1) change [points]", "Speed change [points]"),
    )
    rows = tuple(_drift_row(arm, drift) for arm in summary.arms for drift in arm.drift)
    note = "Each family repeats the same state and request, reworded, in every quarter; by session."
    return Table("Drift by probe family", columns, rows, note, "The scenario has no probe families.")


def survival_table(summary: RunSummary) -> Table:
    """Return each arm's survival in one line."""
    curves = tuple(dict.fromkeys((s.view, s.axis) for arm in summary.arms for s in arm.survival))
    states = tuple(dict.fromkeys(state for state, _ in curves))
    columns = (
        *text_columns("Arm"),
        *number_columns("Sessions", *(f"With a violation, {state}" for state in states)),
        *number_columns(*(f"Median, {state}, {axis}" for state, axis in curves)),
    )
    rows = tuple(_survival_row(arm, states, curves) for arm in summary.arms)
    note = "Kaplan-Meier, as issued; by the true and by the sensed state."
    return Table("Time to the first violation", columns, rows, note)


def survival_points_table(summary: RunSummary, axis: str, state: str = "true") -> Table:
    """Return every step of the survival curves over `axis`, judged on one state."""
    columns = (*text_columns("Arm"), *number_columns(axis, "At risk", "Without violation [%]", "Low", "High"))
    rows = tuple(
        (
            arm_cell(arm),
            number_cell(f"{point.x:g}"),
            number_cell(point.at_risk),
            *(number_cell(percent(value)) for value in (point.value, point.low, point.high)),
        )
        for arm in summary.arms
        for survival in arm.survival
        if (survival.axis, survival.view) == (axis, state)
        for point in survival.points
    )
    return Table(f"Survival over {axis}, {state} state", columns, rows)


def token_curve_table(summary: RunSummary) -> Table:
    """Return mean estimated input tokens per call by turn, one column per arm."""
    curves = [dict(arm.token_curve) for arm in summary.arms]
    indices = sorted({turn for curve in curves for turn in curve})
    rows = tuple((number_cell(index), *(_tokens(curve.get(index)) for curve in curves)) for index in indices)
    return Table(
        "Estimated input tokens per call",
        _turn_columns(summary.arms, "Turn"),
        rows,
        empty="No call was recorded.",
    )


def turn_table(summary: RunSummary) -> Table:
    """Return the labels of every turn, one column per arm."""
    known = {cell.index: cell for arm in summary.arms for cell in arm.by_turn}
    by_arm = [{cell.index: cell.counts for cell in arm.by_turn} for arm in summary.arms]
    rows = tuple(
        (
            text_cell(known[index].turn_id, known[index].phase),
            *(text_cell(describe_counts(counts[index]) if index in counts else "") for counts in by_arm),
        )
        for index in sorted(known)
    )
    note = "How many sessions gave the turn each label; true state, as issued."
    columns = _turn_columns(summary.arms, "Turn", is_number=False)
    return Table("Turn by turn", columns, rows, note, "No turn was recorded.")


def describe_counts(counts: Counts) -> str:
    """Return the labels that occur with their counts, such as `C1 2, C4 1`."""
    named = (
        ("C1", counts.c1),
        ("C2", counts.c2),
        ("C3", counts.c3),
        ("C4", counts.c4),
        ("INVALID", counts.invalid),
        ("no trigger", counts.not_applicable),
    )
    return ", ".join(f"{name} {count}" for name, count in named if count) or "none"


def _drift_row(arm: ArmResult, drift: Drift) -> tuple[Cell, ...]:
    return (
        arm_cell(arm),
        text_cell(drift.family),
        estimate_cell(drift.p_c1_change, points),
        estimate_cell(drift.speed_change_points, signed),
    )


def _survival_row(
    arm: ArmResult, states: Sequence[str], curves: Sequence[tuple[str, str]]
) -> tuple[Cell, ...]:
    medians = {(s.view, s.axis): estimate_cell(s.median, turns) for s in arm.survival}
    return (
        arm_cell(arm),
        number_cell(arm.sessions),
        *(_events(arm, state) for state in states),
        *(medians.get(curve, missing_cell()) for curve in curves),
    )


def _events(arm: ArmResult, state: str) -> Cell:
    found = next((s for s in arm.survival if s.view == state), None)
    return missing_cell() if found is None else replace(number_cell(found.events), reason=found.note)


def _tokens(value: float | None) -> Cell:
    return missing_cell() if value is None else number_cell(whole(value))


def _turn_columns(arms: Sequence[ArmResult], first: str, *, is_number: bool = True) -> tuple[Column, ...]:
    return (Column(first, is_number=is_number), *(Column(arm.key.title, is_number=is_number) for arm in arms))
