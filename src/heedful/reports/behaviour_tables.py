"""The tables of conduct and cost, one row per arm."""

from __future__ import annotations

from heedful.metrics.summary import ArmResult, RunSummary
from heedful.reports.by_arm import count_cells, names_in, plain_cells, spaced, table_by_arm, view_of
from heedful.reports.figures import count_cell, find_estimate, missing_cell, number, rate_cell, whole
from heedful.reports.table import Cell, Column, Table, number_cell, number_columns


def issue_table(summary: RunSummary) -> Table:
    """Return behavioural issues per session by kind."""
    found = names_in(arm.issues_per_session for arm in summary.arms)
    kinds = ["ignored_stop", *(k for k in found if k not in ("total", "ignored_stop")), "total"]
    return table_by_arm(
        "Behavioural issues per session",
        summary.arms,
        number_columns(*spaced(kinds), "longest sensor skip [turns]", "refused motion [%]"),
        lambda arm: (
            *(find_estimate(arm.issues_per_session, kind) for kind in kinds),
            number_cell(arm.longest_sensor_skip),
            rate_cell(arm.refused_motion_share),
        ),
        note="Procedural, by the sensed state; several may hold in a turn.",
    )


def rejection_table(summary: RunSummary) -> Table:
    """Return over-rejections per session by the invariant that was active."""
    names = names_in(arm.over_rejection_by_invariant for arm in summary.arms)
    return table_by_arm(
        "Over-rejection per session by active invariant",
        summary.arms,
        number_columns(*names),
        lambda arm: plain_cells(arm.over_rejection_by_invariant, names),
        note="An admitted step that the model chose not to fulfil; none: where no trigger was active.",
    )


def subtype_table(summary: RunSummary) -> Table:
    """Return how C2 turns were more than required."""
    names = names_in(view_of(arm).subtypes for arm in summary.arms)
    return table_by_arm(
        "C2 turns by kind",
        summary.arms,
        number_columns(*names),
        lambda arm: count_cells(view_of(arm).subtypes, names),
        note="True state, as issued.",
        empty="no turn was C2.",
    )


def conduct_table(summary: RunSummary) -> Table:
    """Return turns in which the model lost control by its own conduct."""
    names = names_in(arm.conduct for arm in summary.arms)
    return table_by_arm(
        "Turns by conduct",
        summary.arms,
        number_columns(*spaced(names)),
        lambda arm: count_cells(arm.conduct, names),
        note="The model's conduct, not infrastructure: such a turn is labelled, never INVALID.",
    )


def claim_count_table(summary: RunSummary) -> Table:
    """Return how many turns claim what in words."""
    names = names_in(arm.claims for arm in summary.arms)
    return table_by_arm(
        "Turns by what the words claim",
        summary.arms,
        number_columns(*spaced(names)),
        lambda arm: count_cells(arm.claims, names),
        note="Unclear words are never counted as a match.",
    )


def token_table(summary: RunSummary) -> Table:
    """Return mean tokens per model call and per turn."""
    by_call = names_in(arm.tokens_per_call for arm in summary.arms)
    by_turn = [name for name in names_in(arm.tokens_per_turn for arm in summary.arms) if name != "calls"]
    titles = [f"{name} / call" for name in spaced(by_call)]
    titles += ["calls / turn", *(f"{name} / turn" for name in spaced(by_turn))] if by_turn else []
    return table_by_arm(
        "Mean tokens per model call and per turn",
        summary.arms,
        number_columns(*titles),
        lambda arm: (
            *plain_cells(arm.tokens_per_call, by_call, whole),
            *(plain_cells(arm.tokens_per_turn, ["calls"]) if by_turn else ()),
            *plain_cells(arm.tokens_per_turn, by_turn, whole),
        ),
        note="Estimated input counts every message sent, but no call that writes a summary; reported figures "
        "are the provider's and count those calls too, per turn only where every call was reported.",
    )


def latency_table(summary: RunSummary) -> Table:
    """Return latency per call, its equivalent distance, and cost."""
    times = [name for name in names_in(arm.latency_s for arm in summary.arms) if name != "calls"]
    reaches = names_in(arm.reaction_distance_m for arm in summary.arms)
    is_known = times or any(arm.cost.value is not None for arm in summary.arms)
    columns = [Column("Calls timed"), *(Column(f"{name} [s]") for name in times)] if times else []
    columns += [Column(f"distance at {name} [m]") for name in reaches]
    return table_by_arm(
        "Latency, equivalent distance, cost",
        summary.arms if is_known else (),
        (*columns, Column("USD / session")),
        lambda arm: (
            *([_calls(arm)] if times else []),
            *plain_cells(arm.latency_s, times, number),
            *plain_cells(arm.reaction_distance_m, reaches, number),
            count_cell(arm.cost),
        ),
        note="Distance: what a person walks at 1.6 m/s (ISO 13855) while the model answers.",
        empty="no call was timed and no price is known.",
    )


def pass_table(summary: RunSummary) -> Table:
    """Return pass^k: the share of k sessions that are all without violation."""
    names = names_in(arm.pass_k for arm in summary.arms)
    return table_by_arm(
        "pass^k [%]",
        summary.arms,
        number_columns(*names),
        lambda arm: [rate_cell(arm.pass_k[n]) if n in arm.pass_k else missing_cell() for n in names],
        note="Success is a session without violation; pass^k that k sessions in a row all succeed.",
    )


def exposure_table(summary: RunSummary) -> Table:
    """Return motion that ran on past an invariant's onset and window."""
    names = names_in(arm.exposure_s for arm in summary.arms)
    return table_by_arm(
        "Carried exposure per session",
        summary.arms,
        number_columns(*names),
        lambda arm: [_exposure(arm, name) for name in names],
        note="Motion commanded before a rule became active that ran on past its window. Not a violation and "
        "not in SPS: it is what a guard removes.",
    )


def _calls(arm: ArmResult) -> Cell:
    calls = arm.latency_s.get("calls")
    return missing_cell() if calls is None else number_cell(whole(calls))


def _exposure(arm: ArmResult, name: str) -> Cell:
    seconds, metres = arm.exposure_s.get(name), arm.exposure_m.get(name)
    if seconds is None:
        return missing_cell()
    return Cell(f"{number(seconds)} s", "" if metres is None else f"{number(metres)} m", is_number=True)
