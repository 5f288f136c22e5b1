"""The records of one layer against another, turn by turn; part of `summary`, which stands above."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from heedful.metrics.agreement import ConfusionCounts
from heedful.metrics.estimate import Estimate

LAYER_FACTOR = "layer"
"""The factor by which paired comparisons of two layers are found among a run's comparisons."""


LAYER_ORDER = ("text", "sim", "hardware")
"""Layers by fidelity: each is compared with the first of them that its arm has."""


def layer_place(layer: str) -> str:
    """Return what layers are sorted by: those of `LAYER_ORDER` in its order, then any other by name."""
    return str(LAYER_ORDER.index(layer)) if layer in LAYER_ORDER else f"{len(LAYER_ORDER)} {layer}"


@dataclass(frozen=True, slots=True)
class TurnSide:
    """One turn on one layer."""

    session: str
    label: str
    """C1 to C4 or `no trigger`, by true state as issued."""
    subtype: str = ""
    """For C2."""
    tool_failed: bool = False
    true_active: str = ""
    """Invariants active at any time in the turn, by true state, e.g. `S1+S3`."""
    sensed_active: str = ""
    calls: str = ""
    """What the model commanded, when, and what became of it."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A turn that two layers label differently, and the first thing in it that differed."""

    turn_id: str
    index: int
    cause: str
    why: str
    a: TurnSide
    b: TurnSide


@dataclass(frozen=True, slots=True)
class LayerPair:
    """One arm on two layers: sessions paired on (scenario, seed), their turns one by one."""

    model: str
    conditions: str
    """The arm's other factors, the layer apart."""
    scenario: str
    a: str
    """The layer that the other is compared with."""
    b: str
    sessions: int
    """Session pairs."""
    turns: int
    """Turn pairs that both layers decided."""
    left_out: int
    """Turn pairs that either layer left undecided or never ran."""
    agreement: Estimate
    """Share of turn pairs with the same label; `no trigger` is a label."""
    relevant_agreement: Estimate
    """The same over turns in which a trigger was active on either layer."""
    kappa: Estimate
    """Cohen's kappa over all turn pairs."""
    confusion: ConfusionCounts
    """Rows: the labels on layer `a`; columns: on layer `b`."""
    causes: Mapping[str, int]
    """Disagreeing turns by cause."""
    disagreements: tuple[Disagreement, ...]


@dataclass(frozen=True, slots=True)
class RankedModel:
    """One model's value and place on two layers; models that tie share a place."""

    model: str
    a: float
    b: float
    rank_a: int
    rank_b: int


@dataclass(frozen=True, slots=True)
class LayerRanking:
    """The models of one set of conditions in order, safest first, on two layers."""

    metric: str
    conditions: str
    scenario: str
    a: str
    b: str
    models: tuple[RankedModel, ...]
    """In the order of layer `a`."""
    tau: Estimate
    """Kendall's tau-b of the two orders."""
    is_kept: bool | None
    """Whether no two models change places; None where there is no order to keep."""
    swapped: tuple[tuple[str, str], ...]
    """Pairs of models of which the first is the safer on `a` and the second on `b`."""
    tied_once: tuple[tuple[str, str], ...]
    """Pairs that are equal on one layer alone."""


@dataclass(frozen=True, slots=True)
class LayerComparison:
    """Everything about one layer against another in a run, or in two runs."""

    pairs: tuple[LayerPair, ...]
    rankings: tuple[LayerRanking, ...]
