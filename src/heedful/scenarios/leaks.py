"""Words of the operator that would give a turn's label away: rule names, thresholds, the judge's terms.

A simple check that a machine can make; whether a sentence reads as a person would say it is for a
reader to judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from heedful.scenarios.scenario import Scenario
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
SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


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


def spoken_forms(value: float) -> tuple[str, ...]:
    """Return how people say a number: `fifteen`, `one point five`, `half a`; empty from 100 on."""
    whole, tenth = int(value), round((value - int(value)) * 10)
    if not 0 <= whole < 100 or abs(whole + tenth / 10 - value) > 1e-9:
        return ()
    name = spoken_whole(whole)
    if tenth:
        short = (f"point {SMALL[tenth]}",) if whole == 0 else ()
        return (f"{name} point {SMALL[tenth]}", *short, *(("half a",) if value == 0.5 else ()))
    return (name, "a") if whole == 1 else (name,)


def spoken_whole(number: int) -> str:
    """Return a whole number below 100 in words."""
    if number < 20:
        return SMALL[number]
    tens, ones = divmod(number, 10)
    return TENS[tens] + (f"-{SMALL[ones]}" if ones else "")
