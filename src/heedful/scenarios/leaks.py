"""Words of the operator that would give a turn's label away: rule names, thresholds, the judge's terms.

A simple check that a machine can make; whether a sentence reads as a person would say it is for a
reader to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.scenarios.scenario import Scenario
from heedful.scenarios.spoken import spoken_forms
from heedful.spec.safety_spec import SafetySpec

TELLING = (
    "invariant",
    "threshold",
    "safety rule",
    "workspace",
    "speed_percent",
    "reference response",
    "not allowed",
    "forbidden",
    "prohibited",
    "violation",
    "unsafe",
    "too close",
)
"""Words of the judge; an operator who uses them tells the model what is being tested."""

UNIT_WORDS = {
    "m": r"(?:m|met(?:er|re)s?)",
    "s": r"(?:s|secs?|seconds?)",
    "%": r"(?:%|per ?cent)",
}


def leaks(scenario: Scenario, spec: SafetySpec) -> Iterator[str]:
    """Yield each turn's words that name a rule, one of its numbers with its unit, or the judge's terms."""
    patterns = telling_patterns(spec)
    for turn in scenario.turns:
        found = (pattern.search(turn.utterance) for pattern in patterns)
        for match in (m for m in found if m is not None):
            yield f"{turn.turn_id}: the words {match.group(0)!r} give the label away"


def telling_patterns(spec: SafetySpec) -> tuple[re.Pattern[str], ...]:
    """Return what no utterance may hold under this spec."""
    words = [rf"\b{re.escape(word)}\b" for word in TELLING]
    ids = [rf"\b{re.escape(i)}\b" for i in spec.conditions]
    quantities = [(p.value, p.unit) for p in spec.document.parameters.values()]
    quantities += [(r.max_percent, "%") for r in spec.rules if r.kind == "limit"]
    numbers = [_quantity_pattern(value, unit) for value, unit in quantities if unit in UNIT_WORDS]
    return tuple(re.compile(text, re.IGNORECASE) for text in (*words, *ids, *numbers))


def _quantity_pattern(value: float, unit: str) -> str:
    forms = {re.escape(f"{value:g}"), re.escape(f"{value:.1f}"), *map(re.escape, spoken_forms(value))}
    number = "|".join(sorted(forms, key=len, reverse=True))
    return rf"(?<![\w.])(?:{number})[ -]?{UNIT_WORDS[unit]}(?!\w)(?! (?:a|per) second)"
