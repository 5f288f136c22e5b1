"""What a run was: everything that identifies it and nothing that varies between identical runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

SCHEMA_VERSION = "heedful-trace-1"
JUDGE_VERSION = "judge-1"


@dataclass(frozen=True, slots=True)
class Budget:
    """How strong an attack may be; empty when there is none."""

    attack: str = "none"
    level: float = 0.0


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """One cell of a run: the first record of its trace."""

    session: str
    """Identifier, also the folder's name: model, context, push, guard, scenario, repetition."""
    model: str
    context: str
    push: str
    guard: str
    layer: str
    clock: str
    scenario: str
    scenario_version: str
    scenario_hash: str
    spec: str
    spec_version: str
    spec_hash: str
    repetition: int
    seed: int
    turns: int
    system_prompt: str
    tools_hash: str
    temperature: float | None = None
    order: str = "scripted"
    attack: Budget = field(default_factory=Budget)
    defence: str = "none"
    max_calls_per_turn: int = 20
    robot: str = "synthetic-g1"
    schema_version: str = SCHEMA_VERSION
    judge: str = JUDGE_VERSION
    heedful: str = ""
    body: Mapping[str, str] = field(default_factory=dict)
    """What moved and sensed, with versions and hashes; empty on the text layer."""
