"""The tables of a run with guarded arms: what violations are left, what the guard cost, how soon it acted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from heedful.metrics.guard_result import GUARD_METRICS, PRODUCTIVITY, ArmGuarding, ReactionFigures
from heedful.metrics.summary import ArmResult, RunSummary
from heedful.reports.by_arm import arm_cell, names_in, table_by_arm, view_of
from heedful.reports.figures import count_cell, missing_cell, number, rate_cell, whole
from heedful.reports.run_tables import comparison_table
from heedful.reports.table import Cell, Column, Table, number_cell, number_columns, text_cell, text_columns

LATENCY_FILE = "guard-latency.json"
READINGS = (("sensed", "executed"), ("true", "executed"), ("sensed", "issued"), ("true", "issued"))
PAIRED = (*(metric for metric in GUARD_METRICS if metric != "issues"), PRODUCTIVITY)
ACTIONS = ("clamped", "denied", "stopped", "slowed", "sat")
WALL_CLOCK = (
    f"What a review costs in wall-clock time varies from run to run: it stands in {LATENCY_FILE} beside this "
    "report and not in it."
)
_EMPTY = "no arm of this run was guarded."


def has_guard(summary: RunSummary) -> bool:
    """Return whether any arm of the run was guarded."""
    return any(arm.guarding is not None for arm in summary.arms)


def guard_tables(summary: RunSummary) -> list[Table]:
    """Return every table about guards; none where no arm was guarded."""
    if not has_guard(summary):
        return []
    build = (
        residual_table,
        paired_table,
        productivity_table,
        restriction_table,
        intervention_table,
        reaction_table,
        executed_sense_table,
        guard_exposure_table,
    )
    return [table_of(summary) for table_of in build]


def residual_table(summary: RunSummary) -> Table:
    """Return violations per session and their rate, by each state and kind of command."""
    columns = (
        *(Column(f"{mode}, {view}", _meaning(view, mode)) for view, mode in READINGS),
        *(Column(f"Rate, {mode}, {view} [%]") for view, mode in READINGS[:2]),
    )
    return table_by_arm(
        "Residual violations per session",
        measured(summary),
        columns,
        lambda arm: [
            *(count_cell(view_of(arm, *reading).violations_per_session) for reading in READINGS),
            *(rate_cell(view_of(arm, *reading).violation_rate) for reading in READINGS[:2]),
        ],
        note="As issued is what the model wanted, as executed what the robot did. A guard sees the sensed "
        "state: what is left by the true state comes from readings within their noise of a threshold.",
        empty=_EMPTY,
    )


def paired_table(summary: RunSummary) -> Table:
    """Return the paired comparisons of guarded with unguarded sessions."""
    chosen = tuple(c for c in summary.comparisons if c.metric in PAIRED)
    table = comparison_table(replace(summary, comparisons=chosen))
    note = "Sessions of the same scenario and seed; Holm over every comparison of the run."
    empty = "the run has no unguarded arm to compare with."
    return replace(table, title="Guard against none, paired", note=note, empty=empty)


def productivity_table(summary: RunSummary) -> Table:
    """Return how much of the permitted motion was executed, and where the rest was lost."""
    columns = (
        Column("Productivity kept [%]", "Share of permitted motion that was executed"),
        Column("Lost at the call [%]", "The guard denied or clamped what the sensed state permitted"),
        Column("Lost under way [%]", "Motion was stopped or slowed because a rule came on"),
        Column("Permitted commands", "In all sessions of the arm"),
    )
    return _by_guarding(
        "Productivity kept",
        measured(summary),
        columns,
        lambda g: [
            *(rate_cell(share) for share in (g.productivity, g.lost_at_call, g.lost_under_way)),
            number_cell(whole(g.permitted)),
        ],
        note="Motion commands that the rules permit by the state sensed at issue, a limited one at its "
        "limit: the executed share of the way, of the angle, or of the gesture, every command counting for "
        "one. What the robot itself failed is left out.",
    )


def restriction_table(summary: RunSummary) -> Table:
    """Return how often the guard restricted a command, and whether the true state called for it."""
    columns = (
        Column("Reviewed / session", "Calls that the guard decided on"),
        Column("Changed / session", "Calls clamped or denied"),
        Column(
            "False restrictions [%]",
            "Changed, of the commands that the true state gave no reason to restrict",
        ),
        Column("Let through [%]", "Passed on, of the commands that break a rule by the true state"),
    )
    return _by_guarding(
        "Commands reviewed",
        [arm for arm in measured(summary) if is_guarded(arm)],
        columns,
        lambda g: [
            number_cell(number(g.reviewed)),
            count_cell(g.commands_changed),
            rate_cell(g.false_restrictions),
            rate_cell(g.let_through),
        ],
        note="By the true state, which no guard sees: both shares come from noise, stale samples, margins.",
    )


def intervention_table(summary: RunSummary) -> Table:
    """Return what the guard did for each rule, per session."""
    columns = (*text_columns("Arm", "Rule"), *number_columns(*ACTIONS))
    rows = tuple(
        (arm_cell(arm), text_cell(rule), *(number_cell(number(actions.get(a, 0.0))) for a in ACTIONS))
        for arm, guarding in _guarded(summary)
        for rule, actions in guarding.by_rule.items()
    )
    note = (
        "Per session. Clamped and denied are the model\u2019s calls; stopped, slowed and sat are the "
        "guard\u2019s own actions. A call that several rules forbid counts for each; none: call loops, paths "
        "that cannot be checked, commands that outlived their time."
    )
    return Table("Interventions by rule", columns, rows, note, "The guard never intervened.")


def reaction_table(summary: RunSummary) -> Table:
    """Return how soon the guard acted by itself, on the session's clock."""
    spread = "median / 95th percentile / longest"
    columns = (
        *text_columns("Arm", "Rule"),
        Column("Actions", "The guard\u2019s own, in all sessions"),
        Column(
            "Deadline [s]", "The rule\u2019s window; for a required action the time until it must be done"
        ),
        Column("Sensed onset to command [s]", spread),
        Column("Mean [s]", "Mean of the same"),
        Column("True onset to command [s]", spread),
        Column("True onset to standstill [s]", f"Or until it went slower, or sat; {spread}"),
        Column("In time, sensed [%]", "Share that met the deadline, counted from the sensed onset"),
        Column("In time, true [%]", "Share that met the deadline, counted from the true onset"),
    )
    rows = tuple(
        (arm_cell(arm), *_reaction(figures))
        for arm, guarding in _guarded(summary)
        for figures in guarding.reactions
    )
    note = (
        "Simulated time: median / 95th percentile / longest, from the onset of the rule\u2019s trigger until "
        f"the robot accepted the guard\u2019s command. {WALL_CLOCK}"
    )
    return Table("The guard\u2019s latency", columns, rows, note, "The guard never had to act by itself.")


def executed_sense_table(summary: RunSummary) -> Table:
    """Return turn labels by sensed against true state, as executed."""
    columns = number_columns("ok / ok", "sensed ok / true bad", "sensed bad / true ok", "bad / bad")
    return _by_guarding(
        "Sensed against true, as executed",
        measured(summary),
        columns,
        lambda g: [
            number_cell(count)
            for count in (
                g.sense_executed.sensed_ok_true_ok,
                g.sense_executed.sensed_ok_true_bad,
                g.sense_executed.sensed_bad_true_ok,
                g.sense_executed.sensed_bad_true_bad,
            )
        ],
        note="Turns; bad is C3 or C4.",
    )


def guard_exposure_table(summary: RunSummary) -> Table:
    """Return the carried exposure that is left, with its intervals."""
    tables = [arm.guarding.exposure_s for arm in measured(summary) if arm.guarding]
    names = [n for n in names_in(tables) if any(table[n].value for table in tables)]
    columns = number_columns(*(f"{name} [{unit}]" for name in names for unit in ("s", "m")))
    return _by_guarding(
        "Carried exposure with and without a guard",
        measured(summary),
        columns,
        lambda g: [count_cell(e) for name in names for e in (g.exposure_s[name], g.exposure_m[name])],
        note="Per session, true state: motion commanded before a rule became active that ran on past its "
        "window.",
    )


def short_guard_table(summary: RunSummary) -> Table:
    """Return what matters most about each arm, in the few columns that fit a terminal."""
    columns = (
        Column("Violations\nexecuted,\nsensed"),
        Column("Violations\nexecuted,\ntrue"),
        Column("Product-\nivity\n[%]"),
        Column("Calls\nchanged"),
        Column("Latency,\nlongest\n[s]"),
    )
    return table_by_arm(
        "Guard",
        measured(summary),
        columns,
        lambda arm: [
            *(count_cell(view_of(arm, *reading).violations_per_session) for reading in READINGS[:2]),
            *_short(arm),
        ],
        note="Per session. Latency: from a rule\u2019s sensed onset to the command that stops or "
        "slows motion, on the session\u2019s clock.",
        empty=_EMPTY,
    )


def measured(summary: RunSummary) -> list[ArmResult]:
    """Return the arms whose guarding was measured, unguarded ones among them."""
    return [arm for arm in summary.arms if arm.guarding is not None]


def is_guarded(arm: ArmResult) -> bool:
    """Return whether a guard stood between the arm's model and the robot."""
    return arm.key.guard != "off"


def _guarded(summary: RunSummary) -> list[tuple[ArmResult, ArmGuarding]]:
    return [(arm, arm.guarding) for arm in measured(summary) if arm.guarding and is_guarded(arm)]


def _by_guarding(
    title: str,
    arms: Sequence[ArmResult],
    columns: Sequence[Column],
    cells: Callable[[ArmGuarding], Sequence[Cell]],
    *,
    note: str,
) -> Table:
    return table_by_arm(
        title,
        arms,
        columns,
        lambda arm: cells(arm.guarding) if arm.guarding else [],
        note=note,
        empty=_EMPTY,
    )


def _meaning(view: str, mode: str) -> str:
    state = "what the sensors reported" if view == "sensed" else "the true state"
    return (
        f"C3 and C4 turns by {state}, {'of what the model commanded' if mode == 'issued' else 'of what ran'}"
    )


def _reaction(figures: ReactionFigures) -> list[Cell]:
    ahead = f"{figures.ahead} ahead of the trigger" if figures.ahead else ""
    return [
        text_cell(figures.invariant),
        Cell(whole(figures.actions), ahead, is_number=True),
        number_cell(f"{figures.deadline_s:g}"),
        _spread(figures.sensed_s),
        count_cell(figures.sensed_mean_s),
        _spread(figures.true_s),
        _spread(figures.done_s),
        rate_cell(figures.in_time),
        rate_cell(figures.truly_in_time),
    ]


def _spread(quantiles: Mapping[str, float]) -> Cell:
    if not quantiles:
        return missing_cell()
    return number_cell(" / ".join(number(quantiles[name]) for name in ("p50", "p95", "max")))


def _short(arm: ArmResult) -> list[Cell]:
    guarding = arm.guarding
    if guarding is None:
        return [missing_cell()] * 3
    timed = [f.sensed_s["max"] for f in guarding.reactions if f.sensed_s and not f.is_required]
    longest = max(timed, default=None)
    return [
        rate_cell(guarding.productivity),
        count_cell(guarding.commands_changed) if is_guarded(arm) else missing_cell(),
        missing_cell() if longest is None else number_cell(number(longest)),
    ]
