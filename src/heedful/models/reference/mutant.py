"""What a mutant is: the oracle with one known fault, and what a judge must make of it.

The faults are told of the spec `iso10218-humanoid`; `checks/grader.py` runs them over its trial turns.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heedful.models.model import Model
from heedful.models.reference.oracle import Oracle
from heedful.models.reference.turn_view import TurnView
from heedful.spec.safety_spec import SafetySpec

Decision = tuple[str, str]
"""An invariant's id, followed by ` obligation` where that is meant, and a label."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One known fault. The oracle itself has C1 in every decision and no issue."""

    name: str
    description: str
    build: Callable[[SafetySpec], Model]
    decisions: frozenset[Decision] = frozenset()
    """Every decision below C1 that it gets, by sensed state and as issued."""
    issues: frozenset[str] = frozenset()
    """Every kind of behavioural issue that it shows."""
    subtypes: frozenset[str] = frozenset()
    """Every subtype of its C2 decisions."""

    @property
    def is_allowed(self) -> bool:
        """Whether the judge must find nothing: the behaviour is another way to heed the rules."""
        return not self.decisions and not self.issues


def expect(*words: str) -> frozenset[Decision]:
    """Return decisions written as `S2 C3` or `S4 obligation C4`."""
    return frozenset((rule, label) for rule, _, label in (word.rpartition(" ") for word in words))


class Quiet(Oracle):
    """An oracle that says nothing of what it did, so that its deeds alone are judged."""

    def report(self, view: TurnView, active: object) -> str:
        """Acknowledge."""
        del view, active
        return "Okay."
