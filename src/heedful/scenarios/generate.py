"""Valid variants of a scenario by the thousand: other waypoints, other words, another order, faults.

A variant keeps every promise that its base keeps and, turn by turn, the set of active rules; what a
draw breaks is drawn again nearer to the base. The same base, seed and options give the same variant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from numpy.random import Generator, default_rng

from heedful.errors import ScenarioError
from heedful.scenarios.arrange import Script, shuffled_order
from heedful.scenarios.document import ScenarioDocument, TurnDocument
from heedful.scenarios.leaks import telling_patterns
from heedful.scenarios.load import parse_scenario
from heedful.scenarios.phrases import reword
from heedful.scenarios.profile import CHECKS, promises_for
from heedful.scenarios.promises import View, view_of
from heedful.scenarios.scenario import Scenario, compile_scenario
from heedful.scenarios.turn_profile import TurnProfile
from heedful.scenarios.vary import Shift, add_faults, draw_shift, group_of, plan_battery, shift_turn
from heedful.scenarios.write import document_to_yaml, scenario_document, scenario_to_yaml
from heedful.spec.load import load_spec

__all__ = ["GeneratorOptions", "ScenarioGenerator", "generate_scenario", "scenario_to_yaml"]

ROUNDS = 4
"""Draws of a group's waypoints, each half as far from the base; then the base's own are kept."""
WORDINGS = 60
_TURN_OF = re.compile(r"^([A-Za-z0-9-]{1,16}): ")


@dataclass(frozen=True, slots=True)
class GeneratorOptions:
    """What a variant may change."""

    order: Literal["written", "shuffled"] = "written"
    """`shuffled` moves the turns; blocks that belong together move as one and phases stay in place."""
    wording: Literal["written", "reworded"] = "reworded"
    jitter: float = 1.0
    """How far waypoints stray: 1 is 0.06 m for the person, 0.1 m and 6 degrees for the robot, 0.2 s."""
    noise: Mapping[str, float] = field(default_factory=dict)
    """Half widths of the sensor noise by signal, where they differ from the default law."""
    sensor_faults: int = 0
    """Turns in which a sensor fails; only turns without any trigger, probe or tag."""
    tool_faults: int = 0
    """Turns in which a tool fails; only turns without any trigger, probe or tag."""


def generate_scenario(base: Scenario, seed: int, options: GeneratorOptions | None = None) -> Scenario:
    """Return a variant of `base` named `<base>+g<seed>`.

    Args:
        base: A scenario that was written by hand, or any other.
        seed: Picks the variant.
        options: What may change.

    Raises:
        ScenarioError: If the options leave no variant that keeps the base's promises.
    """
    return ScenarioGenerator(base, options).generate(seed)


class ScenarioGenerator:
    """Makes variants of one base; what is known of the base is worked out once."""

    def __init__(self, base: Scenario, options: GeneratorOptions | None = None) -> None:
        self._base = base
        self._options = options or GeneratorOptions()
        self._spec = load_spec(base.spec)
        self._promises = promises_for(base.name)
        self._document = scenario_document(base)
        view = view_of(base, self._spec, self._promises)
        self._profiles = {profile.turn_id: profile for profile in view.profiles}
        self._kept = [check for check in CHECKS.values() if not any(check(view))]

    def generate(self, seed: int) -> Scenario:
        """Return the variant of that seed.

        Raises:
            ScenarioError: If the options leave no variant that keeps the base's promises.
        """
        options, streams = self._options, default_rng(seed).spawn(4)
        is_shuffled = options.order == "shuffled"
        document = self._start(f"{self._base.name}+g{seed}{'-shuffled' if is_shuffled else ''}")
        if is_shuffled:
            document = self._reorder(document, streams[0])
        document = self._jitter(document, streams[1])
        if options.wording == "reworded":
            document = self._reword(document, streams[2])
        document = self._break_things(document, streams[3])
        scenario = parse_scenario(document_to_yaml(document), document.name)
        self._check(scenario)
        return scenario

    def _start(self, name: str) -> ScenarioDocument:
        """Return the base's document under the variant's name and noise."""
        noise = {**self._base.noise, **self._options.noise}
        return self._document.model_copy(update={"name": name, "noise": noise})

    def _reorder(self, document: ScenarioDocument, rng: Generator) -> ScenarioDocument:
        """Return the turns in another order, phases in their old places."""
        script = Script(self._base, self._spec, tuple(self._profiles.values()), self._promises)
        turns = [
            document.turns[k].model_copy(update={"phase": document.turns[slot].phase})
            for slot, k in enumerate(shuffled_order(script, rng))
        ]
        return document.model_copy(update={"turns": tuple(turns)})

    def _jitter(self, document: ScenarioDocument, rng: Generator) -> ScenarioDocument:
        """Return the turns with other waypoints, each group shifted as far as its promises allow."""
        required = {r.invariant for r in self._spec.rules if r.kind == "require"}
        under = {i for i, profile in self._profiles.items() if required & profile.ever}
        document = plan_battery(document, under, rng, self._options.jitter)
        groups = _groups(document.turns)
        spoilt = Counter[str]()
        shifts: dict[str, Shift] = {}
        for _ in range(ROUNDS + 1):
            missing = [group for group in dict.fromkeys(groups.values()) if group not in shifts]
            shifts |= {group: draw_shift(rng, self._reach(spoilt[group])) for group in missing}
            candidate = _shifted(document, groups, shifts)
            bad = {groups[i] for i in self._spoilt(candidate) if i in groups}
            if not bad:
                return candidate
            spoilt.update(bad)
            shifts = {group: shift for group, shift in shifts.items() if group not in bad}
        return _shifted(document, groups, {group: shifts.get(group, Shift()) for group in groups.values()})

    def _reach(self, spoilt: int) -> float:
        """Return how far a group's waypoints may stray after so many draws that did not do."""
        return self._options.jitter / 2**spoilt if spoilt < ROUNDS else 0.0

    def _reword(self, document: ScenarioDocument, rng: Generator) -> ScenarioDocument:
        """Return the turns with other words, no two alike and none that gives a label away."""
        used: set[str] = {turn.say.casefold() for turn in document.turns if not turn.ask}
        telling = telling_patterns(self._spec)
        turns = []
        for turn in document.turns:
            drafts = (reword(turn, document.places, rng) for _ in range(WORDINGS))
            fits = (w for w in drafts if w.casefold() not in used and not any(p.search(w) for p in telling))
            said = next(fits, turn.say) if turn.ask else turn.say
            used.add(said.casefold())
            turns.append(turn.model_copy(update={"say": said}))
        return document.model_copy(update={"turns": tuple(turns)})

    def _break_things(self, document: ScenarioDocument, rng: Generator) -> ScenarioDocument:
        """Return the turns with the faults that the options ask for."""
        quiet = {i for i, p in self._profiles.items() if not p.ever and p.reference.answers}
        options = self._options
        return add_faults(document, quiet, rng, options.sensor_faults, options.tool_faults)

    def _check(self, scenario: Scenario) -> None:
        """Refuse a variant that breaks what the base keeps."""
        broken = self._broken(view_of(scenario, self._spec, self._promises))
        if broken:
            raise ScenarioError(f"{scenario.name} breaks its base's promises: {'; '.join(broken[:5])}.")

    def _broken(self, view: View) -> list[str]:
        return [text for check in self._kept for text in check(view)]

    def _spoilt(self, document: ScenarioDocument) -> set[str]:
        """Return the turns that no longer hold what they hold in the base, or break a promise."""
        view = view_of(compile_scenario(document), self._spec, self._promises)
        changed = {p.turn_id for p in view.profiles if _holds(p) != _holds(self._profiles[p.turn_id])}
        named = (_TURN_OF.match(text) for text in self._broken(view))
        return changed | {match.group(1) for match in named if match is not None}


def _holds(profile: TurnProfile) -> tuple[object, ...]:
    steps = profile.reference.components()
    return (
        profile.at_start,
        profile.together,
        profile.sensed_differs,
        profile.is_clamp,
        profile.binding,
        steps,
    )


def _groups(turns: Sequence[TurnDocument]) -> dict[str, str]:
    """Return the group of each turn: families share a state, and a continued turn its predecessor's."""
    groups: dict[str, str] = {}
    for k, turn in enumerate(turns):
        is_continued = "continues" in turn.tags and k > 0
        groups[turn.id] = groups[turns[k - 1].id] if is_continued else group_of(turn)
    return groups


def _shifted(
    document: ScenarioDocument, groups: Mapping[str, str], shifts: Mapping[str, Shift]
) -> ScenarioDocument:
    turns = tuple(shift_turn(turn, shifts[groups[turn.id]]) for turn in document.turns)
    return document.model_copy(update={"turns": turns})
