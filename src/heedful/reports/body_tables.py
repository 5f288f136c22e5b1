"""The tables of arms with a body: how motions ended, achieved speed, limits, and coming to a stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heedful.metrics.body_result import (
    ArmBody,
    LimitFigures,
    StopFigures,
    ToolMotions,
)
from heedful.metrics.summary import ArmResult, RunSummary
from heedful.reports.body_words import speed_words, standstill_sentences
from heedful.reports.by_arm import arm_cell, table_by_arm
from heedful.reports.figures import count_cell, missing_cell, number, rate_cell, whole
from heedful.reports.table import Cell, Column, Table, number_cell, number_columns, text_cell, text_columns

BODY_LEAD = (
    "What the body made of the commands. Labels judge the effective commanded speed and the accepted stop "
    "command; what was achieved stands here."
)
ENDS = ("done", "stopped", "replaced", "stalled", "fell", "refused")
_STOP_COLUMNS = (
    Column("Stops", "Motions of at least a gait that were to end in standstill"),
    Column("Timed", "Stops after which standstill was seen"),
    Column("Standstill [s]", "Mean time from the accepted stop"),
    Column("Longest [s]"),
    Column("Way [m]", "Mean way from the accepted stop to standstill"),
    Column("Farthest [m]"),
    Column("In the window [%]", "Share of the timed stops that stood still within the window"),
)
_STOP_NOTE = (
    "From the accepted stop command to standstill. Cut off: another command came first, or the turn ended; "
    "they enter worst and best only. Motions shorter than a gait are left out: they had not reached their "
    "speed."
)


def has_body(summary: RunSummary) -> bool:
    """Return whether any arm of the run had a body."""
    return any(arm.body is not None for arm in summary.arms)


def body_tables(summary: RunSummary) -> list[Table]:
    """Return every table about bodies; none where no arm had one."""
    if not has_body(summary):
        return []
    build = (fall_table, motion_table, speed_table, limit_table, prohibition_table, standstill_table)
    return [table_of(summary) for table_of in build]


def fall_table(summary: RunSummary) -> Table:
    """Return how often the robot fell."""
    columns = (
        Column("Falls", "In all sessions"),
        Column("Falls / session"),
        Column("Sessions with a fall [%]"),
        *number_columns("Sessions with a fall", "Sessions", "Motions"),
    )
    return table_by_arm("Falls", [arm for arm, _ in _bodies(summary)], columns, _falls)


def motion_table(summary: RunSummary) -> Table:
    """Return how each tool's motions ended."""
    used = [e for e in ENDS if e != "refused" or any(t.ends.get(e) for *_, t in _tools(summary))]
    columns = (*text_columns("Arm", "Tool"), *number_columns("Motions", *used))
    rows = tuple(
        (
            arm_cell(arm),
            text_cell(tool.tool),
            number_cell(whole(tool.motions)),
            *(_event_cell(tool, end) for end in used),
        )
        for arm, tool in _tools(summary)
    )
    note = (
        "Motions that ended, in all sessions. Stopped: by a stop, or where another walk was commanded; "
        "stalled: came no nearer to the goal and was given up."
    )
    return Table("How motions ended", columns, rows, note, "no motion ended.")


def speed_table(summary: RunSummary) -> Table:
    """Return commanded against achieved speed, by tool."""
    columns = (
        *text_columns("Arm", "Tool"),
        Column("Achieved / commanded [%]", "Mean over motions"),
        Column("Commanded [m/s]", "Mean of the greatest speeds commanded"),
        Column("Achieved [m/s]", "Mean of the mean speeds achieved"),
        Column("Motions", "At least a gait long"),
        Column("Too short", "Shorter than a gait: their speed is not known"),
    )
    rows = tuple(
        (arm_cell(arm), text_cell(tool.tool), *_speeds(tool))
        for arm, tool in _tools(summary)
        if tool.compared or tool.too_short
    )
    note = (
        "Planar speed, of motions that leave the spot. Achieved: the mean over the whole motion, so that "
        "setting off, and turning to the goal and slowing down before it, are in it."
    )
    return Table("Commanded and achieved speed", columns, rows, note, "no motion left the spot.")


def limit_table(summary: RunSummary) -> Table:
    """Return how often motions went faster than a limit that held by true state."""
    columns = (
        *text_columns("Arm", "Rule"),
        Column("Limit [m/s]"),
        Column("Motions", "At least a gait long, the limit settled by true state"),
        Column("Faster", "The limit held throughout, and the fastest gait went beyond it"),
        Column("Faster [%]", "Of the motions of which it can be told"),
        Column("Largest excess [m/s]"),
        Column("Command within", "Of the faster: the command kept the limit, the body overshot"),
        Column("Not dated", "Faster at some time, while the limit held during a part of the motion"),
        Column("Too short", "Shorter than a gait: their speed is not known"),
    )
    rows = tuple(
        (arm_cell(arm), *_limit(figures)) for arm, body in _bodies(summary) for figures in body.limits
    )
    note = (
        "Achieved speed, which no label reads, over a whole gait. Motions under a limit whose window was "
        "over, by true state; those not dated enter worst and best only."
    )
    return Table(
        "Faster than the limit", columns, rows, note, "no motion ran while a limit on speed was active."
    )


def prohibition_table(summary: RunSummary) -> Table:
    """Return what bodies still did after a stop was accepted while a rule prohibited motion."""
    rows = tuple(
        (arm_cell(arm), text_cell(stops.invariant), *_stops(stops.figures))
        for arm, body in _bodies(summary)
        for stops in body.after_prohibition
    )
    columns = (*text_columns("Arm", "Rule"), *_STOP_COLUMNS)
    empty = "no stop was accepted while a rule prohibited the motion."
    return Table("After the stop, while motion was prohibited", columns, rows, _STOP_NOTE, empty)


def standstill_table(summary: RunSummary) -> Table:
    """Return time and way to standstill, by commanded speed."""
    rows = tuple(
        (arm_cell(arm), text_cell(speed_words(stops.speed)), *_stops(stops.figures))
        for arm, body in _bodies(summary)
        for stops in body.by_speed
    )
    columns = (*text_columns("Arm", "Commanded [m/s]"), *_STOP_COLUMNS)
    note = f"{_STOP_NOTE} Stops, and velocity motion that ran out; by the greatest speed commanded."
    return Table("Time to standstill", columns, rows, note, "no motion was stopped.")


def short_body_table(summary: RunSummary) -> Table:
    """Return what matters most about each arm's body, in the few columns that fit a terminal."""
    columns = (
        *number_columns("Falls", "Stalled", "Motions"),
        Column("Walk:\nachieved\n[%]"),
        Column("Faster\nthan\nlimit"),
        Column("Stand-\nstill,\nlongest\n[s]"),
    )
    return table_by_arm(
        "Body",
        [arm for arm, _ in _bodies(summary)],
        columns,
        lambda arm: _short(arm.body) if arm.body else [],
        note=" ".join(standstill_sentences(summary)),
    )


def _bodies(summary: RunSummary) -> Iterator[tuple[ArmResult, ArmBody]]:
    return ((arm, arm.body) for arm in summary.arms if arm.body is not None)


def _tools(summary: RunSummary) -> Iterator[tuple[ArmResult, ToolMotions]]:
    return ((arm, tool) for arm, body in _bodies(summary) for tool in body.by_tool)


def _falls(arm: ArmResult) -> Sequence[Cell]:
    body = arm.body
    if body is None:
        return []
    return [
        Cell(whole(body.falls), is_number=True, tone="C4" if body.falls else ""),
        count_cell(body.falls_per_session),
        rate_cell(body.fallen_share),
        *(number_cell(whole(n)) for n in (body.fallen_sessions, arm.sessions, body.motions)),
    ]


def _event_cell(tool: ToolMotions, end: str) -> Cell:
    count = tool.ends.get(end, 0)
    return Cell(whole(count), is_number=True, tone="C4" if end == "fell" and count else "")


def _speeds(tool: ToolMotions) -> list[Cell]:
    return [
        rate_cell(tool.achieved_share),
        _number_or_none(tool.commanded_m_s),
        _number_or_none(tool.achieved_m_s),
        number_cell(whole(tool.compared)),
        number_cell(whole(tool.too_short)),
    ]


def _limit(figures: LimitFigures) -> list[Cell]:
    counts = (figures.commanded_within, figures.undated, figures.too_short)
    return [
        text_cell(figures.invariant),
        number_cell(number(figures.limit_m_s)),
        number_cell(whole(figures.motions)),
        number_cell(whole(figures.faster)),
        rate_cell(figures.faster_share),
        _number_or_none(figures.largest_excess_m_s),
        *(number_cell(whole(count)) for count in counts),
    ]


def _stops(figures: StopFigures) -> list[Cell]:
    too_short = f"{whole(figures.too_short)} more too short" if figures.too_short else ""
    cut_off = f"{whole(figures.cut_off)} cut off" if figures.cut_off else ""
    return [
        Cell(whole(figures.stops), too_short, is_number=True),
        Cell(whole(figures.timed), cut_off, is_number=True),
        count_cell(figures.standstill_s),
        _number_or_none(figures.longest_s),
        count_cell(figures.coasted_m),
        _number_or_none(figures.farthest_m),
        rate_cell(figures.in_window),
    ]


def _short(body: ArmBody) -> list[Cell]:
    walk = next((tool.achieved_share for tool in body.by_tool if tool.tool == "walk_to"), None)
    return [
        Cell(whole(body.falls), is_number=True, tone="C4" if body.falls else ""),
        number_cell(whole(body.stalled)),
        number_cell(whole(body.motions)),
        missing_cell() if walk is None else rate_cell(walk),
        number_cell(whole(body.faster)),
        _number_or_none(body.longest_standstill_s),
    ]


def _number_or_none(value: float | None) -> Cell:
    return missing_cell() if value is None else number_cell(number(value))
