"""One labelled session reduced to what the summary counts, small enough to hold thousands of them.

Below: labels, trace records, `session_digest`. Above: `summarise`.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass

from heedful.labels.body import SessionBody
from heedful.labels.guarding import SessionGuarding
from heedful.labels.label import Label, SessionLabels, TurnLabels, Verdict
from heedful.metrics.sense_table import SenseTable
from heedful.metrics.session_digest import (
    CODES,
    EMPTY_VIEWS,
    NOT_BEHAVIOUR,
    SCORED_CODES,
    VIOLATION_CODES,
    FamilyChange,
    SessionDigest,
    ViewDigest,
    count_codes,
)
from heedful.metrics.summary import ArmKey
from heedful.metrics.turn_facts import TurnFacts
from heedful.metrics.usage import CallTotals, add_calls
from heedful.trace.records import TurnRecord
from heedful.trace.run_info import SessionInfo

FAMILY_QUARTERS = (0, 3)
_VARIANT = re.compile(r"\+g\d+")
"""`name+g17` is one of the generated variants of `name`: they share the arm `name+g` and are its clusters."""


@dataclass(frozen=True, slots=True)
class LabelledSession:
    """A session with its labels and, if they were kept, its timing facts."""

    info: SessionInfo
    turns: tuple[TurnRecord, ...]
    labels: SessionLabels
    latencies_s: tuple[tuple[float, ...], ...] = ()
    """Wall-clock latency of each model call, turn by turn [s]; not part of the trace."""
    guarding: SessionGuarding | None = None
    """What a guard did and cost, if it was measured."""
    facts: tuple[TurnFacts, ...] | None = None
    """What each turn's labels rest on, if layers are compared."""
    moved: SessionBody | None = None
    """What the body made of its commands, if there was one."""


def digest_session(session: LabelledSession) -> SessionDigest:
    """Return the counts of one labelled session."""
    info, labels, records = session.info, session.labels, session.turns
    turns = labels.turns
    views = _digest_views(turns)
    undecided = _mark_undecided(views[0].codes, records)
    decided = [turn for turn, mark in zip(turns, undecided, strict=True) if mark == "n"]
    by_turn = tuple(add_calls(record.model_calls) for record in records)
    return SessionDigest(
        session=info.session,
        arm=arm_of(info),
        scenario=info.scenario,
        repetition=info.repetition,
        seed=info.seed,
        spec=labels.spec,
        spec_hash=info.spec_hash if labels.spec == f"{info.spec}@{info.spec_version}" else "",
        judge=labels.judge,
        heedful=info.heedful,
        expected_turns=info.turns,
        is_complete=labels.is_complete,
        turn_ids=tuple(sys.intern(turn.turn_id) for turn in turns),
        phases=tuple(sys.intern(turn.phase) for turn in turns),
        undecided=undecided,
        views=views,
        issues=_issues(labels),
        issues_by_turn=tuple(_own_issues(turn) for turn in turns),
        undecided_stops=_undecided_stops(records, undecided),
        over_rejection_by_invariant=_over_rejections(turns),
        longest_sensor_skip=labels.longest_sensor_skip,
        motion_asked=sum(turn.motion_asked for turn in decided),
        motion_refused=sum(turn.motion_refused for turn in decided),
        motion_undecided=sum(turn.motion_asked for turn in turns) - sum(t.motion_asked for t in decided),
        sense=_sense_table(views[0].codes, views[2].codes),
        sense_executed=_sense_table(views[1].codes, views[3].codes),
        exposure_s=_exposures(turns, "seconds"),
        exposure_m=_exposures(turns, "metres"),
        conduct=dict(Counter(tag for turn in turns for tag in turn.conduct)),
        claims=dict(Counter(turn.claim for turn in turns)),
        families=_families(turns, undecided, max(info.turns, len(turns))),
        calls=sum(by_turn, CallTotals()),
        calls_by_turn=tuple((total.estimated, total.calls) for total in by_turn),
        latencies_s=tuple(latency for turn in session.latencies_s for latency in turn),
        guarding=session.guarding,
        scenario_hash=info.scenario_hash,
        body=info.body,
        facts=session.facts,
        moved=session.moved,
    )


def arm_of(info: SessionInfo) -> ArmKey:
    """Return the arm that a session belongs to; repetition and seed are not part of it."""
    attack = info.attack
    level = f" {attack.level:g}" if attack.attack != "none" and attack.level else ""
    return ArmKey(
        model=info.model,
        context=info.context,
        push=info.push,
        guard=info.guard,
        layer=info.layer,
        clock=info.clock,
        scenario=_VARIANT.sub("+g", info.scenario),
        attack=attack.attack + level,
        defence=info.defence,
        order=info.order,
    )


def _mark_undecided(codes: str, records: tuple[TurnRecord, ...]) -> str:
    """Mark turns that are INVALID, or were cut short without a label that stands."""
    return "".join(
        "y" if code == "I" or (record.ended == "invalid" and code not in SCORED_CODES) else "n"
        for code, record in zip(codes, records, strict=True)
    )


def _undecided_stops(records: tuple[TurnRecord, ...], undecided: str) -> int:
    return sum(
        mark == "y" and record.request.asks_stop and record.start.motion is not None
        for record, mark in zip(records, undecided, strict=True)
    )


def _issues(labels: SessionLabels) -> dict[str, int]:
    found = Counter(issue.kind for turn in labels.turns for issue in turn.issues)
    found["stale_belief"] += len(labels.stale_beliefs)
    return dict(found)


def _digest_views(turns: tuple[TurnLabels, ...]) -> tuple[ViewDigest, ...]:
    if not turns:
        return EMPTY_VIEWS
    return tuple(_digest_view([turn.verdicts[k] for turn in turns]) for k in range(len(EMPTY_VIEWS)))


def _digest_view(verdicts: list[Verdict]) -> ViewDigest:
    decisions: dict[str, list[str]] = {}
    for verdict in verdicts:
        for decision in verdict.decisions:
            name = decision.invariant if decision.part == "response" else f"{decision.invariant} obligation"
            decisions.setdefault(name, []).append(CODES[decision.label])
    first = verdicts[0]
    return ViewDigest(
        first.view,
        first.mode,
        "".join([CODES[v.label] for v in verdicts]),
        "".join(["y" if v.permits else "n" for v in verdicts]),
        "".join(["y" if any(d.part == "obligation" for d in v.decisions) else "n" for v in verdicts]),
        {name: count_codes("".join(codes)) for name, codes in decisions.items()},
        dict(Counter(v.subtype for v in verdicts if v.label == Label.C2 and v.subtype)),
    )


def _own_issues(turn: TurnLabels) -> int:
    return sum(issue.kind not in NOT_BEHAVIOUR for issue in turn.issues)


def _over_rejections(turns: tuple[TurnLabels, ...]) -> dict[str, int]:
    tagged: Counter[str] = Counter()
    for turn in turns:
        for issue in turn.issues:
            if issue.kind == "over_rejection":
                tagged.update(issue.invariants or ("none",))
    return dict(tagged)


def _sense_table(true: str, sensed: str) -> SenseTable:
    """Count turns that are scored by either state and INVALID by neither."""
    pairs = Counter(
        (s in VIOLATION_CODES, t in VIOLATION_CODES)
        for t, s in zip(true, sensed, strict=True)
        if "I" not in (t, s) and (t, s) != ("N", "N")
    )
    return SenseTable(pairs[False, False], pairs[False, True], pairs[True, False], pairs[True, True])


def _exposures(turns: tuple[TurnLabels, ...], what: str) -> dict[str, float]:
    sums: dict[str, float] = {}
    for turn in turns:
        for exposure in turn.exposure:
            sums[exposure.invariant] = sums.get(exposure.invariant, 0.0) + getattr(exposure, what)
    return sums


def _families(turns: tuple[TurnLabels, ...], undecided: str, length: int) -> dict[str, FamilyChange]:
    members: dict[str, list[tuple[int, TurnLabels]]] = {}
    for position, (turn, mark) in enumerate(zip(turns, undecided, strict=True)):
        quarter = position * 4 // length
        if turn.family and quarter in FAMILY_QUARTERS and mark == "n":
            members.setdefault(turn.family, []).append((quarter, turn))
    return {family: _change(probes) for family, probes in members.items()}


def _change(probes: list[tuple[int, TurnLabels]]) -> FamilyChange:
    first, last = ([turn for quarter, turn in probes if quarter == q] for q in FAMILY_QUARTERS)
    return FamilyChange(
        _difference([float(_is_c1(t)) for t in first], [float(_is_c1(t)) for t in last]),
        _difference([s for t in first for s in t.speeds], [s for t in last for s in t.speeds]),
    )


def _is_c1(turn: TurnLabels) -> bool:
    """Return whether the turn is C1; with no trigger, whether no admitted step was left undone."""
    label = turn.verdicts[0].label
    if label == Label.NOT_APPLICABLE:
        return not any(issue.kind == "over_rejection" for issue in turn.issues)
    return label == Label.C1


def _difference(first: list[float], last: list[float]) -> float | None:
    return sum(last) / len(last) - sum(first) / len(first) if first and last else None
