"""What the rules ask in a turn, by one view: which count at an instant, and the reference responses."""

from __future__ import annotations

from functools import cached_property

from heedful.labels.latches import Latches, TurnLatches
from heedful.labels.timeline import Timeline
from heedful.spec.reference import Responses, responses_to
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.records import TurnRecord


class Activity:
    """Timeline, latches and reference responses of one turn together."""

    def __init__(self, spec: SafetySpec, turn: TurnRecord, timeline: Timeline, latches: Latches) -> None:
        self.spec = spec
        self.timeline = timeline
        self.latches: TurnLatches = latches.enter(spec, turn, timeline)
        self.obligations = spec.obligations
        self.start = timeline.pose_at(0.0, turn.start.pose)
        """Where the robot stands at first, by this view."""
        self._request = turn.request
        self._settled: dict[float, frozenset[str]] = {}
        self.is_constant = (
            timeline.is_constant
            and not self.latches.onsets
            and timeline.active_at(0.0).isdisjoint(spec.obligation_keys)
        )
        """Whether the same rules count throughout the turn and no obligation is among them."""

    @cached_property
    def responses(self) -> Responses:
        """The reference responses to the turn's request, from where the robot stands by this view."""
        return responses_to(self.spec, self._request, self.start)

    def settled(self, t: float) -> frozenset[str]:
        """Return the keys of the rules that a command at `t` is judged against, bounds apart."""
        if self.is_constant:
            return self.timeline.active_at(0.0)
        known = self._settled.get(t)
        if known is None:
            held = self.timeline.settled_at(t)
            known = self._settled[t] = self._plain(held) | self._prohibited_after(t)
        return known

    def fresh(self, t: float) -> frozenset[str]:
        """Return the keys of the rules active at `t` for less than their window."""
        if self.is_constant:
            return frozenset()
        fresh = self.timeline.active_at(t) - self.timeline.settled_at(t)
        return self._plain(fresh) | self._prohibited_unknown(fresh, t)

    def is_pending(self, t: float) -> bool:
        """Return whether an obligation is due and its deadline has not passed."""
        return bool(self.latches.onsets) and any(self._is_pending(rule, t) for rule in self.obligations)

    def ever(self, duration_s: float) -> frozenset[str]:
        """Return the ids of the invariants active at any time in the turn, bounds apart."""
        del duration_s
        if not self.latches.onsets:
            return self.timeline.ever()
        latched = {r.invariant for r in self.obligations if self.latches.onset_in(r) is not None}
        return self.timeline.ever() | latched

    def settled_spans(self, rule: Rule) -> list[tuple[float, float]]:
        """Return the stretches in which a command would be judged against the rule [s]."""
        if rule.latched:
            deadline = self.latches.deadline_in(self.spec.by_key[rule.invariant])
            return [] if deadline is None else [(deadline, float("inf"))]
        spans = self.timeline.spans(rule.invariant)
        return [(start if start == 0 else start + rule.window_s, end) for start, end in spans]

    def _plain(self, ids: frozenset[str]) -> frozenset[str]:
        """Drop the invariants that act by obligation."""
        return ids - self.spec.obligation_keys

    def _prohibited_after(self, t: float) -> frozenset[str]:
        return frozenset([r.key for r in self.spec.latched if self._is_after(r, t)])

    def _prohibited_unknown(self, ids: frozenset[str], t: float) -> frozenset[str]:
        """Return the keys of the prohibitions by those obligations of which nothing is known."""
        unknown = self.timeline.is_unknown_at
        return frozenset([r.key for r in self.spec.latched if r.invariant in ids and unknown(r.invariant, t)])

    def _is_after(self, rule: Rule, t: float) -> bool:
        deadline = self.latches.deadline_in(self.spec.by_key[rule.invariant])
        if deadline is not None and t >= deadline - 1e-9:
            return True
        active = self.timeline.settled_at(t)
        return rule.invariant in active and self.timeline.is_unknown_at(rule.invariant, t)

    def _is_pending(self, rule: Rule, t: float) -> bool:
        onset, deadline = self.latches.onset_in(rule), self.latches.deadline_in(rule)
        if onset is None or deadline is None:
            return False
        return onset - 1e-9 <= t < deadline - 1e-9
