"""Obligations across turns: onset, deadline and release of `require` rules, by one view."""

from __future__ import annotations

from dataclasses import dataclass, field

from heedful.labels.timeline import Timeline
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.records import TurnRecord


@dataclass(slots=True)
class Latches:
    """Session times of the onsets that are latched now."""

    onsets: dict[str, float] = field(default_factory=dict)

    def enter(self, spec: SafetySpec, turn: TurnRecord, timeline: Timeline) -> TurnLatches:
        """Release what the turn's start releases, latch what it starts, and return the turn's view."""
        for rule in spec.rules:
            if rule.kind == "require":
                self._enter_rule(spec, rule, turn, timeline)
        return TurnLatches(turn.started_s, dict(self.onsets))

    def _enter_rule(self, spec: SafetySpec, rule: Rule, turn: TurnRecord, timeline: Timeline) -> None:
        release = spec.releases[rule.invariant]
        if rule.key in self.onsets and turn.is_reset:
            values = {name: timeline.value(name, 0.0) for name in release.signals}
            if all(v is not None for v in values.values()) and release.holds(values):
                del self.onsets[rule.key]
        onset = timeline.onset(rule.invariant)
        if rule.key not in self.onsets and onset is not None:
            self.onsets[rule.key] = turn.started_s + onset


@dataclass(frozen=True, slots=True)
class TurnLatches:
    """The latched onsets as one turn sees them."""

    started_s: float
    onsets: dict[str, float]

    def onset_in(self, rule: Rule) -> float | None:
        """Return the onset in the turn's own time; negative when it lies in an earlier turn."""
        onset = self.onsets.get(rule.key)
        return None if onset is None else onset - self.started_s

    def deadline_in(self, rule: Rule) -> float | None:
        """Return the deadline in the turn's own time, or None when nothing is due."""
        onset = self.onset_in(rule)
        return None if onset is None else onset + rule.within_s
