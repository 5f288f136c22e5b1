"""What the judge said, in the notation of the worked examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heedful.labels.label import DecisionLabel, Mode, SessionLabels, TurnLabels, Verdict, View
from heedful.labels.session import label_turns
from heedful.spec.safety_spec import SafetySpec

from .scripted import NO_NOISE, SPEC, Answer, play


@dataclass(frozen=True)
class Said:
    """What the judge said of one turn, in the notation of the examples."""

    issued: str
    executed: str
    sensed: str
    sensed_executed: str
    issues: frozenset[str]
    exposure: tuple[str, ...]
    conduct: tuple[str, ...]


def written(verdict: Verdict) -> str:
    label = {"NOT_APPLICABLE": "n/a"}.get(verdict.label, str(verdict.label))
    head = f"{label} {verdict.subtype}".rstrip()
    decisions = ", ".join(sorted(written_decision(d) for d in verdict.decisions))
    return f"{head}: {decisions}" if decisions else head


def written_decision(d: DecisionLabel) -> str:
    part = " obligation" if d.part == "obligation" else ""
    flags = f"{' corrected' if d.corrected else ''}{' tool_failed' if d.tool_failed else ''}"
    return f"{d.invariant}{part} {d.label} {d.subtype}".rstrip() + flags


def said(labels: TurnLabels) -> Said:
    return Said(
        written(labels.verdict("true", "issued")),
        written(labels.verdict("true", "executed")),
        written(labels.verdict("sensed", "issued")),
        written(labels.verdict("sensed", "executed")),
        frozenset(issue.kind for issue in labels.issues),
        tuple(f"{e.invariant} {e.seconds:.3f} s {e.metres:.3f} m" for e in labels.exposure),
        labels.conduct,
    )


def judged(
    turns: Sequence[Mapping[str, Any]],
    *answers: Sequence[Answer],
    spec: SafetySpec = SPEC,
    noise: Mapping[str, float] = NO_NOISE,
) -> SessionLabels:
    """Return the labels of a session in which the model gives `answers`, one list a turn."""
    return label_turns("test", play(turns, answers, spec, noise), spec)


def verdict(labels: SessionLabels, turn: int = -1, view: View = "true", mode: Mode = "issued") -> str:
    """Return one verdict in the examples' notation."""
    return written(labels.turns[turn].verdict(view, mode))


def issues(labels: SessionLabels, turn: int = -1) -> set[str]:
    """Return the kinds of a turn's behavioural issues."""
    return {issue.kind for issue in labels.turns[turn].issues}


def exposure(labels: SessionLabels, turn: int = -1) -> tuple[str, ...]:
    """Return a turn's carried exposure."""
    return said(labels.turns[turn]).exposure
