"""The tables of one layer against another: agreement, confusion, ranking, and every turn that differs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from heedful.metrics.layer_causes import CAUSES
from heedful.metrics.layer_result import (
    LAYER_FACTOR,
    Disagreement,
    LayerComparison,
    LayerPair,
    LayerRanking,
    TurnSide,
)
from heedful.metrics.summary import Comparison, RunSummary
from heedful.reports.figures import NONE, estimate_cell, number, percent, rate_cell, trimmed
from heedful.reports.run_tables import comparison_rows
from heedful.reports.table import Cell, Column, Table, number_cell, number_columns, text_cell, text_columns

MAX_TURNS = 1000
"""Disagreeing turns written out in a table; the causes count all of them, and the JSON holds them all."""
METRIC_WORDS = {"violations": "violations per session", "sps": "SPS"}
LAYER_LEAD = (
    "The same model, scenario and seed on two layers: whether each turn gets the same label, and where it "
    "does not, what differs first. Labels by the true state, as issued."
)
_ARM = text_columns("Arm", "Layers")


def has_layers(summary: RunSummary) -> bool:
    """Return whether the run holds an arm on two layers."""
    return summary.layers is not None


def layer_tables(summary: RunSummary) -> list[Table]:
    """Return every table about layers; none in a run of one layer."""
    if summary.layers is None:
        return []
    return [
        agreement_table(summary.layers),
        layer_difference_table(summary.comparisons),
        ranking_table(summary.layers),
        cause_table(summary.layers),
        *confusion_tables(summary.layers),
        disagreement_table(summary.layers),
    ]


def agreement_table(layers: LayerComparison) -> Table:
    """Return how often two layers give a turn the same label."""
    columns = (
        *_ARM,
        Column("Agreement [%]", "Turn pairs with the same label; no trigger is a label"),
        Column("With a trigger [%]", "The same, over turns in which a trigger was active on either layer"),
        Column("Kappa", "Cohen's kappa: agreement beyond chance"),
        Column("Turn pairs", "Decided on both layers"),
        Column("Left out", "Undecided on either layer, or never run"),
        *number_columns("Session pairs", "Different"),
    )
    rows = tuple(
        (
            *_names(pair),
            rate_cell(pair.agreement),
            rate_cell(pair.relevant_agreement),
            estimate_cell(pair.kappa, number),
            *(number_cell(n) for n in (pair.turns, pair.left_out, pair.sessions, len(pair.disagreements))),
        )
        for pair in layers.pairs
    )
    note = "Session pairs are the clusters of the intervals; kappa's maps that of the agreement."
    return Table("Agreement between layers", columns, rows, note)


def confusion_tables(layers: LayerComparison) -> list[Table]:
    """Return the labels on one layer against those on the other, one table per arm."""
    return [_confusion(pair) for pair in layers.pairs]


def layer_difference_table(comparisons: Sequence[Comparison]) -> Table:
    """Return the paired differences between layers."""
    rows = comparison_rows([c for c in comparisons if c.factor == LAYER_FACTOR])
    note = "Sessions of the same scenario and seed; Holm over every comparison of the run."
    return replace(rows, title="Differences between layers, paired", note=note)


def ranking_table(layers: LayerComparison) -> Table:
    """Return the order of the models on each layer, and whether it is kept."""
    columns = (
        *text_columns("Ranked by", "Layers", "Ranking kept"),
        Column("Kendall's tau-b", "1: the same order, -1: the reverse"),
        *text_columns("First layer, safest first", "Second layer, safest first", "Pairs that change"),
    )
    rows = tuple(_ranking(r) for r in layers.rankings)
    note = (
        "By the means over session pairs. Kept: no two models change places; models that tie on one layer "
        "alone are named. Means near each other can change places by chance: read the differences beside it."
    )
    empty = "a ranking needs two models under the same conditions."
    return Table("Ranking of models", columns, rows, note, empty)


def cause_table(layers: LayerComparison) -> Table:
    """Return how many disagreeing turns each cause has."""
    found = [cause for cause in CAUSES if any(cause in pair.causes for pair in layers.pairs)]
    columns = (*_ARM, *(Column(cause, CAUSES[cause]) for cause in found))
    rows = tuple(
        (*_names(pair), *(number_cell(pair.causes.get(cause, 0)) for cause in found)) for pair in layers.pairs
    )
    meanings = "; ".join(f"{cause}: {CAUSES[cause]}" for cause in found)
    note = (
        "The first thing in the turn that differs: a description to check in the timelines, not a proof. "
        f"{meanings}."
    )
    return Table("Why turns differ", columns, rows if found else (), note, "no turn differs.")


def disagreement_table(layers: LayerComparison) -> Table:
    """Return every disagreeing turn, by cause."""
    columns = text_columns("Turn", "Cause", "What differs first", "Labels", "First layer", "Second layer")
    found = [(pair, d) for pair in layers.pairs for d in pair.disagreements]
    found.sort(key=lambda item: list(CAUSES).index(item[1].cause))
    rows = tuple(_disagreement(pair, d) for pair, d in found[:MAX_TURNS])
    rest = len(found) - len(rows)
    note = "Active: invariants at any time in the turn, by true and by sensed state."
    note += f" {rest} more are in the JSON report." if rest else ""
    return Table("Turns that differ", columns, rows, note, "no turn differs.")


def short_layer_table(layers: LayerComparison) -> Table:
    """Return what matters most about each arm, in the few columns that fit a terminal."""
    columns = (
        *_ARM,
        Column("Agree-\nment\n[%]"),
        Column("With a\ntrigger\n[%]"),
        Column("Kappa"),
        Column("Turn\npairs"),
        Column("Differ"),
    )
    rows = tuple(
        (
            *_names(pair),
            rate_cell(pair.agreement),
            rate_cell(pair.relevant_agreement),
            estimate_cell(pair.kappa, number),
            number_cell(pair.turns),
            number_cell(len(pair.disagreements)),
        )
        for pair in layers.pairs
    )
    return Table("Between layers", columns, rows, " ".join(ranking_sentences(layers)))


def ranking_sentences(layers: LayerComparison) -> list[str]:
    """Return in words whether each ranking of the models is kept."""
    return [_ranking_sentence(ranking) for ranking in layers.rankings]


def pair_factors(pair: LayerPair) -> str:
    """Return a pair's conditions with its scenario."""
    return _joined(pair.conditions, pair.scenario)


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def _names(pair: LayerPair) -> tuple[Cell, Cell]:
    return text_cell(pair.model, pair_factors(pair)), text_cell(f"{pair.a}, {pair.b}")


def _confusion(pair: LayerPair) -> Table:
    table = pair.confusion
    shown = [k for k, n in enumerate(zip(table.first_totals, table.second_totals, strict=True)) if any(n)]
    columns = (
        Column(f"{pair.a} \\ {pair.b}", is_number=False),
        *number_columns(*(table.labels[k] for k in shown)),
    )
    rows = tuple(
        (text_cell(table.labels[i]), *(number_cell(table.counts[i][j]) for j in shown)) for i in shown
    )
    title = f"Labels on {pair.a} (rows) and {pair.b} (columns): {pair.model}, {pair_factors(pair)}"
    return Table(title, columns, rows, "Turn pairs.", "no turn was decided on both.")


def _ranking(ranking: LayerRanking) -> tuple[Cell, ...]:
    by_b = sorted(ranking.models, key=lambda m: (m.rank_b, m.rank_a, m.model))
    form = percent if ranking.metric == "sps" else trimmed
    return (
        text_cell(METRIC_WORDS[ranking.metric], _joined(ranking.conditions, ranking.scenario)),
        text_cell(f"{ranking.a}, {ranking.b}"),
        text_cell({True: "yes", False: "no", None: NONE}[ranking.is_kept]),
        estimate_cell(ranking.tau, number),
        text_cell("", "; ".join(f"{m.rank_a}. {m.model}: {form(m.a)}" for m in ranking.models)),
        text_cell("", "; ".join(f"{m.rank_b}. {m.model}: {form(m.b)}" for m in by_b)),
        text_cell("", "; ".join(_changes(ranking))) if _changes(ranking) else text_cell(NONE),
    )


def _changes(ranking: LayerRanking) -> list[str]:
    swapped = [f"swapped: {first}, {second}" for first, second in ranking.swapped]
    return [*swapped, *(f"tied on one layer: {first}, {second}" for first, second in ranking.tied_once)]


def _ranking_sentence(ranking: LayerRanking) -> str:
    name = _joined(ranking.conditions, ranking.scenario)
    start = f"Ranking by {METRIC_WORDS[ranking.metric]} ({name}; {ranking.a}, {ranking.b}):"
    if ranking.is_kept is None:
        return f"{start} {ranking.tau.reason}."
    tau = ranking.tau
    words = f"tau-b {number(tau.value)}" if tau.value is not None else f"no tau, {tau.reason}"
    return f"{start} {'kept' if ranking.is_kept else 'not kept'}, {words}.{_swap_words(ranking.swapped)}"


def _swap_words(swapped: Iterable[tuple[str, str]]) -> str:
    words = ", ".join(f"{first} with {second}" for first, second in swapped)
    return f" Swapped: {words}." if words else ""


def _disagreement(pair: LayerPair, d: Disagreement) -> tuple[Cell, ...]:
    return (
        text_cell(f"{d.index} {d.turn_id}", f"{pair.model}, {pair_factors(pair)}"),
        text_cell(d.cause),
        text_cell("", d.why),
        text_cell(f"{d.a.label} / {d.b.label}", " / ".join(filter(None, (d.a.subtype, d.b.subtype)))),
        _side(pair.a, d.a),
        _side(pair.b, d.b),
    )


def _side(layer: str, side: TurnSide) -> Cell:
    active = f"active {side.true_active or 'none'}, sensed {side.sensed_active or 'none'}"
    failed = "tool failed" if side.tool_failed else ""
    calls = side.calls or "no command"
    return text_cell(layer, "; ".join(filter(None, (side.session, active, failed, calls))))
