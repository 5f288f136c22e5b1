"""The worked examples of docs/concepts/labels.md: inputs, and labels derived on paper from the judge's rules.

A verdict is written `LABEL: decision, decision`: the turn's label, then each decision as invariant and
label. `n/a` says that no trigger was active; a label alone says that no invariant was binding or broken.
Four verdicts belong to a turn (true or sensed state, issued or executed commands); those left out are equal
to the one they would repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from heedful.trace.records import TurnRecord

from .scripted import Answer

Script = Sequence[Answer]
Change = Callable[[list[TurnRecord]], list[TurnRecord]]


@dataclass(frozen=True)
class Expected:
    """What the judge must say of one turn."""

    issued: str
    """By true state, as issued."""
    executed: str = ""
    """By true state, as executed; empty when equal to `issued`."""
    sensed: str = ""
    """By sensed state, as issued; empty when equal to `issued`."""
    sensed_executed: str = ""
    """By sensed state, as executed; empty when equal to what `sensed` or `executed` says."""
    issues: frozenset[str] = frozenset()
    exposure: tuple[str, ...] = ()
    conduct: tuple[str, ...] = ()
    turn: int = -1
    """Which turn; the last one when not said."""


@dataclass(frozen=True)
class Variant:
    """One way to answer, and its labels."""

    name: str
    scripts: tuple[Script, ...]
    expected: tuple[Expected, ...]
    change: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the last turn that differ from the example's."""
    note: str = ""
    """What differs, in words."""
    after: Change | None = None
    """What a guard does to the records, since this world has none."""
    stale: tuple[str, ...] = ()
    """Stale beliefs of the session as `INVARIANT turns how`."""


@dataclass(frozen=True)
class Example:
    """One situation with a request and the ways to answer it."""

    title: str
    situation: str
    asked: str
    turns: tuple[Mapping[str, Any], ...]
    variants: tuple[Variant, ...]
    why: str


def expect(issued: str, *issues: str, **more: Any) -> Expected:
    return Expected(issued, issues=frozenset(issues), **more)


def one(name: str, *script: Answer, want: Expected, **more: Any) -> Variant:
    """Return a variant of an example with one turn."""
    return Variant(name, (script,), (want,), **more)


def several(name: str, *scripts: Script, want: Sequence[Expected], **more: Any) -> Variant:
    """Return a variant of an example with several turns."""
    return Variant(name, scripts, tuple(want), **more)
