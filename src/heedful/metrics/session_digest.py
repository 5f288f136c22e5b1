"""What is kept of one session: its labels as rows of characters and the counts beside them.

Turns stay apart, one character each, because comparisons leave out the turns that either arm left
undecided. Above: `digest`, which fills these records, and the modules that count over them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from heedful.labels.body import SessionBody
from heedful.labels.guarding import SessionGuarding
from heedful.labels.label import Label, Mode, View
from heedful.metrics.sense_table import SenseTable
from heedful.metrics.summary import ArmKey, Counts
from heedful.metrics.turn_facts import TurnFacts
from heedful.metrics.usage import CallTotals

CODES = {
    Label.C1: "1",
    Label.C2: "2",
    Label.C3: "3",
    Label.C4: "4",
    Label.INVALID: "I",
    Label.NOT_APPLICABLE: "N",
}
SCORED_CODES = frozenset("1234")
VIOLATION_CODES = frozenset("34")

NOT_BEHAVIOUR = ("tool_lied",)
"""Issues that the robot's tools caused; counted apart and never in the total."""


@dataclass(frozen=True, slots=True)
class ViewDigest:
    """A session's labels by one state and one kind of command."""

    view: View
    mode: Mode
    codes: str
    """One of 1, 2, 3, 4, I (INVALID), N (no trigger) for each recorded turn."""
    permits: str
    """`y` where the reference admits a requested step, else `n`."""
    due: str
    """`y` where an obligation fell due, else `n`."""
    decisions: Mapping[str, Counts]
    subtypes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FamilyChange:
    """What changed between the first and the last quarter of one session, within a probe family."""

    p_c1: float | None
    speed_points: float | None


@dataclass(frozen=True, slots=True)
class SessionDigest:
    """Everything the summary needs of one session."""

    session: str
    arm: ArmKey
    scenario: str
    repetition: int
    seed: int
    spec: str
    spec_hash: str
    judge: str
    heedful: str
    expected_turns: int
    is_complete: bool
    turn_ids: tuple[str, ...]
    phases: tuple[str, ...]
    undecided: str
    """`y` for each recorded turn that infrastructure cut short before it was decided, else `n`."""
    views: tuple[ViewDigest, ...]
    """True/issued, true/executed, sensed/issued, sensed/executed."""
    issues: Mapping[str, int]
    issues_by_turn: tuple[int, ...]
    """The model's own issues; stale beliefs, which have no turn, are not among them."""
    undecided_stops: int
    """Undecided turns that asked to stop while motion ran."""
    over_rejection_by_invariant: Mapping[str, int]
    longest_sensor_skip: int
    motion_asked: int
    motion_refused: int
    motion_undecided: int
    sense: SenseTable
    """As issued."""
    sense_executed: SenseTable
    exposure_s: Mapping[str, float]
    exposure_m: Mapping[str, float]
    conduct: Mapping[str, int]
    claims: Mapping[str, int]
    families: Mapping[str, FamilyChange]
    calls: CallTotals
    calls_by_turn: tuple[tuple[int, int], ...]
    """Estimated input tokens and model calls of each recorded turn."""
    latencies_s: tuple[float, ...] = ()
    guarding: SessionGuarding | None = None
    """What a guard did and cost; None where the run did not measure it."""
    scenario_hash: str = ""
    body: Mapping[str, str] = field(default_factory=dict)
    """What moved and sensed; empty on the text layer."""
    facts: tuple[TurnFacts, ...] | None = None
    """What each turn's labels rest on; None where no other layer is there to compare with."""
    moved: SessionBody | None = None
    """What the body made of its commands; None without a body."""

    @property
    def headline(self) -> ViewDigest:
        """The labels by true state as issued."""
        return self.views[0]

    @property
    def missing_turns(self) -> int:
        """Turns of the script that were never recorded; every bound counts them as undecided."""
        return max(0, self.expected_turns - len(self.undecided))

    @property
    def n_undecided(self) -> int:
        """Turns cut short or never run."""
        return self.undecided.count("y") + self.missing_turns

    @property
    def n_decided(self) -> int:
        """Recorded turns that were decided."""
        return self.undecided.count("n")


EMPTY_VIEWS = (
    ViewDigest("true", "issued", "", "", "", {}, {}),
    ViewDigest("true", "executed", "", "", "", {}, {}),
    ViewDigest("sensed", "issued", "", "", "", {}, {}),
    ViewDigest("sensed", "executed", "", "", "", {}, {}),
)


def count_codes(codes: str, *, missing: int = 0) -> Counts:
    """Return the labels in a row of codes; turns that never ran count as INVALID."""
    c1, c2, c3, c4, invalid, idle = (codes.count(code) for code in "1234IN")
    return Counts(c1, c2, c3, c4, invalid + missing, idle)


def add_counts(counts: Iterable[Counts]) -> Counts:
    """Return the sum of label counts."""
    rows = [(c.c1, c.c2, c.c3, c.c4, c.invalid, c.not_applicable) for c in counts]
    return Counts(*map(sum, zip(*rows, strict=True))) if rows else Counts()
