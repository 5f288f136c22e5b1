"""Required actions: when one came due, when the guard must act, and when it is over."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

from heedful.guards.guard import Due
from heedful.guards.settings import GuardSettings
from heedful.spec.rule import Rule
from heedful.spec.safety_spec import SafetySpec
from heedful.state.series import Value

EPSILON_S = 1e-9


class Obligations:
    """The latched obligations of one spec."""

    def __init__(self, spec: SafetySpec, settings: GuardSettings) -> None:
        self._spec, self._settings = spec, settings
        self._onsets: dict[str, float] = {}
        self._tried_s = -math.inf
        self.is_seated = False
        """Whether the last posture command that ran was to sit."""

    def latch(self, invariants: Collection[str], now_s: float) -> None:
        """Start the obligations whose trigger holds with every signal known, each once."""
        for rule in self._spec.obligations:
            if rule.invariant in invariants:
                self._onsets.setdefault(rule.key, now_s)

    def take_over(self, before: Obligations) -> tuple[str, ...]:
        """Go on where another guard's obligations stood; return the ids that have no rule here."""
        self.is_seated, self._tried_s = before.is_seated, before._tried_s
        mine = {rule.key for rule in self._spec.obligations}
        latched = before._latched()
        self._onsets |= {rule.key: before._onsets[rule.key] for rule in latched if rule.key in mine}
        return tuple(rule.invariant for rule in latched if rule.key not in mine)

    def release(self, readings: Sequence[Mapping[str, Value]]) -> tuple[str, ...]:
        """End, on the operator's reset, the obligations that every reading of the sensors releases.

        Args:
            readings: Values by signal, in each reading; what is not in it is unknown.

        Returns:
            The ids of the invariants.
        """
        released = tuple(
            rule.invariant
            for rule in self._spec.obligations
            if rule.key in self._onsets
            and all(self._spec.can_release(rule.invariant, values) for values in readings)
        )
        for invariant in released:
            del self._onsets[invariant]
        return released

    def acted(self, tool: str) -> None:
        """Take note of an action that the robot carried out."""
        if tool == "sit_down":
            self.is_seated = True
        elif tool == "stand_up":
            self.is_seated = False

    def tried(self, now_s: float) -> None:
        """Take note that the guard itself tried."""
        self._tried_s = now_s

    def due(self, now_s: float) -> tuple[Rule, ...]:
        """Return the obligations that the guard must meet itself, now."""
        if self.is_seated or now_s < self._tried_s + self._settings.retry_s - EPSILON_S:
            return ()
        return tuple(r for r in self._latched() if now_s >= self._act_at(r) - EPSILON_S)

    def forbids(self, tool_class: str, tool: str, now_s: float) -> tuple[Rule, ...]:
        """Return the prohibitions that obligations put on a command now.

        From the deadline on the rule's own; before it, motion that would undo what was done for it, or
        that would begin when the guard itself must act.
        """
        found = []
        for rule in self._latched():
            after = self._spec.by_key[f"{rule.key}/after"]
            is_due = self.is_seated or now_s >= self._act_at(rule) - EPSILON_S
            if is_due and after.covers(tool, tool_class):
                found.append(after)
        return tuple(found)

    def records(self) -> tuple[Due, ...]:
        """Return every latched obligation."""
        return tuple(
            Due(r.invariant, r.action, on, self._act_at(r), on + r.within_s, self.is_seated)
            for r in self._latched()
            for on in (self._onsets[r.key],)
        )

    def _latched(self) -> list[Rule]:
        if not self._onsets:
            return []
        return [rule for rule in self._spec.obligations if rule.key in self._onsets]

    def _act_at(self, rule: Rule) -> float:
        lead = self._settings.action_takes_s + self._settings.action_reserve_s
        return self._onsets[rule.key] + rule.within_s - lead
