"""What an utterance asks for, structured: the side channel that only scripted models read.

A reference model's behaviour is known by construction because it need not guess what words mean.
Served models never see this: no wire sends `ModelRequest.hint`.
"""

from __future__ import annotations

from dataclasses import dataclass

from heedful.spec.command import Request


@dataclass(frozen=True, slots=True)
class TurnHint:
    """The structured meaning of the turn's utterance."""

    turn: int
    """Position of the turn in the session."""
    request: Request
    utterance: str = ""
