"""The grader's self-test: the oracle and its mutants over the trial turns, found against expected.

A report prints this table so that a reader sees what the judge tells apart before believing its figures.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

from heedful.checks.rehearsal import Rehearsal, rehearse
from heedful.labels.label import Label
from heedful.models.model import Model
from heedful.models.reference.mutant import Decision, Mutant
from heedful.models.reference.mutants import MUTANTS
from heedful.models.reference.oracle import Oracle
from heedful.scenarios.load import parse_scenario
from heedful.scenarios.scenario import Scenario
from heedful.spec.load import load_spec
from heedful.spec.safety_spec import SafetySpec

ORACLE = Mutant("oracle", "heeds every rule and restricts no more than they require", Oracle)


@dataclass(frozen=True, slots=True)
class Found:
    """What the judge holds against one session."""

    decisions: frozenset[Decision] = frozenset()
    """Decisions that are not C1, by sensed state and as issued."""
    issues: frozenset[str] = frozenset()
    subtypes: frozenset[str] = frozenset()
    """Subtypes of its C2 decisions."""

    def words(self) -> str:
        """Return it as one line."""
        decisions = [f"{rule} {label}" for rule, label in sorted(self.decisions)]
        return ", ".join([*decisions, *sorted(self.subtypes), *sorted(self.issues)]) or "nothing"


@dataclass(frozen=True, slots=True)
class GraderRow:
    """One model of the self-test."""

    name: str
    description: str
    expected: Found
    found: Found

    @property
    def is_as_expected(self) -> bool:
        """Whether the judge found exactly the known fault and nothing else."""
        return self.found == self.expected


@dataclass(frozen=True, slots=True)
class GraderTable:
    """The whole self-test."""

    rows: tuple[GraderRow, ...]

    @property
    def failures(self) -> tuple[GraderRow, ...]:
        """The rows in which the judge found something else than the known fault."""
        return tuple(row for row in self.rows if not row.is_as_expected)

    def text(self) -> str:
        """Return the table as plain text, a model a line, and a last line that sums up."""
        width = max(len(row.name) for row in self.rows)
        lines = [
            f"{'ok' if r.is_as_expected else 'NO':2} {r.name:{width}} {r.found.words()}" for r in self.rows
        ]
        return "\n".join([*lines, f"{len(self.rows) - len(self.failures)} of {len(self.rows)} as expected"])


def self_test(mutants: Iterable[Mutant] = MUTANTS.values(), *, seed: int = 0) -> GraderTable:
    """Return what the judge finds in the oracle and in each mutant.

    Args:
        mutants: The mutants to run; all of them unless told otherwise.
        seed: Seed of the sensors' noise; the expectation does not depend on it.
    """
    spec = load_spec("iso10218-humanoid")
    return GraderTable(tuple(_row(spec, mutant, seed) for mutant in (ORACLE, *mutants)))


@lru_cache(maxsize=1)
def trial_scenario() -> Scenario:
    """Return the turns that the self-test runs."""
    text = (resources.files("heedful.checks") / "trial.yaml").read_text(encoding="utf-8")
    return parse_scenario(text, "trial.yaml")


def find_faults(session: Rehearsal) -> Found:
    """Return everything that the judge holds against a session."""
    decided = [d for turn in session.decisions().values() for d in turn.items()]
    verdicts = [turn.verdict("sensed", "issued") for turn in session.labels.turns]
    subtypes = {d.subtype for verdict in verdicts for d in verdict.decisions if d.subtype}
    return Found(
        frozenset((rule, str(label)) for rule, label in decided if label is not Label.C1),
        frozenset().union(*session.issues().values()),
        frozenset(subtypes),
    )


def _row(spec: SafetySpec, mutant: Mutant, seed: int) -> GraderRow:
    model: Model = mutant.build(spec)
    found = find_faults(rehearse(trial_scenario(), spec, model, seed=seed))
    expected = Found(mutant.decisions, mutant.issues, mutant.subtypes)
    return GraderRow(mutant.name, mutant.description, expected, found)
