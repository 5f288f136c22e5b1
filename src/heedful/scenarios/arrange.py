"""Another order of a scenario's turns: what belongs together moves together, probes stay in every quarter.

Phases name spans of the session, not of the content, so they stay where they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from numpy.random import Generator

from heedful.errors import ScenarioError
from heedful.scenarios.promises import Promises
from heedful.scenarios.scenario import Scenario, Turn
from heedful.scenarios.turn_profile import TurnProfile
from heedful.spec.safety_spec import SafetySpec

ATTEMPTS = 500


class _DeadEndError(Exception):
    """A random placement leaves no slot for a turn."""


@dataclass(frozen=True, slots=True)
class Script:
    """A scenario with what its order must respect."""

    scenario: Scenario
    spec: SafetySpec
    profiles: tuple[TurnProfile, ...]
    promises: Promises


def shuffled_order(script: Script, rng: Generator) -> tuple[int, ...]:
    """Return the turns' present positions in a new order; the first and the last turn stay.

    Raises:
        ScenarioError: If no order within the constraints is found.
    """
    for _ in range(ATTEMPTS):
        try:
            order = _Placement(script, rng).place()
        except _DeadEndError:
            continue
        if _clamp_phases(script, order) >= script.promises.clamp_phases:
            return order
    raise ScenarioError(f"{script.scenario.name}: no other order keeps its blocks and probes in place.")


def blocks(script: Script) -> tuple[range, ...]:
    """Return the runs of turns that must stay together, two turns or more each."""
    turns, count = script.scenario.turns, len(script.scenario.turns)
    joined = [False] * count  # whether turn k belongs to the turn before
    for k in range(1, count):
        joined[k] = "continues" in turns[k].tags or _is_under_obligation(script, k - 1)
        joined[k] = joined[k] or (_is_blind(turns[k - 1]) and _is_in_blind_run(turns, k))
    starts = [k for k in range(count) if not joined[k]]
    runs = (range(a, b) for a, b in zip(starts, [*starts[1:], count], strict=True))
    return tuple(run for run in runs if len(run) > 1)


def _is_under_obligation(script: Script, k: int) -> bool:
    required = {r.invariant for r in script.spec.rules if r.kind == "require"}
    return bool(required & script.profiles[k].ever)


def _is_blind(turn: Turn) -> bool:
    signals = turn.script.signals
    age = signals["camera.frame_age"].at(0.0)
    stalled = isinstance(age, float) and age > 1.0
    return stalled or not signals["camera.connected"].at(0.0) or bool(signals["camera.frozen"].at(0.0))


def _is_in_blind_run(turns: Sequence[Turn], k: int) -> bool:
    """Whether turn k is a later turn of a run of two or more blind turns, or the one right after it."""
    return _is_blind(turns[k]) or (k >= 2 and _is_blind(turns[k - 2]))


def _clamp_phases(script: Script, order: Sequence[int]) -> int:
    turns = script.scenario.turns
    return len({turns[slot].phase for slot, k in enumerate(order) if script.profiles[k].is_clamp})


@dataclass
class _Placement:
    """One attempt to give every turn a slot."""

    script: Script
    rng: Generator
    slots: dict[int, int] = field(default_factory=dict)
    """Turn by slot."""

    def place(self) -> tuple[int, ...]:
        """Return the order found."""
        count = len(self.script.scenario.turns)
        runs = blocks(self.script)
        pinned = {0, count - 1}.union(*(run for run in runs if 0 in run or count - 1 in run))
        self.slots = {k: k for k in pinned}
        for run in sorted(runs, key=len, reverse=True):
            if run[0] not in pinned:
                self._place_run(run)
        placed = set(self.slots.values())
        loose = [k for k in range(count) if k not in placed]
        self._place_families([k for k in loose if self._family(k)])
        rest = [k for k in loose if not self._family(k)]
        for k in sorted(rest, key=self._earliest, reverse=True):
            self._put(k, self._free(range(count), k))
        return tuple(self.slots[slot] for slot in range(count))

    def _family(self, k: int) -> str:
        return self.script.scenario.turns[k].family

    def _earliest(self, k: int) -> int:
        return self.script.promises.first_clamp_index if self.script.profiles[k].is_clamp else 0

    def _place_run(self, run: range) -> None:
        count = len(self.script.scenario.turns)
        earliest = max(1, *(self._earliest(k) - j for j, k in enumerate(run)))
        fits = [
            start
            for start in range(earliest, count - len(run))
            if not any(start + j in self.slots for j in range(len(run)))
        ]
        start = self._choose(fits)
        self.slots |= {start + j: k for j, k in enumerate(run)}

    def _place_families(self, members: Sequence[int]) -> None:
        """Give each family a member in every quarter, blocks included, and the others any quarter."""
        quarters = self.script.promises.quarters
        for family in dict.fromkeys(self._family(k) for k in members):
            held = {self._quarter(slot) for slot, k in self.slots.items() if self._family(k) == family}
            missing = [q for q in range(quarters) if q not in held]
            own = self.rng.permutation([k for k in members if self._family(k) == family])
            if len(missing) > len(own):
                raise _DeadEndError
            others = self.rng.integers(quarters, size=len(own) - len(missing))
            for k, quarter in zip(own, [*missing, *others], strict=True):
                within = [s for s in range(len(self.script.scenario.turns)) if self._quarter(s) == quarter]
                self._put(int(k), self._free(within, int(k)))

    def _quarter(self, slot: int) -> int:
        return slot * self.script.promises.quarters // len(self.script.scenario.turns)

    def _free(self, wanted: Sequence[int], k: int) -> list[int]:
        return [s for s in wanted if s not in self.slots and s >= self._earliest(k)]

    def _put(self, k: int, fits: Sequence[int]) -> None:
        self.slots[self._choose(fits)] = k

    def _choose(self, fits: Sequence[int]) -> int:
        if not fits:
            raise _DeadEndError
        return fits[int(self.rng.integers(len(fits)))]
