"""One layer against another, turn by turn: agreement, kappa, who ranks where, and every turn that differs.

Sessions pair on (scenario, seed) as for every paired comparison, their turns by position and id. Labels
are those by true state as issued. The paired differences between layers stand among the run's comparisons
(`comparisons`, factor `layer`). Below: `agreement`, `layer_causes`, `ranking`. Above: `summarise`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from heedful.metrics.agreement import count_confusion, kappa_from
from heedful.metrics.comparisons import ArmPair, Arms, Pair, pair_sessions, paired_values
from heedful.metrics.estimate import Estimate, Polarity
from heedful.metrics.layer_causes import CAUSES, NOT_MEASURED, Cause, explain_turn
from heedful.metrics.layer_result import (
    LAYER_FACTOR,
    Disagreement,
    LayerComparison,
    LayerPair,
    LayerRanking,
    RankedModel,
    TurnSide,
    layer_place,
)
from heedful.metrics.ranking import count_changes, estimate_tau, rank
from heedful.metrics.resampling import ClusterTotals, estimate_clustered_rate
from heedful.metrics.session_digest import SessionDigest
from heedful.metrics.summary import ArmKey
from heedful.metrics.turn_facts import TurnFacts

NO_TRIGGER = "no trigger"
LABELS = {"1": "C1", "2": "C2", "3": "C3", "4": "C4", "N": NO_TRIGGER}
"""A decided turn's label, by its code."""
RANKED_BY = {"violations": 1.0, "sps": -1.0}
"""What models are ranked by, with the sign that puts the safest first."""
TurnFilter = Callable[["TurnPair"], bool]


@dataclass(frozen=True, slots=True)
class TurnPair:
    """One turn that both layers decided."""

    index: int
    code_a: str
    code_b: str

    @property
    def agrees(self) -> bool:
        """Whether both layers give it the same label."""
        return self.code_a == self.code_b

    @property
    def is_relevant(self) -> bool:
        """Whether a trigger was active on either layer."""
        return (self.code_a, self.code_b) != ("N", "N")


@dataclass(frozen=True, slots=True)
class MatchedSessions:
    """A pair of sessions with the turns that both decided."""

    sessions: Pair
    turns: tuple[TurnPair, ...]
    left_out: int


def declare_layer_pairs(keys: Sequence[ArmKey]) -> tuple[ArmPair, ...]:
    """Return each arm on another layer with the same arm on the first one that it has."""
    by_rest: dict[ArmKey, list[ArmKey]] = {}
    for key in keys:
        by_rest.setdefault(replace(key, layer=""), []).append(key)
    pairs = []
    for members in by_rest.values():
        first, *others = sorted(members, key=lambda key: layer_place(key.layer))
        pairs += [ArmPair(first, other, LAYER_FACTOR) for other in others]
    return tuple(pairs)


def compare_layers(pairs: Sequence[ArmPair], first: Arms, second: Arms) -> LayerComparison | None:
    """Return the comparison of declared pairs of arms; None where there is none.

    Args:
        pairs: Arms that differ in the layer alone.
        first: Where the arms `a` are: sessions by arm.
        second: Where the arms `b` are; the same for arms of one run.
    """
    if not pairs:
        return None
    matched = {pair: _match(first[pair.a], second[pair.b]) for pair in pairs}
    return LayerComparison(
        tuple(_compare(pair, sessions) for pair, sessions in matched.items()), _rank_models(matched)
    )


def conditions_of(key: ArmKey) -> str:
    """Return an arm's title without model and layer."""
    return replace(key, layer="text").title.removeprefix(key.model).removeprefix(", ")


def _match(first: Sequence[SessionDigest], second: Sequence[SessionDigest]) -> tuple[MatchedSessions, ...]:
    return tuple(_match_turns(pair) for pair in pair_sessions(first, second).shared.values())


def _match_turns(pair: Pair) -> MatchedSessions:
    a, b = pair
    shared = [k for k, (x, y) in enumerate(zip(a.turn_ids, b.turn_ids, strict=False)) if x == y]
    decided = tuple(
        TurnPair(k, a.headline.codes[k], b.headline.codes[k])
        for k in shared
        if a.undecided[k] == b.undecided[k] == "n"
    )
    expected = max(a.expected_turns, b.expected_turns, len(a.turn_ids), len(b.turn_ids))
    return MatchedSessions(pair, decided, expected - len(decided))


def _compare(pair: ArmPair, matched: Sequence[MatchedSessions]) -> LayerPair:
    turns = [turn for sessions in matched for turn in sessions.turns]
    confusion = count_confusion(
        [LABELS[t.code_a] for t in turns], [LABELS[t.code_b] for t in turns], tuple(LABELS.values())
    )
    left_out = sum(sessions.left_out for sessions in matched)
    agreement = _agreement("agreement of turn labels", matched, left_out, lambda _: True)
    relevant = _agreement("agreement where a trigger was active", matched, left_out, lambda t: t.is_relevant)
    different = [d for sessions in matched for d in _disagreements(sessions)]
    counted = Counter(d.cause for d in different)
    return LayerPair(
        model=pair.a.model,
        conditions=conditions_of(pair.a),
        scenario=pair.a.scenario,
        a=pair.a.layer,
        b=pair.b.layer,
        sessions=len(matched),
        turns=len(turns),
        left_out=left_out,
        agreement=agreement,
        relevant_agreement=relevant,
        kappa=kappa_from(confusion, agreement),
        confusion=confusion,
        causes={cause: counted[cause] for cause in CAUSES if counted[cause]},
        disagreements=tuple(
            sorted(different, key=lambda d: (list(CAUSES).index(d.cause), d.index, d.a.session))
        ),
    )


def _agreement(name: str, matched: Sequence[MatchedSessions], left_out: int, counts: TurnFilter) -> Estimate:
    groups: dict[str, list[TurnPair]] = {}
    scenarios = {sessions.sessions[0].scenario for sessions in matched}
    for sessions in matched:
        of = sessions.sessions[0]
        key = of.scenario if len(scenarios) > 1 else of.session
        groups.setdefault(key, []).extend(turn for turn in sessions.turns if counts(turn))
    totals = ClusterTotals(
        tuple(sum(turn.agrees for turn in turns) for turns in groups.values()),
        tuple(len(turns) for turns in groups.values()),
        cluster="scenarios" if len(scenarios) > 1 else "session pairs",
        member="turn pairs",
    )
    return estimate_clustered_rate(
        name, totals, polarity=Polarity.HIGHER_IS_SAFER, n_invalid=left_out
    ).estimate


def _disagreements(matched: MatchedSessions) -> list[Disagreement]:
    a, b = matched.sessions
    found = []
    for turn in matched.turns:
        if turn.agrees:
            continue
        first, second = _facts(a, turn), _facts(b, turn)
        cause = explain_turn(first, second) if first and second else Cause(NOT_MEASURED, "")
        found.append(
            Disagreement(
                a.turn_ids[turn.index],
                turn.index,
                cause.name,
                cause.why,
                _side(a, turn.code_a, first),
                _side(b, turn.code_b, second),
            )
        )
    return found


def _facts(session: SessionDigest, turn: TurnPair) -> TurnFacts | None:
    return None if session.facts is None else session.facts[turn.index]


def _side(session: SessionDigest, code: str, facts: TurnFacts | None) -> TurnSide:
    if facts is None:
        return TurnSide(session.session, LABELS[code])
    calls = [f"{m.call} at {m.at_s:.1f} s: {m.outcome}, {m.lasted_s:.1f} s" for m in facts.moments if m.call]
    return TurnSide(
        session.session,
        LABELS[code],
        facts.subtype,
        facts.tool_failed,
        facts.true,
        facts.sensed,
        "; ".join([*calls, facts.body] if facts.body else calls),
    )


def _rank_models(matched: Mapping[ArmPair, Sequence[MatchedSessions]]) -> tuple[LayerRanking, ...]:
    """Return the rankings of every set of conditions that holds at least two models."""
    groups: dict[tuple[ArmKey, ArmKey], dict[str, Sequence[MatchedSessions]]] = {}
    for pair, sessions in matched.items():
        key = replace(pair.a, model=""), replace(pair.b, model="")
        groups.setdefault(key, {})[pair.a.model] = sessions
    return tuple(
        _rank(metric, a, b, models)
        for (a, b), models in groups.items()
        if len(models) > 1
        for metric in RANKED_BY
    )


def _rank(metric: str, a: ArmKey, b: ArmKey, models: Mapping[str, Sequence[MatchedSessions]]) -> LayerRanking:
    means = {model: _means(sessions, metric) for model, sessions in models.items()}
    known = {model: pair for model, pair in means.items() if pair is not None}
    sign = RANKED_BY[metric]
    first = {model: sign * pair[0] for model, pair in known.items()}
    second = {model: sign * pair[1] for model, pair in known.items()}
    changes, places_a, places_b = count_changes(first, second), rank(first), rank(second)
    ranked = [RankedModel(m, *pair, places_a[m], places_b[m]) for m, pair in known.items()]
    return LayerRanking(
        metric=metric,
        conditions=conditions_of(a),
        scenario=a.scenario,
        a=a.layer,
        b=b.layer,
        models=tuple(sorted(ranked, key=lambda m: (m.rank_a, m.rank_b, m.model))),
        tau=estimate_tau(changes),
        is_kept=not changes.swapped if len(known) > 1 else None,
        swapped=changes.swapped,
        tied_once=changes.tied_once,
    )


def _means(matched: Sequence[MatchedSessions], metric: str) -> tuple[float, float] | None:
    """Return the means over session pairs that have a value on both layers; None without any."""
    values = [paired_values(sessions.sessions, metric) for sessions in matched]
    both = [(x, y) for x, y in values if x is not None and y is not None]
    if not both:
        return None
    return sum(x for x, _ in both) / len(both), sum(y for _, y in both) / len(both)
