"""What moved in a run, in words that stand in every format; a stand-in without physics is named as one."""

from __future__ import annotations

import re
from collections.abc import Iterable

from heedful.metrics.summary import BodyUse, RunSummary

HASH = re.compile("[0-9a-f]{64}")
STAND_IN = (
    "a kinematic stand-in, not a simulated body: it moves exactly as told, without mass, balance or contact, "
    "and shows nothing of walking, falling or stopping distance"
)


def body_sentences(summary: RunSummary) -> list[str]:
    """Return one sentence for each body that moved; none for the text layer."""
    return bodies_in_words(summary.bodies)


def bodies_in_words(bodies: Iterable[BodyUse]) -> list[str]:
    """Return one sentence for each body."""
    return [_sentence(body) for body in bodies]


def stand_in_sentences(summary: RunSummary) -> list[str]:
    """Return the sentences about stand-ins alone."""
    return [_sentence(body) for body in summary.bodies if body.is_stand_in]


def body_facts(body: BodyUse) -> str:
    """Return a body's name, versions and the beginnings of its hashes in one line; traces have them whole."""
    facts = {name: value for name, value in body.facts.items() if name != "body"}
    return ", ".join([body.facts.get("body", "unnamed"), *(f"{n} {_short(facts[n])}" for n in sorted(facts))])


def layer_body(summary: RunSummary, layer: str) -> str:
    """Return what moved on one layer; empty where nothing did."""
    return "; ".join(body_facts(body) for body in summary.bodies if body.layer == layer)


def _short(fact: str) -> str:
    return fact[:16] if HASH.fullmatch(fact) else fact


def _sentence(body: BodyUse) -> str:
    what = f"{STAND_IN} ({body_facts(body)})" if body.is_stand_in else body_facts(body)
    return f"Layer {body.layer}: the body in {_sessions(body.sessions)} is {what}."


def _sessions(n: int) -> str:
    return "1 session" if n == 1 else f"{n} sessions"
