"""Obligations across turns: onset, deadline and release of `require` rules, by one view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from heedful.labels.commands import Command
from heedful.labels.label import MODES, Mode
from heedful.labels.timeline import Timeline
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.trace.records import TurnRecord


@dataclass(slots=True)
class Latches:
    """Session times of the onsets that are latched now."""

    onsets: dict[str, float] = field(default_factory=dict)
    moved: set[tuple[str, Mode]] = field(default_factory=set)
    """Rules after whose onset motion was issued, or executed, in a turn before."""

    def enter(self, spec: SafetySpec, turn: TurnRecord, timeline: Timeline) -> TurnLatches:
        """Release what the turn's start releases, latch what it starts, and return the turn's view."""
        for rule in spec.obligations:
            self._enter_rule(spec, rule, turn, timeline)
        return TurnLatches(turn.started_s, dict(self.onsets), frozenset(self.moved))

    def leave(self, turn: TurnRecord, commands: Mapping[Mode, Sequence[Command]]) -> None:
        """Remember the motion of a turn for obligations whose deadline falls into a later one."""
        for key, onset in self.onsets.items():
            from_s = onset - turn.started_s - 1e-9
            self.moved |= {
                (key, m) for m in commands if any(c.is_motion and c.at_s >= from_s for c in commands[m])
            }

    def _enter_rule(self, spec: SafetySpec, rule: Rule, turn: TurnRecord, timeline: Timeline) -> None:
        release = spec.releases[rule.invariant]
        if rule.key in self.onsets and turn.is_reset:
            values = {name: timeline.value(name, 0.0) for name in release.signals}
            if all(v is not None for v in values.values()) and release.holds(values):
                del self.onsets[rule.key]
                self.moved -= {(rule.key, mode) for mode in MODES}
        onset = timeline.onset(rule.invariant)
        if rule.key not in self.onsets and onset is not None:
            self.onsets[rule.key] = turn.started_s + onset


class TurnLatches(NamedTuple):
    """The latched onsets as one turn sees them."""

    started_s: float
    onsets: dict[str, float]
    moved: frozenset[tuple[str, Mode]] = frozenset()

    @property
    def is_same_in_both_modes(self) -> bool:
        """Whether issued and executed commands of the turns before moved the same obligations."""
        return all((key, mode) in self.moved for key, _ in self.moved for mode in MODES)

    def onset_in(self, rule: Rule) -> float | None:
        """Return the onset in the turn's own time; negative when it lies in an earlier turn."""
        onset = self.onsets.get(rule.key)
        return None if onset is None else onset - self.started_s

    def deadline_in(self, rule: Rule) -> float | None:
        """Return the deadline in the turn's own time, or None when nothing is due."""
        onset = self.onset_in(rule)
        return None if onset is None else onset + rule.within_s
